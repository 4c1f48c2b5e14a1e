// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.guard;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.timeout.IdleStateEvent;
import io.netty.handler.timeout.IdleStateHandler;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Limits the open connections of a listener: it takes at most so many, and when all places are taken, one from an
 * address with less than its share takes the place of the longest connected of the address with most; the share is the
 * number of places divided by that of the addresses. A connection on which no byte moves for long is closed.
 *
 * <p>It stands in the listener's own pipeline ({@code ServerBootstrap.handler}). When accepting itself fails, for
 * example because the process is out of file descriptors, it prints a line and has the listener rest for a second.
 *
 * <p>Threading: the event loop of the listener. The monitor guards the connections, which become idle on their own.
 */
public final class ConnectionLimit extends ChannelInboundHandlerAdapter {

    /**
     * The limits, both positive.
     *
     * @param maxConnections at a time
     * @param idleSeconds    time without a byte in either direction after which a connection is closed
     */
    public record Settings(int maxConnections, long idleSeconds) {

        /** Connections unless a user says otherwise. */
        public static final int DEFAULT_CONNECTIONS = 128;

        /** Idle time unless a user says otherwise. Linux closes after 300 s. */
        public static final int DEFAULT_IDLE_SECONDS = 360;

        /** Both. */
        public static final Settings DEFAULT = new Settings(DEFAULT_CONNECTIONS, DEFAULT_IDLE_SECONDS);
    }

    private final Settings settings;
    private final PeerLog log;
    /** In the order in which they came; those that have closed leave when the next one comes. */
    private final Set<Channel> connections = new LinkedHashSet<>();

    /** @param log gets a line per connection that is refused or closed */
    public ConnectionLimit(Settings settings, PeerLog log) {
        this.settings = settings;
        this.log = log;
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        Channel connection = (Channel) message;
        if (!enter(connection)) {
            log.accept(connection.remoteAddress() + " refused: " + full() + ", and its address has its share");
            connection.unsafe().closeForcibly();
            return;
        }
        connection.pipeline().addFirst(new IdleStateHandler(true, 0, 0, settings.idleSeconds, TimeUnit.SECONDS) {
            @Override
            protected void channelIdle(ChannelHandlerContext idle, IdleStateEvent event) {
                end(idle.channel(), "no byte for " + settings.idleSeconds + " s (--idle-timeout)");
            }
        });
        context.fireChannelRead(message);
    }

    private synchronized boolean enter(Channel connection) {
        connections.removeIf(other -> !other.isOpen());
        return (connections.size() < settings.maxConnections || makeRoom(addressOf(connection)))
                && connections.add(connection);
    }

    private boolean makeRoom(Object address) {
        Map<Object, List<Channel>> byAddress =
                connections.stream().collect(Collectors.groupingBy(ConnectionLimit::addressOf));
        List<Channel> own = byAddress.computeIfAbsent(address, none -> new ArrayList<>());
        if (own.size() >= Math.max(1, settings.maxConnections / byAddress.size())) {
            return false;
        }
        Channel longest = Collections.max(byAddress.values(), Comparator.comparingInt(List::size))
                .get(0);
        end(longest, "connected for longest of the address with most, and " + full());
        return true;
    }

    private String full() {
        return "all " + settings.maxConnections + " places are taken (--max-connections)";
    }

    /** Closes a connection, whose place is free from now on: until it has closed, its peer may keep it waiting. */
    private synchronized void end(Channel connection, String why) {
        connections.remove(connection);
        log.accept(connection.remoteAddress() + " closed: " + why);
        if (connection.isRegistered()) {
            connection.close();
        } else {
            connection.unsafe().closeForcibly();
        }
    }

    /** A host may have all IPv6 addresses of which the first 64 bits are its own, so these count as one. */
    private static Object addressOf(Channel connection) {
        @Nullable
        InetAddress address = connection.remoteAddress() instanceof InetSocketAddress peer ? peer.getAddress() : null;
        return address instanceof Inet6Address
                ? ByteBuffer.wrap(address.getAddress()).getLong()
                : String.valueOf(address);
    }

    /** Not passed on: Netty would print the failure with its stack trace, as often as it happens. */
    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        log.fault(context.channel().localAddress() + " cannot accept connections: " + cause);
        if (context.channel().config().isAutoRead()) {
            context.channel().config().setAutoRead(false);
            context.executor().schedule(() -> context.channel().config().setAutoRead(true), 1, TimeUnit.SECONDS);
        }
    }
}
