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

import com.ibm.disni.verbs.RdmaCmEvent.EventType;
import com.ibm.disni.verbs.RdmaCmId;
import com.ibm.disni.verbs.RdmaConnParam;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Connection events on their way from the reactor to the threads that wait for them.
 *
 * <p>Threading: the reactor posts, any thread takes, under this object's monitor. Events are rare, and a waiting thread
 * needs something to wait on anyway.
 */
final class ReactorCmEvents extends CmEventQueue {

    private final Set<RdmaCmId> ids = new HashSet<>();
    private boolean closed;

    @Override
    synchronized void post(
            EventType type, int status, @Nullable RdmaCmId listener, RdmaCmId id, @Nullable RdmaConnParam parameters) {
        super.post(type, status, listener, id, parameters);
        notify();
    }

    /**
     * The next event, or {@code null} once the time is over.
     *
     * @throws IOException if the event channel is or gets destroyed
     */
    synchronized @Nullable SoftCmEvent await(int timeoutMillis) throws IOException {
        Waiting waiting = new Waiting(timeoutMillis);
        while (!closed) {
            SoftCmEvent event = poll();
            if (event != null || !waiting.on(this)) {
                return event;
            }
        }
        throw new IOException("event channel is destroyed");
    }

    @Override
    synchronized void onIdOpened(RdmaCmId id) {
        ids.add(id);
    }

    /** The ids whose events come here. */
    synchronized List<RdmaCmId> ids() {
        return new ArrayList<>(ids);
    }

    @Override
    synchronized void forget(RdmaCmId id) {
        ids.remove(id);
        super.forget(id);
    }

    @Override
    synchronized List<RdmaCmId> requests(RdmaCmId listenId) {
        return super.requests(listenId);
    }

    /** Ends all waits. */
    synchronized void close() {
        closed = true;
        clear();
        notifyAll();
    }
}
