// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.error;

import io.netty.util.internal.UnstableApi;
import java.time.Duration;

/**
 * A peer of version 2 kept this side waiting too long while it held memory for the peer: for replies that the peer had
 * not granted credits for, or for a message without its last fragment. The connection is closed.
 */
@UnstableApi
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

    /** Returns the time for which the peer has kept this side waiting. */
    public Duration waited() {
        return waited;
    }

    private static String millis(long nanos) {
        return Duration.ofNanos(nanos).toMillis() + " ms";
    }
}
