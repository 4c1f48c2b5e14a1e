// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.stream;

import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;

/**
 * The private data of a connection request and of its reply: 40 octets, big-endian, as rsockets of librdmacm 44 sends
 * and reads them.
 *
 * <pre>
 *  0 version, 1        8 address of the sender's table of entries (8)    24 address of its first buffer (8)
 *  1 flags            16 key of the table (4)                            32 key of the buffer (4)
 *  2 credits (2)      20 number of its entries (4)                       36 octets of the buffer (4)
 *  4 reserved (3)
 *  7 entries for direct placement
 * </pre>
 *
 * <p>Flag 1, NET, says that entries and words are big-endian. A peer in C on iWARP fails if the two sides differ in it.
 * So the passive side answers with the flag of the request, and the active side refuses a reply that has another one
 * than its request. Flag 2 says that octet 7 is valid; this side sets it and offers no direct placement. Other flags,
 * the reserved octets and the peer's offer of direct placement are ignored, as are octets behind the first 40: RoCE
 * pads private data.
 *
 * @param networkOrder  NET: whether entries and words are big-endian
 * @param credits       counted words that the sender takes before it sends a limit, 16 to 65,535
 * @param tableAddress  where the peer writes the entries of the sender's table
 * @param tableKey      the remote key of the table
 * @param tableEntries  entries of the table, 2 to 256
 * @param bufferAddress where the peer writes its first bytes
 * @param bufferKey     the remote key of that buffer
 * @param bufferBytes   bytes of that buffer, 1 to 4,294,967,295
 */
public record SetupData(
        boolean networkOrder,
        int credits,
        long tableAddress,
        int tableKey,
        int tableEntries,
        long bufferAddress,
        int bufferKey,
        long bufferBytes) {

    /** Octets of the data. A peer in C crashes on fewer. */
    public static final int BYTES = 40;
    /** Fewest credits of a side. */
    public static final int MIN_CREDITS = 16;
    /** Most credits that the field holds. */
    public static final int MAX_CREDITS = 0xffff;
    /** Fewest entries of a table: the peer writes entry 1 first, without looking. */
    public static final int MIN_ENTRIES = 2;
    /** Most entries of a table, which bounds what a peer can make this side keep. */
    public static final int MAX_ENTRIES = 256;

    private static final int VERSION = 1;
    private static final int FLAG_NET = 1;
    private static final int FLAG_IOMAP = 2;

    /** Checks the arguments. */
    public SetupData {
        String fault = fault(credits, tableEntries, bufferBytes);
        if (fault != null) {
            throw new IllegalArgumentException(fault);
        }
    }

    /** Appends the 40 octets. */
    public void encode(ByteBuf out) {
        out.writeByte(VERSION).writeByte(FLAG_IOMAP | (networkOrder ? FLAG_NET : 0));
        out.writeShort(credits).writeInt(0);
        out.writeLong(tableAddress).writeInt(tableKey).writeInt(tableEntries);
        out.writeLong(bufferAddress).writeInt(bufferKey).writeInt((int) bufferBytes);
    }

    /**
     * Reads the private data of a request, which is all that is readable.
     *
     * @throws StreamProtocolException if a value is not acceptable; the request should be rejected
     */
    public static SetupData decodeRequest(ByteBuf data) throws StreamProtocolException {
        return decode(data);
    }

    /**
     * Reads the private data of a reply, which is all that is readable.
     *
     * @param request what was sent in the request
     * @throws StreamProtocolException if a value is not acceptable; the connection should be closed
     */
    public static SetupData decodeReply(ByteBuf data, SetupData request) throws StreamProtocolException {
        SetupData reply = decode(data);
        if (reply.networkOrder != request.networkOrder) {
            throw new StreamProtocolException("NET of the peer: " + (reply.networkOrder ? 1 : 0) + " (expected: "
                    + (request.networkOrder ? 1 : 0) + ", as in the request)");
        }
        return reply;
    }

    /** Returns whether this private data, which is all that is readable, is that of a byte stream of this version. */
    public static boolean isOfStream(ByteBuf data) {
        return data.readableBytes() >= BYTES && data.getUnsignedByte(data.readerIndex()) == VERSION;
    }

    private static SetupData decode(ByteBuf data) throws StreamProtocolException {
        int octets = data.readableBytes();
        if (octets < BYTES) {
            throw new StreamProtocolException("the peer is no byte stream, such as RdmaSocketChannel: it may be an"
                    + " RdmaChannel, which keeps messages apart; use the same kind on both sides (octets of the peer's"
                    + " private data: " + octets + ", expected: " + BYTES + " or more)");
        }
        int at = data.readerIndex();
        int version = data.getUnsignedByte(at);
        if (version != VERSION) {
            throw new StreamProtocolException("version of the peer: " + version + " (expected: " + VERSION + ")");
        }
        int credits = data.getUnsignedShort(at + 2);
        long entries = data.getUnsignedInt(at + 20);
        long bytes = data.getUnsignedInt(at + 36);
        String fault = fault(credits, entries, bytes);
        if (fault != null) {
            throw new StreamProtocolException("private data of the peer: " + fault);
        }
        return new SetupData(
                (data.getByte(at + 1) & FLAG_NET) != 0,
                credits,
                data.getLong(at + 8),
                data.getInt(at + 16),
                (int) entries,
                data.getLong(at + 24),
                data.getInt(at + 32),
                bytes);
    }

    private static @Nullable String fault(int credits, long tableEntries, long bufferBytes) {
        if (credits < MIN_CREDITS || credits > MAX_CREDITS) {
            return expected("credits", credits, MIN_CREDITS, MAX_CREDITS);
        }
        if (tableEntries < MIN_ENTRIES || tableEntries > MAX_ENTRIES) {
            return expected("tableEntries", tableEntries, MIN_ENTRIES, MAX_ENTRIES);
        }
        if (bufferBytes < 1 || bufferBytes > 0xffff_ffffL) {
            return expected("bufferBytes", bufferBytes, 1, 0xffff_ffffL);
        }
        return null;
    }

    private static String expected(String name, long value, long min, long max) {
        return name + ": " + value + " (expected: " + min + " to " + max + ")";
    }
}
