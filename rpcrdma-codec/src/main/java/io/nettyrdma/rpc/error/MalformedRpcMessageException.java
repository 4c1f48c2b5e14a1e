// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.error;

/**
 * The message to send is not an RPC message of the right kind, and was not sent; or the chunks of a reply do not match
 * its message or what the call offered (RFC 8166, section 6.1). A permanent error.
 */
public final class MalformedRpcMessageException extends RpcRdmaException {

    private static final long serialVersionUID = 1L;

    /** Creates the exception for the message with this {@code xid}, or 0 if it has none. */
    public MalformedRpcMessageException(int xid, String message) {
        super(xid, CallOutcome.BAD_REPLY, message, null);
    }
}
