// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.channel;

import io.nettyrdma.internal.Ranges;

/**
 * Memory of the peer, as the peer advertised it.
 *
 * @param key         the remote key (STag), opaque
 * @param address     the address or tagged offset, unsigned and opaque: never assume that it starts at 0
 * @param lengthBytes bytes, 0 to 2<sup>31</sup>-1
 */
public record RemoteSegment(int key, long address, int lengthBytes) {

    public RemoteSegment {
        if (lengthBytes < 0) {
            throw new IllegalArgumentException("lengthBytes: " + lengthBytes + " (expected: >= 0)");
        }
    }

    /**
     * Returns a part of this segment, under the same key.
     *
     * @param offsetBytes bytes in front of the part, 0 to {@link #lengthBytes()}
     * @param lengthBytes bytes of the part, 0 to those that follow the offset
     * @throws IllegalArgumentException if the part does not lie within this segment
     */
    public RemoteSegment slice(int offsetBytes, int lengthBytes) {
        Ranges.require("offsetBytes", offsetBytes, 0, this.lengthBytes);
        Ranges.require("lengthBytes", lengthBytes, 0, this.lengthBytes - offsetBytes);
        return new RemoteSegment(key, address + offsetBytes, lengthBytes);
    }
}
