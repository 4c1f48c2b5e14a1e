// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.soft.iwarp;

import java.nio.ByteBuffer;

/**
 * The RDMA Read Request header that follows the DDP header, over a buffer at the offset of its first octet.
 *
 * <pre>
 * 0 sink STag (4)  4 sink TO (8)  12 read size (4)  16 source STag (4)  20 source TO (8)  28
 * </pre>
 *
 * <p>RFC 5040, section 4.4.
 */
public final class ReadRequest {

    /** Octets of the header. */
    public static final int BYTES = 28;

    private ReadRequest() {}

    /** STag under which the requester will place the response. */
    public static int sinkStag(ByteBuffer b, int at) {
        return b.getInt(at);
    }

    /** Tagged offset at which the response starts. */
    public static long sinkOffset(ByteBuffer b, int at) {
        return b.getLong(at + 4);
    }

    /** Octets to read, unsigned. */
    public static int size(ByteBuffer b, int at) {
        return b.getInt(at + 12);
    }

    /** STag to read from. */
    public static int sourceStag(ByteBuffer b, int at) {
        return b.getInt(at + 16);
    }

    /** Tagged offset to read from. */
    public static long sourceOffset(ByteBuffer b, int at) {
        return b.getLong(at + 20);
    }

    /** Appends the header. */
    public static void put(ByteBuffer out, int sinkStag, long sinkOffset, int size, int sourceStag, long sourceOffset) {
        out.putInt(sinkStag).putLong(sinkOffset).putInt(size).putInt(sourceStag).putLong(sourceOffset);
    }
}
