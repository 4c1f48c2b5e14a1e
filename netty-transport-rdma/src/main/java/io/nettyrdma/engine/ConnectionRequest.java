// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.engine;

import com.ibm.disni.verbs.RdmaCmId;
import io.nettyrdma.verbs.spi.ConnectionParameters;
import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;

/**
 * A peer's connection request that is neither accepted nor rejected.
 *
 * @param listenerLoop the loop it was requested on, to which the id belongs until another loop takes it over
 * @param id           the connection
 * @param peer         the peer's parameters, if the provider reports them
 */
public record ConnectionRequest(IoLoop listenerLoop, RdmaCmId id, @Nullable ConnectionParameters peer) {

    private static final byte[] NONE = {};

    @Nullable
    InetSocketAddress localAddress() {
        return listenerLoop.verbs().localAddress(id);
    }

    @Nullable
    InetSocketAddress remoteAddress() {
        return listenerLoop.verbs().remoteAddress(id);
    }

    /** The peer's private data, empty if there is none. */
    byte[] privateData() {
        return peer == null ? NONE : peer.privateData();
    }
}
