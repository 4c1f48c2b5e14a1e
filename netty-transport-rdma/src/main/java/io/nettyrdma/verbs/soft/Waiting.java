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
package io.nettyrdma.verbs.soft;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.concurrent.TimeUnit;

/** The time limit of a blocking verb, in the convention of DiSNI: milliseconds, 0 does not wait, negative for ever. */
final class Waiting {

    private final boolean forever;
    private final long endNanos;

    Waiting(long timeoutMillis) {
        forever = timeoutMillis < 0;
        endNanos = forever ? 0 : System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(timeoutMillis);
    }

    /** Nothing would come while the one thread of a confined event channel sleeps in DiSNI's calls. */
    static void refuse(int timeoutMillis) throws IOException {
        if (timeoutMillis != 0) {
            throw new IOException("call VerbsExtensions.await for a confined event channel");
        }
    }

    /**
     * Waits on {@code monitor}, which the caller holds, for a notification or for nothing.
     *
     * @return false if the time is over, without waiting
     * @throws InterruptedIOException if the thread was interrupted; it stays so
     */
    boolean on(Object monitor) throws IOException {
        long nanos = forever ? Long.MAX_VALUE : endNanos - System.nanoTime();
        if (nanos <= 0) {
            return false;
        }
        try {
            TimeUnit.NANOSECONDS.timedWait(monitor, nanos);
            return true;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw (IOException) new InterruptedIOException("interrupted while waiting for an event").initCause(e);
        }
    }
}
