// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.strict;

import java.util.ArrayDeque;

/** Completions of one queue of one queue pair, in the order in which the program sees them. */
final class CompletionLine {

    final StrictQp qp;
    final boolean reads;
    final ArrayDeque<Completion> waiting = new ArrayDeque<>();

    CompletionLine(StrictQp qp, boolean reads) {
        this.qp = qp;
        this.reads = reads;
    }

    /** Whether the first one will not come before the program does something. */
    boolean isParked() {
        Completion first = waiting.peek();
        return first == null || qp.isParked(first);
    }

    /** Whether the next poll may see the first one. */
    boolean isDue() {
        Completion first = waiting.peek();
        return first != null && first.heldFor <= 0 && !qp.isParked(first) && !(reads && qp.hasOtherSends());
    }
}
