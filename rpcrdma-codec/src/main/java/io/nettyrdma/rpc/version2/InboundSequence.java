// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.version2;

/**
 * Joins fragments that follow each other to one message, or says what to do with a message that does not follow (draft
 * -01, section 6.2.2.2). There is one for all that a peer sends, as sequences are not interleaved whatever their
 * direction is. It counts octets; the buffer is its caller's, and grows as they come (C50).
 *
 * <p>Messages without a payload, refreshes and errors, are none of its business: they break no sequence (C16). A
 * transaction is known by its XID and by {@code RESPONSE}, since both directions may use the same XID (C17).
 *
 * <p>What is left of a message that was broken off is dropped, up to its last fragment, or until something else begins
 * (C15): there are at most two such messages, the one that was broken, and the one that broke it.
 *
 * <p>Threading: confined to one thread.
 */
final class InboundSequence {

    /** The decision about a message. */
    enum Decision {
        /** It is no fragment: handle it. */
        WHOLE,
        /** The first fragment: begin a buffer with it. */
        FIRST,
        /** Another one: append it. */
        NEXT,
        /** The last one: append it, and handle the whole. */
        LAST,
        /** A fragment of a message that was broken off or given up: drop it. */
        DROP,
        /**
         * It does not continue what was begun. Drop both; answer {@code INVAL_CONT} to what of them is a call, this
         * message and {@linkplain #lostXid the other}, and fail the call that the other one is a reply to.
         */
        BROKEN,
        /** The message gets too long. Drop it; answer {@code INVAL_CONT} to a call, or fail the call (C50). */
        TOO_LONG
    }

    private static final long NONE = -1;

    /** Transactions: RESPONSE above the XID. */
    private long assembling = NONE;

    private long dropping = NONE;
    private long droppingToo = NONE;

    private int headerType;
    private long lengthBytes;
    private long lost = NONE;

    /**
     * Takes a message with a payload: a call, a reply, or properties.
     *
     * @param headerType   the same for all fragments of a sequence
     * @param response     whether {@code RESPONSE} is set, likewise
     * @param more         whether {@code MORE} is set
     * @param payloadBytes octets of the payload in this message
     * @param maxBytes     octets of the whole at most, if it is continued; 0 if this kind may not be continued at all
     */
    Decision receive(int xid, int headerType, boolean response, boolean more, int payloadBytes, int maxBytes) {
        long transaction = transaction(xid, response);
        if (assembling != NONE) {
            return transaction == assembling && headerType == this.headerType // V2-104, C17
                    ? append(transaction, more, payloadBytes, maxBytes)
                    : breakOff(transaction, more);
        }
        if (isDropping(transaction)) {
            return drop(transaction, more); // V2-141
        }
        endDropping();
        if (!more) {
            return Decision.WHOLE;
        }
        assembling = transaction;
        this.headerType = headerType;
        lengthBytes = 0;
        Decision decision = append(transaction, true, payloadBytes, maxBytes);
        return decision == Decision.NEXT ? Decision.FIRST : decision;
    }

    private Decision append(long transaction, boolean more, int payloadBytes, int maxBytes) {
        lengthBytes += payloadBytes;
        if (lengthBytes > maxBytes) { // V2-110
            assembling = NONE;
            dropRest(transaction, more);
            return Decision.TOO_LONG;
        }
        if (more) {
            return Decision.NEXT; // V2-103
        }
        assembling = NONE;
        return Decision.LAST; // V2-103
    }

    private Decision breakOff(long transaction, boolean more) {
        lost = assembling;
        assembling = NONE;
        dropping = lost; // C15
        if (transaction != lost) {
            droppingToo = more ? transaction : NONE; // C15
        } else {
            dropRest(transaction, more);
        }
        return Decision.BROKEN; // V2-104, V2-105
    }

    /** The rest of a message that was the only one under way. */
    private void dropRest(long transaction, boolean more) {
        dropping = more ? transaction : NONE;
        droppingToo = NONE;
    }

    private boolean isDropping(long transaction) {
        return transaction == dropping || transaction == droppingToo;
    }

    private Decision drop(long transaction, boolean more) {
        if (!more && transaction == dropping) {
            dropping = NONE;
        } else if (!more) {
            droppingToo = NONE;
        }
        return Decision.DROP;
    }

    private void endDropping() {
        dropping = NONE;
        droppingToo = NONE;
    }

    /**
     * A message with a payload was rejected before it came here, and is answered for that. What it continues is over
     * (C49), and what it does not continue is broken by it (C15). A message of which fragments are dropped anyway needs
     * no answer: {@link Decision#DROP}.
     *
     * @return {@link Decision#WHOLE} if nothing was under way that this is the end of; {@link Decision#LAST} if it has
     *     ended the sequence it belongs to; {@link Decision#BROKEN}, and {@link #lostXid}, if it has ended another one
     */
    Decision reject(int xid, boolean response, boolean more) {
        long transaction = transaction(xid, response);
        if (assembling == NONE) {
            if (isDropping(transaction)) {
                return drop(transaction, more);
            }
            dropRest(transaction, more);
            return Decision.WHOLE;
        }
        if (assembling == transaction) {
            assembling = NONE;
            dropRest(transaction, more);
            return Decision.LAST;
        }
        return breakOff(transaction, more);
    }

    /**
     * Gives up the message under way, of which a fragment was just received: its XID is in use, no call waits for it,
     * or its first words are wrong. What follows of it is dropped (C49).
     */
    void giveUp() {
        if (assembling != NONE) {
            dropRest(assembling, true);
            assembling = NONE;
        }
    }

    /** Whether fragments are being joined. */
    boolean isJoining() {
        return assembling != NONE;
    }

    /** Octets of the message under way, or of the one that was the last under way. */
    long lengthBytes() {
        return lengthBytes;
    }

    /** XID of the message that was lost when a sequence was {@link Decision#BROKEN}. */
    int lostXid() {
        return (int) lost;
    }

    boolean isLostAReply() {
        return lost >>> 32 != 0;
    }

    private static long transaction(int xid, boolean response) {
        return Integer.toUnsignedLong(xid) | (response ? 1L << 32 : 0);
    }
}
