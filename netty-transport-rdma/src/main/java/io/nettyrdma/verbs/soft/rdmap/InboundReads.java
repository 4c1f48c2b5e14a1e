// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.soft.rdmap;

/**
 * RDMA Read Requests of the peer that wait for their turn or are being answered. Bounded by what was negotiated; as
 * Linux rounds the negotiated number up to a power of two, and keeps one more in its transmitter, so much is tolerated.
 *
 * <p>Threading: confined to one thread.
 */
final class InboundReads extends Ring {

    private int limit;
    private int[] sinkKey = new int[0];
    private long[] sinkAddress = new long[0];
    private int[] bytes = new int[0];
    private int[] sourceKey = new int[0];
    private long[] sourceAddress = new long[0];
    private int[] msn = new int[0];

    // Most connections never read, so they pay nothing.
    InboundReads() {
        super(0);
    }

    /** Sets the negotiated IRD; 0 allows none. */
    void limit(int ird) {
        limit = ird == 0 ? 0 : ceilingPowerOfTwo(ird) + 1;
    }

    boolean isFull() {
        return size() >= limit;
    }

    int limit() {
        return limit;
    }

    void add(int toKey, long toAddress, int byteCount, int fromKey, long fromAddress, int sequence) {
        int slot = claim();
        sinkKey[slot] = toKey;
        sinkAddress[slot] = toAddress;
        bytes[slot] = byteCount;
        sourceKey[slot] = fromKey;
        sourceAddress[slot] = fromAddress;
        msn[slot] = sequence;
        commit();
    }

    @Override
    void resize(int slots) {
        sinkKey = resized(sinkKey, slots);
        sinkAddress = resized(sinkAddress, slots);
        bytes = resized(bytes, slots);
        sourceKey = resized(sourceKey, slots);
        sourceAddress = resized(sourceAddress, slots);
        msn = resized(msn, slots);
    }

    /** Where the requester wants the octets of the oldest request; so are the following. */
    int sinkKey() {
        return sinkKey[headSlot()];
    }

    long sinkAddress() {
        return sinkAddress[headSlot()];
    }

    /** Octets asked for, unsigned. */
    long bytes() {
        return bytes[headSlot()] & 0xffffffffL;
    }

    int sourceKey() {
        return sourceKey[headSlot()];
    }

    long sourceAddress() {
        return sourceAddress[headSlot()];
    }

    int msn() {
        return msn[headSlot()];
    }
}
