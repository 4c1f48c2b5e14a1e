// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.error;

/** More calls wait for credits than {@code RpcRdmaConfig.maxCallsWaiting} allows; the call was not sent. */
public final class CallQueueFullException extends RpcRdmaException {

    private static final long serialVersionUID = 1L;

    private final int maxCallsWaiting;

    /** Creates the exception for a call beyond {@code maxCallsWaiting}. */
    public CallQueueFullException(int xid, int maxCallsWaiting) {
        super(xid, maxCallsWaiting + " calls wait already, RpcRdmaConfig.maxCallsWaiting is " + maxCallsWaiting);
        this.maxCallsWaiting = maxCallsWaiting;
    }

    /** Returns the limit that was reached. */
    public int maxCallsWaiting() {
        return maxCallsWaiting;
    }
}
