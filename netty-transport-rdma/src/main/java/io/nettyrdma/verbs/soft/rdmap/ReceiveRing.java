// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.soft.rdmap;

/**
 * Receive queue: the posted receives.
 *
 * <p>Threading: confined to one thread.
 */
public final class ReceiveRing extends RequestRing {

    /**
     * An empty queue.
     *
     * @param depth  most receives, 1 or more
     * @param maxSge most scatter-gather entries of a receive, 1 or more
     */
    public ReceiveRing(int depth, int maxSge) {
        super(depth, maxSge, REQUEST_WORDS);
    }

    /** Appends a receive whose scatter-gather entries follow by {@link #addSge}; it counts after {@link #commit}. */
    public void beginReceive(long wrId) {
        begin(wrId);
    }
}
