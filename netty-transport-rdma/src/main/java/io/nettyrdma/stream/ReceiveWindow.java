// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.stream;

import io.netty.buffer.ByteBuf;

/**
 * The receiving half of a stream: which buffers the peer may write, and what this side owes the peer.
 *
 * <p>The first buffer is in this side's {@link SetupData}. The caller {@linkplain #publish publishes} others while the
 * window {@link #mayPublish()}, sends the entries that are {@linkplain #isEntryOwed() owed}, and then a LIMIT if it
 * {@linkplain #isLimitDue() is due}. The peer fills the buffers in the order of their publication. At most as many
 * buffers are published and not full as both tables have entries, so that an entry is written again only when the peer
 * has left it.
 *
 * <p>The limit is the number of counted words received, plus the credits of this side, modulo 65,536. It never goes
 * back. A LIMIT is due with each entry, and when the peer has used half of its credits since the last one: that is
 * when rsockets of librdmacm 44 sends it too, but this side counts what arrives, and not what the program reads.
 *
 * <p>Addresses and keys are opaque numbers here; an entry is 16 octets, see {@link TargetEntry}.
 *
 * <p>Threading: confined to the event loop. Ownership: the caller keeps the memory of a published buffer registered
 * until {@link #fill} says that it is full, or the connection ends.
 */
public final class ReceiveWindow {

    /** Octets of an entry in a side's table. */
    public static final int ENTRY_BYTES = TargetEntry.BYTES;

    /** Of bytes that a device places unseen, into memory that was zeroed. */
    public static final int UNKNOWN = -1;

    private static final int MODULO = 0xffff;

    private final boolean networkOrder;
    private final int credits;
    private final long peerTable;
    private final int peerTableKey;
    private final int peerEntries;

    /** A ring of the buffers that are published and not full, from {@link #first}. */
    private final long[] addresses;

    private final int[] keys;
    private final long[] lengths;
    private int first;
    private int published;
    /** How many of them, the last ones, the peer has not been sent. */
    private int owed;
    /** Bytes in the first one. */
    private long filled;
    /** The entry of the peer's table that is written next. */
    private int nextEntry = 1;

    private boolean entrySent;
    private int received;
    private int limit;

    /**
     * The window of a new connection, with the first buffer published.
     *
     * @param own  the setup data of this side
     * @param peer the setup data of the peer
     */
    public ReceiveWindow(SetupData own, SetupData peer) {
        networkOrder = own.networkOrder();
        credits = own.credits();
        limit = credits;
        peerTable = peer.tableAddress();
        peerTableKey = peer.tableKey();
        peerEntries = peer.tableEntries();
        int buffers = Math.min(own.tableEntries(), peerEntries);
        addresses = new long[buffers];
        keys = new int[buffers];
        lengths = new long[buffers];
        add(own.bufferAddress(), own.bufferKey(), own.bufferBytes());
    }

    private void add(long address, int key, long bytes) {
        int last = (first + published) % addresses.length;
        addresses[last] = address;
        keys[last] = key;
        lengths[last] = bytes;
        published++;
    }

    /** How many buffers may be published and not full at once. */
    public int mostBuffers() {
        return addresses.length;
    }

    /** Whether another buffer may be published. */
    public boolean mayPublish() {
        return published < addresses.length;
    }

    /**
     * Adds a buffer behind those published before. The peer learns of it by its entry.
     *
     * @param bytes the size of the buffer, at least 1
     * @throws IllegalStateException if the window may not publish
     */
    public void publish(long address, int key, int bytes) {
        if (bytes < 1) {
            throw new IllegalArgumentException("bytes: " + bytes + " (expected: 1 or more)");
        }
        if (!mayPublish()) {
            throw new IllegalStateException(
                    published + " buffers are published; another may be published when one of them is full");
        }
        add(address, key, bytes);
        owed++;
    }

    /** Whether there are buffers whose entries the peer has not been sent. */
    public boolean isEntryOwed() {
        return owed > 0;
    }

    /**
     * Writes the next entry that is owed, after which a LIMIT is due.
     *
     * @param index where the 16 octets start
     * @return the address in the peer's table that the octets are to be written to, by RDMA Write
     */
    public long putEntry(ByteBuf out, int index) {
        if (owed == 0) {
            throw new IllegalStateException("no entry is owed; publish() adds one");
        }
        int at = (first + published - owed) % addresses.length;
        TargetEntry.put(out, index, networkOrder, addresses[at], keys[at], (int) lengths[at]);
        long remote = TargetEntry.addressOf(peerTable, nextEntry);
        nextEntry = nextEntry + 1 == peerEntries ? 0 : nextEntry + 1;
        owed--;
        entrySent = true;
        return remote;
    }

    /** The remote key that belongs to what {@link #putEntry} returns. */
    public int tableKey() {
        return peerTableKey;
    }

    /** Whether the peer must be sent a LIMIT. */
    public boolean isLimitDue() {
        return entrySent || credits - credit() >= credits / 2;
    }

    /** Returns the LIMIT that is sent now; may be called also when none is due. */
    public int takeLimit() {
        limit = received + credits & MODULO;
        entrySent = false;
        return StreamWord.limit(limit);
    }

    /** Counted words that have come, modulo 65,536. */
    public int received() {
        return received;
    }

    /** Counted words that the peer may send before it needs another LIMIT. */
    private int credit() {
        return limit - received & MODULO;
    }

    /** The address of the buffer that is being filled. */
    public long address() {
        return addresses[first];
    }

    /** The bytes that the peer has announced in that buffer. */
    public long filledBytes() {
        return filled;
    }

    /**
     * Takes a DATA: its bytes are behind the {@link #filledBytes()} of the current buffer.
     *
     * @param bytes  the value of the word
     * @param placed bytes from the start of the buffer that its device has placed, {@link #UNKNOWN} if it does not tell
     * @return whether the buffer is full. The peer has left it, and the next one is current
     * @throws StreamProtocolException if the peer had no credit or no room for it, or has not written so much: what the
     *                                 memory holds there may be of another connection
     */
    public boolean fill(int bytes, int placed) throws StreamProtocolException {
        if (published == owed) {
            throw new StreamProtocolException("DATA of the peer: " + bytes + " bytes (expected: none before an entry)");
        }
        long room = lengths[first] - filled;
        if (bytes < 1 || bytes > room) {
            throw new StreamProtocolException("DATA of the peer: " + bytes + " bytes (expected: 1 to " + room + ")");
        }
        if (placed != UNKNOWN && bytes > placed - filled) {
            throw new StreamProtocolException("DATA of the peer: " + bytes + " bytes (expected: at most "
                    + (placed - filled) + ", which is what the peer has written)");
        }
        count("DATA");
        filled += bytes;
        if (bytes < room) {
            return false;
        }
        filled = 0;
        first = (first + 1) % addresses.length;
        published--;
        return true;
    }

    /**
     * Takes an IOMAP. It uses a credit as DATA does, and means nothing else to this side.
     *
     * @throws StreamProtocolException if the peer had no credit for it
     */
    public void countIomap() throws StreamProtocolException {
        count("IOMAP");
    }

    private void count(String word) throws StreamProtocolException {
        if (credit() == 0) {
            throw new StreamProtocolException(
                    word + " of the peer: number " + received + " (expected: less than the limit, " + limit + ")");
        }
        received = received + 1 & MODULO;
    }
}
