// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.nfs.server;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.handler.timeout.IdleStateEvent;
import io.netty.handler.timeout.IdleStateHandler;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Closes a TCP connection whose peer takes no octet of the replies that wait for it.
 *
 * <p>Threading: confined to the event loop of its channel.
 */
final class UnreadLimit extends IdleStateHandler {

    private final Consumer<String> log;
    private final long unreadSeconds;

    /**
     * A limit for one connection.
     *
     * @param unreadSeconds how long replies may wait without any of their octets leaving, and twice as long at most
     */
    UnreadLimit(long unreadSeconds, Consumer<String> log) {
        super(true, 0, unreadSeconds, 0, TimeUnit.SECONDS);
        this.log = log;
        this.unreadSeconds = unreadSeconds;
    }

    @Override
    protected void channelIdle(ChannelHandlerContext context, IdleStateEvent event) {
        if (!event.isFirst() && hasUnread(context.channel())) {
            // The first event takes note of what waits; another one comes only if that has not changed.
            log.accept(context.channel().remoteAddress() + " closed: read none of its replies for " + unreadSeconds
                    + " s");
            context.close();
        }
    }

    private static boolean hasUnread(Channel channel) {
        ChannelOutboundBuffer waiting = channel.unsafe().outboundBuffer();
        return waiting != null && !waiting.isEmpty();
    }
}
