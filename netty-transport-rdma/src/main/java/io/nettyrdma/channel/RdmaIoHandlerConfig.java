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
package io.nettyrdma.channel;

import io.nettyrdma.internal.Ranges;
import java.time.Duration;

/**
 * Settings of an event loop that drives RDMA channels.
 *
 * <p>Threading: immutable.
 */
public final class RdmaIoHandlerConfig {

    private static final RdmaIoHandlerConfig DEFAULTS = builder().build();

    private final Duration spin;
    private final int completionQueueDepth;
    private final int maxCompletionsPerRun;
    private final int maxCmEventsPerRun;

    private RdmaIoHandlerConfig(Builder builder) {
        spin = builder.spin;
        completionQueueDepth = builder.completionQueueDepth;
        maxCompletionsPerRun = builder.maxCompletionsPerRun;
        maxCmEventsPerRun = builder.maxCmEventsPerRun;
    }

    /** All defaults. */
    public static RdmaIoHandlerConfig defaults() {
        return DEFAULTS;
    }

    /** A builder preset with the defaults. */
    public static Builder builder() {
        return new Builder();
    }

    /** How long a loop without work looks for completions before it blocks. */
    public Duration spin() {
        return spin;
    }

    /** Entries of the loop's completion queue. */
    public int completionQueueDepth() {
        return completionQueueDepth;
    }

    /** Completions handled before the loop turns to its tasks. */
    public int maxCompletionsPerRun() {
        return maxCompletionsPerRun;
    }

    /** Connection events handled before the loop turns to its tasks. */
    public int maxCmEventsPerRun() {
        return maxCmEventsPerRun;
    }

    /** Collects settings. All methods refuse values out of range with {@link IllegalArgumentException}. */
    public static final class Builder {
        private static final Duration MAX_SPIN = Duration.ofSeconds(1);

        private Duration spin = Duration.ofNanos(20_000);
        private int completionQueueDepth = 262_144;
        private int maxCompletionsPerRun = 1024;
        private int maxCmEventsPerRun = 128;

        private Builder() {}

        /**
         * How long a loop without work looks for completions before it blocks. Longer spins cut the wake-up from the
         * latency of a round trip and cost CPU time: an idle loop spins once and then sleeps, so the cost is per burst.
         * 0 blocks at once. Default 20 µs, at most 1 s.
         */
        public Builder spin(Duration value) {
            if (value.isNegative() || value.compareTo(MAX_SPIN) > 0) {
                throw new IllegalArgumentException("spin: " + value + " (expected: 0 to " + MAX_SPIN + ')');
            }
            spin = value;
            return this;
        }

        /**
         * Entries of the loop's completion queue. Each connection takes as many as its receive count and send depth
         * together; a connection that would overcommit the queue fails with {@link RdmaResourceLimitException}. Default
         * 262,144, at least 1. A device that has no queue of that length gives a shorter one (rxe has 32,767 entries),
         * which then counts. The software provider grows the queue as needed (about 40 octets an entry).
         */
        public Builder completionQueueDepth(int entries) {
            completionQueueDepth = Ranges.require("completionQueueDepth", entries, 1, Integer.MAX_VALUE);
            return this;
        }

        /** Completions handled before the loop turns to its tasks. Default 1,024, at least 1. */
        public Builder maxCompletionsPerRun(int completions) {
            maxCompletionsPerRun = Ranges.require("maxCompletionsPerRun", completions, 1, Integer.MAX_VALUE);
            return this;
        }

        /** Connection events handled before the loop turns to its tasks. Default 128, at least 1. */
        public Builder maxCmEventsPerRun(int events) {
            maxCmEventsPerRun = Ranges.require("maxCmEventsPerRun", events, 1, Integer.MAX_VALUE);
            return this;
        }

        /** The settings collected so far. */
        public RdmaIoHandlerConfig build() {
            return new RdmaIoHandlerConfig(this);
        }
    }
}
