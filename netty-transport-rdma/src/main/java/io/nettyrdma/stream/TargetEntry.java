// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.stream;

import io.netty.buffer.ByteBuf;

/**
 * The entries of a table by which one side tells the other where to write: 16 octets each.
 *
 * <pre>
 * 0 address of the buffer (8)    8 key (4)    12 octets of the buffer (4)
 * </pre>
 *
 * <p>An entry is in the byte order of the side that owns the table. rsockets of librdmacm 44 writes entries in its own
 * order, and swaps them if the two sides differ in NET. Both sides of a connection of this package have the same NET,
 * so one flag serves both tables. The entries of a table start at a multiple of 16, so that a device which places an
 * entry while it is read never shows half of it.
 */
final class TargetEntry {

    static final int BYTES = 16;

    private static final int KEY = 8;
    private static final int LENGTH = 12;

    private TargetEntry() {}

    /** The remote address of an entry of the table at {@code table}. Addresses wrap like any 64-bit number. */
    static long addressOf(long table, int entry) {
        return table + (long) entry * BYTES;
    }

    /** Writes an entry whose first octet is at {@code index}. */
    static void put(ByteBuf out, int index, boolean networkOrder, long address, int key, int bytes) {
        if (networkOrder) {
            out.setLong(index, address).setInt(index + KEY, key).setInt(index + LENGTH, bytes);
        } else {
            out.setLongLE(index, address).setIntLE(index + KEY, key).setIntLE(index + LENGTH, bytes);
        }
    }

    /** The address in an entry of a table that starts at octet 0. */
    static long address(ByteBuf table, int entry, boolean networkOrder) {
        int index = entry * BYTES;
        return networkOrder ? table.getLong(index) : table.getLongLE(index);
    }

    static int key(ByteBuf table, int entry, boolean networkOrder) {
        int index = entry * BYTES + KEY;
        return networkOrder ? table.getInt(index) : table.getIntLE(index);
    }

    /** The octets of the buffer in an entry, 0 to 4,294,967,295; 0 means that no buffer is published there. */
    static long bytes(ByteBuf table, int entry, boolean networkOrder) {
        int index = entry * BYTES + LENGTH;
        return networkOrder ? table.getUnsignedInt(index) : table.getUnsignedIntLE(index);
    }

    /** Marks an entry as one that publishes no buffer. */
    static void clear(ByteBuf table, int entry) {
        table.setInt(entry * BYTES + LENGTH, 0);
    }
}
