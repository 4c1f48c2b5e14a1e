// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.engine;

/**
 * The values of one event loop at one moment.
 *
 * <p>Threading: filled by the loop; what other threads see of it does not change any more.
 */
final class LoopSample {

    private final long[] values = new long[LoopMeter.values().length];

    void add(LoopMeter meter, long value) {
        values[meter.ordinal()] += value;
    }

    void addAll(LoopSample other) {
        for (int i = 0; i < values.length; i++) {
            values[i] += other.values[i];
        }
    }

    long value(LoopMeter meter) {
        return values[meter.ordinal()];
    }
}
