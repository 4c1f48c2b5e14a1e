// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.wire.header;

/**
 * A segment the responder pulls: position (4 octets), then a {@link PlainSegment}; {@code xdr_read_chunk} of RFC 8166,
 * section 4.1.2. Segments with equal position form one read chunk.
 *
 * @param position octet of the unreduced payload stream at which the chunk belongs, 0 to 2<sup>32</sup>-4; 0 marks a
 *                 chunk that holds the whole payload stream
 * @param segment  the memory
 */
public record ReadSegment(long position, PlainSegment segment) {

    /** Octets on the wire. */
    public static final int BYTES = 4 + PlainSegment.BYTES;

    /** Checks the position. */
    public ReadSegment {
        Unsigned.requireInt(position, "position");
        if ((position & 3) != 0) {
            throw new IllegalArgumentException("position: " + position + " (expected: a multiple of 4)"); // V1-040
        }
    }
}
