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

import com.ibm.disni.verbs.IbvWC;
import com.ibm.disni.verbs.RdmaEventChannel;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * Completion queue that the reactor fills and other threads poll.
 *
 * <p>Threading: any thread, under this object's monitor, for three reasons: several threads may poll one queue, the
 * ring grows, and a completion and the look at whether the queue is armed must be one step, or else an arming in
 * between would be lost. It is held for copying some words. A poll that finds nothing, which is most of what a busy
 * polling thread does, only reads one variable.
 */
final class ReactorCq extends SoftCq {

    /** Empty polls before the polling thread offers its core: the reactor may be the one that waits for it. */
    private static final int POLLS_BEFORE_YIELD = 32;

    private volatile int available;
    /** Counted without care, as several threads may poll. */
    private int emptyPolls;

    ReactorCq(SoftContext context, @Nullable SoftCompChannel completions, int depth) throws IOException {
        super(context, completions, depth);
    }

    @Override
    boolean isConfined() {
        return false;
    }

    @Override
    synchronized void addQueuePair(RdmaEventChannel channel, boolean confined) throws IOException {
        if (!isOpen()) {
            throw new IOException("completion queue is destroyed");
        }
        super.addQueuePair(channel, confined);
    }

    @Override
    synchronized void removeQueuePair() {
        super.removeQueuePair();
    }

    @Override
    synchronized boolean destroy() throws IOException {
        return super.destroy();
    }

    @Override
    synchronized void arm(boolean solicitedOnly) {
        super.arm(solicitedOnly);
    }

    @Override
    public synchronized boolean push(
            long wrId, int wcStatus, int wcOpcode, int byteCount, int immData, int qpNum, int wcFlags, boolean event) {
        return super.push(wrId, wcStatus, wcOpcode, byteCount, immData, qpNum, wcFlags, event);
    }

    @Override
    void onAppended() {
        // Before the event that tells of it: whoever takes the event polls without the monitor first.
        available = size();
    }

    @Override
    int take(IbvWC[] completionsOut, int max) {
        if (available == 0) {
            if (++emptyPolls % POLLS_BEFORE_YIELD == 0) {
                Thread.yield();
            }
            return 0;
        }
        synchronized (this) {
            int n = super.take(completionsOut, max);
            available = size();
            return n;
        }
    }
}
