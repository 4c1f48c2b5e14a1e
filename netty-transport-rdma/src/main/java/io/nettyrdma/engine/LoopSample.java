// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.engine;

/**
 * The values of one event loop at one moment.
 *
 * <p>Threading: filled by the loop, then immutable.
 */
final class LoopSample {

    private final long[] values = new long[LoopMeter.values().length];

    void add(LoopMeter meter, long value) {
        values[meter.ordinal()] += value;
    }

    long value(LoopMeter meter) {
        return values[meter.ordinal()];
    }
}
