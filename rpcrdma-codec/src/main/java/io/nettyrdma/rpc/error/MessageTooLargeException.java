// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.error;

/**
 * A message exceeds a limit, which the text names: the inline threshold of its direction and the chunks offered for it,
 * the memory or the segments for the chunks of a call, the target for its result, or the memory for fragments.
 */
public final class MessageTooLargeException extends RpcRdmaException {

    private static final long serialVersionUID = 1L;

    /** Creates the exception for the call or reply with this {@code xid}. */
    public MessageTooLargeException(int xid, String message) {
        super(xid, CallOutcome.FAILED, message, null);
    }
}
