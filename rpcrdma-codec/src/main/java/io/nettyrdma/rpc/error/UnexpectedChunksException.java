// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.error;

/**
 * A reply uses a chunk that the call did not offer, or one without a matching reducible result (RFC 8166, section 6.1):
 * a permanent error.
 */
public final class UnexpectedChunksException extends RpcRdmaException {

    private static final long serialVersionUID = 1L;

    private final int chunk;
    private final long chunkBytes;
    private final int resultBytes;

    /** Creates the exception for a call whose reply uses chunks not offered. */
    public UnexpectedChunksException(int xid) {
        super(xid, "reply uses chunks the call did not offer");
        chunk = -1;
        chunkBytes = 0;
        resultBytes = -1;
    }

    /**
     * Creates the exception for a filled write chunk that matches no result.
     *
     * @param chunk       of the write list, counted from 0
     * @param chunkBytes bytes written to it
     * @param resultBytes length of the result according to the reply, -1 if it has no such result
     */
    public UnexpectedChunksException(int xid, int chunk, long chunkBytes, int resultBytes) {
        super(
                xid,
                "reply has " + chunkBytes + " bytes in write chunk " + chunk + ", "
                        + (resultBytes < 0 ? "which belongs to no result" : "but a result of " + resultBytes));
        this.chunk = chunk;
        this.chunkBytes = chunkBytes;
        this.resultBytes = resultBytes;
    }

    /** Returns the number of the chunk in the write list, counted from 0; -1 if the call did not offer it. */
    public int chunk() {
        return chunk;
    }

    /** Returns the bytes written to that chunk, 0 if there is none. */
    public long chunkBytes() {
        return chunkBytes;
    }

    /** Returns the length of its result according to the reply, -1 if there is no such result. */
    public int resultBytes() {
        return resultBytes;
    }
}
