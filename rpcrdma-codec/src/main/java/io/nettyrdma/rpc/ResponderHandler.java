// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc;

import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.nettyrdma.rpc.responder.ReceivedCalls;

/**
 * Passes the pipeline's events to the calls of a responder, in either direction.
 *
 * <p>Threading: all state is confined to the executor of the handler, one instance per channel. Ownership: of the
 * calls.
 */
abstract class ResponderHandler extends ChannelDuplexHandler {

    abstract ReceivedCalls calls();

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
