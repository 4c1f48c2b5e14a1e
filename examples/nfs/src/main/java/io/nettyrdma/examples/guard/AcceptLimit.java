// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.guard;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Limits the connections that a listener has accepted and that are still open, and closes idle ones. It stands in the
 * listener's own pipeline ({@code ServerBootstrap.handler}); the connections have a {@link CallCounter} above their
 * codec. When accepting itself fails, for example because the process is out of file descriptors, it prints a line and
 * has the listener rest for a second.
 *
 * <p>When all places are taken, a new connection takes the place of another one, as {@link Places} chooses it. It never
 * takes that of one that has a whole call in flight and takes its replies. If there is none, the new connection is
 * refused. If memory does not suffice for a new connection, that one fails, and there are fewer places from then on.
 *
 * <p>Threading: one per listener, on its event loop; connections may end on any.
 */
public final class AcceptLimit extends ChannelInboundHandlerAdapter {

    /** How the limit of connections is called where a user can change it. */
    public static final String CONNECTIONS_OPTION = "--max-connections";

    /** How the idle time is called where a user can change it. */
    public static final String IDLE_OPTION = "--idle-timeout";

    private static final long REST_SECONDS = 1;

    /**
     * How many connections there may be, and how long they may do nothing.
     *
     * @param maxConnections at a time, positive
     * @param idleSeconds    time without a whole call in flight after which a connection is closed, and lag of a peer
     *                       in taking replies ({@link ReplyProgress}) after which it is closed, too; positive
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
    private final boolean changeable;
    private final PeerLog log;
    private final LongSupplier nanoClock;
    private final Places places;

    AcceptLimit(Settings settings, boolean changeable, PeerLog log, LongSupplier nanoClock) {
        this.settings = settings;
        this.changeable = changeable;
        this.log = log;
        this.nanoClock = nanoClock;
        places = new Places(settings.maxConnections, this::closeForNewcomer);
    }

    /**
     * A limit that a user changes by {@link #CONNECTIONS_OPTION} and {@link #IDLE_OPTION}.
     *
     * @param log gets a line per connection that is refused or closed
     */
    public static AcceptLimit changeable(Settings settings, PeerLog log) {
        return new AcceptLimit(settings, true, log, System::nanoTime);
    }

    /**
     * A limit that a user cannot change.
     *
     * @param log gets a line per connection that is refused or closed
     */
    public static AcceptLimit fixed(Settings settings, PeerLog log) {
        return new AcceptLimit(settings, false, log, System::nanoTime);
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        Channel connection = (Channel) message;
        Place place = new Place(connection, this, TimeUnit.SECONDS.toNanos(settings.idleSeconds), nanoClock);
        if (!places.enter(place)) {
            log.accept(connection.remoteAddress() + " refused: " + full() + ", and no connection may be closed for it");
            connection.unsafe().closeForcibly();
            return;
        }
        connection.attr(Place.KEY).set(place);
        connection.pipeline().addFirst(place);
        connection.closeFuture().addListener(closed -> places.leave(place));
        context.fireChannelRead(message);
    }

    private String hint(String option) {
        return changeable ? " (" + option + ")" : "";
    }

    private String full() {
        int count = places.count();
        return count < settings.maxConnections
                ? "there is no memory for more than " + count + " connections"
                : "all " + count + " places are taken" + hint(CONNECTIONS_OPTION);
    }

    /** Memory does not suffice for a connection. */
    void onNoMemory(Place place) {
        places.onNoMemory(place);
    }

    private void closeForNewcomer(Place place) {
        String which = place.isLagging()
                ? "does not take its replies"
                : place.hasCalled() ? "idle for longest" : "has never sent a call";
        close(place, which + ", and " + full());
    }

    /** Closes a connection that was idle, or lagged, for as long as one may, after its place was taken away. */
    void closeIdle(Place place) {
        places.leave(place);
        close(
                place,
                (place.isLagging() ? "does not take its replies, for " : "no call for ") + settings.idleSeconds + " s"
                        + hint(IDLE_OPTION));
    }

    private void close(Place place, String why) {
        Channel connection = place.connection();
        log.accept(connection.remoteAddress() + " closed: " + why);
        if (connection.isRegistered()) {
            connection.close();
        } else {
            connection.unsafe().closeForcibly();
        }
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
