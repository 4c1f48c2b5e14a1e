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
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Limits the open connections of a listener: it takes at most so many, and when all places are taken, one from an
 * address with less than its share takes the place of the longest connected of the address with most; the share is the
 * number of places divided by that of the addresses. A connection on which no byte moves for long is closed.
 *
 * <p>It stands in the listener's own pipeline ({@code ServerBootstrap.handler}). When accepting itself fails, for
 * example because the process is out of file descriptors, it prints a line and has the listener rest for a second.
 *
 * <p>Threading: one per listener. The lock guards the connections, which come on the listener's event loop and end on
 * their own.
 */
public final class ConnectionLimit extends ChannelInboundHandlerAdapter {

    /** How the limit of connections is called where a user can change it. */
    public static final String CONNECTIONS_OPTION = "--max-connections";

    /** How the idle time is called where a user can change it. */
    public static final String IDLE_OPTION = "--idle-timeout";

    private static final long REST_SECONDS = 1;

    /**
     * How many connections there may be, and how long they may do nothing.
     *
     * @param maxConnections at a time, positive
     * @param idleSeconds    time without a byte in either direction after which a connection is closed, positive
     */
    public record Settings(int maxConnections, long idleSeconds) {

        /** Connections of a server among the examples, unless its user says otherwise. */
        public static final int DEFAULT_CONNECTIONS = 128;

        /** Idle time of a server among the examples, unless its user says otherwise. Linux closes after 300 s. */
        public static final int DEFAULT_IDLE_SECONDS = 360;

        /** What servers have unless their user says otherwise. */
        public static final Settings DEFAULT = new Settings(DEFAULT_CONNECTIONS, DEFAULT_IDLE_SECONDS);
    }

    private final Settings settings;
    private final PeerLog log;
    /** By address, each in the order in which they came. */
    private final Map<Object, Set<Channel>> connections = new HashMap<>();

    /** @param log gets a line per connection that is refused or closed */
    public ConnectionLimit(Settings settings, PeerLog log) {
        this.settings = settings;
        this.log = log;
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        Channel connection = (Channel) message;
        Object address = addressOf(connection.remoteAddress());
        if (!makeRoom(address)) {
            log.accept(connection.remoteAddress() + " refused: " + full() + ", and its address has its share");
            connection.unsafe().closeForcibly();
            return;
        }
        add(address, connection);
        connection.closeFuture().addListener(closed -> remove(address, connection));
        connection
                .pipeline()
                .addFirst(new IdleStateHandler(true, 0, 0, settings.idleSeconds, TimeUnit.SECONDS), new IdleClose());
        context.fireChannelRead(message);
    }

    private synchronized void add(Object address, Channel connection) {
        connections.computeIfAbsent(address, same -> new LinkedHashSet<>()).add(connection);
    }

    private synchronized boolean makeRoom(Object address) {
        if (count() >= settings.maxConnections) {
            // Those that end before they have an event loop are never removed.
            connections.values().removeIf(same -> same.removeIf(one -> !one.isOpen()) && same.isEmpty());
        }
        if (count() < settings.maxConnections) {
            return true;
        }
        int addresses = connections.size() + (connections.containsKey(address) ? 0 : 1);
        int share = Math.max(1, settings.maxConnections / addresses);
        Set<Channel> own = connections.getOrDefault(address, Set.of());
        if (own.size() >= share) {
            return false;
        }
        Set<Channel> most = own;
        for (Set<Channel> each : connections.values()) {
            most = each.size() > most.size() ? each : most;
        }
        close(most.iterator().next(), "connected for longest of the address with most, and " + full());
        return true;
    }

    private int count() {
        return connections.values().stream().mapToInt(Set::size).sum();
    }

    private synchronized void remove(Object address, Channel connection) {
        Set<Channel> same = connections.get(address);
        if (same != null && same.remove(connection) && same.isEmpty()) {
            connections.remove(address);
        }
    }

    private String full() {
        return "all " + settings.maxConnections + " places are taken (" + CONNECTIONS_OPTION + ")";
    }

    /** Closes a connection, whose place is free from now on. */
    private void close(Channel connection, String why) {
        remove(addressOf(connection.remoteAddress()), connection);
        log.accept(connection.remoteAddress() + " closed: " + why);
        if (connection.isRegistered()) {
            connection.close();
        } else {
            connection.unsafe().closeForcibly();
        }
    }

    /**
     * A host may have all IPv6 addresses of which the first 64 bits are its own, so these count as one. Hosts of one
     * link have these bits in common in their addresses of the link.
     */
    private static Object addressOf(@Nullable SocketAddress peer) {
        if (!(peer instanceof InetSocketAddress inet) || inet.getAddress() == null) {
            return "unknown";
        }
        InetAddress address = inet.getAddress();
        boolean shared = address instanceof Inet6Address && !address.isLinkLocalAddress();
        return shared ? ByteBuffer.wrap(address.getAddress()).getLong() : address;
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

    private final class IdleClose extends ChannelInboundHandlerAdapter {
        @Override
        public void userEventTriggered(ChannelHandlerContext context, Object event) {
            if (event instanceof IdleStateEvent) {
                close(context.channel(), "no byte for " + settings.idleSeconds + " s (" + IDLE_OPTION + ")");
            } else {
                context.fireUserEventTriggered(event);
            }
        }
    }
}
