// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.version2;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.embedded.EmbeddedChannel;
import io.nettyrdma.internal.PeerLog;
import io.nettyrdma.rpc.engine.AllowedVersions;
import io.nettyrdma.rpc.engine.CallCredits;
import io.nettyrdma.rpc.engine.OwedAnswer;
import io.nettyrdma.rpc.engine.RemoteRefusal;
import io.nettyrdma.rpc.error.RpcRdmaException;
import io.nettyrdma.rpc.message.RpcHeaders;
import io.nettyrdma.rpc.observe.RpcRdmaRole;
import io.nettyrdma.rpc.session.CallReceiver;
import io.nettyrdma.rpc.session.MessageLink;
import io.nettyrdma.rpc.session.ParameterAgreement;
import io.nettyrdma.rpc.session.ReplyReceiver;
import io.nettyrdma.rpc.session.SessionSettings;
import io.nettyrdma.rpc.trace.Listeners;
import io.nettyrdma.rpc.trace.RpcRdmaObserver;
import io.nettyrdma.rpc.wire.header.ChunkLists;
import io.nettyrdma.rpc.wire.header.DecodeLimits;
import io.nettyrdma.rpc.wire.header.Rejection;
import io.nettyrdma.rpc.wire.header.RpcRdmaMessage;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Both ends of a connection of version 2, with a queue in each direction, and a clock that the test sets. */
final class SessionPair implements AutoCloseable {

    final Side client;
    final Side server;

    /** @param inlineBytes of Sends and Receives on both sides */
    SessionPair(Version2Settings version2, int inlineBytes, int reverseCredits) {
        SessionSettings settings = new SessionSettings(
                inlineBytes,
                inlineBytes,
                false,
                0,
                reverseCredits,
                new AllowedVersions(AllowedVersions.TWO, AllowedVersions.TWO),
                new Version2Links(version2),
                DecodeLimits.NONE,
                Listeners.NONE,
                PeerLog.of(SessionPair.class));
        client = new Side(RpcRdmaRole.REQUESTER, settings, version2);
        server = new Side(RpcRdmaRole.RESPONDER, settings, version2);
        client.receives = SessionSettings.FRAGMENT_RECEIVES + reverseCredits + version2.callCredits() + 1;
        server.receives = version2.grantCredits() + reverseCredits + 1;
        client.other = server;
        server.other = client;
    }

    /** Connects, and has both sides exchange their properties. */
    void open() {
        client.link.onActive();
        while (client.receive(Integer.MAX_VALUE) | server.receive(Integer.MAX_VALUE)) {}
        assertThat(client.link.isAgreed() && server.link.isAgreed()).isTrue();
    }

    /** Has time pass until a side wants to look at its deadlines. */
    void passTime() {
        setTime(Math.min(client.wire.wakeNanos, server.wire.wakeNanos));
    }

    void setTime(long nanos) {
        for (Side side : List.of(client, server)) {
            side.wire.nanos = nanos;
            if (side.wire.wakeNanos <= nanos) {
                side.wire.wakeNanos = Version2Connection.NO_DEADLINE;
                side.link.onTime(nanos);
            }
        }
    }

    @Override
    public void close() {
        for (Side side : List.of(client, server)) {
            side.link.onClosed();
            side.wire.sent.forEach(ByteBuf::release);
        }
        for (Side side : List.of(client, server)) {
            assertThat(side.wire.alloc.metric().usedDirectMemory()).isZero();
            assertThat(side.wire.alloc.metric().usedHeapMemory()).isZero();
        }
    }

    /** One end, with a program that makes calls and answers those of the other one. */
    static final class Side implements CallReceiver, ReplyReceiver {

        final TestWire wire = new TestWire();
        final NegotiatedLink link;
        final Map<Integer, OwedAnswer> held = new LinkedHashMap<>();
        final List<Integer> unanswered = new ArrayList<>();

        @Nullable
        RpcRdmaException failure;

        private final ChannelHandlerContext ctx = new EmbeddedChannel(new ChannelInboundHandlerAdapter())
                .pipeline()
                .firstContext();
        private final MessageLink calls;
        private final MessageLink answers;
        private CallCredits credits;
        private int receives;
        private int lastXid;

        @SuppressWarnings("NullAway")
        private Side other;

        private Side(RpcRdmaRole role, SessionSettings settings, Version2Settings version2) {
            RpcRdmaObserver observer = settings.observer(role);
            ParameterAgreement agreement = new ParameterAgreement(role, settings, observer, event -> onAgreed());
            link = new NegotiatedLink(link -> wire, role, settings, version2, agreement, observer, new VersionMemory());
            link.attach(ctx);
            boolean first = role == RpcRdmaRole.REQUESTER;
            MessageLink reverse = link.createReverse();
            calls = first ? link : reverse;
            answers = first ? reverse : link;
            answers.takeCalls(ctx, this);
            calls.takeReplies(this);
            credits = calls.requestCredits(first ? version2.callCredits() : settings.reverseCredits());
        }

        private void onAgreed() {
            link.onAgreed();
        }

        /** Takes in some of what the other side has sent; returns whether there was something. */
        boolean receive(int most) {
            int count = Math.min(most, other.wire.sent.size());
            assertThat(other.wire.sent.size()).as("messages under way").isLessThanOrEqualTo(receives);
            for (int i = 0; i < count; i++) {
                link.receive(other.wire.sent.remove());
            }
            if (count > 0) {
                link.onReadCompleted();
            }
            return count > 0;
        }

        /** Makes a call with this many bytes of arguments, if it may; returns whether it may. */
        boolean call(int bytes) {
            if (!credits.mayCall()) {
                return false;
            }
            credits.onCalled();
            unanswered.add(++lastXid);
            ByteBuf call = RpcHeaders.call(wire.alloc, lastXid, 1, 1, 1).writeZero(bytes);
            write(calls, lastXid, call, OwedAnswer.NOT_COUNTED);
            return true;
        }

        /** Answers the call that has waited the longest; returns whether one waits. */
        boolean answer(int bytes) {
            if (held.isEmpty()) {
                return false;
            }
            int xid = held.keySet().iterator().next();
            ByteBuf reply =
                    RpcHeaders.accepted(wire.alloc, xid, RpcHeaders.SUCCESS).writeZero(bytes);
            write(answers, xid, reply, held.remove(xid));
            return true;
        }

        private void write(MessageLink direction, int xid, ByteBuf message, OwedAnswer answer) {
            Object framed = direction.framing().frame(wire.alloc, xid, 0, ChunkLists.ABSENT, message, 0, answer);
            direction.write(ctx, framed, wire.newPromise());
        }

        private void onAnswered(int xid) {
            assertThat(unanswered.remove((Integer) xid)).isTrue();
            credits.onReturned(false);
        }

        @Override
        public void onInlineCall(ChannelHandlerContext ctx, int xid, ByteBuf payload, OwedAnswer answer) {
            payload.release();
            held.put(xid, answer);
        }

        @Override
        public void onMessage(
                ChannelHandlerContext ctx, RpcRdmaMessage header, ByteBuf payload, int nominated, OwedAnswer answer) {
            throw new AssertionError("no call has chunks: " + header);
        }

        @Override
        public boolean isInProgress(int xid) {
            return held.containsKey(xid);
        }

        @Override
        public void onRejected(ChannelHandlerContext ctx, Rejection rejection) {
            throw new AssertionError(rejection.toString());
        }

        @Override
        public void onInlineReply(int xid, long credits, ByteBuf payload) {
            payload.release();
            onAnswered(xid);
        }

        @Override
        public void onMessage(RpcRdmaMessage header, @Nullable ByteBuf payload) {
            throw new AssertionError("no reply has chunks: " + header);
        }

        @Override
        public void onError(RpcRdmaException error) {
            failure = error;
        }

        @Override
        public void onRefused(RemoteRefusal refusal) {
            failure = refusal.failure();
        }

        @Override
        public boolean expects(int xid) {
            return unanswered.contains(xid);
        }

        @Override
        public void onReadStarted() {}

        @Override
        public void useCredits(CallCredits credits) {
            this.credits = credits;
        }

        @Override
        public void onCreditsChanged() {}
    }
}
