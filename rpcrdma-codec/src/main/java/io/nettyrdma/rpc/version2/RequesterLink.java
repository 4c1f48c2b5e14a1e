// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.version2;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.nettyrdma.rpc.observe.RpcRdmaRole;
import io.nettyrdma.rpc.session.CallReceiver;
import io.nettyrdma.rpc.session.MessageLink;
import io.nettyrdma.rpc.session.ParameterAgreement;
import io.nettyrdma.rpc.session.ReplyReceiver;
import io.nettyrdma.rpc.trace.RpcRdmaObserver;
import io.nettyrdma.rpc.version2.RequesterNegotiation.State;
import io.nettyrdma.rpc.wire.ReverseLevel;
import io.nettyrdma.rpc.wire.header.RpcRdmaMessage.VersionRange;
import io.nettyrdma.rpc.wire.v2.Rdma2Decoded;
import io.nettyrdma.rpc.wire.v2.Rdma2Error;
import io.nettyrdma.rpc.wire.v2.Rdma2Message;
import java.net.SocketAddress;
import java.util.Objects;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/** The side that has made the connection: offers version 2, and goes on with what the peer says. */
final class RequesterLink extends NegotiatedLink {

    private final RequesterNegotiation negotiation;
    /** Differs from those of the connection before; all messages of own properties have it. */
    private final int offerXid = ThreadLocalRandom.current().nextInt();

    private boolean closing;

    RequesterLink(
            Version2Connection connection,
            ParameterAgreement agreement,
            RpcRdmaObserver observer,
            VersionMemory memory) {
        super(RpcRdmaRole.REQUESTER, connection, agreement, observer, memory);
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
    void onTimer(ChannelHandlerContext ctx) {
        follow(ctx, negotiation.expire(), offerXid);
    }

    @Override
    public void receive(ChannelHandlerContext ctx, ByteBuf message) {
        if (isTooLate(message)) {
            return;
        }
        if (negotiation.state() == State.VERSION_1) {
            version1.receive(ctx, message);
            return;
        }
        Rdma2Decoded decoded = take(ctx, message);
        if (decoded instanceof Rdma2Message header && isRpc(header)) {
            receiveRpc(ctx, header, message);
        } else {
            CreditLedger.@Nullable Answer owed = oweAnswer(decoded);
            NegotiationStep step = step(decoded, message);
            follow(ctx, step, offerXid);
            handle(ctx, step, decoded, message, owed);
        }
        settle(ctx);
        goOn(ctx);
    }

    private static boolean isRpc(Rdma2Message header) {
        return header instanceof Rdma2Message.Msg || header instanceof Rdma2Message.NoMsg;
    }

    @Override
    boolean wantsFirst(ChannelHandlerContext ctx, Rdma2Message header) {
        if (header.response()) {
            return replyReceiver().expects(header.xid()); // C49
        }
        @Nullable CallReceiver calls = callReceiver();
        if (calls != null && calls.isInProgress(header.xid())) {
            return false; // C49
        }
        connection.onCallArriving();
        return true;
    }

    @Override
    void onWhole(ChannelHandlerContext ctx, Rdma2Message header, ByteBuf payload) {
        boolean response = header.response();
        NegotiationStep step = negotiation.receive(MessageKinds.ofRpc(header), header.xid());
        if (!response) {
            takeCall(ctx, step.handling(), header, payload, connection.owe());
        } else if (step.handling() == NegotiationStep.Handling.DELIVER) {
            connection.onAnswered(header.xid());
            two.deliverReply(ctx, header, payload, replyReceiver());
        } else {
            payload.release();
        }
    }

    @Override
    void deliverCall(ChannelHandlerContext ctx, Rdma2Message header, ByteBuf payload, CreditLedger.Answer answer) {
        @Nullable MessageLink reverse = reverse();
        @Nullable Version2Framing framing = reverseTwo();
        @Nullable CallReceiver calls = callReceiver();
        if (reverse == null || framing == null || calls == null || connection.reverseLevel() == ReverseLevel.NONE) {
            payload.release();
            connection.answer(ctx, header.xid(), Rdma2Error.SYSTEM, answer); // C62
        } else {
            framing.deliverCall(reverse.callContext(), header, payload, calls, answer);
        }
    }

    @Override
    @Nullable
    CallReceiver callReceiver() {
        @Nullable MessageLink reverse = reverse();
        return reverse == null ? null : reverse.calls();
    }

    @Override
    ReplyReceiver replyReceiver() {
        return Objects.requireNonNull(replies(), "no handler accepts replies");
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

    private void goOn(ChannelHandlerContext ctx) {
        if (negotiation.state() == State.PROPERTIES && introduction.isOver() && !isEnded()) {
            negotiation.onPropertiesExchanged();
            openVersion2(ctx);
            deliverWaiting(ctx);
        }
        connection.onCredits(ctx);
        replyReceiver().onCreditsChanged();
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
