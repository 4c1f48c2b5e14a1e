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
