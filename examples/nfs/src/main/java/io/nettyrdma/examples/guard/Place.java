// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.guard;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.util.AttributeKey;
import io.netty.util.concurrent.ScheduledFuture;
import io.nettyrdma.error.RdmaResourceLimitException;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The place of one connection among those of a listener: whether it has called, whether a call is in flight, since when
 * it has been idle, and how far its peer lags behind in taking replies. It is the lowest handler of the connection, so
 * it sees what arrives before a call is complete. It closes the connection when that has been idle, or its peer lags,
 * for too long.
 *
 * <p>Threading: the connection's event loop writes; the listener reads, and takes the place away.
 */
final class Place extends ChannelInboundHandlerAdapter {

    static final AttributeKey<Place> KEY = AttributeKey.valueOf(Place.class, "place");

    /** A peer that lags by more does not take its replies. A good one sends its first call in less time, too. */
    static final long PATIENCE_SECONDS = 5;

    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);

    /** Instead of the number of calls: the connection is closed, and its further calls are dropped. */
    private static final int TAKEN_AWAY = -1;

    private final Channel connection;
    private final Object site;
    private final AcceptLimit limit;
    private final long idleNanos;
    private final LongSupplier nanoClock;
    private final ReplyProgress replies;
    private final AtomicInteger callsInFlight = new AtomicInteger();
    private volatile boolean called;
    private volatile long idleSince;
    private @Nullable ScheduledFuture<?> idleCheck;

    Place(Channel connection, AcceptLimit limit, long idleNanos, LongSupplier nanoClock) {
        this.connection = connection;
        this.limit = limit;
        site = siteOf(connection.remoteAddress());
        this.idleNanos = idleNanos;
        this.nanoClock = nanoClock;
        replies = new ReplyProgress(nanoClock);
        idleSince = nanoClock.getAsLong();
    }

    Channel connection() {
        return connection;
    }

    /** Stands for the address of the peer: equal if two places count as of one address. */
    Object site() {
        return site;
    }

    /**
     * A host may have all IPv6 addresses of which the first 64 bits are its own, so these count as one. Hosts of one
     * link have these bits in common in their addresses of the link.
     */
    private static Object siteOf(@Nullable SocketAddress peer) {
        if (!(peer instanceof InetSocketAddress inet) || inet.getAddress() == null) {
            return "unknown";
        }
        InetAddress address = inet.getAddress();
        boolean shared = address instanceof Inet6Address && !address.isLinkLocalAddress();
        return shared ? ByteBuffer.wrap(address.getAddress()).getLong() : address;
    }

    boolean hasCalled() {
        return called;
    }

    /** Whether it waits for the server, or takes its replies. Any thread. */
    boolean isBusy() {
        return callsInFlight.get() > 0 && !isLagging();
    }

    /** Whether the peer does not take its replies. Any thread. */
    boolean isLagging() {
        return replies.lagNanos() >= PATIENCE_NANOS;
    }

    /** Whether it has sent no call since it came, although there was time for one. Any thread. */
    boolean isSilent() {
        return !called && nanoClock.getAsLong() - idleSince >= PATIENCE_NANOS;
    }

    /** Measures the replies of the connection. */
    ReplyProgress replies() {
        return replies;
    }

    /** When it was last used, or accepted if it has never called, by the clock of the listener. */
    long idleSince() {
        return idleSince;
    }

    /** Takes the place away unless it is busy; returns whether it did. Any thread. */
    boolean tryTakeAway() {
        int calls = callsInFlight.get();
        return calls != TAKEN_AWAY && !isBusy() && callsInFlight.compareAndSet(calls, TAKEN_AWAY);
    }

    /** Counts a whole call that has arrived. Returns false if the place was taken away before. */
    boolean tryBeginCall() {
        int calls;
        do {
            calls = callsInFlight.get();
            if (calls == TAKEN_AWAY) {
                return false;
            }
        } while (!callsInFlight.compareAndSet(calls, calls + 1));
        called = true;
        return true;
    }

    /** The reply of a call has left, or never will. */
    void onReplied() {
        idleSince = nanoClock.getAsLong();
        int calls;
        do {
            calls = callsInFlight.get();
        } while (calls > 0 && !callsInFlight.compareAndSet(calls, calls - 1));
    }

    @Override
    public void handlerAdded(ChannelHandlerContext context) {
        checkIdleAfter(context, idleNanos);
    }

    @Override
    public void handlerRemoved(ChannelHandlerContext context) {
        if (idleCheck != null) {
            idleCheck.cancel(false);
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        if (idleCheck != null) {
            idleCheck.cancel(false);
        }
        context.fireChannelInactive();
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        if (cause instanceof RdmaResourceLimitException || cause instanceof OutOfMemoryError) {
            limit.onNoMemory(this);
        }
        context.fireExceptionCaught(cause);
    }

    /** A part of a call may have come. One that has never called gains nothing by parts. */
    @Override
    public void channelReadComplete(ChannelHandlerContext context) {
        if (called) {
            idleSince = nanoClock.getAsLong();
        }
        context.fireChannelReadComplete();
    }

    private void checkIdleAfter(ChannelHandlerContext context, long nanos) {
        idleCheck = context.executor().schedule(() -> checkIdle(context), nanos, TimeUnit.NANOSECONDS);
    }

    private void checkIdle(ChannelHandlerContext context) {
        long waited = callsInFlight.get() > 0 ? replies.lagNanos() : nanoClock.getAsLong() - idleSince;
        if (waited < idleNanos) {
            checkIdleAfter(context, idleNanos - waited);
        } else if (tryTakeAway()) {
            limit.closeIdle(this);
        } else {
            checkIdleAfter(context, idleNanos);
        }
    }
}
