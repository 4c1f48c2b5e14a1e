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
