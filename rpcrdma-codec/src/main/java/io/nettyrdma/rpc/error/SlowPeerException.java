// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.error;

import java.time.Duration;

/**
 * A peer kept this side waiting too long while it held memory for the peer: for replies that the peer did not take or,
 * in version 2, had not granted credits for, or for a message without its last fragment. The connection is closed.
 */
public final class SlowPeerException extends RpcRdmaException {

    private static final long serialVersionUID = 1L;

    private final Duration waited;

    private SlowPeerException(int xid, String message, long waitedNanos) {
        super(xid, message);
        waited = Duration.ofNanos(waitedNanos);
    }

    /** Returns the exception for the first answer if none that waits for credits was sent completely in time. */
    public static SlowPeerException withoutCredits(int xid, int answers, long timeoutNanos) {
        return new SlowPeerException(
                xid,
                "the peer has granted too few credits for the first of " + answers + " answers for "
                        + millis(timeoutNanos) + ", which is RpcRdmaConfig.peerTimeout",
                timeoutNanos);
    }

    /** Returns the exception for a message whose last fragment did not arrive in time. */
    public static SlowPeerException unfinished(int xid, int bytes, long timeoutNanos) {
        return new SlowPeerException(
                xid,
                "a message of which " + bytes + " bytes have come is not complete after " + millis(timeoutNanos)
                        + ", which is RpcRdmaConfig.peerTimeout",
                timeoutNanos);
    }

    /**
     * Returns the exception for a connection with an idle peer when the memory for slow peers is used up.
     *
     * @param bytes that this connection holds
     */
    public static SlowPeerException outOfMemory(int xid, long bytes, long stillNanos, long limitBytes) {
        return new SlowPeerException(
                xid,
                bytes + " bytes wait for the peer, which has moved nothing for " + millis(stillNanos)
                        + ", and the connections of the process may hold " + limitBytes
                        + " for slow peers, a quarter of -XX:MaxDirectMemorySize",
                stillNanos);
    }

    /** Returns the time for which the peer has kept this side waiting. */
    public Duration waited() {
        return waited;
    }

    private static String millis(long nanos) {
        return Duration.ofNanos(nanos).toMillis() + " ms";
    }
}
