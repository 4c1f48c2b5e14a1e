// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.soft.rdmap;

/**
 * Completions that were not polled yet. The ring has no limit of its own; after a burst it gives back what it no longer
 * needs.
 *
 * <p>Threading: confined to one thread, or guarded by its owner's lock.
 */
public final class CompletionRing extends Ring {

    private static final int FIRST_SLOTS = 16;
    /** What is kept for good: about 150 kB. Beyond that, the ring shrinks when it was used for a quarter at most. */
    static final int KEPT_CAPACITY = 4096;

    private long[] id = new long[FIRST_SLOTS];
    private int[] status = new int[FIRST_SLOTS];
    private int[] opcode = new int[FIRST_SLOTS];
    private int[] bytes = new int[FIRST_SLOTS];
    private int[] immediate = new int[FIRST_SLOTS];
    private int[] queuePair = new int[FIRST_SLOTS];
    private int[] flags = new int[FIRST_SLOTS];
    /** Most completions at once since the ring was last empty. */
    private int peak;

    /** An empty ring. */
    public CompletionRing() {
        super(FIRST_SLOTS);
    }

    /** Appends a completion; the parameters are those of {@link CompletionSink#push}. */
    public void add(long wrId, int wcStatus, int wcOpcode, int byteCount, int immData, int qpNum, int wcFlags) {
        int slot = claim();
        id[slot] = wrId;
        status[slot] = wcStatus;
        opcode[slot] = wcOpcode;
        bytes[slot] = byteCount;
        immediate[slot] = immData;
        queuePair[slot] = qpNum;
        flags[slot] = wcFlags;
        commit();
        peak = Math.max(peak, size());
    }

    /** Identity of the request that the oldest completion is of; so are the following. */
    public long id() {
        return id[headSlot()];
    }

    /** {@code VerbsConstants.WC_SUCCESS} or {@code WC_*_ERR}. */
    public int status() {
        return status[headSlot()];
    }

    /** {@code VerbsConstants.WC_SEND}, {@code WC_RDMA_WRITE}, {@code WC_RDMA_READ} or {@code WC_RECV}. */
    public int opcode() {
        return opcode[headSlot()];
    }

    /** Octets of the message. */
    public int bytes() {
        return bytes[headSlot()];
    }

    /** The key that the peer has invalidated. */
    public int immediate() {
        return immediate[headSlot()];
    }

    /** Number of the queue pair. */
    public int queuePair() {
        return queuePair[headSlot()];
    }

    /** {@code VerbsConstants.WC_WITH_INV} or 0. */
    public int flags() {
        return flags[headSlot()];
    }

    @Override
    public void removeHead() {
        super.removeHead();
        if (isEmpty()) {
            if (capacity() > KEPT_CAPACITY && peak <= capacity() / 4) {
                halve(); // a burst that peers caused is over
            }
            peak = 0;
        }
    }

    @Override
    void resize(int slots) {
        id = resized(id, slots);
        status = resized(status, slots);
        opcode = resized(opcode, slots);
        bytes = resized(bytes, slots);
        immediate = resized(immediate, slots);
        queuePair = resized(queuePair, slots);
        flags = resized(flags, slots);
    }
}
