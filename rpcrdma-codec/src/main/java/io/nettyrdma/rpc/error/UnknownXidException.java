// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.error;

/**
 * No call in progress has the XID of a written reply: the call was already answered, refused, or never received.
 * Nothing was sent.
 */
public final class UnknownXidException extends RpcRdmaException {

    private static final long serialVersionUID = 1L;

    /** Creates the exception for a reply with this XID. */
    public UnknownXidException(int xid) {
        this(xid, "");
    }

    /** Creates the exception for a reply with this XID; {@code hint} gives details. */
    public UnknownXidException(int xid, String hint) {
        super(xid, "no call in progress" + hint);
    }
}
