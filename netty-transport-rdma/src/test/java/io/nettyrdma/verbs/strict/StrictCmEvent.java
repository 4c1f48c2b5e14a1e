// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.strict;

import com.ibm.disni.verbs.RdmaCmEvent;
import io.nettyrdma.verbs.spi.ConnectionParameters;
import java.io.IOException;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** A connection event, of which {@link StrictEventChannel} decides when it comes. */
final class StrictCmEvent extends RdmaCmEvent {

    // What InfiniBand's messages have room for.
    static final int CONNECT_BYTES = 56;
    static final int ACCEPT_BYTES = 196;
    static final int REJECT_BYTES = 148;

    private static final int ECONNREFUSED = -111;
    private static final int INVALID_SERVICE_ID = 8;
    private static final int CONSUMER_REJECT = 28;

    private final RdmaCmEvent kind;
    private final StrictCmId id;
    /** Looks of the program that find nothing before this one is found. */
    int heldFor;

    StrictCmEvent(StrictDevice device, RdmaCmEvent kind, @Nullable StrictCmId listener, StrictCmId id)
            throws IOException {
        super(kind.getEvent(), listener, id);
        this.kind = kind;
        this.id = id;
        status = status(device);
        ConnectionParameters peer = device.kind().peerParameters(kind);
        conn = peer == null || !device.has(Trait.PRIVATE_DATA_PADDED) ? peer : padded(peer);
    }

    private int status(StrictDevice device) {
        if (type() != EventType.RDMA_CM_EVENT_REJECTED
                || !device.has(Trait.STATUS_INFINIBAND)
                || device.has(Trait.STATUS_IWARP)) {
            return kind.getStatus();
        }
        return kind.getStatus() == ECONNREFUSED ? INVALID_SERVICE_ID : CONSUMER_REJECT;
    }

    private ConnectionParameters padded(ConnectionParameters peer) {
        int bytes =
                switch (type()) {
                    case RDMA_CM_EVENT_CONNECT_REQUEST -> CONNECT_BYTES;
                    case RDMA_CM_EVENT_REJECTED -> REJECT_BYTES;
                    default -> ACCEPT_BYTES;
                };
        byte[] sent = peer.privateData();
        return new ConnectionParameters(
                Arrays.copyOf(sent, Math.max(bytes, sent.length)), peer.responderResources(), peer.initiatorDepth());
    }

    EventType type() {
        return EventType.values()[getEvent()];
    }

    StrictCmId id() {
        return id;
    }

    @Nullable
    ConnectionParameters parameters() {
        return (ConnectionParameters) getConn();
    }

    @Override
    public void ackEvent() throws IOException {
        kind.ackEvent();
    }
}
