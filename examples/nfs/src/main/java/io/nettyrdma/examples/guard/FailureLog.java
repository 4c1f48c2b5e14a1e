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
package io.nettyrdma.examples.guard;

import io.netty.channel.ChannelHandler.Sharable;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;

/**
 * The last handler of a server's connections: prints a line about what went wrong on one, and closes it.
 *
 * <p>Threading: any event loop.
 */
@Sharable
public final class FailureLog extends ChannelInboundHandlerAdapter {

    private final PeerLog log;

    /** @param log gets a line per failure */
    public FailureLog(PeerLog log) {
        this.log = log;
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        log.accept(context.channel().remoteAddress() + " closed: " + PeerText.reason(cause));
        context.close();
    }
}
