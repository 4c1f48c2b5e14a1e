// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.error;

import java.io.IOException;

/** An RPC over RDMA failed or was not accepted. Each reason is a subclass. */
public abstract class RpcRdmaException extends IOException {

    private static final long serialVersionUID = 1L;

    private final int xid;

    RpcRdmaException(int xid, String message) {
        super("xid 0x" + Integer.toHexString(xid) + ": " + message);
        this.xid = xid;
    }

    /** Creates an exception that concerns the connection, not a call. */
    RpcRdmaException(String message) {
        super(message);
        xid = 0;
    }

    /** Returns the XID of the call, an opaque number; 0 if the exception concerns no call. */
    public final int xid() {
        return xid;
    }
}
