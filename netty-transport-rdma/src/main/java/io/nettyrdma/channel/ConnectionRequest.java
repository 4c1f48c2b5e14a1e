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
package io.nettyrdma.channel;

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
record ConnectionRequest(RdmaIoHandler listenerLoop, RdmaCmId id, @Nullable ConnectionParameters peer) {

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
