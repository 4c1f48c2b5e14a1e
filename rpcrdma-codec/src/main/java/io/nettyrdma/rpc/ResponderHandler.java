// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc;

import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.nettyrdma.internal.LimitsItself;
import io.nettyrdma.internal.PipelinePlace;
import io.nettyrdma.rpc.responder.ReceivedCalls;

/**
 * Passes the pipeline's events to the calls of a responder, in either direction.
 *
 * <p>Threading: all state is confined to the executor of the handler, one instance per channel. Ownership: of the
 * calls.
 */
abstract class ResponderHandler extends ChannelDuplexHandler implements LimitsItself {

    abstract ReceivedCalls calls();

    /** Refuses, as {@link PipelinePlace#refuse} does, a program in front, which would get no calls. */
    final boolean isBehindProgram(ChannelHandlerContext ctx) {
        boolean behind = PipelinePlace.isInFront(ctx, RpcProgramHandler.class);
        if (behind) {
            String own = getClass().getSimpleName();
            PipelinePlace.refuse(
                    ctx,
                    "RpcProgramHandler is in front of " + own + " and gets no calls there; add it behind, as in"
                            + " pipeline.addLast(new " + own + "(), program)");
        }
        return behind;
    }

    /** Ends all calls. */
    void onConnectionLost(ChannelHandlerContext ctx) {
        calls().onConnectionLost();
    }

    @Override
    public void handlerRemoved(ChannelHandlerContext ctx) {
        onConnectionLost(ctx);
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        onConnectionLost(ctx);
        ctx.fireChannelInactive();
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext ctx) {
        calls().flushIfWanted(ctx);
        ctx.fireChannelReadComplete();
    }

    @Override
    public void flush(ChannelHandlerContext ctx) {
        calls().onFlushed();
        ctx.flush();
    }
}
