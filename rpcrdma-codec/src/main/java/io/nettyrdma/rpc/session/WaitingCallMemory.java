// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.session;

import java.util.concurrent.atomic.AtomicLong;

/**
 * Bounds the bytes of whole calls of version 2 that all connections of the process keep waiting: for room for their
 * replies, or for the exchange of properties. They have the same limit as {@link LoopMemory}, but count apart from it.
 * If calls took room from replies, they could wait for each other; and a connection that only waits for others must not
 * be closed in their favour.
 *
 * <p>Threading: the loops share the sum, as they share the direct memory; an instance is confined to one of them.
 */
public final class WaitingCallMemory {

    private static final AtomicLong SUM = new AtomicLong();

    private final long limitBytes;
    private long bytes;

    /**
     * Opens the account of one connection, on any thread.
     *
     * @param limitBytes of all connections
     */
    public WaitingCallMemory(long limitBytes) {
        this.limitBytes = limitBytes;
    }

    /** Returns the bytes of this connection. */
    public long bytes() {
        return bytes;
    }

    /** Takes the bytes of a call; returns false, and takes nothing, if the process has no room. */
    public boolean take(int more) {
        if (SUM.addAndGet(more) > limitBytes) {
            SUM.addAndGet(-more);
            return false;
        }
        bytes += more;
        return true;
    }

    /** Gives the bytes of a call back. */
    public void give(int less) {
        bytes -= less;
        SUM.addAndGet(-less);
    }
}
