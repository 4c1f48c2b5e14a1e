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

    private int[] opcode;
    private int[] flags;
    private int[] remoteKey;
    private long[] remoteAddress;
    /** Stream offset at whose acceptance by TCP the request is done, or one of the markers above. */
    private long[] doneAt;

    private long next;

    /**
     * An empty queue.
     *
     * @param depth  most requests, 1 or more
     * @param maxSge most scatter-gather entries of a request, 1 or more
     */
    public SendRing(int depth, int maxSge) {
        super(depth, maxSge);
        int slots = capacity();
        opcode = new int[slots];
        flags = new int[slots];
        remoteKey = new int[slots];
        remoteAddress = new long[slots];
        doneAt = new long[slots];
    }

    /** Whether a request waits to be handed to the stream. */
    public boolean hasNext() {
        return next != tail();
    }

    /** Position of the next request to hand to the stream, if there is one. */
    public long next() {
        return next;
    }

    /** Appends a request whose scatter-gather entries follow by {@link #addSge}; it counts after {@link #commit}. */
    public void beginSend(long wrId, int wrOpcode, int wrFlags, int key, long address) {
        int slot = begin(wrId);
        opcode[slot] = wrOpcode;
        flags[slot] = wrFlags;
        remoteKey[slot] = key;
        remoteAddress[slot] = address;
        doneAt[slot] = POSTED;
    }

    /** The request at {@link #next} ends at {@code streamOffset}. */
    void onHandedToStream(long streamOffset) {
        doneAt[slot(next++)] = streamOffset;
    }

    /** The request at {@link #next} waits for {@link #onDone}. */
    void waiting() {
        next++;
    }

    /** A request that was {@link #waiting} is done. */
    void onDone(long position) {
        doneAt[slot(position)] = DONE;
    }

    /** Whether the oldest request is done, once TCP has accepted {@code acceptedOctets}. */
    boolean isHeadDone(long acceptedOctets) {
        return head() != next && doneAt[headSlot()] <= acceptedOctets;
    }

    @Override
    public void removeHead() {
        super.removeHead();
        if (next < head()) {
            next = head();
        }
    }

    int opcode(long position) {
        return opcode[slot(position)];
    }

    int flags(long position) {
        return flags[slot(position)];
    }

    int remoteKey(long position) {
        return remoteKey[slot(position)];
    }

    long remoteAddress(long position) {
        return remoteAddress[slot(position)];
    }

    @Override
    void resize(int slots) {
        super.resize(slots);
        opcode = resized(opcode, slots);
        flags = resized(flags, slots);
        remoteKey = resized(remoteKey, slots);
        remoteAddress = resized(remoteAddress, slots);
        doneAt = resized(doneAt, slots);
    }
}
