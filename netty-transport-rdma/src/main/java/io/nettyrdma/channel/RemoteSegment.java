// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.channel;

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
}
