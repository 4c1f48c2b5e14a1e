// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.error;

/** A call has the XID of another one that is still outstanding on the same connection. */
public final class DuplicateXidException extends RpcRdmaException {

    private static final long serialVersionUID = 1L;

    /** Creates the exception for the second call with that XID. */
    public DuplicateXidException(int xid) {
        super(xid, "another call with this XID is outstanding");
    }
}
