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

import com.ibm.disni.verbs.IbvCompChannel;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Completion channel: the queue of completion events of armed completion queues.
 *
 * <p>Threading: confined to the thread of the event channel that drives its completion queues.
 */
final class SoftCompChannel extends IbvCompChannel {

    private final SoftDevice device;
    private final ArrayDeque<SoftCq> fired = new ArrayDeque<>();
    private final List<SoftCq> completionQueues = new ArrayList<>(1);

    SoftCompChannel(SoftContext context) throws IOException {
        super(-1, context);
        device = context.device();
    }

    SoftDevice device() {
        return device;
    }

    void addCompletionQueue(SoftCq cq) {
        completionQueues.add(cq);
    }

    void removeCompletionQueue(SoftCq cq) {
        completionQueues.remove(cq);
        fired.removeIf(c -> c == cq);
    }

    boolean hasCompletionQueues() {
        return !completionQueues.isEmpty();
    }

    /** The event channel whose progress fills the completion queues; {@code null} if none has a queue pair. */
    @Nullable
    SoftEventChannel events() {
        for (SoftCq cq : completionQueues) {
            if (cq.events() != null) {
                return cq.events();
            }
        }
        return null;
    }

    void fire(SoftCq cq) {
        fired.add(cq);
    }

    /** Takes one event of {@code cq}, or of any queue if {@code null}. */
    boolean takeEvent(@Nullable SoftCq cq) {
        return cq == null ? fired.poll() != null : fired.removeFirstOccurrence(cq);
    }
}
