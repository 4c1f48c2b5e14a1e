// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.soft;

import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;

/**
 * The waits of one event channel, soonest first. A cancelled wait stays until its time and is then forgotten; there
 * are few of them, as none belongs to the steady path of a connection.
 *
 * <p>Threading: confined to the thread of the event channel, but {@link Deadline#cancel} may be called by any.
 */
final class DeadlineQueue {

    static final class Deadline implements Comparable<Deadline> {
        private final long nanos;
        /** {@code null} once cancelled, so that a long wait does not keep a dead connection reachable. */
        private volatile @Nullable Runnable action;

        Deadline(long nanos, Runnable action) {
            this.nanos = nanos;
            this.action = action;
        }

        void cancel() {
            action = null;
        }

        @Override
        public int compareTo(Deadline other) {
            // The clock may wrap, so the difference counts.
            return Long.compare(nanos - other.nanos, 0);
        }
    }

    private final PriorityQueue<Deadline> queue = new PriorityQueue<>();

    /** Runs {@code action} once {@code delayNanos} have passed. */
    Deadline add(long nowNanos, long delayNanos, Runnable action) {
        Deadline deadline = new Deadline(nowNanos + delayNanos, action);
        queue.add(deadline);
        return deadline;
    }

    boolean isEmpty() {
        return queue.isEmpty();
    }

    /** Nanoseconds until the next wait ends, 0 if it has; {@link Long#MAX_VALUE} if there is none. */
    long delayNanos(long nowNanos) {
        Deadline first = first();
        return first == null ? Long.MAX_VALUE : Math.max(0, first.nanos - nowNanos);
    }

    /** Runs what is due; returns whether anything was. */
    boolean run(long nowNanos) {
        boolean any = false;
        for (Deadline first = first(); first != null && first.nanos - nowNanos <= 0; first = first()) {
            queue.poll();
            Runnable action = first.action;
            if (action != null) {
                any = true;
                action.run();
            }
        }
        return any;
    }

    private @Nullable Deadline first() {
        Deadline first = queue.peek();
        while (first != null && first.action == null) {
            queue.poll();
            first = queue.peek();
        }
        return first;
    }

    void clear() {
        queue.clear();
    }
}
