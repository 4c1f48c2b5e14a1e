// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.engine;

import com.ibm.disni.verbs.RdmaCmEvent;
import com.ibm.disni.verbs.RdmaCmId;
import io.netty.channel.IoEvent;
import io.nettyrdma.verbs.spi.ConnectionParameters;
import io.nettyrdma.verbs.spi.VerbsExtensions;
import org.jspecify.annotations.Nullable;

/**
 * The content of a connection management event, on its way to its channel. The event itself is already acknowledged:
 * its handling may destroy its id, which rdma_cm does not allow before.
 *
 * @param type   {@code CM_*} of {@link io.nettyrdma.verbs.spi.VerbsConstants}
 * @param status 0 or, as rdma_cm has it, a negative errno or the peer's reason
 * @param id     the connection, of a CONNECT_REQUEST the requested one
 * @param peer   the peer's parameters if the event brought any
 */
record RdmaCmIoEvent(int type, int status, RdmaCmId id, @Nullable ConnectionParameters peer) implements IoEvent {

    private static final byte[] NONE = {};

    /** Returns the content of {@code event}. */
    static RdmaCmIoEvent of(RdmaCmEvent event, VerbsExtensions verbs) {
        return new RdmaCmIoEvent(
                event.getEvent(), event.getStatus(), event.getConnIdPriv(), verbs.peerParameters(event));
    }

    /** The peer's private data, empty if there is none. */
    byte[] privateData() {
        return peer == null ? NONE : peer.privateData();
    }
}
