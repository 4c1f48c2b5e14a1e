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
package io.nettyrdma.rpc;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.nettyrdma.rpc.error.ReverseNotReadyException;
import io.nettyrdma.rpc.message.RpcCall;
import io.nettyrdma.rpc.message.RpcMessage;
import io.nettyrdma.rpc.requester.CallMemory;
import io.nettyrdma.rpc.requester.OutstandingCalls;
import io.nettyrdma.rpc.session.MessageLink;
import io.nettyrdma.rpc.session.ReverseDirection;
import io.nettyrdma.rpc.wire.ReverseLevel;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Lets a server call its client over the connection the client has made: the reverse direction of RFC 8167, as NFS
 * version 4.1 does for its callbacks. Goes above the {@link RpcRdmaResponderHandler} of the channel, whose {@link
 * RpcRdmaConfig} it uses; that must have {@link RpcRdmaConfig#reverseCredits}.
 *
 * <p>Calls are made with {@link RpcRdmaRequester}, or written as {@code ByteBuf} or {@link RpcCall} and answered as at
 * {@link RpcRdmaRequesterHandler}. Calls and replies of both directions are {@code ByteBuf}s with their msg_type as
 * second word; this handler takes written calls and fires replies, and passes on replies that are written, and calls
 * that were received. XIDs and credits of the two directions have nothing to do with each other: one call may be
 * outstanding until the first reply, then as many as the client grants. In version 2 the two share the credits of the
 * connection, which count messages.
 *
 * <p><b>When to call.</b> Not before the client has told, in its protocol, that it takes calls (RFC 8167, section 6); a
 * client that does not expect them may lose the connection. In version 1 this handler only makes sure that the client
 * has called before, in version 2 that it has said to take calls: {@link
 * io.nettyrdma.rpc.observe.RpcRdmaParametersEvent#reverseLevel}. Otherwise calls fail with {@link
 * ReverseNotReadyException}. The handler may be added to the pipeline at any
 * time.
 *
 * <p><b>Inline only in version 1.</b> A call fits into a Send, or fails with {@link
 * io.nettyrdma.rpc.error.MessageTooLargeException}: its longest length is the smaller of the two inline thresholds of
 * the connection, less a header of 28 octets: 4068 octets with the defaults on both sides, 996 with a client that sends
 * no private data. <b>In version 2</b> the client says what its calls may use, {@link
 * io.nettyrdma.rpc.wire.ReverseLevel}: one Send, several, or chunks, too, which are planned and expose memory of this
 * side as those of a {@link RpcRdmaRequesterHandler} do.
 *
 * <p>A call that times out keeps its credit until its reply comes. Unlike in the forward direction a connection whose
 * credits are all kept is not closed, since the client's calls do not depend on it: further calls wait and time out.
 * Calls end with the connection, and a server waits for its client to make another.
 *
 * <p>This is a class of its own, not a mode of {@link RpcRdmaRequesterHandler}, because little of that one applies:
 * it makes no connection and agrees on no parameters.
 *
 * <p>Threading: all state is confined to the executor of the handler, which is that of the handler below; one instance
 * per channel; writes and calls may come from any thread. Ownership: calls written down belong to this handler, replies
 * fired upwards to the next.
 */
public final class RpcRdmaReverseRequesterHandler extends RequesterHandler {

    private volatile @Nullable RpcRdmaResponderHandler forward;
    private @Nullable MessageLink link;

    /** To be added above a {@link RpcRdmaResponderHandler}; {@link IllegalStateException} if there is none. */
    public RpcRdmaReverseRequesterHandler() {}

    private RpcRdmaResponderHandler forward() {
        return Objects.requireNonNull(forward, "handler was never in a pipeline");
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
        MessageLink reversed = below.link().reversed(bottom);
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
        @Nullable ReverseLevel level = link == null ? null : link.reverseLevel();
        int xid = RpcMessage.xidOrZero(call);
        if (level == ReverseLevel.NONE) {
            return ReverseNotReadyException.ofLevelNone(xid); // V2-073
        }
        boolean ready = level != null || below.calls().hasReceivedCall();
        return ready ? null : new ReverseNotReadyException(xid);
    }

    @Override
    public void write(ChannelHandlerContext ctx, Object msg, ChannelPromise promise) {
        if (msg instanceof RpcCall call) {
            write(call, promise);
        } else if (ReverseDirection.isMessage(msg, RpcMessage.CALL)) {
            write(RpcCall.of((ByteBuf) msg), promise);
        } else {
            ctx.write(msg, promise);
        }
    }
}
