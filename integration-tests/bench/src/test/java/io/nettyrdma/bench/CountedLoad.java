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
