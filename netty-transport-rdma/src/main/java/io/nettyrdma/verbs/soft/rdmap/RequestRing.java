// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.soft.rdmap;

/**
 * Work requests, each with an identity and one piece of this side's memory.
 *
 * <p>Threading: confined to one thread.
 */
abstract class RequestRing extends Ring {

    private static final int FIRST_SLOTS = 8;

    private static final int ID = 0;
    private static final int LENGTH_AND_KEY = 1;
    private static final int ADDRESS = 2;
    /** The first word that is not of this class. */
    static final int REQUEST_WORDS = 3;

    private final int depth;

    /**
     * An empty ring.
     *
     * @param depth most requests, 1 or more
     * @param words those of this class and the subclass
     */
    RequestRing(int depth, int words) {
        super(Math.min(FIRST_SLOTS, ceilingPowerOfTwo(depth)), words);
        this.depth = depth;
    }

    /** Most requests. */
    public final int depth() {
        return depth;
    }

    /** Whether there is no room for a request. */
    public final boolean isFull() {
        return size() == depth;
    }

    /** Makes room for a request, which counts after {@link #commit}. */
    final void begin(long wrId, long address, int lengthBytes, int key) {
        claim();
        set(tail(), ID, wrId);
        set(tail(), LENGTH_AND_KEY, pair(lengthBytes, key));
        set(tail(), ADDRESS, address);
    }

    final long id(long position) {
        return get(position, ID);
    }

    final long address(long position) {
        return get(position, ADDRESS);
    }

    final int bytes(long position) {
        return high(position, LENGTH_AND_KEY);
    }

    final int key(long position) {
        return low(position, LENGTH_AND_KEY);
    }
}
