// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.nettyrdma.channel.RdmaByteBufAllocator;
import io.nettyrdma.rpc.message.RpcCallRefusal;
import io.nettyrdma.rpc.message.RpcHeaders;
import io.nettyrdma.rpc.message.RpcRdmaReply;
import io.nettyrdma.rpc.observe.RpcRdmaParametersEvent;
import io.nettyrdma.rpc.observe.RpcRdmaRole;
import io.nettyrdma.rpc.responder.ReverseCalls;
import io.nettyrdma.rpc.session.MessageLink;
import io.nettyrdma.rpc.session.ReverseDirection;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Lets a client answer calls of its server over the client's connection: the reverse direction of RFC 8167, which NFS
 * version 4.1 uses for callbacks. Add this handler above the {@link RpcRdmaRequesterHandler} of the channel; it uses
 * the same {@link RpcRdmaConfig}, which must have {@link RpcRdmaConfig.Builder#reverseCredits}, the grant of this side.
 * With {@link RpcRdmaClient} add it in the handler of the bootstrap. It must be in the pipeline before the client
 * allows its server to call.
 *
 * <p><b>Inbound</b> this handler fires each call as one {@code ByteBuf}, <b>outbound</b> write each reply as one, as
 * described at {@link RpcRdmaResponderHandler}, for promises and {@link RpcCallRefusal} too. Calls and replies of both
 * directions are {@code ByteBuf}s with their msg_type as second word. This handler takes written replies and fires
 * calls; it passes on written calls and received replies.
 *
 * <p><b>Inline only in version 1.</b> This handler answers a call with chunks with {@code ERR_CHUNK}, as RFC 8167,
 * section 5.3, requires, and likewise a call whose reply, with a header of 28 bytes, exceeds the smaller of the two
 * inline thresholds of the connection. Linux' NFS server drops these errors, and that of an {@link RpcCallRefusal} too:
 * its call lasts until its timeout, a tenth of the lease time, and it makes no other call to that NFS client meanwhile.
 * Linux 6.12 then repeats the call, 6.1 does not. If you can, answer with an RPC reply that names the error.
 *
 * <p><b>In version 2</b> (draft -01, section 4.5) this side announces {@link
 * RpcRdmaVersion2Settings#reverseLevel} if this handler is in the pipeline when the channel becomes active.
 * Otherwise it announces that the server must not call, and answers calls with {@code RDMA2_ERR_SYSTEM}. Beyond the
 * level, it answers fragments with {@code RDMA2_ERR_INVAL_CONT}, chunks with {@code RDMA2_ERR_READ_CHUNKS}, {@code
 * WRITE_CHUNKS} or {@code REPLY_RESOURCE}, the latter also if the reply does not fit. At {@code GENL} this side reads
 * and writes memory that the server exposes, as a responder does.
 *
 * <p>In version 1 a server loses the connection if it has more than {@code reverseCredits + 8} unanswered
 * calls or does not take its replies; this handler fires {@link io.nettyrdma.rpc.error.ConnectionFailedException}. In
 * version 2 the server may also use the 16 credits granted for fragments; this side answers calls beyond with {@code
 * RDMA2_ERR_SYSTEM}.
 *
 * <p>This class is not a mode of {@link RpcRdmaResponderHandler}, because it agrees on no parameters and never stops
 * reading the channel.
 *
 * <p>Threading: all state is confined to the executor of the handler, which is that of the handler below; one instance
 * per channel. Ownership: calls fired upwards belong to the next handler, replies written down belong to this one.
 */
public final class RpcRdmaReverseResponderHandler extends ResponderHandler {

    private @Nullable MessageLink link;
    private @Nullable ReverseCalls calls;

    /**
     * Creates a handler to add above a {@link RpcRdmaRequesterHandler}; else {@link IllegalStateException} when added.
     */
    public RpcRdmaReverseResponderHandler() {}

    @Override
    ReverseCalls calls() {
        return Objects.requireNonNull(calls, "add the handler to a pipeline first");
    }

    @Override
    public void handlerAdded(ChannelHandlerContext ctx) {
        if (isBehindProgram(ctx)) {
            return;
        }
        ChannelHandlerContext bottom = ReverseDirection.below(ctx, RpcRdmaRequesterHandler.class);
        RpcRdmaRequesterHandler below = (RpcRdmaRequesterHandler) bottom.handler();
        RpcRdmaConfig config = below.config();
        int credits = ReverseDirection.credits(config.session());
        // In version 2 a server may use credits granted for fragments for calls.
        int maxCalls = credits + config.session().receivesBeyondCredits(RpcRdmaRole.REQUESTER);
        MessageLink reversed = below.link().createReverse();
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
        if (ReverseDirection.isMessage(msg, RpcHeaders.REPLY)) {
            calls().reply(ctx, (ByteBuf) msg, null, promise.unvoid());
        } else if (msg instanceof RpcRdmaReply reply && ReverseDirection.isMessage(reply.content(), RpcHeaders.REPLY)) {
            calls().reply(ctx, reply.content(), reply.reducibleResults(), promise.unvoid());
        } else if (msg instanceof RpcCallRefusal refusal) {
            calls().refuse(ctx, refusal.xid(), promise.unvoid());
        } else {
            ctx.write(msg, promise);
        }
    }
}
