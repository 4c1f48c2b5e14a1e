// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.stream;

import io.netty.buffer.ByteBuf;

/**
 * The messages of the protocol: words of 32 bits, the operation in bits 31 to 29, a value in the others.
 *
 * <pre>
 * 0  DATA        bytes that were written at the current entry, 1 or more
 * 4  LIMIT       absolute number of the first counted word that may not be sent; the low 16 bits count
 * 6  IOMAP       index of an entry for direct placement, which this side does not offer
 * 7  control     0 DISCONNECT: nothing follows; 2 SHUTDOWN: no more data; 0x4241 ABORT: reset, DISCONNECT follows
 * </pre>
 *
 * <p>DATA and IOMAP are counted by the limit, the others are not. On iWARP a word is a Send of exactly 4 octets,
 * little-endian unless both sides have set NET; on RoCE and InfiniBand it is immediate data, in network order. rsockets
 * of librdmacm 44 knows no ABORT and ignores control words that it does not know, so it sees the DISCONNECT only.
 */
public final class StreamWord {

    /** The meaning of a word. */
    public enum Kind {
        /** Bytes were written. */
        DATA,
        /** More words may be sent, and there may be new entries. */
        LIMIT,
        /** An entry for direct placement was written. */
        IOMAP,
        /** The sender sends no more data. */
        SHUTDOWN,
        /** The sender sends nothing more. */
        DISCONNECT,
        /** The sender gives up the connection without waiting for its data. */
        ABORT,
        /** Not a word of this protocol. */
        INVALID
    }

    /** Octets of a word. */
    public static final int BYTES = 4;
    /** Largest value of a word, hence most bytes of one DATA. */
    public static final int MAX_VALUE = (1 << 29) - 1;

    /** The word SHUTDOWN. */
    public static final int SHUTDOWN = 0xe000_0002;
    /** The word DISCONNECT. */
    public static final int DISCONNECT = 0xe000_0000;
    /** The word ABORT. */
    public static final int ABORT = 0xe000_4241;

    private static final int OPERATION_SHIFT = 29;
    private static final int OP_DATA = 0;
    private static final int OP_LIMIT = 4;
    private static final int OP_IOMAP = 6;
    private static final int OP_CONTROL = 7;

    private StreamWord() {}

    /** The word DATA for 1 to {@link #MAX_VALUE} bytes. */
    public static int data(int bytes) {
        if (bytes < 1 || bytes > MAX_VALUE) {
            throw new IllegalArgumentException("bytes: " + bytes + " (expected: 1 to " + MAX_VALUE + ")");
        }
        return bytes;
    }

    /** The word LIMIT with the low 16 bits of a limit. */
    public static int limit(int limit) {
        return OP_LIMIT << OPERATION_SHIFT | limit & 0xffff;
    }

    /** The meaning of a word. A DATA of no bytes is invalid, since a reader in C would take it for the end. */
    public static Kind kind(int word) {
        return switch (word >>> OPERATION_SHIFT) {
            case OP_DATA -> word == 0 ? Kind.INVALID : Kind.DATA;
            case OP_LIMIT -> Kind.LIMIT;
            case OP_IOMAP -> Kind.IOMAP;
            case OP_CONTROL -> control(word);
            default -> Kind.INVALID;
        };
    }

    private static Kind control(int word) {
        return switch (word) {
            case SHUTDOWN -> Kind.SHUTDOWN;
            case DISCONNECT -> Kind.DISCONNECT;
            case ABORT -> Kind.ABORT;
            default -> Kind.INVALID;
        };
    }

    /** The value of a word: bytes of a DATA, limit of a LIMIT, of which the low 16 bits count. */
    public static int value(int word) {
        return word & MAX_VALUE;
    }

    /**
     * Reads the payload of a Send.
     *
     * @param index        the first octet of the payload
     * @param octets       the octets that were received
     * @param networkOrder whether both sides have set NET
     * @throws StreamProtocolException if the Send does not have 4 octets
     */
    public static int read(ByteBuf message, int index, int octets, boolean networkOrder)
            throws StreamProtocolException {
        if (octets != BYTES) {
            throw new StreamProtocolException("octets of a Send: " + octets + " (expected: " + BYTES + ")");
        }
        return networkOrder ? message.getInt(index) : message.getIntLE(index);
    }

    /** Writes a word as the payload of a Send. */
    public static void put(ByteBuf message, int index, int word, boolean networkOrder) {
        if (networkOrder) {
            message.setInt(index, word);
        } else {
            message.setIntLE(index, word);
        }
    }
}
