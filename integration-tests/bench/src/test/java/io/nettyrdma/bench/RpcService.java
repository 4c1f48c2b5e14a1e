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
