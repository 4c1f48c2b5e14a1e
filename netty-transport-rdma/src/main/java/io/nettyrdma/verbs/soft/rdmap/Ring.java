// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.soft.rdmap;

import java.util.Arrays;

/**
 * A queue whose entries are a fixed number of words in one array, so that nothing is allocated per entry, and an entry
 * is in one or two cache lines. It grows only as far as it is used. Positions count from 0 for ever; an entry of a
 * position is found in the slot of the same number, modulo the number of slots.
 *
 * <p>Threading: confined to one thread.
 */
abstract class Ring {

    private static final int FIRST_SLOTS = 4;

    private final int entryWords;
    private long[] words;
    /** Slots less one; the number of slots is a power of two, or 0. */
    private int mask;

    private long head;
    private long tail;

    /**
     * @param slots      to begin with, a power of two, or 0 for none as long as there is no entry
     * @param entryWords of 64 bits for each entry
     */
    Ring(int slots, int entryWords) {
        this.entryWords = entryWords;
        words = new long[slots * entryWords];
        mask = slots - 1;
    }

    static int ceilingPowerOfTwo(int n) {
        return n <= 1 ? 1 : Integer.highestOneBit(n - 1) << 1;
    }

    /** Returns two halves as a word, for {@link #high} and {@link #low}. */
    static long pair(int high, int low) {
        return (long) high << 32 | low & 0xffffffffL;
    }

    /** Position of the oldest entry, or of the next one if there is none. */
    public final long head() {
        return head;
    }

    /** Position of the next entry. */
    public final long tail() {
        return tail;
    }

    /** Whether there is no entry. */
    public final boolean isEmpty() {
        return tail == head;
    }

    /** Entries. */
    public final int size() {
        return (int) (tail - head);
    }

    /** Entries that there is room for without growing. */
    public final int capacity() {
        return mask + 1;
    }

    final long get(long position, int word) {
        return words[((int) position & mask) * entryWords + word];
    }

    final int high(long position, int word) {
        return (int) (get(position, word) >>> 32);
    }

    final int low(long position, int word) {
        return (int) get(position, word);
    }

    final void set(long position, int word, long value) {
        words[((int) position & mask) * entryWords + word] = value;
    }

    /** Makes room for the entry at {@link #tail()}, which counts after {@link #commit}. */
    final void claim() {
        if (tail - head > mask) {
            resize(Math.max(FIRST_SLOTS, 2 * capacity()));
        }
    }

    /** The entry that was claimed is complete. */
    public final void commit() {
        tail++;
    }

    /** Forgets the oldest entry, whose words stay readable until the next one is added. */
    public void removeHead() {
        head++;
    }

    /** Forgets all entries. */
    void clear() {
        head = tail;
    }

    /** Gives half of the room of an empty ring back. */
    final void halve() {
        assert isEmpty();
        resize(capacity() / 2);
    }

    private void resize(int slots) {
        long[] next = Arrays.copyOf(words, slots * entryWords);
        if (next.length > words.length) {
            // Both halves are the same, so that every position finds its entry.
            System.arraycopy(words, 0, next, next.length - words.length, words.length);
        }
        words = next;
        mask = slots - 1;
    }
}
