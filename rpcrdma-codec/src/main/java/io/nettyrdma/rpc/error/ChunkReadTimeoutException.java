// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.error;

import java.time.Duration;

/**
 * No RDMA Read for the chunks of a requester's calls completed in time, so the connection is closed. Reads that brought
 * only some of their bytes do not count as completed.
 */
public final class ChunkReadTimeoutException extends RpcRdmaException {

    private static final long serialVersionUID = 1L;

    private final int reads;
    private final long bytes;
    private final Duration timeout;

    /**
     * Creates the exception for the oldest waiting call.
     *
     * @param reads under way
     * @param bytes that they ask for
     */
    public ChunkReadTimeoutException(int xid, int reads, long bytes, long timeoutNanos) {
        super(
                xid,
                "none of " + reads + " RDMA Reads of " + bytes + " bytes has completed for "
                        + Duration.ofNanos(timeoutNanos).toMillis() + " ms, which is RpcRdmaConfig.peerTimeout");
        this.reads = reads;
        this.bytes = bytes;
        timeout = Duration.ofNanos(timeoutNanos);
    }

    /** Returns the number of RDMA Reads under way. */
    public int reads() {
        return reads;
    }

    /** Returns the bytes that they ask for. */
    public long bytes() {
        return bytes;
    }

    /** Returns the configured timeout. */
    public Duration timeout() {
        return timeout;
    }
}
