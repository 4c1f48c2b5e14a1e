// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.soft.rdmap;

/**
 * Work requests, each with an identity and scatter-gather entries.
 *
 * <p>Threading: confined to one thread.
 */
abstract class RequestRing extends Ring {

    private static final int FIRST_SLOTS = 8;

    private static final int ID = 0;
    /** Total bytes, and scatter-gather entries in the low octet. */
    private static final int SIZES = 1;
    /** The first word that is not of this class; the scatter-gather entries of two words each are the last. */
    static final int REQUEST_WORDS = 2;

    private static final int COUNT_BITS = 8;
    private static final int MAX_SGE = (1 << COUNT_BITS) - 1;
    private static final int SGE_WORDS = 2;

    private final int depth;
    private final int maxSge;
    private final int firstSge;

    /**
     * An empty ring.
     *
     * @param depth  most requests, 1 or more
     * @param maxSge most scatter-gather entries of a request, 1 to {@value #MAX_SGE}
     * @param words  those of this class and the subclass
     */
    RequestRing(int depth, int maxSge, int words) {
        super(Math.min(FIRST_SLOTS, ceilingPowerOfTwo(depth)), words + SGE_WORDS * maxSge);
        assert maxSge <= MAX_SGE;
        this.depth = depth;
        this.maxSge = maxSge;
        firstSge = words;
    }

    /** Most scatter-gather entries of a request. */
    public final int maxSge() {
        return maxSge;
    }

    /** Most requests. */
    public final int depth() {
        return depth;
    }

    /** Whether there is no room for a request. */
    public final boolean isFull() {
        return size() == depth;
    }

    /** Makes room for a request without entries. */
    final void begin(long wrId) {
        claim();
        set(tail(), ID, wrId);
        set(tail(), SIZES, 0);
    }

    /** Adds a scatter-gather entry to the request that was begun last. */
    public final void addSge(long address, int lengthBytes, int key) {
        long sizes = get(tail(), SIZES);
        int at = firstSge + SGE_WORDS * (int) (sizes & MAX_SGE);
        set(tail(), at, address);
        set(tail(), at + 1, pair(lengthBytes, key));
        set(tail(), SIZES, sizes + ((long) lengthBytes << COUNT_BITS) + 1);
    }

    final long id(long position) {
        return get(position, ID);
    }

    final long totalBytes(long position) {
        return get(position, SIZES) >>> COUNT_BITS;
    }

    final long sgeAddress(long position, int sge) {
        return get(position, firstSge + SGE_WORDS * sge);
    }

    final int sgeLength(long position, int sge) {
        return high(position, firstSge + SGE_WORDS * sge + 1);
    }

    final int sgeKey(long position, int sge) {
        return low(position, firstSge + SGE_WORDS * sge + 1);
    }
}
