// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.wire;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;

/** What code costs in garbage, counted by the JVM. */
public final class Garbage {

    /** How often {@link #of} runs it. */
    public static final int RUNS = 100_000;

    /** Octets for what the measurement itself allocates. */
    public static final int SLACK_BYTES = 64 * 1024;

    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    private Garbage() {}

    /** Octets that all runs together allocate on this thread. */
    public static long of(Runnable code) {
        for (int i = 0; i < 1000; i++) {
            code.run(); // classes are loaded, lambdas linked
        }
        long thread = Thread.currentThread().getId();
        long before = THREADS.getThreadAllocatedBytes(thread);
        for (int i = 0; i < RUNS; i++) {
            code.run();
        }
        return THREADS.getThreadAllocatedBytes(thread) - before;
    }
}
