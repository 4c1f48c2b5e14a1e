// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.error;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** An RPC over RDMA failed or was not accepted. Subclasses are what programs handle in different ways. */
public abstract class RpcRdmaException extends IOException {

    private static final long serialVersionUID = 1L;

    private final int xid;
    private final CallOutcome outcome;

    /** @param xid of the call, 0 if the exception concerns the connection */
    RpcRdmaException(int xid, CallOutcome outcome, String message, @Nullable Throwable cause) {
        super(xid == 0 ? message : "xid 0x" + Integer.toHexString(xid) + ": " + message);
        this.xid = xid;
        this.outcome = outcome;
        if (cause != null) {
            initCause(cause);
        }
    }

    /** Returns the XID of the call, an opaque number; 0 if the exception concerns no call. */
    public final int xid() {
        return xid;
    }

    /** Returns how a call has ended that was sent and fails with this exception. */
    public final CallOutcome outcome() {
        return outcome;
    }
}
