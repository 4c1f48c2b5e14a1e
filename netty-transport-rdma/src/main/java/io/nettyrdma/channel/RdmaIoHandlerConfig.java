// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.channel;

import java.time.Duration;

/**
 * Settings of an event loop that drives RDMA channels.
 *
 * <p>Threading: immutable.
 */
public final class RdmaIoHandlerConfig {

    private static final RdmaIoHandlerConfig DEFAULTS = builder().build();

    private final Duration spin;

    private RdmaIoHandlerConfig(Builder builder) {
        spin = builder.spin;
    }

    /** Returns the default settings. */
    public static RdmaIoHandlerConfig defaults() {
        return DEFAULTS;
    }

    /** Returns a builder with the default settings. */
    public static Builder builder() {
        return new Builder();
    }

    /** Returns how long a loop without work polls for completions before it blocks. */
    public Duration spin() {
        return spin;
    }

    /** Collects settings. All methods throw {@link IllegalArgumentException} for values out of range. */
    public static final class Builder {
        private static final Duration MAX_SPIN = Duration.ofSeconds(1);

        private Duration spin = Duration.ofNanos(20_000);

        private Builder() {}

        /**
         * Sets how long a loop without work polls for completions before it blocks. Longer spins cut the wake-up from
         * the latency of a round trip and cost CPU time, once per burst: an idle loop spins once and then sleeps. A
         * loop offers its processor to others while it spins; if it gets it back late, others need it, and the loop
         * blocks at once for 10 ms, up to 1 s if that repeats. 0 always blocks at once. Default 20 µs, at most 1 s.
         */
        public Builder spin(Duration value) {
            if (value.isNegative() || value.compareTo(MAX_SPIN) > 0) {
                throw new IllegalArgumentException("spin: " + value + " (expected: 0 to " + MAX_SPIN + ')');
            }
            spin = value;
            return this;
        }

        /** Returns the settings collected so far. */
        public RdmaIoHandlerConfig build() {
            return new RdmaIoHandlerConfig(this);
        }
    }
}
