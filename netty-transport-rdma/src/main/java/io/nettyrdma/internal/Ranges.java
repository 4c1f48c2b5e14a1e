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
