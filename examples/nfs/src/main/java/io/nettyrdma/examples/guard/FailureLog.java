// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
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
