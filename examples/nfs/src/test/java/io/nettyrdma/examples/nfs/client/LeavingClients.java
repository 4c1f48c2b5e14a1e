// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.nfs.client;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.io.IOException;

/**
 * The last handler of a test's server: clients leave when they like, also while there are replies on their way to them.
 * Any other failure goes on.
 */
final class LeavingClients extends ChannelInboundHandlerAdapter {

    private final Class<? extends IOException> loss;

    /** What the transport tells of a client that has left is a {@code loss}. */
    LeavingClients(Class<? extends IOException> loss) {
        this.loss = loss;
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        if (loss.isInstance(cause)) {
            ctx.close();
        } else {
            ctx.fireExceptionCaught(cause);
        }
    }
}
