// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.wire.header;

/**
 * Limits of a receiver for one header, which RFC 8166 leaves to it (section 3.4.4). The receiver answers a message
 * beyond them like a malformed one.
 *
 * @param maxReadChunks       distinct positions in the read list
 * @param maxWriteChunks      chunks in the write list
 * @param maxSegmentsPerChunk segments in any one chunk
 * @param maxReadChunkBytes   bytes of one read chunk, for which the receiver provides memory; the capacity a
 *                            requester offers in a write chunk costs the receiver nothing and is not limited
 */
public record DecodeLimits(int maxReadChunks, int maxWriteChunks, int maxSegmentsPerChunk, long maxReadChunkBytes) {

    /** Nothing but the length of the message limits what it may contain. */
    public static final DecodeLimits NONE =
            new DecodeLimits(Integer.MAX_VALUE, Integer.MAX_VALUE, Integer.MAX_VALUE, Long.MAX_VALUE);
}
