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
package io.nettyrdma.verbs.ffm;

import java.io.IOException;
import java.lang.ref.Reference;
import java.util.concurrent.TimeUnit;

/** Waiting for descriptors, as programs with threads of their own do. Threading: any. */
final class Descriptors {

    private static final short POLLIN = 1;

    private Descriptors() {}

    /** The time of {@link System#nanoTime} at which a wait from now on is over. */
    static long deadline(int timeoutMillis) {
        return System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(timeoutMillis);
    }

    /** The milliseconds until a deadline, rounded up; 0 if it is over. */
    static int leftMillis(long deadline) {
        long nanos = deadline - System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(1) - 1;
        return (int) Math.max(0, TimeUnit.NANOSECONDS.toMillis(nanos));
    }

    /**
     * Waits until one of some descriptors can be read from; may return early.
     *
     * @param timeoutMillis negative to wait without bound
     */
    static void await(int timeoutMillis, int... descriptors) throws IOException {
        long count = descriptors.length;
        NativeMemory pollfd = new NativeMemory(descriptors.length * VerbsLayout.POLLFD_BYTES);
        for (int i = 0; i < descriptors.length; i++) {
            int at = i * VerbsLayout.POLLFD_BYTES;
            pollfd.octets()
                    .putInt(at + VerbsLayout.POLLFD_FD, descriptors[i])
                    .putShort(at + VerbsLayout.POLLFD_EVENTS, POLLIN);
        }
        NativeMemory timeout = new NativeMemory(2 * Long.BYTES);
        timeout.octets()
                .putLong(0, timeoutMillis / TimeUnit.SECONDS.toMillis(1))
                .putLong(Long.BYTES, TimeUnit.MILLISECONDS.toNanos(timeoutMillis % TimeUnit.SECONDS.toMillis(1)));
        long timeoutAddress = timeoutMillis < 0 ? 0 : timeout.address();
        int ready;
        try {
            ready = (int) VerbsLibrary.PPOLL.invokeExact(pollfd.address(), count, timeoutAddress, 0L);
        } catch (Throwable e) {
            throw VerbsLibrary.unexpected(e);
        } finally {
            Reference.reachabilityFence(pollfd);
            Reference.reachabilityFence(timeout);
        }
        if (ready < 0 && Foreign.get().errno() != VerbsLibrary.EINTR) {
            throw VerbsLibrary.failure("ppoll");
        }
    }
}
