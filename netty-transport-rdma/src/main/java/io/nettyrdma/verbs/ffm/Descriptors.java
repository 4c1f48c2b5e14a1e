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

/** Waiting for a single descriptor, as programs with threads of their own do. Threading: any. */
final class Descriptors {

    private static final short POLLIN = 1;

    private Descriptors() {}

    /**
     * Waits until a descriptor can be read from; may return early.
     *
     * @param timeoutMillis negative to wait without bound
     */
    static void await(int descriptor, int timeoutMillis) throws IOException {
        NativeMemory pollfd = new NativeMemory(VerbsLayout.POLLFD_BYTES);
        pollfd.octets().putInt(VerbsLayout.POLLFD_FD, descriptor).putShort(VerbsLayout.POLLFD_EVENTS, POLLIN);
        NativeMemory timeout = new NativeMemory(2 * Long.BYTES);
        timeout.octets()
                .putLong(0, timeoutMillis / TimeUnit.SECONDS.toMillis(1))
                .putLong(Long.BYTES, TimeUnit.MILLISECONDS.toNanos(timeoutMillis % TimeUnit.SECONDS.toMillis(1)));
        long timeoutAddress = timeoutMillis < 0 ? 0 : timeout.address();
        int ready;
        try {
            ready = (int) VerbsLibrary.PPOLL.invokeExact(pollfd.address(), 1L, timeoutAddress, 0L);
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
