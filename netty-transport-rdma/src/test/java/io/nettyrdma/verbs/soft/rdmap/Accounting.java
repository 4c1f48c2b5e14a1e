// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.soft.rdmap;

import io.nettyrdma.verbs.spi.VerbsConstants;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;

/**
 * Holds completions against what was posted: each request completes once, in the order of its queue, and unsignalled
 * ones only if they fail. From the first failure of a queue on, every one has to show.
 */
public final class Accounting {

    private record Posted(long id, boolean signaled) {}

    private static final class Queue {
        final String name;
        final Deque<Posted> open = new ArrayDeque<>();
        boolean failed;

        Queue(String name) {
            this.name = name;
        }

        void completed(long id, int status) {
            Posted p = open.poll();
            while (p != null && p.id != id && !p.signaled && !failed) {
                p = open.poll();
            }
            if (p == null || p.id != id) {
                throw new AssertionError("request " + id + " completed with status " + status + " in " + name
                        + ", where " + (p == null ? "nothing" : p) + " is next");
            }
            failed |= status != VerbsConstants.WC_SUCCESS;
        }

        void end() {
            if (failed ? !open.isEmpty() : open.stream().anyMatch(Posted::signaled)) {
                throw new AssertionError("never completed in " + name + ": " + open);
            }
        }
    }

    private final Map<Integer, Queue> sends = new HashMap<>();
    private final Map<Integer, Queue> receives = new HashMap<>();

    /** A request was posted to the send queue of a queue pair. */
    public void sendPosted(int qp, long id, boolean signaled) {
        sends.computeIfAbsent(qp, n -> new Queue("the send queue of " + n)).open.add(new Posted(id, signaled));
    }

    /** A receive was posted. */
    public void receivePosted(int qp, long id) {
        receives.computeIfAbsent(qp, n -> new Queue("the receive queue of " + n))
                .open
                .add(new Posted(id, true));
    }

    /** What was counted last for a queue was refused. */
    void refused(int qp, boolean receive) {
        (receive ? receives : sends).get(qp).open.removeLast();
    }

    /** A request of a queue pair has completed. */
    public void completed(int qp, boolean receive, long id, int status) {
        Queue queue = (receive ? receives : sends).get(qp);
        if (queue == null) {
            throw new AssertionError("request " + id + " of " + qp + " completed, but nothing was posted");
        }
        queue.completed(id, status);
    }

    /** After the end of all queue pairs. */
    public void end() {
        sends.values().forEach(Queue::end);
        receives.values().forEach(Queue::end);
    }
}
