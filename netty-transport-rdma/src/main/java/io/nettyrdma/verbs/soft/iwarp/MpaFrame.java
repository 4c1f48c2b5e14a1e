// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.soft.iwarp;

import io.nettyrdma.internal.Printable;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * An MPA Request or Reply frame.
 *
 * <pre>
 * 0 key (16)  16 M C R S reserved (4 bits)  17 revision  18 PD_Length (2)  20 enhanced data (4), if S  . private data
 * </pre>
 *
 * <p>RFC 5044, section 7.1.1; RFC 6581, section 6.
 *
 * @param reply       whether this is a Reply
 * @param markers     M: the sender wants markers in what it receives
 * @param crc         C: the sender wants CRCs
 * @param rejected    R: the connection is rejected; Reply only
 * @param revision    1, or 2 if S can be set
 * @param enhanced    the enhanced data; {@code null} unless S is set in a frame of revision 2, and even then in a
 *                    reject without private data
 * @param privateData private data without the enhanced data
 */
public record MpaFrame(
        boolean reply,
        boolean markers,
        boolean crc,
        boolean rejected,
        int revision,
        @Nullable EnhancedData enhanced,
        byte[] privateData) {

    /** Octets in front of the private data. */
    public static final int HEADER_BYTES = 20;
    /** Largest PD_Length that RFC 5044 allows. */
    public static final int MAX_PD_BYTES = 512;

    private static final byte[] REQUEST_KEY = "MPA ID Req Frame".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] REPLY_KEY = "MPA ID Rep Frame".getBytes(StandardCharsets.US_ASCII);

    /** "MPA ID ": who says this does speak MPA. */
    private static final int KEY_PREFIX_BYTES = 7;
    /** Octets of something else that an exception shows. */
    private static final int MAX_SHOWN_BYTES = 48;

    private static final String TCP_CLIENTS =
            "; a client of TCP needs a port that listens over TCP, as by NioServerSocketChannel";

    private static final int FLAG_MARKERS = 0x80;
    private static final int FLAG_CRC = 0x40;
    private static final int FLAG_REJECT = 0x20;
    private static final int FLAG_ENHANCED = 0x10;

    /** Checks the arguments. */
    public MpaFrame {
        Objects.requireNonNull(privateData, "privateData");
        if ((enhanced == null ? 0 : EnhancedData.BYTES) + privateData.length > MAX_PD_BYTES) {
            throw new IllegalArgumentException("private data of " + privateData.length + " bytes"
                    + (enhanced == null ? "" : " and enhanced data") + " (expected: at most " + MAX_PD_BYTES + ')');
        }
    }

    /** Octets of the whole frame. */
    public int bytes() {
        return HEADER_BYTES + (enhanced == null ? 0 : EnhancedData.BYTES) + privateData.length;
    }

    /** Appends the frame. Reserved bits are sent as zero. */
    public void put(ByteBuffer out) {
        out.put(reply ? REPLY_KEY : REQUEST_KEY);
        out.put((byte) ((markers ? FLAG_MARKERS : 0)
                | (crc ? FLAG_CRC : 0)
                | (rejected ? FLAG_REJECT : 0)
                | (enhanced != null ? FLAG_ENHANCED : 0)));
        out.put((byte) revision);
        out.putShort((short) (bytes() - HEADER_BYTES));
        if (enhanced != null) {
            out.putShort((short) enhanced.irdWord()).putShort((short) enhanced.ordWord());
        }
        out.put(privateData);
    }

    /**
     * Octets of the frame that starts at {@code at}, or -1 if more octets are needed to tell.
     *
     * @param reply which of the two frames is expected
     * @throws MpaFormatException as soon as the octets cannot become a valid frame
     */
    public static int bytes(ByteBuffer b, int at, int available, boolean reply) throws MpaFormatException {
        byte[] key = reply ? REPLY_KEY : REQUEST_KEY;
        for (int i = 0; i < Math.min(key.length, available); i++) {
            if (b.get(at + i) != key[i]) {
                // Also finds two initiators or two responders facing each other: RFC 5044, section 7.1.2, rule 8.
                String what = i < KEY_PREFIX_BYTES
                        ? "peer does not speak MPA"
                        : "no MPA " + (reply ? "Reply" : "Request") + " key";
                String advice = i < KEY_PREFIX_BYTES && !reply ? TCP_CLIENTS : "";
                throw new MpaFormatException(
                        what + " (got " + Printable.octets(b, at, available, MAX_SHOWN_BYTES) + ')' + advice);
            }
        }
        if (available < HEADER_BYTES) {
            return -1;
        }
        int pdBytes = b.getShort(at + 18) & 0xffff;
        if (pdBytes > MAX_PD_BYTES) {
            throw new MpaFormatException("PD_Length is " + pdBytes + " (expected: 0 to " + MAX_PD_BYTES + ')');
        }
        return HEADER_BYTES + pdBytes;
    }

    /** Decodes the complete frame that {@link #bytes(ByteBuffer, int, int, boolean)} measured. */
    public static MpaFrame decode(ByteBuffer b, int at, boolean reply) throws MpaFormatException {
        int flags = b.get(at + 16) & 0xff;
        int revision = b.get(at + 17) & 0xff;
        if (revision < 1 || revision > 2) {
            throw new MpaFormatException("MPA revision is " + revision + " (expected: 1 or 2)");
        }
        int pdBytes = b.getShort(at + 18) & 0xffff;
        // In a frame of revision 1 the bit of S is reserved, hence ignored: RFC 5044, section 7.1.1.
        boolean isEnhanced = revision >= 2 && (flags & FLAG_ENHANCED) != 0;
        boolean rejected = reply && (flags & FLAG_REJECT) != 0;
        if (rejected && pdBytes == 0) {
            // Linux rejects like that, S without what it promises. The refusal is clear all the same.
            isEnhanced = false;
        }
        EnhancedData enhanced = null;
        int from = HEADER_BYTES;
        if (isEnhanced) {
            if (pdBytes < EnhancedData.BYTES) {
                throw new MpaFormatException("PD_Length is " + pdBytes + ", but S promises enhanced data");
            }
            enhanced = EnhancedData.fromWords(b.getShort(at + from) & 0xffff, b.getShort(at + from + 2) & 0xffff);
            from += EnhancedData.BYTES;
        }
        byte[] privateData = new byte[HEADER_BYTES + pdBytes - from];
        b.get(at + from, privateData);
        return new MpaFrame(
                reply, (flags & FLAG_MARKERS) != 0, (flags & FLAG_CRC) != 0, rejected, revision, enhanced, privateData);
    }
}
