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

    private static final int SINK_ADDRESS = 0;
    private static final int SOURCE_ADDRESS = 1;
    private static final int SINK_AND_SOURCE_KEY = 2;
    private static final int BYTES_AND_MSN = 3;
    private static final int WORDS = 4;

    private int limit;

    // Most connections never read, so they pay nothing.
    InboundReads() {
        super(0, WORDS);
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
        claim();
        set(tail(), SINK_ADDRESS, toAddress);
        set(tail(), SOURCE_ADDRESS, fromAddress);
        set(tail(), SINK_AND_SOURCE_KEY, pair(toKey, fromKey));
        set(tail(), BYTES_AND_MSN, pair(byteCount, sequence));
        commit();
    }

    /** Where the requester wants the octets of the oldest request; so are the following. */
    int sinkKey() {
        return high(head(), SINK_AND_SOURCE_KEY);
    }

    long sinkAddress() {
        return get(head(), SINK_ADDRESS);
    }

    /** Octets asked for, unsigned. */
    long bytes() {
        return high(head(), BYTES_AND_MSN) & 0xffffffffL;
    }

    int sourceKey() {
        return low(head(), SINK_AND_SOURCE_KEY);
    }

    long sourceAddress() {
        return get(head(), SOURCE_ADDRESS);
    }

    int msn() {
        return low(head(), BYTES_AND_MSN);
    }
}
