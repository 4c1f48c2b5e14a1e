// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.deadline;

import java.time.Duration;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/**
 * How long a test waits for something that must happen. It bounds a hang and measures nothing: on a machine that is
 * busy with something else everything takes long, so it is far longer than anything that works needs. The system
 * property {@code test.deadline.scale} multiplies it.
 */
public final class Deadline {

    /** In seconds. */
    public static final int SECONDS = 60 * Integer.getInteger("test.deadline.scale", 1);

    /** In milliseconds. */
    public static final int MILLIS = 1000 * SECONDS;

    /** As a duration. */
    public static final Duration DURATION = Duration.ofSeconds(SECONDS);

    private Deadline() {}

    /** Waits for a condition that no event announces. */
    public static void until(BooleanSupplier condition, String what) {
        until(condition, () -> what);
    }

    /**
     * Waits for a condition that no event announces.
     *
     * @param what is asked when the condition does not come
     * @throws AssertionError if it does not come in time
     */
    public static void until(BooleanSupplier condition, Supplier<String> what) {
        long end = System.nanoTime() + DURATION.toNanos();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() - end > 0) {
                throw new AssertionError("not within " + SECONDS + " s: " + what.get());
            }
            Thread.yield();
        }
    }
}
