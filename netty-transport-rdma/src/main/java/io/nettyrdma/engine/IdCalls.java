// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.engine;

import java.util.ArrayDeque;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Makes the blocking calls for one connection id one after the other, perhaps on another thread.
 *
 * <p>Threading: the loop's; only the calls themselves may run elsewhere, see {@link LoopCalls}.
 */
final class IdCalls {

    private record Call(LoopCalls loop, LoopCalls.Kind kind, EndSteps.Step step, Consumer<@Nullable Throwable> done) {}

    private final ArrayDeque<Call> waiting = new ArrayDeque<>(2);
    private boolean busy;

    /**
     * Makes a call when earlier ones have returned.
     *
     * @param done called on the loop when the call has returned, with its exception or {@code null}
     */
    void make(LoopCalls loop, LoopCalls.Kind kind, EndSteps.Step step, Consumer<@Nullable Throwable> done) {
        waiting.add(new Call(loop, kind, step, done));
        makeNext();
    }

    private void makeNext() {
        Call next = busy ? null : waiting.poll();
        if (next == null) {
            return;
        }
        busy = true;
        next.loop.make(next.kind, next.step, failure -> {
            busy = false;
            try {
                next.done.accept(failure);
            } finally {
                makeNext();
            }
        });
    }
}
