// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc;

import java.util.function.DoubleSupplier;

/**
 * Computes the wait before the next attempt to connect: none after a connection that answered a call, then doubling
 * from the first delay to the longest. Each is shortened at random by up to half, which spreads the clients of a
 * restarted server.
 *
 * <p>Threading: confined to one thread.
 */
final class ReconnectDelay {

    private final long firstNanos;
    private final long longestNanos;
    private final DoubleSupplier random;
    private int failures;

    /**
     * @param random 0 to 1, 1 excluded
     */
    ReconnectDelay(long firstNanos, long longestNanos, DoubleSupplier random) {
        this.firstNanos = firstNanos;
        this.longestNanos = longestNanos;
        this.random = random;
    }

    /** Makes the next attempt immediate, because a call was answered. */
    void reset() {
        failures = 0;
    }

    /** Returns the delay before the next attempt, which counts as failed until {@link #reset}. */
    long nextNanos() {
        int doublings = failures++ - 1;
        if (doublings < 0) {
            return 0;
        }
        failures = Math.min(failures, Long.SIZE);
        long delay = firstNanos << Math.min(doublings, Long.numberOfLeadingZeros(firstNanos) - 1);
        delay = Math.min(delay, longestNanos);
        return delay - (long) (delay / 2 * random.getAsDouble());
    }
}
