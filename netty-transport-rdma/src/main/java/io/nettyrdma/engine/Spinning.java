// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.engine;

import java.util.concurrent.TimeUnit;

/**
 * Whether a loop may spin. A loop that spins offers its processor to others before each poll. That takes no time if no
 * other thread wants it, and a whole time slice beside a program that computes: then a message waits for milliseconds,
 * although a loop that blocks would be woken at once. So a long yield stops the spinning for a while, and each further
 * one for twice as long, until the loop has spun for as long as it paused without another.
 *
 * <p>Threading: the loop's.
 */
final class Spinning {

    /** A yield that takes longer says that others need the processor; a switch to a thread and back takes less. */
    static final long LONG_YIELD_NANOS = TimeUnit.MICROSECONDS.toNanos(200);

    static final long SHORTEST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(10);
    static final long LONGEST_PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** The last pause, 0 before the first. */
    private long pauseNanos;
    /** When the last pause ends. */
    private long resumeNanos;

    /** Whether the loop may spin at {@code now}, a time of {@link System#nanoTime()}. */
    boolean isAllowed(long now) {
        return pauseNanos == 0 || now - resumeNanos >= 0;
    }

    /** The loop has offered its processor at {@code from} and got it back at {@code to}. */
    void onYielded(long from, long to) {
        if (to - from > LONG_YIELD_NANOS) {
            boolean soon = pauseNanos > 0 && from - resumeNanos < pauseNanos;
            pauseNanos = soon ? Math.min(2 * pauseNanos, LONGEST_PAUSE_NANOS) : SHORTEST_PAUSE_NANOS;
            resumeNanos = to + pauseNanos;
        } else if (pauseNanos > 0 && to - resumeNanos >= pauseNanos) {
            pauseNanos = 0; // also so that times that are compared are never far apart
        }
    }
}
