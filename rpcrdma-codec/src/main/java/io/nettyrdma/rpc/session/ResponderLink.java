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
package io.nettyrdma.rpc.session;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.nettyrdma.rpc.engine.CallCredits;
import io.nettyrdma.rpc.engine.NegotiationStep;
import io.nettyrdma.rpc.engine.ResponderNegotiation;
import io.nettyrdma.rpc.engine.ResponderNegotiation.Kind;
import io.nettyrdma.rpc.engine.ResponderNegotiation.State;
import io.nettyrdma.rpc.error.VersionNegotiationException;
import io.nettyrdma.rpc.observe.RpcRdmaRole;
import io.nettyrdma.rpc.trace.RpcRdmaObserver;
import io.nettyrdma.rpc.wire.Direction;
import io.nettyrdma.rpc.wire.Rejection;
import io.nettyrdma.rpc.wire.RpcRdmaMessage.VersionRange;
import io.nettyrdma.rpc.wire.v1.RpcRdmaDecoder;
import io.nettyrdma.rpc.wire.v1.RpcRdmaEncoder;
import io.nettyrdma.rpc.wire.v2.Rdma2Decoded;
import io.nettyrdma.rpc.wire.v2.Rdma2Message;
import io.nettyrdma.rpc.wire.v2.Rdma2Rejection;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The side that was connected to: speaks the version of the first message it can make sense of. */
final class ResponderLink extends NegotiatedLink {

    /** A call that has come before properties were exchanged, and waits for that. */
    private record Held(Rdma2Message header, ByteBuf payload) {}

    /** More calls than a peer sends that waits for the properties of this side, as it should (C54). */
    private static final int MAX_HELD = 64;

    private final ResponderNegotiation negotiation;
    private final RpcRdmaDecoder decoder;
    private @Nullable CallReceiver receiver;
    private final int grant;
    private final boolean speaksOne;
    private final long maxHeldBytes;
    private long heldBytes;
    private final Deque<Held> held = new ArrayDeque<>();

    ResponderLink(Version1Link one, SessionSettings settings, ParameterAgreement agreement, RpcRdmaObserver observer) {
        super(one, new Version2Link(RpcRdmaRole.RESPONDER, settings, observer), settings, agreement, observer);
        negotiation = new ResponderNegotiation(settings.versions().allowed());
        decoder = new RpcRdmaDecoder(settings.decodeLimits());
        grant = settings.versions().grantCredits();
        maxHeldBytes =
                Math.max(settings.versions().maxContinuedBytes(), (long) MAX_HELD * settings.inlineReceiveBytes());
        speaksOne = settings.versions().allowed().hasOne();
    }

    @Override
    public CallCredits callCredits(int requested) {
        return one.callCredits(requested);
    }

    @Override
    VersionRange peerVersions() {
        throw new IllegalStateException("whoever was connected to lets the peer choose");
    }

    @Override
    void onTimer(ChannelHandlerContext ctx) {
        follow(ctx, negotiation.expire(), 0);
    }

    @Override
    public void receiveReply(ChannelHandlerContext ctx, ByteBuf message, ReplyReceiver receiver) {
        throw new UnsupportedOperationException("a responder takes calls");
    }

    @Override
    public void receiveCall(ChannelHandlerContext ctx, ByteBuf message, CallReceiver receiver) {
        if (isTooLate(message)) {
            return;
        }
        if (negotiation.state() == State.VERSION_1) {
            one.receiveCall(ctx, message, receiver); // which answers other versions, too
        } else if (negotiation.state() == State.UNDECIDED && speaksOne && isVersion1(message)) {
            if (!isDiscarded(message)) { // C27
                follow(ctx, negotiation.receive(Kind.VERSION_1), 0);
            }
            one.receiveCall(ctx, message, receiver);
        } else {
            receiveVersion2(ctx, message, receiver);
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

    private void receiveVersion2(ChannelHandlerContext ctx, ByteBuf message, CallReceiver receiver) {
        this.receiver = receiver;
        Rdma2Decoded decoded = take(message);
        if (decoded instanceof Rdma2Message.Msg || decoded instanceof Rdma2Message.NoMsg) {
            fragments.receive(ctx, (Rdma2Message) decoded, message);
        } else if (decoded instanceof Rdma2Rejection rejection
                && rejection.reaction() == Rdma2Rejection.Reaction.DISCARD) {
            discard(ctx, rejection, message);
        } else {
            oweAnswer(decoded);
            NegotiationStep step = negotiation.receive(kind(decoded));
            follow(ctx, step, 0);
            handle(ctx, step, decoded, message);
        }
        settle(ctx);
        goOn(ctx, receiver);
    }

    @Override
    public void onFirst(ChannelHandlerContext ctx, Rdma2Message header) {
        if (isCall(header)) {
            two.onCallArriving();
            begin(ctx); // C27
        }
    }

    @Override
    public void onWhole(ChannelHandlerContext ctx, Rdma2Message header, ByteBuf payload) {
        if (!isCall(header)) {
            payload.release(); // in answer to no call of this side
            return;
        }
        two.owe();
        switch (begin(ctx).handling()) {
            case HOLD -> hold(ctx, header, payload);
            case DELIVER -> two.deliverCall(ctx, header, payload, receiver());
            default -> {
                two.onCallDropped();
                payload.release();
            }
        }
    }

    private void hold(ChannelHandlerContext ctx, Rdma2Message header, ByteBuf payload) {
        held.add(new Held(header, payload));
        heldBytes += payload.readableBytes();
        if (held.size() > MAX_HELD || heldBytes > maxHeldBytes) {
            end(ctx, new VersionNegotiationException(header.xid(), "calls go on before properties are exchanged"));
        }
    }

    /** A call has come, or its first fragment: if it is the first message, the peer has no properties. */
    private NegotiationStep begin(ChannelHandlerContext ctx) {
        NegotiationStep step = negotiation.receive(Kind.CALL);
        follow(ctx, step, 0);
        if (negotiation.state() == State.OPEN && !isVersionKnown()) {
            exchange.onPresumed(); // C55
            openVersion2(ctx);
        }
        return step;
    }

    private static boolean isCall(Rdma2Message header) {
        return !header.response();
    }

    @Override
    void onPropertiesApplied() {
        negotiation.onPropertiesApplied();
    }

    private CallReceiver receiver() {
        return Objects.requireNonNull(receiver, "nothing was received");
    }

    private static Kind kind(Rdma2Decoded decoded) {
        if (decoded instanceof Rdma2Rejection rejection) {
            return rejection.reaction() == Rdma2Rejection.Reaction.ERROR ? Kind.REJECTED : Kind.OTHER_VERSION;
        } else if (decoded instanceof Rdma2Message.ErrorMsg) {
            return Kind.ERROR;
        }
        return decoded instanceof Rdma2Message.ConnProp ? Kind.PROPERTIES : Kind.REFRESH;
    }

    private void handle(ChannelHandlerContext ctx, NegotiationStep step, Rdma2Decoded decoded, ByteBuf message) {
        switch (step.handling()) {
            case PROPERTIES -> receiveProperties(ctx, (Rdma2Message.ConnProp) decoded, message);
            case ERROR -> {
                message.release();
                answer(ctx, (Rdma2Rejection) decoded);
            }
            case ERR_VERS -> {
                message.release();
                answerVersion(ctx, (Rdma2Rejection) decoded);
            }
            default -> message.release();
        }
    }

    /** The credits of version 2 have no part in it (C43). */
    private void answerVersion(ChannelHandlerContext ctx, Rdma2Rejection rejection) {
        two.writeBeside(
                ctx,
                Rdma2Message.ErrorMsg.versions(
                        rejection.xid(),
                        rejection.version(),
                        grant,
                        negotiation.lowestSpoken(),
                        negotiation.highestSpoken()));
    }

    private void goOn(ChannelHandlerContext ctx, CallReceiver receiver) {
        if (negotiation.state() == State.PROPERTIES && exchange.isOver()) {
            negotiation.onPropertiesExchanged();
            openVersion2(ctx);
            for (Held call = held.poll(); call != null; call = held.poll()) {
                two.deliverCall(ctx, call.header(), call.payload(), receiver);
            }
        }
        two.onCredits(ctx);
    }

    @Override
    public void onClosed(ChannelHandlerContext ctx) {
        negotiation.disconnect();
        for (Held call = held.poll(); call != null; call = held.poll()) {
            call.payload().release();
        }
        super.onClosed(ctx);
    }
}
