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

import org.jspecify.annotations.Nullable;

/**
 * Sees to it that an FPDU which has begun is finished in time. Nothing is paid for FPDUs that come whole, and the clock
 * is not read for the others: one wait is set when part of an FPDU is left over and no wait is there. When it ends, the
 * FPDU is either still the same and overdue, or a younger one that is given its own time. So an FPDU has at least the
 * time allowed, and less than twice that.
 *
 * <p>Threading: confined to the thread of the event channel.
 */
final class FpduWatch {

    private final RdmapStream stream;
    private final SoftEventChannel events;
    private final Runnable timeIsUp;
    private final long timeoutNanos;
    private DeadlineQueue.@Nullable Deadline deadline;
    /** Changes whenever FPDUs are finished; and what it was when the wait was set. */
    private long progress;

    private long progressBefore;

    FpduWatch(RdmapStream stream, StreamHost host, SoftEventChannel events, long timeoutNanos) {
        this.stream = stream;
        timeIsUp = host.guarded(this::timeIsUp);
        this.events = events;
        this.timeoutNanos = timeoutNanos;
    }

    /** FPDUs were finished. */
    void progress() {
        progress++;
    }

    /** Part of an FPDU is there. */
    void onPartialFpdu() {
        if (deadline == null) {
            progressBefore = progress;
            deadline = events.deadline(timeoutNanos, timeIsUp);
        }
    }

    private void timeIsUp() {
        deadline = null;
        if (!stream.isInsideFpdu()) {
            return;
        }
        if (progress == progressBefore) {
            stream.fpduOverdue(timeoutNanos);
        } else {
            onPartialFpdu();
        }
    }

    void cancel() {
        if (deadline != null) {
            deadline.cancel();
            deadline = null;
        }
    }
}
