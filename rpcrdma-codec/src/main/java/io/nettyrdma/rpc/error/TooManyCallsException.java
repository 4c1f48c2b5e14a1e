// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.error;

/** A server has more calls outstanding at its client than granted; the connection is closed. */
public final class TooManyCallsException extends RpcRdmaException {

    private static final long serialVersionUID = 1L;

    private final int calls;
    private final int credits;

    /**
     * Creates the exception for the first call beyond the grant.
     *
     * @param calls unanswered, or answered with their reply unsent
     * @param credits granted
     */
    public TooManyCallsException(int xid, int calls, int credits) {
        super(
                xid,
                calls + " reverse calls are not done, " + credits
                        + " credits are granted (RpcRdmaConfig.reverseCredits)");
        this.calls = calls;
        this.credits = credits;
    }

    /** Returns the number of calls that are not done, with the one beyond the grant. */
    public int calls() {
        return calls;
    }

    /** Returns the credits granted. */
    public int credits() {
        return credits;
    }
}
