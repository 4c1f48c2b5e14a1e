// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.soft.rdmap;

import java.util.Arrays;

/**
 * A queue whose entries are kept field by field, each field in an array of its own, so that nothing is allocated per
 * entry. It grows only as far as it is used. Positions count from 0 for ever; an entry of a position is found in the
 * slot of the same number, modulo the number of slots.
 *
 * <p>Threading: confined to one thread.
 */
abstract class Ring {

    private static final int FIRST_SLOTS = 4;

    /** Slots less one; the number of slots is a power of two, or 0. */
    private int mask;

    private long head;
    private long tail;

    /** @param slots to begin with, a power of two, or 0 for none as long as there is no entry */
    Ring(int slots) {
        mask = slots - 1;
    }

    static int ceilingPowerOfTwo(int n) {
        return n <= 1 ? 1 : Integer.highestOneBit(n - 1) << 1;
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

    final int slot(long position) {
        return (int) position & mask;
    }

    /** The slot of the oldest entry. */
    final int headSlot() {
        return (int) head & mask;
    }

    /** A slot for the next entry, which counts after {@link #commit}. */
    final int claim() {
        if (tail - head > mask) {
            int slots = Math.max(FIRST_SLOTS, 2 * capacity());
            resize(slots);
            mask = slots - 1;
        }
        return (int) tail & mask;
    }

    /** The entry whose slot was claimed is complete. */
    public final void commit() {
        tail++;
    }

    /** Forgets the oldest entry, whose fields stay readable until the next one is added. */
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
        mask >>= 1;
        resize(capacity());
    }

    /**
     * Replaces the arrays of all fields by {@link #resized} ones: twice as many slots, or half as many if it is empty.
     */
    abstract void resize(int slots);

    /**
     * An array of another length. If it is twice as long, both halves are the same, so that every position finds its.
     */
    static long[] resized(long[] field, int length) {
        long[] next = Arrays.copyOf(field, length);
        if (length > field.length) {
            System.arraycopy(field, 0, next, field.length, field.length);
        }
        return next;
    }

    static int[] resized(int[] field, int length) {
        int[] next = Arrays.copyOf(field, length);
        if (length > field.length) {
            System.arraycopy(field, 0, next, field.length, field.length);
        }
        return next;
    }
}
