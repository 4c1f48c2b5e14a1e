// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.error;

/**
 * A call and its reply need more chunk memory than the requester's configuration allows for one call, or more segments
 * than the responder accepts in one header.
 */
public final class ChunkLimitException extends RpcRdmaException {

    private static final long serialVersionUID = 1L;

    private final long needed;
    private final long limit;

    private ChunkLimitException(int xid, long needed, long limit, String message) {
        super(xid, message);
        this.needed = needed;
        this.limit = limit;
    }

    /** Returns the exception for a call that would expose {@code bytes}. */
    public static ChunkLimitException ofOctets(int xid, long bytes, long limitBytes) {
        return new ChunkLimitException(
                xid,
                bytes,
                limitBytes,
                "needs " + bytes + " bytes of chunks, RpcRdmaConfig.maxChunkBytesPerCall is " + limitBytes);
    }

    /** Returns the exception for a call that would need {@code segments}. */
    public static ChunkLimitException ofSegments(int xid, long segments, int limit) {
        return new ChunkLimitException(
                xid, segments, limit, "needs " + segments + " segments for its chunks, the responder takes " + limit);
    }

    /** Returns the bytes or segments that the call needs; the message names the unit. */
    public long needed() {
        return needed;
    }

    /** Returns the limit that is exceeded, in the same unit. */
    public long limit() {
        return limit;
    }
}
