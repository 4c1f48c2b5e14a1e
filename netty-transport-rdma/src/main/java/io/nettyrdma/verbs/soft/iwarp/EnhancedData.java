// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.soft.iwarp;

/**
 * The four octets that RFC 6581 puts in front of the private data: connection model and read depths.
 *
 * <pre>
 * word 0: A peer-to-peer  B Send RTR        IRD (14 bits)
 * word 1: C Write RTR     D Read RTR        ORD (14 bits)
 * </pre>
 *
 * <p>RFC 6581, section 9.
 *
 * @param peerToPeer control flag A
 * @param sendRtr    control flag B
 * @param writeRtr   control flag C
 * @param readRtr    control flag D
 * @param ird        inbound RDMA Reads the sender of the frame can hold
 * @param ord        outbound RDMA Reads it wants to have outstanding
 */
public record EnhancedData(boolean peerToPeer, boolean sendRtr, boolean writeRtr, boolean readRtr, int ird, int ord) {

    /** Octets on the wire. */
    public static final int BYTES = 4;
    /** "Do not negotiate, the ULP does it." */
    public static final int NOT_NEGOTIATED = 0x3fff;

    private static final int FLAG_HIGH = 0x8000;
    private static final int FLAG_LOW = 0x4000;

    /** Depths in the client-server model, where B, C and D have to be 0. */
    public static EnhancedData clientServer(int ird, int ord) {
        return new EnhancedData(false, false, false, false, ird, ord);
    }

    static EnhancedData fromWords(int irdWord, int ordWord) {
        return new EnhancedData(
                (irdWord & FLAG_HIGH) != 0,
                (irdWord & FLAG_LOW) != 0,
                (ordWord & FLAG_HIGH) != 0,
                (ordWord & FLAG_LOW) != 0,
                irdWord & NOT_NEGOTIATED,
                ordWord & NOT_NEGOTIATED);
    }

    int irdWord() {
        return (peerToPeer ? FLAG_HIGH : 0) | (sendRtr ? FLAG_LOW : 0) | ird;
    }

    int ordWord() {
        return (writeRtr ? FLAG_HIGH : 0) | (readRtr ? FLAG_LOW : 0) | ord;
    }
}
