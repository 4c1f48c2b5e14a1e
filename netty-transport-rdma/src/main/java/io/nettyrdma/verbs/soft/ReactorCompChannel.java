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

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * Completion channel that the reactor fills and other threads wait on.
 *
 * <p>Threading: any thread, under this object's monitor, which waiting threads need anyway. May be entered while
 * holding a completion queue's monitor, not the other way round.
 */
final class ReactorCompChannel extends SoftCompChannel {

    ReactorCompChannel(SoftContext context) throws IOException {
        super(context);
    }

    @Override
    synchronized void addCompletionQueue(SoftCq cq) {
        super.addCompletionQueue(cq);
    }

    @Override
    synchronized void removeCompletionQueue(SoftCq cq) {
        super.removeCompletionQueue(cq);
        notifyAll();
    }

    @Override
    synchronized boolean destroy() throws IOException {
        notifyAll();
        return super.destroy();
    }

    @Override
    synchronized void fire(SoftCq cq) {
        super.fire(cq);
        // All: the waiting threads may wait for different queues.
        notifyAll();
    }

    /** Takes an event, waiting for it if need be; false once the time is over. */
    @Override
    synchronized boolean awaitEvent(@Nullable SoftCq cq, int timeoutMillis) throws IOException {
        Waiting waiting = new Waiting(timeoutMillis);
        do {
            if (!isOpen() || cq != null && !cq.isOpen()) {
                throw new IOException("completion " + (isOpen() ? "queue" : "channel") + " is destroyed");
            }
            if (takeEvent(cq)) {
                return true;
            }
        } while (waiting.on(this));
        return false;
    }
}
