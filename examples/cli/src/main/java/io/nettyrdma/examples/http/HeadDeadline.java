// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.http;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.util.concurrent.ScheduledFuture;
import io.nettyrdma.examples.guard.PeerLog;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Closes a connection of HTTP/1.1 whose client sends the first bytes of a request and not all of its headers in time.
 * It stands below the codec; the {@link HttpExchange} above the codec says when headers are complete.
 *
 * <p>Threading: confined to the event loop of its channel.
 */
final class HeadDeadline extends ChannelInboundHandlerAdapter {

    private final int seconds;
    private final PeerLog log;
    private boolean expectsHead = true;
    private @Nullable ScheduledFuture<?> deadline;

    HeadDeadline(int seconds, PeerLog log) {
        this.seconds = seconds;
        this.log = log;
    }

    /** The headers of a request are complete. */
    void onHead() {
        expectsHead = false;
        cancel();
    }

    /** The response of the request has left. */
    void onReplied() {
        expectsHead = true;
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        if (expectsHead && deadline == null) {
            deadline = context.executor().schedule(() -> close(context), seconds, TimeUnit.SECONDS);
        }
        context.fireChannelRead(message);
    }

    private void close(ChannelHandlerContext context) {
        log.accept(context.channel().remoteAddress() + " closed: sent incomplete headers for " + seconds + " s");
        context.close();
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        cancel();
        context.fireChannelInactive();
    }

    @Override
    public void handlerRemoved(ChannelHandlerContext context) {
        cancel();
    }

    private void cancel() {
        if (deadline != null) {
            deadline.cancel(false);
            deadline = null;
        }
    }
}
