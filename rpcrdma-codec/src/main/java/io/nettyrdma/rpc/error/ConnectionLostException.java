// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.error;

import org.jspecify.annotations.Nullable;

/**
 * The connection ended before the call completed, or was never made. Recoverable: the call may be sent again, with the
 * same XID, on another connection (RFC 8166, section 4.5.5).
 */
public final class ConnectionLostException extends RpcRdmaException {

    private static final long serialVersionUID = 1L;

    private final boolean mayHaveBeenSent;

    /**
     * Creates the exception for a call that was not sent.
     *
     * @param cause what ended the connection, if known
     */
    public ConnectionLostException(int xid, @Nullable Throwable cause) {
        this(xid, cause, false);
    }

    /**
     * Creates the exception for any call.
     *
     * @param cause           what ended the connection, if known
     * @param mayHaveBeenSent {@code false} only if that is certain
     */
    public ConnectionLostException(int xid, @Nullable Throwable cause, boolean mayHaveBeenSent) {
        super(
                xid,
                CallOutcome.CONNECTION_LOST,
                mayHaveBeenSent ? "connection lost" : "connection lost or never made, call not sent",
                cause);
        this.mayHaveBeenSent = mayHaveBeenSent;
    }

    /** Returns {@code false} if the responder has certainly not executed the call. */
    public boolean mayHaveBeenSent() {
        return mayHaveBeenSent;
    }
}
