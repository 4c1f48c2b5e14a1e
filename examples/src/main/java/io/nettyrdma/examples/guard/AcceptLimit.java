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

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * Limits the connections that a listener has accepted and that are still open. It stands in the listener's own pipeline
 * ({@code ServerBootstrap.handler}). When accepting itself fails, for example because the process is out of file
 * descriptors, it prints a line and has the listener rest for a second.
 *
 * <p>Threading: one per listener, on its event loop; connections may end on any.
 */
public final class AcceptLimit extends ChannelInboundHandlerAdapter {

    /** Connections of a server among the examples, unless its user says otherwise. */
    public static final int DEFAULT_CONNECTIONS = 128;

    /** How that limit is called where a user can change it. */
    public static final String OPTION = "--max-connections";

    private static final long REST_SECONDS = 1;

    /** What becomes of a connection that is one too many. */
    private enum WhenFull {
        REFUSE,
        CLOSE_OLDEST
    }

    private final int maxConnections;
    private final WhenFull whenFull;
    private final PeerLog log;
    private final Set<Channel> connections = new LinkedHashSet<>();

    private AcceptLimit(int maxConnections, WhenFull whenFull, PeerLog log) {
        this.maxConnections = maxConnections;
        this.whenFull = whenFull;
        this.log = log;
    }

    /**
     * Closes what comes when there are as many: for connections that live long.
     *
     * @param maxConnections positive; a user changes it by {@link #OPTION}
     * @param log            gets a line per connection that is refused
     */
    public static AcceptLimit refusing(int maxConnections, PeerLog log) {
        return new AcceptLimit(maxConnections, WhenFull.REFUSE, log);
    }

    /**
     * Closes the oldest when there are as many: for connections of a call or two, so that those who stay on do not keep
     * others out.
     *
     * @param maxConnections positive
     * @param log            gets a line per connection that has to go
     */
    public static AcceptLimit closingOldest(int maxConnections, PeerLog log) {
        return new AcceptLimit(maxConnections, WhenFull.CLOSE_OLDEST, log);
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        Channel connection = (Channel) message;
        if (!enter(connection)) {
            log.accept(connection.remoteAddress() + " refused: " + maxConnections + " connections are the most ("
                    + OPTION + ")");
            connection.unsafe().closeForcibly();
            return;
        }
        connection.closeFuture().addListener(closed -> leave(connection));
        context.fireChannelRead(message);
    }

    private synchronized boolean enter(Channel connection) {
        if (connections.size() >= maxConnections) {
            connections.removeIf(one -> !one.isOpen()); // some end before they have an event loop that would tell
        }
        if (connections.size() >= maxConnections) {
            if (whenFull == WhenFull.REFUSE) {
                return false;
            }
            Channel oldest = connections.iterator().next();
            connections.remove(oldest);
            log.accept(oldest.remoteAddress() + " closed: the oldest of " + maxConnections + " connections");
            if (oldest.isRegistered()) {
                oldest.close();
            } else {
                oldest.unsafe().closeForcibly();
            }
        }
        return connections.add(connection);
    }

    private synchronized void leave(Channel connection) {
        connections.remove(connection);
    }

    /** Not passed on: Netty would print the failure with its stack trace, as often as it happens. */
    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        log.fault(context.channel().localAddress() + " cannot accept connections: " + cause);
        if (context.channel().config().isAutoRead()) {
            context.channel().config().setAutoRead(false);
            context.executor()
                    .schedule(() -> context.channel().config().setAutoRead(true), REST_SECONDS, TimeUnit.SECONDS);
        }
    }
}
