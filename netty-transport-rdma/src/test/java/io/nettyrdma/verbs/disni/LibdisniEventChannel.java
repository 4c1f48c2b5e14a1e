// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.disni;

import com.ibm.disni.verbs.RdmaCmEvent;
import com.ibm.disni.verbs.RdmaCmId;
import com.ibm.disni.verbs.RdmaEventChannel;
import java.io.IOException;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Map;

/**
 * The software provider with the traits of libdisni, as read in its sources and seen on siw and rxe: events without
 * status and private data, one table of ids that is not safe for two threads, ids that stay with their event channel,
 * and what {@link LibdisniId} says.
 *
 * <p>Threading: as DiSNI's, but for the table, which fails the thread that finds another in it.
 */
final class LibdisniEventChannel extends RdmaEventChannel {

    private final RdmaEventChannel channel;
    private final Map<RdmaCmId, LibdisniId> ids = Collections.synchronizedMap(new IdentityHashMap<>());
    private final SingleThreaded table = new SingleThreaded("libdisni's table of ids");

    LibdisniEventChannel(RdmaEventChannel channel) throws IOException {
        super(0); // what libdisni says of every channel
        this.channel = channel;
    }

    @Override
    public RdmaCmId createId(short portSpace) throws IOException {
        table.enter();
        try {
            return known(channel.createId(portSpace));
        } finally {
            table.leave();
        }
    }

    @Override
    public RdmaCmEvent getCmEvent(int timeoutMillis) throws IOException {
        table.enter();
        try {
            RdmaCmEvent event = channel.getCmEvent(timeoutMillis);
            return event == null
                    ? null
                    : new Event(event, known(event.getListenIdPriv()), known(event.getConnIdPriv()));
        } finally {
            table.leave();
        }
    }

    private LibdisniId known(RdmaCmId id) throws IOException {
        if (id == null) {
            return null;
        }
        LibdisniId known = ids.get(id);
        if (known == null) {
            known = new LibdisniId(this, id);
            ids.put(id, known);
        }
        return known;
    }

    void forget(RdmaCmId id) {
        ids.remove(id);
    }

    @Override
    public int destroyEventChannel() throws IOException {
        close();
        return channel.destroyEventChannel();
    }

    private static final class Event extends RdmaCmEvent {
        private final RdmaCmEvent event;

        Event(RdmaCmEvent event, LibdisniId listener, LibdisniId connection) throws IOException {
            super(event.getEvent(), listener, connection); // the status stays -1, and there are no parameters
            this.event = event;
            if (event.getEvent() == EventType.RDMA_CM_EVENT_ESTABLISHED.ordinal()) {
                connection.established();
            }
        }

        @Override
        public void ackEvent() throws IOException {
            event.ackEvent();
        }
    }
}
