// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.wire.v2;

import io.netty.buffer.ByteBuf;
import io.nettyrdma.rpc.wire.header.ChunkLists;

/**
 * Numbers of the -01 wire format (draft -01, sections 6.2 and 8). Later drafts give other meanings to the same version
 * number, so this is the only place that has them (C38).
 */
public final class Rdma2 {

    /** Word 1 of every message. */
    public static final int VERSION = 2;

    // Offsets of words 0 to 4. V2-095, V2-096
    static final int XID = 0;
    static final int VERS = 4;
    static final int CREDIT = 8;
    static final int HTYPE = 12;
    static final int FLAGS = 16;

    /** Octets in front of the credits that all versions have, and the least that is read of another version's. */
    static final int FIXED_BYTES = 16;
    /** Octets that every message begins with (draft -01, section 6.2.2). */
    public static final int PREFIX_BYTES = 20; // V2-096

    // V2-117
    static final int INV_HANDLE = PREFIX_BYTES;
    /** Octet of a header at which its chunk lists begin. */
    public static final int LISTS_OFFSET = INV_HANDLE + 4;
    /** Octets of a header without chunks. */
    public static final int MIN_HEADER_BYTES = LISTS_OFFSET + ChunkLists.ABSENT_BYTES;

    static final int ERR = PREFIX_BYTES;
    static final int PROPERTIES = PREFIX_BYTES;

    // Header types; numbers, as an extension may define more. V2-093
    /** Header type: a payload stream, or a fragment of one, follows. */
    public static final int MSG = 0;
    /** Header type: the payload stream is in a chunk. */
    public static final int NOMSG = 1;

    /** Header type: an error. */
    public static final int ERROR = 4;
    /** Header type: transport properties. */
    public static final int CONNPROP = 5;

    /** Flag: the XID is one of the receiver's own calls. */
    public static final int RESPONSE = 1; // V2-096
    /** Flag: the message goes on in the next one. */
    public static final int MORE = 2; // V2-096
    /** Flag: more properties follow in other messages. */
    public static final int TPMORE = 4; // V2-096
    /** The flags there are; others are sent as 0 and ignored (C8). */
    static final int FLAGS_MASK = RESPONSE | MORE | TPMORE;

    // Properties (draft -01, section 5.2).
    static final int SBSIZ = 1;
    static final int RBSIZ = 2;
    static final int RSSIZ = 3;
    static final int RCSIZ = 4;
    static final int BRS = 5;
    static final int HOSTAUTH = 6;

    private static final int MAX_CREDITS = 0xffff;
    private static final long MAX_WORD = 0xffff_ffffL;

    private Rdma2() {}

    /**
     * The credit word (draft -01, section 4.2.1.1).
     *
     * @param maximum credits that may be outstanding at the peer at most, 0 to 65535
     * @param grant   credits granted newly by this message, 0 to 65535
     * @throws IllegalArgumentException if one is out of range
     */
    public static int credits(int maximum, int grant) {
        return requireCredits(maximum, "maximum") << 16 | requireCredits(grant, "grant");
    }

    /** Whether a message is one of version 2, and whole as far as every such message is. */
    public static boolean isIn(ByteBuf message) {
        return message.readableBytes() >= PREFIX_BYTES && message.getInt(message.readerIndex() + VERS) == VERSION;
    }

    /** The credits that a credit word grants newly, 0 to 65535. */
    public static int grant(int creditWord) {
        return creditWord & MAX_CREDITS;
    }

    /** The transaction of a message of version 2. */
    public static int xid(ByteBuf message) {
        return message.getInt(message.readerIndex() + XID);
    }

    /** The credit word of a message of version 2. */
    public static int credits(ByteBuf message) {
        return message.getInt(message.readerIndex() + CREDIT);
    }

    /** Sets the credit word of a message of version 2, which is known when it is sent and not when it is encoded. */
    public static void setCredits(ByteBuf message, int credits) {
        message.setInt(message.readerIndex() + CREDIT, credits);
    }

    private static int requireCredits(int credits, String what) {
        if (credits < 0 || credits > MAX_CREDITS) {
            throw new IllegalArgumentException(what + ": " + credits + " (expected: 0 to 65535)");
        }
        return credits;
    }

    static void requireWord(long value, String what) {
        if (value < 0 || value > MAX_WORD) {
            throw new IllegalArgumentException(what + ": " + value + " (expected: 0 to 4294967295)");
        }
    }

    static void requireFlags(int flags, int allowed) {
        if ((flags & ~allowed) != 0) {
            throw new IllegalArgumentException("flags: " + flags + " (expected: of " + allowed + " only)"); // V2-097
        }
    }
}
