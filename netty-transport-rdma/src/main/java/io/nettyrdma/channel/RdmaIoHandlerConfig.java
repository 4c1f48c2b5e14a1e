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

import java.time.Duration;

/**
 * Settings of an event loop that drives RDMA channels. Immutable; the {@code with} methods return a changed copy.
 *
 * @param spin                 how long a loop without work looks for completions before it blocks. Longer spins cut the
 *                             wake-up from the latency of a round trip and cost CPU time: an idle loop spins once and
 *                             then sleeps, so the cost is per burst. 0 blocks at once. Default 20 µs, at most 1 s
 * @param completionQueueDepth entries of the loop's completion queue. Each connection takes as many as its receive
 *                             count and send depth together; a connection that would overcommit the queue fails with
 *                             {@link RdmaResourceLimitException}. Default 262,144. A device that has no queue of that
 *                             length gives a shorter one (rxe has 32,767 entries), which then counts. The software
 *                             provider grows the queue as needed (about 40 octets an entry)
 * @param maxCompletionsPerRun completions handled before the loop turns to its tasks. Default 1,024
 * @param maxCmEventsPerRun    connection events handled before the loop turns to its tasks. Default 128
 */
public record RdmaIoHandlerConfig(
        Duration spin, int completionQueueDepth, int maxCompletionsPerRun, int maxCmEventsPerRun) {

    // Before DEFAULT, which is checked against it.
    private static final Duration MAX_SPIN = Duration.ofSeconds(1);

    /** The defaults. */
    public static final RdmaIoHandlerConfig DEFAULT =
            new RdmaIoHandlerConfig(Duration.ofNanos(20_000), 262_144, 1024, 128);

    public RdmaIoHandlerConfig {
        if (spin.isNegative() || spin.compareTo(MAX_SPIN) > 0) {
            throw new IllegalArgumentException("spin: " + spin + " (expected: 0 to " + MAX_SPIN + ')');
        }
        checkPositive("completionQueueDepth", completionQueueDepth);
        checkPositive("maxCompletionsPerRun", maxCompletionsPerRun);
        checkPositive("maxCmEventsPerRun", maxCmEventsPerRun);
    }

    private static void checkPositive(String name, int value) {
        if (value <= 0) {
            throw new IllegalArgumentException(name + ": " + value + " (expected: > 0)");
        }
    }

    /** A copy with another {@link #spin()}. */
    public RdmaIoHandlerConfig withSpin(Duration value) {
        return new RdmaIoHandlerConfig(value, completionQueueDepth, maxCompletionsPerRun, maxCmEventsPerRun);
    }

    /** A copy with another {@link #completionQueueDepth()}. */
    public RdmaIoHandlerConfig withCompletionQueueDepth(int value) {
        return new RdmaIoHandlerConfig(spin, value, maxCompletionsPerRun, maxCmEventsPerRun);
    }

    /** A copy with another {@link #maxCompletionsPerRun()}. */
    public RdmaIoHandlerConfig withMaxCompletionsPerRun(int value) {
        return new RdmaIoHandlerConfig(spin, completionQueueDepth, value, maxCmEventsPerRun);
    }

    /** A copy with another {@link #maxCmEventsPerRun()}. */
    public RdmaIoHandlerConfig withMaxCmEventsPerRun(int value) {
        return new RdmaIoHandlerConfig(spin, completionQueueDepth, maxCompletionsPerRun, value);
    }
}
