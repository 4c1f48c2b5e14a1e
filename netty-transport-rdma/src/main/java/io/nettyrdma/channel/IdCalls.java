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
package io.nettyrdma.channel;

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
