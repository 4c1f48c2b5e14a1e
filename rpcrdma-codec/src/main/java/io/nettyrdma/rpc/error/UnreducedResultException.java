// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.error;

/**
 * A responder sent a result inline although the call provided a write chunk for it (RFC 8166, section 6.1): a permanent
 * error.
 */
public final class UnreducedResultException extends RpcRdmaException {

    private static final long serialVersionUID = 1L;

    private final int chunk;

    /** Creates the exception for the result of this chunk of the write list, counted from 0. */
    public UnreducedResultException(int xid, int chunk) {
        super(xid, "result is inline although write chunk " + chunk + " was provided for it");
        this.chunk = chunk;
    }

    /** Returns the number of the chunk in the write list, counted from 0. */
    public int chunk() {
        return chunk;
    }
}
