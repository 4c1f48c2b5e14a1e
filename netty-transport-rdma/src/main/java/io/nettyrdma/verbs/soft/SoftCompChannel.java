// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.soft;

import com.ibm.disni.verbs.IbvCompChannel;
import java.io.IOException;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * Completion channel: the queue of completion events of armed completion queues.
 *
 * <p>Threading: confined to the thread of the event channel that drives its completion queues.
 */
final class SoftCompChannel extends IbvCompChannel {

    private final SoftDevice device;
    private final ArrayDeque<SoftCq> fired = new ArrayDeque<>();
    private int completionQueues;

    SoftCompChannel(SoftContext context) throws IOException {
        super(-1, context);
        device = context.device();
    }

    SoftDevice device() {
        return device;
    }

    void addCompletionQueue(SoftCq cq) {
        completionQueues++;
    }

    void removeCompletionQueue(SoftCq cq) {
        completionQueues--;
        fired.removeIf(c -> c == cq);
    }

    /** Ends its use; false if that was done before. */
    boolean destroy() throws IOException {
        if (completionQueues > 0) {
            throw new IOException("completion channel is in use by completion queues");
        }
        if (!isOpen()) {
            return false;
        }
        close();
        return true;
    }

    void fire(SoftCq cq) {
        fired.add(cq);
    }

    /** Takes one event of {@code cq}, or of any queue if {@code null}. */
    boolean takeEvent(@Nullable SoftCq cq) {
        return cq == null ? fired.poll() != null : fired.removeFirstOccurrence(cq);
    }
}
