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
     * @param depth most receives, 1 or more
     */
    public ReceiveRing(int depth) {
        super(depth, REQUEST_WORDS);
    }

    void add(long wrId, long address, int lengthBytes, int key) {
        begin(wrId, address, lengthBytes, key);
        commit();
    }
}
