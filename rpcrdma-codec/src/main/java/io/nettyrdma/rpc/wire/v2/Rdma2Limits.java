// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.wire.v2;

import io.nettyrdma.rpc.wire.ReverseLevel;

/**
 * What a responder is willing to take from the header of one call. Each limit has an error that names it (draft -01,
 * section 7.3), but the last, which is answered with {@code RDMA2_ERR_SYSTEM}. Replies only return what was offered.
 *
 * @param maxSegmentsPerHeader segments of all chunks together, as {@code RCSIZ} tells the peer (C60); 0 if no chunk at
 *                             all is supported, not even an empty one
 * @param maxReadChunks        distinct positions in the read list
 * @param maxWriteChunks       chunks in the write list
 * @param maxReadChunkBytes    octets of one read chunk, since the responder has to provide that memory
 */
public record Rdma2Limits(int maxSegmentsPerHeader, int maxReadChunks, int maxWriteChunks, long maxReadChunkBytes) {

    /** Nothing but the length of the message limits what it may contain. */
    public static final Rdma2Limits NONE =
            new Rdma2Limits(Integer.MAX_VALUE, Integer.MAX_VALUE, Integer.MAX_VALUE, Long.MAX_VALUE);

    /** Calls in the reverse direction at a level below {@link ReverseLevel#GENL} have no chunks (C33). */
    public static final Rdma2Limits NO_CHUNKS = new Rdma2Limits(0, 0, 0, 0);

    /** @throws IllegalArgumentException if a limit is negative */
    public Rdma2Limits {
        if (maxSegmentsPerHeader < 0 || maxReadChunks < 0 || maxWriteChunks < 0 || maxReadChunkBytes < 0) {
            throw new IllegalArgumentException("limits: " + maxSegmentsPerHeader + ", " + maxReadChunks + ", "
                    + maxWriteChunks + ", " + maxReadChunkBytes + " (expected: 0 or more)");
        }
    }

    boolean areChunksRefused() {
        return maxSegmentsPerHeader == 0;
    }
}
