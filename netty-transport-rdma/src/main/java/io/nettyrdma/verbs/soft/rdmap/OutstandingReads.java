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

    /** In the send queue. */
    private static final int POSITION = 0;

    private static final int SINK_ADDRESS = 1;
    private static final int SOURCE_ADDRESS = 2;
    private static final int SINK_AND_SOURCE_KEY = 3;
    private static final int BYTES = 4;
    private static final int WORDS = 5;

    private int limit;
    private int placedBytes;
    private long broughtOctets;

    // Most connections never read, so they pay nothing.
    OutstandingReads() {
        super(0, WORDS);
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
        claim();
        set(tail(), POSITION, sendPosition);
        set(tail(), SINK_ADDRESS, toAddress);
        set(tail(), SOURCE_ADDRESS, fromAddress);
        set(tail(), SINK_AND_SOURCE_KEY, pair(toKey, fromKey));
        set(tail(), BYTES, byteCount);
        commit();
    }

    /** Position in the send queue of the oldest Read; so are the following. */
    long position() {
        return get(head(), POSITION);
    }

    int sinkKey() {
        return high(head(), SINK_AND_SOURCE_KEY);
    }

    long sinkAddress() {
        return get(head(), SINK_ADDRESS);
    }

    int bytes() {
        return low(head(), BYTES);
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
            if (low(p, SINK_AND_SOURCE_KEY) == fromKey
                    && Long.compareUnsigned(fromAddress - get(p, SOURCE_ADDRESS), get(p, BYTES)) < 0) {
                return get(p, POSITION);
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
