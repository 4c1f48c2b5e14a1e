// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.guard;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelProgressiveFuture;
import io.netty.channel.ChannelProgressiveFutureListener;
import io.netty.channel.ChannelProgressivePromise;
import io.netty.channel.ChannelPromise;
import io.netty.util.concurrent.PromiseNotifier;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Measures how far a peer lags behind in taking replies. The lag grows with the time in which a reply waits to leave.
 * Each byte that leaves shortens it by the time of that byte at {@value #BYTES_PER_SECOND} bytes a second; so does the
 * time in which nothing waits. A peer that takes a byte now and then, or each reply late, lags nevertheless.
 *
 * <p>Bytes count when the channel reports them to a {@link ChannelProgressivePromise}, or else when the reply has left.
 *
 * <p>Threading: the event loop of the channel writes, any thread reads.
 */
public final class ReplyProgress {

    /** Bytes of replies that a peer takes at least in a second while some wait. */
    public static final int BYTES_PER_SECOND = 4096;

    private static final long NANOS_PER_BYTE = TimeUnit.SECONDS.toNanos(1) / BYTES_PER_SECOND;

    private final LongSupplier nanoClock;
    private int waiting;
    private long leftAt;
    /** The present less the lag, if a reply waits. Written before {@link #waits}, which other threads read first. */
    private volatile long onTimeUntil;

    private volatile boolean waits;

    /** Nothing waits. */
    public ReplyProgress(LongSupplier nanoClock) {
        this.nanoClock = nanoClock;
        leftAt = nanoClock.getAsLong();
        onTimeUntil = leftAt;
    }

    /** Returns the lag in nanoseconds, 0 if no reply waits. Any thread. */
    public long lagNanos() {
        return waits ? nanoClock.getAsLong() - onTimeUntil : 0;
    }

    /**
     * Follows a reply that is about to be written.
     *
     * @param promise completes with the returned one
     * @param bytes   of the reply, of which those count at its end that were not reported before
     * @return the promise to write the reply with
     */
    public ChannelProgressivePromise follow(ChannelHandlerContext context, ChannelPromise promise, long bytes) {
        ChannelProgressivePromise left = context.newProgressivePromise();
        left.addListener(new Reply(bytes, promise));
        PromiseNotifier.cascade(false, left, promise.unvoid());
        if (waiting++ == 0) {
            long now = nanoClock.getAsLong();
            onTimeUntil = Math.min(now, onTimeUntil + 2 * (now - leftAt)); // paid with the time, which counts itself
            waits = true;
        }
        return left;
    }

    private void onTaken(long bytes) {
        onTimeUntil = Math.min(nanoClock.getAsLong(), onTimeUntil + bytes * NANOS_PER_BYTE);
    }

    private final class Reply implements ChannelProgressiveFutureListener {
        private final long bytes;
        private final ChannelPromise outer;
        private long reported;

        Reply(long bytes, ChannelPromise outer) {
            this.bytes = bytes;
            this.outer = outer;
        }

        @Override
        public void operationProgressed(ChannelProgressiveFuture left, long progress, long total) {
            onTaken(Math.max(0, progress - reported));
            reported = Math.max(reported, progress);
            if (outer instanceof ChannelProgressivePromise promise) {
                promise.tryProgress(progress, total);
            }
        }

        @Override
        public void operationComplete(ChannelProgressiveFuture left) {
            if (left.isSuccess()) {
                onTaken(Math.max(0, bytes - reported));
            }
            if (--waiting == 0) {
                leftAt = nanoClock.getAsLong();
                waits = false;
            }
        }
    }
}
