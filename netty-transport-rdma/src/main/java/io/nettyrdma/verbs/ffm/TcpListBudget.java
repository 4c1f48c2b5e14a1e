// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.ffm;

/**
 * Limits the share of an event loop's time that it takes to ask TCP about connections that are over, see {@link
 * TcpEnd}. Thousands of peers may close at a time, and each question takes time in proportion to the connections of the
 * machine. A connection that is not asked about ends without a reason, unless the device reports one.
 *
 * <p>A loop that has not asked for a while may ask about a few connections in a row. Both ends of one connection may be
 * on the same loop, and siw may give a reason to the second one only.
 *
 * <p>Threading: the loop's.
 */
final class TcpListBudget {

    /** Of the loop's time, the questions take one part in this many. */
    static final int SHARE = 20;
    /** The questions may take this much time in a row. */
    static final long BURST_NANOS = 20_000_000;

    private boolean used;
    /** When the share is kept again. */
    private long keptNanos;

    /**
     * Returns whether the list may be read.
     *
     * @param nowNanos of {@link System#nanoTime()}
     */
    boolean mayRead(long nowNanos) {
        return !used || keptNanos - nowNanos < SHARE * BURST_NANOS;
    }

    /** The list was read. */
    void onRead(long begunNanos, long endedNanos) {
        long from = used && keptNanos - begunNanos > 0 ? keptNanos : begunNanos;
        keptNanos = from + SHARE * (endedNanos - begunNanos);
        used = true;
    }
}
