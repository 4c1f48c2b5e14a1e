// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.nfs.server;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import org.apache.hadoop.oncrpc.RpcResponse;

/**
 * The last stage of the pipeline, in the place of Hadoop's {@code STAGE_RPC_TCP_RESPONSE}: replies arrive as inbound
 * messages and leave without a record mark. What workers finish at about the same time is flushed together.
 *
 * <p>Threading: confined to the event loop of its channel.
 */
final class ReplyStage extends ChannelInboundHandlerAdapter {

    private boolean flushPending;

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        // The transport may refuse a reply that it cannot convey, and answers the client itself then.
        context.write(((RpcResponse) message).data());
        if (!flushPending) {
            flushPending = true;
            context.executor().execute(() -> {
                flushPending = false;
                context.flush();
            });
        }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        context.close();
    }
}
