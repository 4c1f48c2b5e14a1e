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
