// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.soft.rdmap;

/**
 * RDMA Reads of this side whose responses are awaited, in the order of their requests, which is the order of the
 * responses (RFC 5040, section 5.5).
 *
 * <p>Threading: confined to one thread.
 */
final class OutstandingReads extends Ring {

    private int limit;
    private long[] position = new long[0];
    private int[] sinkKey = new int[0];
    private long[] sinkAddress = new long[0];
    private int[] bytes = new int[0];
    private int[] sourceKey = new int[0];
    private long[] sourceAddress = new long[0];
    private int placedBytes;
    private long broughtOctets;

    // Most connections never read, so they pay nothing.
    OutstandingReads() {
        super(0);
    }

    /** Sets the negotiated ORD. */
    void limit(int ord) {
        limit = ord;
    }

    int limit() {
        return limit;
    }

    boolean isFull() {
        return size() >= limit; // V1-020
    }

    /** Adds the Read at {@code sendPosition} of the send queue. */
    void add(long sendPosition, int toKey, long toAddress, int byteCount, int fromKey, long fromAddress) {
        int slot = claim();
        position[slot] = sendPosition;
        sinkKey[slot] = toKey;
        sinkAddress[slot] = toAddress;
        bytes[slot] = byteCount;
        sourceKey[slot] = fromKey;
        sourceAddress[slot] = fromAddress;
        commit();
    }

    @Override
    void resize(int slots) {
        position = resized(position, slots);
        sinkKey = resized(sinkKey, slots);
        sinkAddress = resized(sinkAddress, slots);
        bytes = resized(bytes, slots);
        sourceKey = resized(sourceKey, slots);
        sourceAddress = resized(sourceAddress, slots);
    }

    /** Position in the send queue of the oldest Read; so are the following. */
    long position() {
        return position[headSlot()];
    }

    int sinkKey() {
        return sinkKey[headSlot()];
    }

    long sinkAddress() {
        return sinkAddress[headSlot()];
    }

    int bytes() {
        return bytes[headSlot()];
    }

    /** Octets of its response that are placed. */
    int placedBytes() {
        return placedBytes;
    }

    void onPlaced(int byteCount) {
        placedBytes += byteCount;
        broughtOctets += byteCount;
    }

    /** Octets of all responses so far. */
    long broughtOctets() {
        return broughtOctets;
    }

    @Override
    public void removeHead() {
        super.removeHead();
        placedBytes = 0;
    }

    /**
     * Position in the send queue of the Read that a peer refused, or -1. The source in the peer's Terminate may be
     * where the transfer had got to, so anything inside the Read counts.
     */
    long find(int fromKey, long fromAddress) {
        for (long p = head(); p != tail(); p++) {
            int i = slot(p);
            if (sourceKey[i] == fromKey && Long.compareUnsigned(fromAddress - sourceAddress[i], bytes[i]) < 0) {
                return position[i];
            }
        }
        return -1;
    }

    @Override
    void clear() {
        super.clear();
        placedBytes = 0;
    }
}
