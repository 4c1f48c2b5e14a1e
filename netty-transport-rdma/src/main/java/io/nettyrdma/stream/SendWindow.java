// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.stream;

import io.netty.buffer.ByteBuf;

/**
 * The sending half of a stream: how many bytes may be written now, and where.
 *
 * <p>Bytes go into the peer's buffers in the order of their publication, and each buffer is filled before the next one
 * is used. The first buffer is in the peer's {@link SetupData}; the peer publishes the others by writing entries 1, 2,
 * and so on of this side's table, and 0 behind the last. The window copies an entry when the buffer before it is full,
 * and clears it, so that it does not take the entry for a new one in the next round. An honest peer does not write
 * that entry again before the buffer is full. The window looks for an entry when it needs one and on each LIMIT,
 * because the peer sends a LIMIT behind the entries that it writes.
 *
 * <p>The peer's limit says how many counted words may be sent, modulo 65,536. DATA leaves a reserve of them unused: on
 * iWARP a word without a receive ends the connection, and a program over rsockets of librdmacm 44 posts as many
 * receives as it has credits, for words of any kind. It posts them again only when it polls, and it does not poll
 * while it can send: it finds new entries without a LIMIT. Such a program has two entries. Before it has to poll for a
 * limit, it can send as many words as this side has credits, and each of them may fill a buffer and so cause a LIMIT.
 * The reserve for a side that publishes two buffers is therefore these credits, and a word each for two buffers that
 * were full before, SHUTDOWN, ABORT and DISCONNECT. A peer with more entries is not rsockets of librdmacm. For it the
 * reserve is 8, and one more for each buffer beyond two, because its receives do not depend on its program.
 *
 * <p>The reserve never exceeds half of the credits: rsockets raises the limit when its program has read half of them,
 * so that a larger reserve would block the stream for ever (seen with 16 credits and 9 in reserve). Where half of the
 * credits is less than the reserve above, the channel has to publish buffers that are not small beside the peer's send
 * buffer: a program polls at the latest when that is used up.
 *
 * <p>Threading: confined to the event loop. Ownership: the table belongs to the channel, which keeps it registered for
 * as long as the peer may write it; it starts at octet 0 of its buffer and consists of zeros when the window is made.
 */
public final class SendWindow {

    private static final int MODULO = 0xffff;
    /** Entries of rsockets of librdmacm. */
    private static final int ENTRIES_OF_RSOCKETS = 2;
    /** Words in reserve that no word of the peer causes: two entries, SHUTDOWN, ABORT, DISCONNECT. */
    private static final int UNCAUSED = 5;
    /** Words in reserve for a peer whose receives do not depend on its program, if two buffers are published. */
    private static final int RESERVE = 8;

    private final ByteBuf table;
    private final int entries;
    private final boolean networkOrder;
    private final int credits;
    private final int reserve;

    private int entry;
    private long address;
    private int key;
    private long left;
    private int limit;
    private int sequence;

    /**
     * The window of a new connection.
     *
     * @param table the table that {@code own} tells the peer of
     * @param own   the setup data of this side
     * @param peer  the setup data of the peer
     */
    public SendWindow(ByteBuf table, SetupData own, SetupData peer) {
        this(table, own, peer, reserve(own, peer));
    }

    /** With another reserve, for tests that show why it is what it is. */
    SendWindow(ByteBuf table, SetupData own, SetupData peer, int reserve) {
        this.table = table;
        entries = own.tableEntries();
        networkOrder = own.networkOrder();
        credits = peer.credits();
        this.reserve = reserve;
        address = peer.bufferAddress();
        key = peer.bufferKey();
        left = peer.bufferBytes();
        limit = credits;
    }

    /** Words of the peer's credits that DATA leaves to other words. */
    static int reserve(SetupData own, SetupData peer) {
        int published = Math.min(own.tableEntries(), peer.tableEntries());
        int wanted = published == ENTRIES_OF_RSOCKETS ? own.credits() + UNCAUSED : RESERVE + published - 2;
        return Math.min(wanted, peer.credits() / 2);
    }

    /**
     * Returns how many bytes the next DATA may announce: 0 if the stream is blocked until a LIMIT comes, otherwise at
     * most what is left of the peer's current buffer.
     */
    public int writableBytes() {
        return credit() > reserve ? (int) Math.min(left, StreamWord.MAX_VALUE) : 0;
    }

    /** The remote address of the next byte, if any is {@linkplain #writableBytes() writable}. */
    public long address() {
        return address;
    }

    /** The remote key that belongs to {@link #address()}. */
    public int key() {
        return key;
    }

    /**
     * Counts a DATA, whose bytes the caller writes to the {@link #address()} it has read before. The caller posts them
     * after this call, so that the peer cannot publish a buffer in between that this call would overlook.
     *
     * @param bytes 1 to {@link #writableBytes()}
     */
    public void advance(int bytes) {
        int writable = writableBytes();
        if (bytes < 1 || bytes > writable) {
            throw new IllegalArgumentException("bytes: " + bytes + " (expected: 1 to " + writable + ")");
        }
        address += bytes;
        left -= bytes;
        sequence = sequence + 1 & MODULO;
        takeUpEntry();
    }

    /**
     * Takes a LIMIT of the peer, behind which there may be a new entry.
     *
     * @param value the value of the word
     * @throws StreamProtocolException if the limit goes back, or beyond the peer's credits
     */
    public void onLimit(int value) throws StreamProtocolException {
        // The peer has counted at most what was sent, and adds its credits. A limit that went back would look as if it
        // had gone far ahead.
        int ahead = value - sequence & MODULO;
        if (ahead < credit() || ahead > credits) {
            throw new StreamProtocolException("LIMIT of the peer: " + (value & MODULO) + " (expected: " + limit + " to "
                    + (sequence + credits & MODULO) + ", modulo 65536)");
        }
        limit = value & MODULO;
        takeUpEntry();
    }

    private int credit() {
        return limit - sequence & MODULO;
    }

    private void takeUpEntry() {
        if (left > 0) {
            return;
        }
        int next = entry + 1 == entries ? 0 : entry + 1;
        long bytes = TargetEntry.bytes(table, next, networkOrder);
        if (bytes > 0) {
            entry = next;
            address = TargetEntry.address(table, next, networkOrder);
            key = TargetEntry.key(table, next, networkOrder);
            left = bytes;
            TargetEntry.clear(table, next);
        }
    }
}
