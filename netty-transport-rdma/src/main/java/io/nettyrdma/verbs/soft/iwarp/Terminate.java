// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.soft.iwarp;

import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * A received Terminate.
 *
 * <pre>
 * 0 layer (4 bits) type (4 bits)  1 code  2 M D R (3 bits) reserved  3 reserved
 * 4 DDP segment length (2), if D  6 DDP header (14 or 18), if D      . Read Request header (28), if R
 * </pre>
 *
 * <p>RFC 5040, section 4.8. Linux on little-endian machines sends the nibbles of octet 0 swapped and the flags at the
 * other end of octet 2; both layouts are understood, the conforming one is sent.
 *
 * @param layer       0 RDMAP, 1 DDP, 2 LLP
 * @param errorType   error type within the layer
 * @param code        error code within the error type
 * @param raw         the first four octets as received
 * @param readRequest the Read Request header, if there is one
 * @param tooLong     the Send that did not fit its receive, in words, if that is what the peer reports, and how
 */
public record Terminate(
        int layer, int errorType, int code, int raw, byte @Nullable [] readRequest, @Nullable String tooLong) {

    private static final byte[] NONE = {};

    /** Octets that are always there. */
    public static final int CONTROL_BYTES = 4;
    /** Octets of a Terminate with all headers, without the DDP header of the Terminate itself. */
    public static final int MAX_BYTES = CONTROL_BYTES + 2 + Ddp.UNTAGGED_HEADER_BYTES + ReadRequest.BYTES;

    private static final int FLAG_LENGTH_VALID = 0x80;
    private static final int FLAG_DDP_HEADER = 0x40;
    private static final int FLAG_READ_REQUEST = 0x20;

    /**
     * Decodes what follows the DDP header of a Terminate.
     *
     * @param starting whether no FPDU was received before; in doubt about the layout it decides
     */
    public static Terminate decode(ByteBuffer b, int at, int lengthBytes, boolean starting) {
        int first = b.get(at) & 0xff;
        int code = b.get(at + 1) & 0xff;
        int flags = b.get(at + 2) & 0xff;
        int high = first >>> 4;
        int low = first & 0x0f;
        boolean swapped = isSwapped(high, low, code, flags, starting);
        boolean ddpHeader = (flags & (swapped ? 0x02 : FLAG_DDP_HEADER)) != 0;
        boolean readRequest = (flags & (swapped ? 0x04 : FLAG_READ_REQUEST)) != 0;
        int layer = swapped ? low : high;
        int errorType = swapped ? high : low;
        return new Terminate(
                layer,
                errorType,
                code,
                b.getInt(at),
                ddpHeader && readRequest ? readRequest(b, at, lengthBytes) : null,
                ddpHeader && TerminateError.DDP_TOO_LONG.is(layer, errorType, code)
                        ? tooLong(b, at, lengthBytes)
                        : null);
    }

    private static @Nullable String tooLong(ByteBuffer b, int at, int lengthBytes) {
        int header = CONTROL_BYTES + 2;
        int from = at + header;
        int segmentBytes = lengthBytes < header ? 0 : b.getShort(at + CONTROL_BYTES) & 0xffff;
        if (lengthBytes < header + Ddp.UNTAGGED_HEADER_BYTES
                || segmentBytes < Ddp.UNTAGGED_HEADER_BYTES
                || Ddp.isTagged(b, from)
                || Ddp.queueNumber(b, from) != Ddp.QUEUE_SEND) {
            return null;
        }
        return Ddp.describeSend(b, from, segmentBytes);
    }

    private static boolean isSwapped(int high, int low, int code, int flags, boolean starting) {
        if ((flags & 0xe0) != 0) {
            return false;
        }
        if ((flags & 0x07) != 0) {
            return true;
        }
        // No header, so no flag tells the layouts apart. What follows are the octet pairs that make sense only in
        // the swapped reading, or that the phase of the connection decides.
        if (high == 2 && low == 1) {
            return true; // untagged DDP errors; layer LLP has no type 1
        }
        if (high == 0 && low == 2) {
            // LLP/MPA; codes 2 to 4 do not exist for RDMAP/remote operation, 6 and 7 mean start-up errors
            return code >= 2 && code <= 4 || starting && (code == 6 || code == 7);
        }
        // RDMAP/remote operation; MPA has codes 5 and 6 too, but during start-up only
        return high == 2 && low == 0 && !starting && code >= 5;
    }

    private static byte @Nullable [] readRequest(ByteBuffer b, int at, int lengthBytes) {
        int header = CONTROL_BYTES + 2;
        if (lengthBytes <= header) {
            return null;
        }
        int from = header + Ddp.headerBytes(b, at + header);
        if (lengthBytes < from + ReadRequest.BYTES) {
            return null;
        }
        byte[] copy = new byte[ReadRequest.BYTES];
        b.get(at + from, copy);
        return copy;
    }

    /**
     * Appends a Terminate, without its DDP header.
     *
     * @param segment     the offending ULPDU from its DDP header on, or {@code null} if there is none
     * @param segmentBytes length of the whole offending ULPDU, of which {@code segment} may be the first part
     */
    public static void put(ByteBuffer out, TerminateError error, byte @Nullable [] segment, int segmentBytes) {
        byte[] offending = segment == null ? NONE : segment;
        int ddpBytes = offending.length == 0
                ? 0
                : (offending[0] & Ddp.TAGGED) != 0 ? Ddp.TAGGED_HEADER_BYTES : Ddp.UNTAGGED_HEADER_BYTES;
        boolean ddpHeader = ddpBytes != 0 && error.carriesDdpHeader() && offending.length >= ddpBytes;
        boolean readRequest = ddpHeader
                && error.carriesReadRequest()
                && (offending[1] & 0x0f) == RdmapOpcode.READ_REQUEST
                && offending.length >= ddpBytes + ReadRequest.BYTES;
        int flags = (ddpHeader ? FLAG_LENGTH_VALID | FLAG_DDP_HEADER : 0) | (readRequest ? FLAG_READ_REQUEST : 0);
        out.put((byte) (error.layer() << 4 | error.errorType())).put((byte) error.code());
        out.put((byte) flags).put((byte) 0);
        if (ddpHeader) {
            out.putShort((short) segmentBytes);
            out.put(offending, 0, ddpBytes + (readRequest ? ReadRequest.BYTES : 0));
        }
    }

    /** Layer, type and code in words, with the octets as received, and what it takes to do better next time. */
    public String describe() {
        String words = String.format(
                "%s (%02x %02x %02x %02x)",
                TerminateError.text(layer, errorType, code),
                raw >>> 24,
                raw >>> 16 & 0xff,
                raw >>> 8 & 0xff,
                raw & 0xff);
        return tooLong == null
                ? words
                : words + ": a " + tooLong
                        + " does not fit its receive (RDMA_RECEIVE_SIZE there, RDMA_MAX_SEND_SIZE here)";
    }

    /** Returns why the connection ends: for errors about memory what this side did, then as the documents name it. */
    public String reason() {
        String named = "peer sent Terminate " + describe();
        return refusesKey()
                ? "this side used a remote key that the peer has not registered, has invalidated, or has registered for"
                        + " less memory or other access: " + named
                : named;
    }

    private boolean refusesKey() {
        boolean rdmap = layer == 0 && code <= TerminateError.RDMAP_STAG_NOT_ASSOCIATED.code();
        boolean ddp = layer == 1 && code <= TerminateError.DDP_STAG_NOT_ASSOCIATED.code();
        return errorType == 1 && (rdmap || ddp);
    }

    /** Whether the peer refused access to memory that a Read Request named. */
    public boolean refusesRead() {
        return layer == 0 && errorType == 1 && code != TerminateError.RDMAP_CANNOT_INVALIDATE.code();
    }
}
