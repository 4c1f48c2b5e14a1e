// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.error;

import io.netty.util.internal.UnstableApi;
import java.time.Duration;

/**
 * A peer kept this side waiting too long while it held memory for the peer: for replies that the peer had not taken or
 * granted credits for, for RDMA Reads, or for a message without its last fragment. The connection is closed.
 */
@UnstableApi
public final class SlowPeerException extends RpcRdmaException {

    private static final long serialVersionUID = 1L;

    private final Duration waited;

    private SlowPeerException(int xid, String message, long waitedNanos) {
        super(xid, message);
        waited = Duration.ofNanos(waitedNanos);
    }

    private SlowPeerException(String message, long waitedNanos) {
        super(message);
        waited = Duration.ofNanos(waitedNanos);
    }

    /** Returns the exception for a peer that made no progress while other connections waited for its memory. */
    public static SlowPeerException inTheWay(long bytes, long timeoutNanos) {
        return new SlowPeerException(
                "the peer has neither taken a whole reply nor answered an RDMA Read for " + millis(timeoutNanos)
                        + ", a quarter of RpcRdmaConfig.peerTimeout, and other connections wait for the " + bytes
                        + " bytes that this one holds; raise peerTimeout for slow links, or -XX:MaxDirectMemorySize",
                timeoutNanos);
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
                        + ", which is RpcRdmaConfig.peerTimeout, or a part of it if others wait for the memory",
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
