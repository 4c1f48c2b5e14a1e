// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.bench;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandler.Sharable;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.nettyrdma.channel.RdmaByteBufAllocator;

/** Answers calls from memory, the same for every competitor. */
@Sharable
final class RpcService extends ChannelInboundHandlerAdapter {

    private final Procedure procedure;
    private final ByteBuf data;

    RpcService(Procedure procedure, int sizeBytes) {
        this.procedure = procedure;
        int bytes = procedure.bufferBytes(sizeBytes);
        data = RdmaByteBufAllocator.DEFAULT.directBuffer(bytes, bytes).setZero(0, bytes);
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        ByteBuf call = (ByteBuf) message;
        context.write(procedure.reply(context.alloc(), call, data));
        call.release();
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext context) {
        context.flush();
    }

    /** To be called when all replies are sent. */
    void release() {
        data.release();
    }
}
