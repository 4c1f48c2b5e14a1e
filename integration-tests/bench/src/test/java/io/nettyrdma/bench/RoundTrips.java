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
