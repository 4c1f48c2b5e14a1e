// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.wire.header;

/**
 * One piece of registered memory: handle (4 octets), length (4), offset (8); {@code xdr_rdma_segment} of RFC 8166,
 * section 4.1.2.
 *
 * @param handle      key the memory is registered under; opaque
 * @param lengthBytes 0 to 2<sup>32</sup>-1; 0 is an empty segment, which transfers nothing
 * @param offset      where the piece starts; an opaque, unsigned 64-bit number of its owner's choice
 */
public record PlainSegment(int handle, long lengthBytes, long offset) {

    /** Octets on the wire. */
    public static final int BYTES = 16;

    /** Checks the length. */
    public PlainSegment {
        Unsigned.requireInt(lengthBytes, "segment length");
    }
}
