// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.error;

/**
 * A server called a client that does not accept calls: in version 1 the client has not called yet (RFC 8167, section
 * 6), in version 2 it announced that it accepts none. Nothing was sent.
 */
public final class ReverseNotReadyException extends RpcRdmaException {

    private static final long serialVersionUID = 1L;

    /** Creates the exception for a call before the client has called. */
    public ReverseNotReadyException(int xid) {
        this(xid, "the client has not called yet, so it cannot have said that it takes calls");
    }

    private ReverseNotReadyException(int xid, String message) {
        super(xid, message);
    }

    /** Returns the exception for a call to a client of version 2 that accepts none. */
    public static ReverseNotReadyException ofLevelNone(int xid) {
        return new ReverseNotReadyException(
                xid,
                "the client has announced reverse level NONE, so it takes no calls on this connection; a client of this"
                        + " library takes some if RpcRdmaConfig.reverseCredits is not 0 and it has an"
                        + " RpcRdmaReverseResponderHandler when the channel becomes active");
    }
}
