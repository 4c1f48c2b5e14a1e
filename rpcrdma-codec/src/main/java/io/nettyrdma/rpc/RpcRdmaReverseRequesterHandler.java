// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.nettyrdma.rpc.error.MessageNotAcceptedException;
import io.nettyrdma.rpc.message.RpcHeaders;
import io.nettyrdma.rpc.message.RpcRdmaCall;
import io.nettyrdma.rpc.requester.CallMemory;
import io.nettyrdma.rpc.requester.OutstandingCalls;
import io.nettyrdma.rpc.session.MessageLink;
import io.nettyrdma.rpc.session.ReverseDirection;
import io.nettyrdma.rpc.wire.ReverseLevel;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Lets a server call its client over the client's connection: the reverse direction of RFC 8167, which NFS version 4.1
 * uses for callbacks. Add this handler above the {@link RpcRdmaResponderHandler} of the channel; it uses the same
 * {@link RpcRdmaConfig}, which must have {@link RpcRdmaConfig.Builder#reverseCredits}.
 *
 * <p>Make calls with {@link RpcRdmaRequester}, or write them as {@code ByteBuf} or {@link RpcRdmaCall}. They end as
 * those of {@link RpcRdmaRequesterHandler}. Calls and replies of both directions are {@code ByteBuf}s with their
 * msg_type as second word. This handler takes written calls and fires replies; it passes on written replies and
 * received calls. The two directions have separate XIDs and credits: one call may be outstanding until the first reply,
 * then as many as the client grants. In version 2 they share the credits of the connection, which count messages.
 *
 * <p><b>When to call.</b> Call only after the client has said in its protocol that it accepts calls (RFC 8167, section
 * 6); a client that does not expect them may lose the connection. In version 1 this handler checks only that the client
 * has called before, in version 2 that it accepts calls: {@link
 * io.nettyrdma.rpc.observe.RpcRdmaParametersEvent#reverseLevel}. Otherwise calls fail with {@link
 * MessageNotAcceptedException}. The handler may be added to the pipeline at any time.
 *
 * <p><b>Inline only in version 1.</b> A call fits into a Send, or fails with {@link
 * io.nettyrdma.rpc.error.MessageTooLargeException}. It may be as long as the smaller of the two inline thresholds of
 * the connection, less a header of 28 bytes: 4068 bytes with the defaults on both sides, 996 with a client that sends
 * no private data. <b>In version 2</b> the client announces a {@link io.nettyrdma.rpc.wire.ReverseLevel}: calls may use
 * one Send, several, or also chunks, which expose memory of this side as those of a {@link RpcRdmaRequesterHandler} do.
 *
 * <p>A call that times out keeps its credit until its reply arrives. If all credits are kept, further calls wait and
 * time out; unlike in the forward direction the connection stays open, because the client's calls do not depend on
 * them. Calls end with the connection; the server must wait for its client to reconnect.
 *
 * <p>This class is not a mode of {@link RpcRdmaRequesterHandler}, because it makes no connection and agrees on no
 * parameters.
 *
 * <p>Threading: all state is confined to the executor of the handler, which is that of the handler below; one instance
 * per channel; writes and calls may come from any thread. Ownership: calls written down belong to this handler, replies
 * fired upwards to the next.
 */
public final class RpcRdmaReverseRequesterHandler extends RequesterHandler {

    private volatile @Nullable RpcRdmaResponderHandler forward;
    private @Nullable MessageLink link;

    /**
     * Creates a handler to add above a {@link RpcRdmaResponderHandler}; else {@link IllegalStateException} when added.
     */
    public RpcRdmaReverseRequesterHandler() {}

    private RpcRdmaResponderHandler forward() {
        return Objects.requireNonNull(forward, "add the handler to a pipeline first");
    }

    @Override
    RpcRdmaConfig config() {
        return forward().config();
    }

    @Override
    public void handlerAdded(ChannelHandlerContext ctx) {
        ChannelHandlerContext bottom = ReverseDirection.below(ctx, RpcRdmaResponderHandler.class);
        RpcRdmaResponderHandler below = (RpcRdmaResponderHandler) bottom.handler();
        RpcRdmaConfig config = below.config();
        int credits = ReverseDirection.credits(config.session());
        MessageLink reversed = below.link().createReverse();
        OutstandingCalls calls = new OutstandingCalls(ctx, config.requester(), reversed, CallMemory.of(ctx), credits);
        start(ctx, calls);
        forward = below;
        link = reversed;
        reversed.takeReplies(calls);
    }

    @Override
    public void handlerRemoved(ChannelHandlerContext ctx) {
        MessageLink reversed = link;
        if (reversed != null) {
            reversed.takeNothing();
        }
        super.handlerRemoved(ctx);
    }

    @Override
    @Nullable
    Exception refusal(ByteBuf call) {
        RpcRdmaResponderHandler below = forward();
        @Nullable ReverseLevel level = link == null ? null : link.terms().reverseLevel();
        int xid = RpcHeaders.xidOrZero(call);
        if (level == ReverseLevel.NONE) {
            return notReady( // V2-073
                    xid,
                    "the client has announced reverse level NONE, so it takes no calls on this connection; a client of"
                            + " this library takes some if RpcRdmaConfig.reverseCredits is not 0 and it has an"
                            + " RpcRdmaReverseResponderHandler when the channel becomes active");
        }
        boolean ready = level != null || below.calls().hasReceivedCall();
        return ready
                ? null
                : notReady(xid, "the client has not called yet, so it cannot have said that it takes calls");
    }

    private static MessageNotAcceptedException notReady(int xid, String message) {
        return new MessageNotAcceptedException(xid, MessageNotAcceptedException.Reason.REVERSE_NOT_READY, message);
    }

    @Override
    public void write(ChannelHandlerContext ctx, Object msg, ChannelPromise promise) {
        if (msg instanceof RpcRdmaCall call) {
            write(call, promise);
        } else if (ReverseDirection.isMessage(msg, RpcHeaders.CALL)) {
            write(RpcRdmaCall.of((ByteBuf) msg), promise);
        } else {
            ctx.write(msg, promise);
        }
    }
}
