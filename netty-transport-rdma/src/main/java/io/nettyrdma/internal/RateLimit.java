// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.internal;

import java.util.function.LongSupplier;

/**
 * At most so many events within any span of a given length, wherever it begins: the times of the last ones are kept.
 *
 * <p>Threading: any thread.
 */
public final class RateLimit {

    private final long[] times;
    private final long spanNanos;
    private final LongSupplier nanoTime;
    private long taken;

    /**
     * @param count     events allowed within a span, at least 1
     * @param spanNanos length of a span
     * @param nanoTime  the clock, as {@link System#nanoTime()}
     */
    public RateLimit(int count, long spanNanos, LongSupplier nanoTime) {
        times = new long[count];
        this.spanNanos = spanNanos;
        this.nanoTime = nanoTime;
    }

    /** Whether one more event is allowed now, which then counts. */
    public synchronized boolean tryTake() {
        if (!hasRoom()) {
            return false;
        }
        times[(int) (taken++ % times.length)] = nanoTime.getAsLong();
        return true;
    }

    /** Whether {@link #tryTake} would allow one more event now. */
    public synchronized boolean hasRoom() {
        // The place that is written next holds the oldest time. The clock may wrap, so the difference counts.
        return taken < times.length || nanoTime.getAsLong() - times[(int) (taken % times.length)] >= spanNanos;
    }
}
