// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.soft.rdmap;

/**
 * Send queue: the posted Sends, RDMA Writes and RDMA Reads.
 *
 * <p>A request is posted, then handed to the stream (its last octet staged, or its Read Request sent), then done, and
 * leaves the ring in order: RFC 5040, section 5.5, rule 15.
 *
 * <p>Threading: confined to one thread.
 */
public final class SendRing extends RequestRing {

    /** Not yet handed to the stream. */
    private static final long POSTED = Long.MAX_VALUE;
    /** Done regardless of the stream. */
    private static final long DONE = Long.MIN_VALUE;

    /** Opcode, and the bits of the flags. */
    private static final int KIND = REQUEST_WORDS;

    private static final int REMOTE_KEY = REQUEST_WORDS + 1;
    private static final int REMOTE_ADDRESS = REQUEST_WORDS + 2;
    /** Stream offset at whose acceptance by TCP the request is done, or one of the markers above. */
    private static final int DONE_AT = REQUEST_WORDS + 3;

    private long next;

    /**
     * An empty queue.
     *
     * @param depth most requests, 1 or more
     */
    public SendRing(int depth) {
        super(depth, DONE_AT + 1);
    }

    /** Whether a request waits to be handed to the stream. */
    public boolean hasNext() {
        return next != tail();
    }

    /** Position of the next request to hand to the stream, if there is one. */
    public long next() {
        return next;
    }

    void add(
            long wrId,
            int wrOpcode,
            int wrFlags,
            long address,
            int lengthBytes,
            int key,
            int remoteKey,
            long remoteAddress) {
        begin(wrId, address, lengthBytes, key);
        set(tail(), KIND, pair(wrOpcode, wrFlags));
        set(tail(), REMOTE_KEY, remoteKey);
        set(tail(), REMOTE_ADDRESS, remoteAddress);
        set(tail(), DONE_AT, POSTED);
        commit();
    }

    /** The request at {@link #next} ends at {@code streamOffset}. */
    void onHandedToStream(long streamOffset) {
        set(next++, DONE_AT, streamOffset);
    }

    /** The request at {@link #next} waits for {@link #onDone}. */
    void waiting() {
        next++;
    }

    /** A request that was {@link #waiting} is done. */
    void onDone(long position) {
        set(position, DONE_AT, DONE);
    }

    /** Whether the oldest request is done, once TCP has accepted {@code acceptedOctets}. */
    boolean isHeadDone(long acceptedOctets) {
        return head() != next && get(head(), DONE_AT) <= acceptedOctets;
    }

    @Override
    public void removeHead() {
        super.removeHead();
        if (next < head()) {
            next = head();
        }
    }

    int opcode(long position) {
        return high(position, KIND);
    }

    int flags(long position) {
        return low(position, KIND);
    }

    int remoteKey(long position) {
        return low(position, REMOTE_KEY);
    }

    long remoteAddress(long position) {
        return get(position, REMOTE_ADDRESS);
    }
}
