/*
 * Copyright 2026 The Netty RDMA authors
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
 * with the License. You may obtain a copy of the License at
 *
 *     https://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software distributed under the License is distributed
 * on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for
 * the specific language governing permissions and limitations under the License.
 */
package io.nettyrdma.rpc.version2;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.nettyrdma.rpc.observe.RpcRdmaRole;
import io.nettyrdma.rpc.session.CallReceiver;
import io.nettyrdma.rpc.session.ParameterAgreement;
import io.nettyrdma.rpc.session.ReplyReceiver;
import io.nettyrdma.rpc.session.Version1Link;
import io.nettyrdma.rpc.trace.RpcRdmaObserver;
import io.nettyrdma.rpc.version2.RequesterNegotiation.State;
import io.nettyrdma.rpc.wire.ReverseLevel;
import io.nettyrdma.rpc.wire.header.RpcRdmaMessage.VersionRange;
import io.nettyrdma.rpc.wire.v1.RpcRdmaDecoder;
import io.nettyrdma.rpc.wire.v2.Rdma2Decoded;
import io.nettyrdma.rpc.wire.v2.Rdma2Error;
import io.nettyrdma.rpc.wire.v2.Rdma2Message;
import io.nettyrdma.rpc.wire.v2.Rdma2Rejection;
import java.net.SocketAddress;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/** The side that has made the connection: offers version 2, and goes on with what the peer says. */
final class RequesterLink extends NegotiatedLink {

    private final RequesterNegotiation negotiation;
    /** Differs from those of the connection before; all messages of own properties have it. */
    private final int offerXid = ThreadLocalRandom.current().nextInt();

    /** What the peer speaks, of which nothing is known at first. */
    private VersionRange peerVersions = RpcRdmaDecoder.SUPPORTED;

    private @Nullable ReplyReceiver receiver;
    private boolean closing;

    RequesterLink(
            Version1Link one,
            Version2Connection connection,
            ParameterAgreement agreement,
            RpcRdmaObserver observer,
            VersionMemory memory) {
        super(RpcRdmaRole.REQUESTER, one, connection, agreement, observer, memory);
        negotiation = new RequesterNegotiation(connection.settings().versions());
    }

    @Override
    public void onActive(ChannelHandlerContext ctx) {
        SocketAddress peer = ctx.channel().remoteAddress();
        boolean remembered = peer != null && memory.remembers(peer, now(ctx));
        follow(ctx, negotiation.connect(remembered, offerXid), offerXid);
        connection.flushIfWanted(ctx);
    }

    @Override
    VersionRange peerVersions() {
        return peerVersions;
    }

    @Override
    void onTimer(ChannelHandlerContext ctx) {
        follow(ctx, negotiation.expire(), offerXid);
    }

    @Override
    public void receiveCall(ChannelHandlerContext ctx, ByteBuf message, CallReceiver receiver) {
        throw new UnsupportedOperationException("a requester receives replies only; calls go to its reverse link");
    }

    @Override
    public void receiveReply(ChannelHandlerContext ctx, ByteBuf message, ReplyReceiver receiver) {
        if (isTooLate(message)) {
            return;
        }
        if (negotiation.state() == State.VERSION_1) {
            one.receiveReply(ctx, message, receiver);
            return;
        }
        this.receiver = receiver;
        Rdma2Decoded decoded = take(ctx, message);
        if (decoded instanceof Rdma2Message header && isRpc(header)) {
            fragments.receive(ctx, header, message);
        } else {
            oweAnswer(decoded);
            NegotiationStep step = step(decoded, message);
            follow(ctx, step, offerXid);
            handle(ctx, step, decoded, message, receiver);
        }
        settle(ctx);
        goOn(ctx, receiver);
    }

    private static boolean isRpc(Rdma2Message header) {
        return header instanceof Rdma2Message.Msg || header instanceof Rdma2Message.NoMsg;
    }

    @Override
    public boolean wantsFirst(ChannelHandlerContext ctx, Rdma2Message header) {
        if (header.response()) {
            return receiver != null && receiver.expects(header.xid()); // C49
        }
        @Nullable CallReceiver calls = callReceiver();
        if (calls != null && calls.isInProgress(header.xid())) {
            return false; // C49
        }
        connection.onCallArriving();
        return true;
    }

    @Override
    public void onWhole(ChannelHandlerContext ctx, Rdma2Message header, ByteBuf payload) {
        boolean response = header.response();
        NegotiationStep step = negotiation.receive(MessageKinds.ofRpc(header), header.xid());
        if (!response) {
            connection.owe();
        }
        switch (step.handling()) {
            case HOLD -> hold(ctx, header, payload);
            case DELIVER -> {
                if (response) {
                    deliverReply(ctx, header, payload);
                } else {
                    deliverCall(ctx, header, payload);
                }
            }
            default -> {
                payload.release();
                if (!response) {
                    connection.onCallDropped();
                }
            }
        }
    }

    private void deliverReply(ChannelHandlerContext ctx, Rdma2Message header, ByteBuf payload) {
        if (receiver == null) {
            payload.release();
        } else {
            two.deliverReply(ctx, header, payload, receiver);
        }
    }

    @Override
    void deliverCall(ChannelHandlerContext ctx, Rdma2Message header, ByteBuf payload) {
        @Nullable SpokenLink reverse = reverse();
        @Nullable CallReceiver calls = callReceiver();
        if (reverse == null || calls == null || connection.reverseLevel() == ReverseLevel.NONE) {
            payload.release();
            connection.answer(ctx, header.xid(), Rdma2Error.SYSTEM); // C62
        } else {
            reverse.two.deliverCall(reverse.callContext(), header, payload, calls);
        }
    }

    @Override
    @Nullable
    CallReceiver callReceiver() {
        @Nullable SpokenLink reverse = reverse();
        return reverse == null ? null : reverse.calls();
    }

    @Override
    @Nullable
    ReplyReceiver replyReceiver() {
        return receiver;
    }

    private NegotiationStep step(Rdma2Decoded decoded, ByteBuf message) {
        MessageKind kind = MessageKinds.of(decoded, message);
        if (kind == MessageKind.ERR_VERS) {
            Rdma2Message.ErrorMsg error = (Rdma2Message.ErrorMsg) decoded;
            onVersion1Granted(error.version1Grant());
            peerVersions = new VersionRange(error.error().first(), error.error().second());
            return negotiation.receiveErrVers(
                    error.xid(), error.error().first(), error.error().second());
        }
        return negotiation.receive(kind, decoded.xid());
    }

    private void handle(
            ChannelHandlerContext ctx,
            NegotiationStep step,
            Rdma2Decoded decoded,
            ByteBuf message,
            ReplyReceiver receiver) {
        switch (step.handling()) {
            case PROPERTIES -> receiveProperties(ctx, (Rdma2Message.ConnProp) decoded, message);
            case DELIVER -> {
                message.release();
                Version2Link.deliverError((Rdma2Message.ErrorMsg) decoded, receiver);
            }
            case ERROR -> {
                message.release();
                answer(ctx, (Rdma2Rejection) decoded);
            }
            default -> {
                if (decoded instanceof Rdma2Rejection rejection) {
                    discard(ctx, rejection, message);
                } else {
                    message.release();
                }
            }
        }
    }

    private void goOn(ChannelHandlerContext ctx, ReplyReceiver receiver) {
        if (negotiation.state() == State.PROPERTIES && introduction.isOver() && !isEnded()) {
            negotiation.onPropertiesExchanged();
            openVersion2(ctx);
            deliverWaiting(ctx);
        }
        connection.onCredits(ctx);
        receiver.onCreditsChanged();
    }

    @Override
    public void onClosing() {
        closing = true;
    }

    @Override
    public void onClosed(ChannelHandlerContext ctx) {
        follow(ctx, negotiation.disconnect(!closing && !ctx.executor().isShuttingDown()), offerXid);
        super.onClosed(ctx);
    }
}
