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
    /** What is kept for good: 128 KiB. Beyond that, the ring shrinks when it was used for a quarter at most. */
    static final int KEPT_CAPACITY = 4096;

    private static final int ID = 0;
    private static final int STATUS_AND_OPCODE = 1;
    private static final int BYTES_AND_IMMEDIATE = 2;
    private static final int QUEUE_PAIR_AND_FLAGS = 3;
    private static final int WORDS = 4;

    /** Most completions at once since the ring was last empty. */
    private int peak;

    /** An empty ring. */
    public CompletionRing() {
        super(FIRST_SLOTS, WORDS);
    }

    /** Appends a completion; the parameters are those of {@link CompletionSink#push}. */
    public void add(long wrId, int wcStatus, int wcOpcode, int byteCount, int immData, int qpNum, int wcFlags) {
        claim();
        set(tail(), ID, wrId);
        set(tail(), STATUS_AND_OPCODE, pair(wcStatus, wcOpcode));
        set(tail(), BYTES_AND_IMMEDIATE, pair(byteCount, immData));
        set(tail(), QUEUE_PAIR_AND_FLAGS, pair(qpNum, wcFlags));
        commit();
        peak = Math.max(peak, size());
    }

    /** Identity of the request that the oldest completion is of; so are the following. */
    public long id() {
        return get(head(), ID);
    }

    /** {@code VerbsConstants.WC_SUCCESS} or {@code WC_*_ERR}. */
    public int status() {
        return high(head(), STATUS_AND_OPCODE);
    }

    /** {@code VerbsConstants.WC_SEND}, {@code WC_RDMA_WRITE}, {@code WC_RDMA_READ} or {@code WC_RECV}. */
    public int opcode() {
        return low(head(), STATUS_AND_OPCODE);
    }

    /** Octets of the message. */
    public int bytes() {
        return high(head(), BYTES_AND_IMMEDIATE);
    }

    /** The key that the peer has invalidated. */
    public int immediate() {
        return low(head(), BYTES_AND_IMMEDIATE);
    }

    /** Number of the queue pair. */
    public int queuePair() {
        return high(head(), QUEUE_PAIR_AND_FLAGS);
    }

    /** {@code VerbsConstants.WC_WITH_INV} or 0. */
    public int flags() {
        return low(head(), QUEUE_PAIR_AND_FLAGS);
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
}
