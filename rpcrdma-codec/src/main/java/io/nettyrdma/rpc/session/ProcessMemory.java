// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.session;

import java.util.concurrent.atomic.AtomicLong;

/**
 * Bounds the bytes that all connections of the process hold for their peers. Whole calls of version 2 that wait count
 * apart from other messages: if calls took room from replies, they could wait for each other. The event loops share the
 * sums, unlike other state, because they share the direct memory.
 *
 * <p>A connection takes no more than it leaves free for the others. One peer therefore cannot use up the bound, however
 * slow it is, and this side need not end its connection in favour of another one.
 *
 * <p>The loops check and add in two steps, so that a sum can exceed its limit by one message for each loop.
 *
 * <p>Threading: an instance belongs to one connection and is confined to its event loop.
 */
public final class ProcessMemory {

    private static final AtomicLong MESSAGES = new AtomicLong();
    private static final AtomicLong WAITING_CALLS = new AtomicLong();

    private final AtomicLong sum;
    private final long limitBytes;
    private long bytes;
    private boolean closed;

    private ProcessMemory(AtomicLong sum, long limitBytes) {
        this.sum = sum;
        this.limitBytes = limitBytes;
    }

    /**
     * Returns an account of replies that the peer has not taken, and of messages whose last fragment has not come.
     *
     * @param limitBytes of all connections
     */
    public static ProcessMemory ofMessages(long limitBytes) {
        return new ProcessMemory(MESSAGES, limitBytes);
    }

    /**
     * Returns an account of whole calls that wait for room for their replies, or for the exchange of properties.
     *
     * @param limitBytes of all connections
     */
    public static ProcessMemory ofWaitingCalls(long limitBytes) {
        return new ProcessMemory(WAITING_CALLS, limitBytes);
    }

    /** Returns the bytes of this connection. */
    public long bytes() {
        return bytes;
    }

    /** Returns the bytes of all connections, those of other event loops as of now. */
    public long processBytes() {
        return sum.get();
    }

    /** Returns whether so many bytes more have room. A message beyond the limit has room alone. */
    public boolean hasRoomFor(long more) {
        long all = sum.get();
        return !closed && (all == 0 || bytes + more <= limitBytes - all);
    }

    /** Takes bytes, whether there is room or not. */
    public void take(long more) {
        if (!closed) {
            bytes += more;
            sum.addAndGet(more);
        }
    }

    /** Gives bytes back. */
    public void give(long less) {
        take(-less);
    }

    /** Gives everything back; later calls have no effect. Idempotent. */
    public void close() {
        give(bytes);
        closed = true;
    }
}
