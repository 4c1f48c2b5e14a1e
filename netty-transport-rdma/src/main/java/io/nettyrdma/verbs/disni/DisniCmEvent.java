// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.disni;

import com.ibm.disni.verbs.RdmaCmEvent;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * A provider's event about the ids that channels know.
 *
 * <p>Threading: immutable. Ownership: its taker acknowledges it.
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

    /** Ends the event, and the connection request that it stands for: it is not taken any more. */
    void drop() throws IOException {
        event.ackEvent();
        if (listener != null) {
            connection.destroyId();
        }
    }
}
