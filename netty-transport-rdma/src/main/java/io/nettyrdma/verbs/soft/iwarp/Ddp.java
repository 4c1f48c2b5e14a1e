// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.soft.iwarp;

import java.nio.ByteBuffer;

/**
 * DDP segment headers over a buffer: constants, and accessors that take the offset of the ULPDU.
 *
 * <pre>
 * tagged    0 control  1 RDMAP control  2 STag (4)             6 TO (8)                            14 payload
 * untagged  0 control  1 RDMAP control  2 invalidate STag (4)  6 QN (4)  10 MSN (4)  14 MO (4)     18 payload
 * </pre>
 *
 * <p>RFC 5041, sections 4.1 to 4.3; RFC 5040, section 4.1.
 */
public final class Ddp {

    /** Bit of the first control octet: the segment names a tagged buffer. */
    public static final int TAGGED = 0x80;
    /** Bit of the first control octet: last segment of its message. */
    public static final int LAST = 0x40;
    /** The one DDP version there is, in the low two bits of the first control octet. */
    public static final int VERSION = 1;
    /** RDMAP version 1 in its place of the second control octet; version 0 is the RDMA Consortium's. */
    public static final int RDMAP_VERSION = 0x40;

    /** Header octets of a tagged segment. */
    public static final int TAGGED_HEADER_BYTES = 14;
    /** Header octets of an untagged segment. */
    public static final int UNTAGGED_HEADER_BYTES = 18;

    /** Queue of Sends. */
    public static final int QUEUE_SEND = 0;
    /** Queue of RDMA Read Requests. */
    public static final int QUEUE_READ_REQUEST = 1;
    /** Queue of Terminates. */
    public static final int QUEUE_TERMINATE = 2;

    /** Message sequence numbers start here (RFC 5041, section 4.3). */
    public static final int FIRST_MSN = 1;

    /**
     * STag of an empty RDMA Write by which providers of this project on one host speak of shared memory. To every other
     * peer it is an empty Write, whose STag and offset are not looked at (RFC 5041, section 5.2).
     */
    public static final int MARK_STAG = 0x4e52444d;

    /** Number of the mark by which an initiator says that it takes offers of shared memory. */
    public static final long MARK_HERE = 1;

    /** The two control octets of a mark: tagged, last, version 1; version 1, RDMA Write. */
    private static final short MARK_CONTROL = (short) 0xc140;

    private static final int VERSION_MASK = 0x03;
    private static final int RDMAP_VERSION_MASK = 0xc0;
    private static final int OPCODE_MASK = 0x0f;

    private Ddp() {}

    /** Whether the segment is tagged. */
    public static boolean isTagged(ByteBuffer b, int at) {
        return (b.get(at) & TAGGED) != 0;
    }

    /** Whether the segment is the last of its message. */
    public static boolean isLast(ByteBuffer b, int at) {
        return (b.get(at) & LAST) != 0;
    }

    /** Whether the DDP version is the one of RFC 5041. */
    public static boolean hasValidVersion(ByteBuffer b, int at) {
        return (b.get(at) & VERSION_MASK) == VERSION;
    }

    /** Whether the RDMAP version is the one of RFC 5040. */
    public static boolean hasValidRdmapVersion(ByteBuffer b, int at) {
        return (b.get(at + 1) & RDMAP_VERSION_MASK) == RDMAP_VERSION;
    }

    /** RDMAP opcode, see {@link RdmapOpcode}. */
    public static int opcode(ByteBuffer b, int at) {
        return b.get(at + 1) & OPCODE_MASK;
    }

    /** Header octets of the segment. */
    public static int headerBytes(ByteBuffer b, int at) {
        return isTagged(b, at) ? TAGGED_HEADER_BYTES : UNTAGGED_HEADER_BYTES;
    }

    /** STag of a tagged segment. */
    public static int stag(ByteBuffer b, int at) {
        return b.getInt(at + 2);
    }

    /** Tagged offset of a tagged segment, unsigned. */
    public static long taggedOffset(ByteBuffer b, int at) {
        return b.getLong(at + 6);
    }

    /** Whether the segment is a {@linkplain #MARK_STAG mark}, of the number that its tagged offset is. */
    public static boolean isMark(ByteBuffer b, int at, int lengthBytes) {
        return lengthBytes == TAGGED_HEADER_BYTES && b.getShort(at) == MARK_CONTROL && stag(b, at) == MARK_STAG;
    }

    /** STag that an untagged Send with Invalidate names. */
    public static int invalidateStag(ByteBuffer b, int at) {
        return b.getInt(at + 2);
    }

    /** Queue number of an untagged segment. */
    public static int queueNumber(ByteBuffer b, int at) {
        return b.getInt(at + 6);
    }

    /** Message sequence number of an untagged segment. */
    public static int messageSequence(ByteBuffer b, int at) {
        return b.getInt(at + 10);
    }

    /** Message offset of an untagged segment, unsigned. */
    public static int messageOffset(ByteBuffer b, int at) {
        return b.getInt(at + 14);
    }

    /**
     * How long a Send is at least, or exactly if the segment is its last, in words.
     *
     * @param lengthBytes of the segment with its header, of which only the header need be there
     */
    public static String describeSend(ByteBuffer b, int at, int lengthBytes) {
        long octets = (messageOffset(b, at) & 0xffffffffL) + lengthBytes - UNTAGGED_HEADER_BYTES;
        return "Send of " + (isLast(b, at) ? "" : "at least ") + octets + " octets";
    }

    /** Appends a tagged header. */
    public static void putTagged(ByteBuffer out, int opcode, boolean last, int stag, long taggedOffset) {
        out.put((byte) (TAGGED | (last ? LAST : 0) | VERSION));
        out.put((byte) (RDMAP_VERSION | opcode));
        out.putInt(stag).putLong(taggedOffset);
    }

    /** Appends an untagged header; {@code invalidateStag} is 0 unless the opcode invalidates. */
    public static void putUntagged(
            ByteBuffer out, int opcode, boolean last, int invalidateStag, int queue, int msn, int messageOffset) {
        out.put((byte) ((last ? LAST : 0) | VERSION));
        out.put((byte) (RDMAP_VERSION | opcode));
        out.putInt(invalidateStag).putInt(queue).putInt(msn).putInt(messageOffset);
    }
}
