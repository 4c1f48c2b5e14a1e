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
