// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.internal;

import java.time.Duration;
import java.util.Objects;

/**
 * What options and parameters may be.
 *
 * <p>Threading: stateless.
 */
public final class Ranges {

    private Ranges() {}

    /**
     * Returns the value.
     *
     * @throws IllegalArgumentException if it is less than {@code min} or more than {@code max}
     */
    public static int require(String name, int value, int min, int max) {
        return (int) require(name, (long) value, min, max);
    }

    /** As {@link #require(String, int, int, int)}. */
    public static long require(String name, long value, long min, long max) {
        if (value < min || value > max) {
            throw new IllegalArgumentException(name + ": " + value + " (expected: " + min + " to " + max + ')');
        }
        return value;
    }

    /**
     * Returns a time in nanoseconds.
     *
     * @throws IllegalArgumentException if it is not positive, or longer than 292 years
     */
    public static long requirePositive(String name, Duration time) {
        Objects.requireNonNull(time, name);
        long nanos;
        try {
            nanos = time.toNanos();
        } catch (ArithmeticException e) {
            throw new IllegalArgumentException(name + ": " + time + " (expected: at most 292 years)", e);
        }
        if (nanos <= 0) {
            throw new IllegalArgumentException(name + ": " + time + " (expected: > 0)");
        }
        return nanos;
    }
}
