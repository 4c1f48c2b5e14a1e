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
import io.nettyrdma.channel.RdmaByteBufAllocator;
import io.nettyrdma.rpc.message.RpcCallRefusal;
import io.nettyrdma.rpc.message.RpcMessage;
import io.nettyrdma.rpc.message.RpcReply;
import io.nettyrdma.rpc.observe.RpcRdmaParametersEvent;
import io.nettyrdma.rpc.observe.RpcRdmaRole;
import io.nettyrdma.rpc.responder.ReverseCalls;
import io.nettyrdma.rpc.session.MessageLink;
import io.nettyrdma.rpc.session.ReverseDirection;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Lets a client answer calls of its server, over the connection the client has made: the reverse direction of RFC 8167,
 * as NFS version 4.1 does for its callbacks. Goes above the {@link RpcRdmaRequesterHandler} of the channel, whose
 * {@link RpcRdmaConfig} it uses; that must have {@link RpcRdmaConfig#reverseCredits}, which this side grants. With
 * {@link RpcRdmaClient} it comes with the handler of the bootstrap, and has to be in the pipeline before the server is
 * told that it may call.
 *
 * <p><b>Inbound</b> each call is fired as one {@code ByteBuf}, <b>outbound</b> each reply is written as one, as at
 * {@link RpcRdmaResponderHandler}: also the promise of a reply ends as described there, and {@link RpcCallRefusal} ends
 * a call without one. Calls and replies of both directions are {@code ByteBuf}s with their msg_type as second word;
 * this handler takes written replies and fires calls, and passes on calls that are written, and replies that were
 * received.
 *
 * <p><b>Inline only in version 1.</b> A call with chunks is answered with {@code ERR_CHUNK}, as RFC 8167, section 5.3,
 * wants; so is one whose reply, with a header of 28 octets, exceeds the smaller of the two inline thresholds of the
 * connection. Linux' NFS server drops these errors, and that of an {@link RpcCallRefusal} too: its call lasts until its
 * timeout, a tenth of the lease time, during which it makes no other call to that NFS client. Linux 6.12 then makes the
 * call again, 6.1 does not. Where there is a choice, answer with an RPC reply that says what is wrong.
 *
 * <p><b>In version 2</b> (draft -01, section 4.5) the server is told what this side takes, {@link
 * RpcRdmaConfig.Builder#reverseLevel}, if this handler is in the pipeline when the channel becomes active, and that it
 * must not call otherwise: a call that comes nevertheless is answered with {@code RDMA2_ERR_SYSTEM}. Beyond the level,
 * fragments are answered with {@code RDMA2_ERR_INVAL_CONT}, chunks with {@code RDMA2_ERR_READ_CHUNKS}, {@code
 * WRITE_CHUNKS} or {@code REPLY_RESOURCE}, as is a call whose reply does not fit. At {@code GENL} this side reads and
 * writes the memory that its server exposes, as a responder does.
 *
 * <p>A server with more calls unanswered than {@code reverseCredits + receiveReserve} in version 1 loses the
 * connection, as does one that does not take its replies; {@link io.nettyrdma.rpc.error.TooManyCallsException} is fired
 * as exception. In version 2, in which it may use for calls what it was granted for fragments as well, 16, one call too
 * many is answered with {@code RDMA2_ERR_SYSTEM}.
 *
 * <p>This is a class of its own, not a mode of {@link RpcRdmaResponderHandler}, because little of that one applies: it
 * agrees on no parameters, and never stops reading the channel.
 *
 * <p>Threading: all state is confined to the executor of the handler, which is that of the handler below; one instance
 * per channel. Ownership: calls fired upwards belong to the next handler, replies written down belong to this one.
 */
public final class RpcRdmaReverseResponderHandler extends ResponderHandler {

    private @Nullable MessageLink link;
    private @Nullable ReverseCalls calls;

    /** To be added above a {@link RpcRdmaRequesterHandler}; {@link IllegalStateException} if there is none. */
    public RpcRdmaReverseResponderHandler() {}

    @Override
    ReverseCalls calls() {
        return Objects.requireNonNull(calls, "handler was never in a pipeline");
    }

    @Override
    public void handlerAdded(ChannelHandlerContext ctx) {
        ChannelHandlerContext bottom = ReverseDirection.below(ctx, RpcRdmaRequesterHandler.class);
        RpcRdmaRequesterHandler below = (RpcRdmaRequesterHandler) bottom.handler();
        RpcRdmaConfig config = below.config();
        int credits = ReverseDirection.credits(config.session());
        // In version 2 a server may use for calls what it was granted for fragments.
        int maxCalls = credits + config.session().receivesBeyondCredits(RpcRdmaRole.REQUESTER);
        MessageLink reversed = below.link().reversed(bottom);
        ReverseCalls taken =
                new ReverseCalls(reversed, config.responder(), credits, maxCalls, RdmaByteBufAllocator.DEFAULT);
        calls = taken;
        link = reversed;
        reversed.takeCalls(ctx, taken);
    }

    @Override
    public void handlerRemoved(ChannelHandlerContext ctx) {
        if (link != null) {
            link.takeNothing();
            super.handlerRemoved(ctx);
        }
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
        if (event instanceof RpcRdmaParametersEvent) {
            calls().onParametersAgreed();
        }
        ctx.fireUserEventTriggered(event);
    }

    @Override
    public void write(ChannelHandlerContext ctx, Object msg, ChannelPromise promise) {
        if (ReverseDirection.isMessage(msg, RpcMessage.REPLY)) {
            calls().reply(ctx, (ByteBuf) msg, null, promise.unvoid());
        } else if (msg instanceof RpcReply reply && ReverseDirection.isMessage(reply.content(), RpcMessage.REPLY)) {
            calls().reply(ctx, reply.content(), reply.reducibleResults(), promise.unvoid());
        } else if (msg instanceof RpcCallRefusal refusal) {
            calls().refuse(ctx, refusal.xid(), promise.unvoid());
        } else {
            ctx.write(msg, promise);
        }
    }
}
