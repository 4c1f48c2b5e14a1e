// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.responder;

import io.netty.channel.ChannelHandlerContext;
import io.nettyrdma.error.RdmaWorkRequestException;
import java.util.concurrent.TimeUnit;

/**
 * Ends the connection of a Send, Read or Write that has failed. A work request takes its queue pair along when it
 * fails, so the channel closes by itself, and says why first: what the peer's Terminate says is often read only after
 * the requests that it flushes. Who closes in between never hears of it.
 */
final class FailedTransfer {

    /** How long the channel has to say why. */
    static final long REASON_MILLIS = 1000;

    private FailedTransfer() {}

    /** Closes the channel, or sees to it that it closes. */
    static void close(ChannelHandlerContext ctx, Throwable cause) {
        if (cause instanceof RdmaWorkRequestException) {
            ctx.executor().schedule(() -> ctx.close(), REASON_MILLIS, TimeUnit.MILLISECONDS);
        } else {
            ctx.close();
        }
    }
}
