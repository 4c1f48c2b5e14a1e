// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.soft.iwarp;

import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/**
 * Framing of one direction of an MPA stream without markers.
 *
 * <pre>
 * ULPDU_Length (2)  ULPDU  pad 0..3  CRC (4)
 * </pre>
 *
 * <p>The CRC field is always there and covers everything before it; with CRCs off it is sent as zero and not looked
 * at. It is the only little-endian field of the stack. RFC 5044, sections 4.1 and 4.4.
 *
 * <p>Threading: confined to the thread of its connection. Ownership: one per direction, for the CRC state.
 */
public final class Fpdu {

    /** Octets of the length field. */
    public static final int LENGTH_BYTES = 2;
    /** Octets of the CRC field. */
    public static final int CRC_BYTES = 4;
    /** Longest ULPDU that the length field can express; longer than RFC 5044 allows, but Linux sends 65474. */
    public static final int MAX_ULPDU_BYTES = 0xffff;
    /** Longest FPDU. */
    public static final int MAX_BYTES = bytes(MAX_ULPDU_BYTES);

    private final CRC32C crc = new CRC32C();
    private boolean crcEnabled;

    /** A direction with or without CRCs. */
    public Fpdu(boolean crcEnabled) {
        this.crcEnabled = crcEnabled;
    }

    /** From here on CRCs are neither made nor checked: octets that do not leave this host's memory need none. */
    public void crcOff() {
        crcEnabled = false;
    }

    /** Octets of the pad behind a ULPDU, so that length field, ULPDU and pad are a multiple of 4. */
    public static int padBytes(int ulpduBytes) {
        return -(ulpduBytes + LENGTH_BYTES) & 3;
    }

    /** Octets of the whole FPDU. */
    public static int bytes(int ulpduBytes) {
        return LENGTH_BYTES + ulpduBytes + padBytes(ulpduBytes) + CRC_BYTES;
    }

    /** The length field of the FPDU that starts at {@code at}. */
    public static int ulpduBytes(ByteBuffer b, int at) {
        return b.getShort(at) & 0xffff;
    }

    /** Reserves the length field at the position of {@code out} and returns the offset of the FPDU. */
    public static int begin(ByteBuffer out) {
        int at = out.position();
        out.position(at + LENGTH_BYTES);
        return at;
    }

    /** Ends the FPDU that {@link #begin} started at {@code at}: length, pad and CRC. */
    public void end(ByteBuffer out, int at) {
        int ulpduBytes = out.position() - at - LENGTH_BYTES;
        out.putShort(at, (short) ulpduBytes);
        for (int i = padBytes(ulpduBytes); i > 0; i--) {
            out.put((byte) 0);
        }
        out.putInt(crcEnabled ? Integer.reverseBytes(crc(out, at, out.position() - at)) : 0);
    }

    /** Whether the CRC of the whole FPDU at {@code at} is right, or not to be checked. */
    public boolean verify(ByteBuffer b, int at) {
        if (!crcEnabled) {
            // RFC 5044, section 4.1: any value, MUST NOT be checked.
            return true;
        }
        // The pad is covered although it is otherwise ignored: Linux sends stale octets there.
        int covered = bytes(ulpduBytes(b, at)) - CRC_BYTES;
        return Integer.reverseBytes(b.getInt(at + covered)) == crc(b, at, covered);
    }

    private int crc(ByteBuffer b, int at, int lengthBytes) {
        int position = b.position();
        int limit = b.limit();
        crc.reset();
        crc.update(b.limit(at + lengthBytes).position(at));
        b.limit(limit).position(position);
        return (int) crc.getValue();
    }
}
