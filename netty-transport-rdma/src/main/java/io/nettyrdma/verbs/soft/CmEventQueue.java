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
import java.io.UncheckedIOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Connection events that were not yet fetched, in the order of their arrival.
 *
 * <p>Threading: confined to the thread of the event channel.
 */
final class CmEventQueue {

    private final ArrayDeque<SoftCmEvent> events = new ArrayDeque<>();

    void post(
            EventType type, int status, @Nullable RdmaCmId listener, RdmaCmId id, @Nullable RdmaConnParam parameters) {
        try {
            events.add(new SoftCmEvent(type, status, listener, id, parameters));
        } catch (IOException e) {
            // DiSNI asks for the installed provider in the constructor; it has answered before.
            throw new UncheckedIOException(e);
        }
    }

    @Nullable
    SoftCmEvent poll() {
        return events.poll();
    }

    boolean isEmpty() {
        return events.isEmpty();
    }

    /** Removes the events of an id that is being destroyed. */
    void forget(RdmaCmId id) {
        events.removeIf(e -> e.getConnIdPriv() == id);
    }

    /** The connection requests of a listener that were not yet fetched. */
    List<RdmaCmId> requests(RdmaCmId listenId) {
        List<RdmaCmId> requests = new ArrayList<>();
        for (SoftCmEvent e : events) {
            if (e.getListenIdPriv() == listenId) {
                requests.add(e.getConnIdPriv());
            }
        }
        return requests;
    }

    void clear() {
        events.clear();
    }
}
