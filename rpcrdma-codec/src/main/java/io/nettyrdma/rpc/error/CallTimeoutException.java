// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.error;

import java.net.SocketAddress;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * No reply arrived in time. The responder may or may not have executed the call. The call keeps its credit until a late
 * reply arrives, because it may still occupy the responder's receive.
 */
public final class CallTimeoutException extends RpcRdmaException {

    private static final long serialVersionUID = 1L;

    private final boolean sent;
    private final String rejected;

    /**
     * Creates the exception for a call without a reply in time.
     *
     * @param sent     {@code false} if the call waited for a credit all the time
     * @param rejected which messages of the connection were rejected instead, empty if none was
     */
    public CallTimeoutException(int xid, boolean sent, long timeoutNanos, String rejected) {
        super(
                xid,
                CallOutcome.TIMED_OUT,
                (sent ? "no reply within " : "call not sent, no credit within ")
                        + TimeUnit.NANOSECONDS.toMillis(timeoutNanos)
                        + " ms, which is RpcRdmaConfig.callTimeout or was given with the call"
                        + (rejected.isEmpty() ? "" : "; " + rejected),
                null);
        this.sent = sent;
        this.rejected = rejected;
    }

    /**
     * Creates the exception for a call without a connection at its deadline.
     *
     * @param server to which there was none
     * @param cause  why it had none, if known
     */
    public CallTimeoutException(int xid, long timeoutNanos, @Nullable SocketAddress server, @Nullable Throwable cause) {
        super(
                xid,
                CallOutcome.TIMED_OUT,
                "no connection to " + server + " within " + TimeUnit.NANOSECONDS.toMillis(timeoutNanos) + " ms",
                cause);
        sent = false;
        rejected = "";
    }

    /** Returns whether the call was sent on the connection on which it timed out. */
    public boolean isSent() {
        return sent;
    }

    /** Returns which messages of the connection this side has rejected instead, empty if none. */
    public String rejected() {
        return rejected;
    }
}
