// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.bench;

/**
 * A load whose rounds are counted: two threads of this process that talk to each other.
 *
 * <p>Threading: one thread calls all methods.
 */
interface CountedLoad extends AutoCloseable {

    /** Has one round, and waits for its end. */
    void turn(long timeoutSeconds) throws Exception;

    /** What both threads have used of processors so far, in nanoseconds. */
    long cpuNanos();

    /** Ends both, and drops what was noted. */
    @Override
    void close();
}
