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

import io.nettyrdma.verbs.ConnectionParameters;
import io.nettyrdma.verbs.RdmaCapabilities;

/**
 * What a kind of channel wants of its connection, and hears of the peer's wishes. The side that asks is asked for its
 * limits and its parameters, and hears of the peer's private data when the connection is established; the side that is
 * asked hears of them first, so that they may decide what it says.
 *
 * <p>Threading: asked by the loop.
 */
interface ConnectionTerms {

    /** The device is known: what depends on it can be decided, before the queue pair is made. */
    void onDevice(RdmaCapabilities capabilities);

    /** The size of the queue pair. */
    QueuePairLimits limits();

    /**
     * What the peer is told with the connection request or reply. The queue pair is there, so that this may register
     * memory for the peer to know of.
     *
     * @param capabilities    of the connection's device
     * @param maxPrivateData octets that this request or reply can carry
     * @throws RdmaUnsupportedException if the device cannot do what the channel was configured for
     */
    ConnectionParameters parameters(RdmaCapabilities capabilities, int maxPrivateData);

    /**
     * The peer's private data: on the side that is asked before the connection is accepted, on the side that asks when
     * it is established and before the channel is active. Whoever does not like it closes the channel.
     */
    void onPeerPrivateData(byte[] octets);
}
