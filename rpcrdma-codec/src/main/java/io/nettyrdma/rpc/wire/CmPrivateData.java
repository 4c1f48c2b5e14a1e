// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.wire;

import org.jspecify.annotations.Nullable;

/**
 * The private data of each side's connection request or reply: identifier f6 ab 0e 18, version 1, flags (0x01 remote
 * invalidation), send size, receive size; 8 octets, sizes as octets / 1024 - 1 (RFC 8797, section 4). It holds for one
 * connection and for RPC-over-RDMA version 1 only.
 *
 * @param remoteInvalidation whether the sender supports Send With Invalidate
 * @param sendBytes          longest Send of this side, 1024 to 262144, a multiple of 1024
 * @param receiveBytes       length of its Receives, 1024 to 262144, a multiple of 1024
 */
public record CmPrivateData(boolean remoteInvalidation, int sendBytes, int receiveBytes) {

    /** Octets on the wire. */
    public static final int BYTES = 8;

    /** The values for a side that sent nothing understandable (RFC 8797, section 5.2). */
    public static final CmPrivateData DEFAULTS = new CmPrivateData(false, 1024, 1024);

    private static final int UNIT_BYTES = 1024;
    private static final int MAX_BYTES = 256 * UNIT_BYTES;

    private static final int IDENTIFIER = 0xf6ab0e18;
    private static final int VERSION = 1;
    private static final int REMOTE_INVALIDATION = 0x01; // PD-005

    /**
     * Rounds sizes down to those of the format: a peer never sends more than fits.
     *
     * @throws IllegalArgumentException if a size is below 1024
     */
    public CmPrivateData {
        sendBytes = expressible(sendBytes, "send size");
        receiveBytes = expressible(receiveBytes, "receive size");
    }

    private static int expressible(int bytes, String what) {
        if (bytes < UNIT_BYTES) {
            throw new IllegalArgumentException(
                    what + ": " + bytes + " (expected: " + UNIT_BYTES + " or more)"); // V1-026
        }
        return Math.min(bytes, MAX_BYTES) / UNIT_BYTES * UNIT_BYTES; // PD-009
    }

    /** The 8 octets to hand to the connection manager. */
    public byte[] encode() {
        byte[] octets = new byte[BYTES];
        octets[0] = (byte) (IDENTIFIER >>> 24); // PD-002, PD-003
        octets[1] = (byte) (IDENTIFIER >>> 16);
        octets[2] = (byte) (IDENTIFIER >>> 8);
        octets[3] = (byte) IDENTIFIER;
        octets[4] = VERSION;
        octets[5] = (byte) (remoteInvalidation ? REMOTE_INVALIDATION : 0); // PD-006
        octets[6] = (byte) (sendBytes / UNIT_BYTES - 1); // PD-007, PD-008
        octets[7] = (byte) (receiveBytes / UNIT_BYTES - 1);
        return octets;
    }

    /**
     * Looks for the message at any octet of the private data, since others may have put theirs in front, and ignores
     * what follows it.
     *
     * @return the message, or {@link #DEFAULTS} if there is none of version 1
     */
    public static CmPrivateData findOrDefaults(byte[] privateData) {
        @Nullable CmPrivateData found = find(privateData);
        return found == null ? DEFAULTS : found; // PD-017
    }

    /** As {@link #findOrDefaults}, but {@code null} if there is none. */
    public static @Nullable CmPrivateData find(byte[] privateData) {
        for (int at = 0; at + BYTES <= privateData.length; at++) { // PD-022, PD-004
            if (word(privateData, at) == IDENTIFIER && privateData[at + 4] == VERSION) { // PD-018
                return new CmPrivateData(
                        (privateData[at + 5] & REMOTE_INVALIDATION) != 0, // PD-023
                        size(privateData[at + 6]),
                        size(privateData[at + 7]));
            }
        }
        return null;
    }

    private static int word(byte[] octets, int at) {
        return octets[at] << 24 | (octets[at + 1] & 0xff) << 16 | (octets[at + 2] & 0xff) << 8 | octets[at + 3] & 0xff;
    }

    private static int size(byte code) {
        return (Byte.toUnsignedInt(code) + 1) * UNIT_BYTES; // PD-008
    }
}
