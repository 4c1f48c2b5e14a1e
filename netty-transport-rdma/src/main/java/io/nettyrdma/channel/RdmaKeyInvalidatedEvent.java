// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.channel;

/**
 * User event in the pipeline of an {@link RdmaChannel}: the peer has invalidated a key of this side, by the message
 * fired next. The peer can no longer reach the memory. Its owner must still return the registration, by {@link
 * RdmaMemory#invalidate()} or the last release. Devices that do not report remote invalidation fire nothing.
 *
 * @param key {@link RemoteSegment#key()} of the memory; the peer may not have been given this key
 */
public record RdmaKeyInvalidatedEvent(int key) {

    @Override
    public String toString() {
        return "RdmaKeyInvalidatedEvent[key=0x" + Integer.toHexString(key) + "]";
    }
}
