// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
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
