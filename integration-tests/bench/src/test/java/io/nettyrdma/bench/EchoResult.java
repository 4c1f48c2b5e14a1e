// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.bench;

import java.util.Arrays;
import java.util.stream.Collectors;

/**
 * One measured round.
 *
 * @param messagesPerSecond rate
 * @param p50Nanos          median round trip
 * @param p99Nanos          99th percentile
 * @param cpuNanos          CPU time of both event loops per message
 * @param allocatedBytes    octets allocated on the heap by both event loops per message
 * @param memoryBytes       heap and direct memory per connection, both ends, after the round and a garbage collection
 */
record EchoResult(
        double messagesPerSecond,
        double p50Nanos,
        double p99Nanos,
        double cpuNanos,
        double allocatedBytes,
        double memoryBytes) {

    /** For another process. */
    String format() {
        return Arrays.stream(
                        new double[] {messagesPerSecond, p50Nanos, p99Nanos, cpuNanos, allocatedBytes, memoryBytes})
                .mapToObj(Double::toString)
                .collect(Collectors.joining(" "));
    }

    /** What {@link #format} has made. */
    static EchoResult parse(String text) {
        double[] values =
                Arrays.stream(text.split(" ")).mapToDouble(Double::parseDouble).toArray();
        return new EchoResult(values[0], values[1], values[2], values[3], values[4], values[5]);
    }
}
