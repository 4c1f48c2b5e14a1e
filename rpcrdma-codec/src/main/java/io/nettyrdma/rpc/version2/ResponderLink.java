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
import io.nettyrdma.rpc.session.SessionSettings;
import io.nettyrdma.rpc.trace.RpcRdmaObserver;
import io.nettyrdma.rpc.version2.ResponderNegotiation.State;
import io.nettyrdma.rpc.wire.Direction;
import io.nettyrdma.rpc.wire.header.Rejection;
import io.nettyrdma.rpc.wire.v1.RpcRdmaDecoder;
import io.nettyrdma.rpc.wire.v1.RpcRdmaEncoder;
import io.nettyrdma.rpc.wire.v2.Rdma2Decoded;
import io.nettyrdma.rpc.wire.v2.Rdma2Encoder;
import io.nettyrdma.rpc.wire.v2.Rdma2Message;
import io.nettyrdma.rpc.wire.v2.Rdma2Rejection;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The side that was connected to: speaks the version of the first message it can make sense of. */
final class ResponderLink extends NegotiatedLink {

    private final ResponderNegotiation negotiation;
    private final RpcRdmaDecoder decoder;
    private final int grant;
    private final boolean speaksOne;

    ResponderLink(
            Version2Connection connection,
            ParameterAgreement agreement,
            RpcRdmaObserver observer,
            VersionMemory memory) {
        super(RpcRdmaRole.RESPONDER, connection, agreement, observer, memory);
        SessionSettings settings = connection.settings();
        negotiation = new ResponderNegotiation(settings.versions());
        decoder = new RpcRdmaDecoder(settings.decodeLimits());
        grant = connection.version2().grantCredits();
        speaksOne = settings.versions().hasOne();
    }

    @Override
    void onTimer(ChannelHandlerContext ctx) {
        follow(ctx, negotiation.expire(), 0);
    }

    @Override
    public void receive(ChannelHandlerContext ctx, ByteBuf message) {
        if (isTooLate(message)) {
            return;
        }
        if (negotiation.state() == State.VERSION_1) {
            version1.receive(ctx, message); // which answers other versions, too
        } else if (negotiation.state() == State.UNDECIDED && speaksOne && isVersion1(message)) {
            if (!isDiscarded(message)) { // C27
                follow(ctx, negotiation.receive(MessageKind.VERSION_1), 0);
            }
            version1.receive(ctx, message);
        } else {
            receiveVersion2(ctx, message);
        }
    }

    private static boolean isVersion1(ByteBuf message) {
        return message.readableBytes() >= RpcRdmaEncoder.LISTS_OFFSET
                && message.getInt(message.readerIndex() + 4) == RpcRdmaEncoder.VERSION;
    }

    private boolean isDiscarded(ByteBuf message) {
        return decoder.decode(message, Direction.CALL) instanceof Rejection rejection
                && rejection.reaction() == Rejection.Reaction.DISCARD;
    }

    private void receiveVersion2(ChannelHandlerContext ctx, ByteBuf message) {
        Rdma2Decoded decoded = take(ctx, message);
        if (decoded instanceof Rdma2Message.Msg || decoded instanceof Rdma2Message.NoMsg) {
            receiveRpc(ctx, (Rdma2Message) decoded, message);
        } else {
            CreditLedger.@Nullable Answer owed = oweAnswer(decoded);
            NegotiationStep step = negotiation.receive(MessageKinds.of(decoded, message));
            boolean isPart = decoded instanceof Rdma2Message.ConnProp set && set.more();
            CreditLedger.@Nullable Answer error = isPart ? connection.owe() : null; // V2-015: as for a part of a call
            follow(ctx, step, 0);
            if (error != null) {
                error.drop();
            }
            if (step.handling() == NegotiationStep.Handling.ERR_VERS) {
                message.release();
                answerVersion(ctx, (Rdma2Rejection) decoded);
            } else {
                handle(ctx, step, decoded, message, owed);
            }
        }
        settle(ctx);
        goOn(ctx);
    }

    @Override
    boolean wantsFirst(ChannelHandlerContext ctx, Rdma2Message header) {
        if (header.response()) {
            @Nullable ReplyReceiver replies = replyReceiver();
            boolean expected = replies != null && replies.expects(header.xid());
            if (!expected) {
                connection.onAnswered(header.xid());
            }
            return expected; // C49
        } else if (callReceiver().isInProgress(header.xid())) {
            return false; // C49
        }
        CreditLedger.Answer error = connection.owe(); // V2-015: properties leave a credit for one that may follow them
        begin(ctx); // C27
        error.drop();
        if (isEnded()) {
            return false; // V2-092
        }
        connection.onCallArriving();
        return true;
    }

    @Override
    void onWhole(ChannelHandlerContext ctx, Rdma2Message header, ByteBuf payload) {
        if (header.response()) {
            deliverReply(ctx, header, payload);
            return;
        }
        CreditLedger.Answer answer = connection.owe();
        NegotiationStep.Handling handling = begin(ctx).handling();
        takeCall(ctx, isEnded() ? NegotiationStep.Handling.DISCARD : handling, header, payload, answer); // V2-092
    }

    @Override
    void deliverCall(ChannelHandlerContext ctx, Rdma2Message header, ByteBuf payload, CreditLedger.Answer answer) {
        two.deliverCall(ctx, header, payload, callReceiver(), answer);
    }

    private void deliverReply(ChannelHandlerContext ctx, Rdma2Message header, ByteBuf payload) {
        @Nullable Version2Framing reverse = reverseTwo();
        @Nullable ReplyReceiver replies = replyReceiver();
        connection.onAnswered(header.xid());
        if (reverse == null || replies == null) {
            payload.release();
        } else {
            replies.onReadStarted();
            reverse.deliverReply(ctx, header, payload, replies);
        }
    }

    /** There are none before the connection is open, since no call was made. */
    @Override
    @Nullable
    ReplyReceiver replyReceiver() {
        @Nullable MessageLink reverse = reverse();
        return reverse == null || negotiation.state() != State.OPEN ? null : reverse.replies();
    }

    /** A call has come, or its first fragment: if it is the first message, the peer has no properties. */
    private NegotiationStep begin(ChannelHandlerContext ctx) {
        NegotiationStep step = negotiation.receive(MessageKind.CALL);
        if (negotiation.state() == State.OPEN && !isVersionKnown()) {
            presumeProperties(ctx, step);
            if (!isEnded()) {
                openVersion2(ctx);
            }
        } else {
            follow(ctx, step, 0);
        }
        return step;
    }

    @Override
    void onPropertiesApplied() {
        negotiation.onPropertiesApplied();
    }

    @Override
    CallReceiver callReceiver() {
        return Objects.requireNonNull(calls(), "no handler accepts calls");
    }

    /** The credits of version 2 have no part in it (C43). */
    private void answerVersion(ChannelHandlerContext ctx, Rdma2Rejection rejection) {
        observer().onRejected(ctx, rejection.report());
        Rdma2Message.ErrorMsg error = Rdma2Message.ErrorMsg.versions(
                rejection.xid(), rejection.version(), grant, negotiation.lowestSpoken(), negotiation.highestSpoken());
        observer().onErrorSent(ctx, error.xid(), error.error().code(), Rdma2Encoder.encodedBytes(error));
        connection.writeBeside(ctx, error);
    }

    private void goOn(ChannelHandlerContext ctx) {
        if (negotiation.state() == State.PROPERTIES && introduction.isOver() && !isEnded()) {
            negotiation.onPropertiesExchanged();
            openVersion2(ctx);
            deliverWaiting(ctx);
        }
        connection.onCredits(ctx);
        @Nullable ReplyReceiver replies = replyReceiver();
        if (replies != null) {
            replies.onCreditsChanged();
        }
    }

    @Override
    public void onClosed(ChannelHandlerContext ctx) {
        negotiation.disconnect();
        super.onClosed(ctx);
    }
}
