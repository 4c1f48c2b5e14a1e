// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
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

    /** The next event, but for those of ids that have been destroyed meanwhile. */
    @Nullable
    SoftCmEvent poll() {
        SoftCmEvent event = events.poll();
        while (event != null && !event.getConnIdPriv().isOpen()) {
            event = events.poll();
        }
        return event;
    }

    boolean isEmpty() {
        return events.isEmpty();
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
