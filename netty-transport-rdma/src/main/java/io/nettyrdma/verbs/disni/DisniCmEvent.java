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
package io.nettyrdma.verbs.disni;

import com.ibm.disni.verbs.RdmaCmEvent;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * A provider's event about the ids that channels know.
 *
 * <p>Threading: immutable. Ownership: whoever takes it acknowledges it.
 */
final class DisniCmEvent extends RdmaCmEvent {

    private static final EventType[] TYPES = EventType.values();

    private final RdmaCmEvent event;
    private final @Nullable DisniCmId listener;
    private final DisniCmId connection;

    /**
     * @param listener   the listener of a CONNECT_REQUEST, else {@code null}
     * @param connection the id that the event is about, or the new one of the request
     */
    DisniCmEvent(RdmaCmEvent event, @Nullable DisniCmId listener, DisniCmId connection) throws IOException {
        super(event.getEvent(), listener, connection);
        this.event = event;
        this.listener = listener;
        this.connection = connection;
        status = event.getStatus();
        conn = event.getConn();
    }

    static boolean isRequest(RdmaCmEvent event) {
        return event.getEvent() == EventType.RDMA_CM_EVENT_CONNECT_REQUEST.ordinal();
    }

    EventType type() {
        return TYPES[getEvent()];
    }

    /** The id whose loop gets the event. */
    DisniCmId target() {
        return listener != null ? listener : connection;
    }

    @Override
    public void ackEvent() throws IOException {
        event.ackEvent();
    }

    /** Ends the event, and the connection request that it stands for: nobody will take it. */
    void drop() throws IOException {
        event.ackEvent();
        if (listener != null) {
            connection.destroyId();
        }
    }
}
