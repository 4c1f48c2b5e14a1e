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

    private final int depth;
    private final int maxSge;
    private long[] id;
    private int[] sgeCount;
    private long[] totalBytes;
    private long[] sgeAddress;
    private int[] sgeLength;
    private int[] sgeKey;

    /**
     * An empty ring.
     *
     * @param depth  most requests, 1 or more
     * @param maxSge most scatter-gather entries of a request, 1 or more
     */
    RequestRing(int depth, int maxSge) {
        super(Math.min(FIRST_SLOTS, ceilingPowerOfTwo(depth)));
        this.depth = depth;
        this.maxSge = maxSge;
        int slots = capacity();
        id = new long[slots];
        sgeCount = new int[slots];
        totalBytes = new long[slots];
        sgeAddress = new long[slots * maxSge];
        sgeLength = new int[slots * maxSge];
        sgeKey = new int[slots * maxSge];
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

    /** Claims a slot for a request without entries, and returns it. */
    final int begin(long wrId) {
        int slot = claim();
        id[slot] = wrId;
        sgeCount[slot] = 0;
        totalBytes[slot] = 0;
        return slot;
    }

    /** Adds a scatter-gather entry to the request that was begun last. */
    public final void addSge(long address, int lengthBytes, int key) {
        int slot = slot(tail());
        int s = slot * maxSge + sgeCount[slot]++;
        sgeAddress[s] = address;
        sgeLength[s] = lengthBytes;
        sgeKey[s] = key;
        totalBytes[slot] += lengthBytes;
    }

    final long id(long position) {
        return id[slot(position)];
    }

    final long totalBytes(long position) {
        return totalBytes[slot(position)];
    }

    final long sgeAddress(long position, int sge) {
        return sgeAddress[slot(position) * maxSge + sge];
    }

    final int sgeLength(long position, int sge) {
        return sgeLength[slot(position) * maxSge + sge];
    }

    final int sgeKey(long position, int sge) {
        return sgeKey[slot(position) * maxSge + sge];
    }

    @Override
    void resize(int slots) {
        id = resized(id, slots);
        sgeCount = resized(sgeCount, slots);
        totalBytes = resized(totalBytes, slots);
        sgeAddress = resized(sgeAddress, slots * maxSge);
        sgeLength = resized(sgeLength, slots * maxSge);
        sgeKey = resized(sgeKey, slots * maxSge);
    }
}
