// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.bench;

import java.util.Arrays;
import java.util.concurrent.CompletableFuture;

/**
 * Counts the messages of a round and notes how long each takes.
 *
 * <p>Threading: one event loop does everything but {@link #percentile}.
 */
final class RoundTrips {

    private volatile CompletableFuture<Void> done = new CompletableFuture<>();
    private long[] latencies = {};
    private int answered;
    private int unsent;

    void begin(int count, CompletableFuture<Void> future) {
        done = future;
        latencies = new long[count];
        answered = 0;
        unsent = count;
    }

    /** Whether one more is to be sent. */
    boolean takeOne() {
        return unsent-- > 0;
    }

    void answered(long sentAtNanos) {
        latencies[answered] = System.nanoTime() - sentAtNanos;
        if (++answered == latencies.length) {
            done.complete(null);
        }
    }

    void fail(Throwable cause) {
        done.completeExceptionally(cause);
    }

    double percentile(int percent) {
        long[] sorted = latencies.clone();
        Arrays.sort(sorted);
        return sorted[Math.min(sorted.length - 1, (int) ((long) sorted.length * percent / 100))];
    }

    void forget() {
        latencies = new long[0];
    }
}
