// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.lab;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.zip.CRC32C;

/**
 * Writes a capture file of one iWARP connection with CRC, FPDU by FPDU, so that the checker can be shown mistakes no
 * real peer makes. Made of its own few constants: the project's encoders are what the checker is there to judge.
 */
final class HandMadeCapture {
    enum Side {
        INITIATOR,
        RESPONDER
    }

    private static final int LINKTYPE_RAW_IP = 101;
    private static final int SYN = 0x02;
    private static final int ACK = 0x10;
    private static final int PUSH_ACK = 0x18;
    private static final int WRITE = 0x40;
    private static final int READ_REQUEST = 0x41;
    private static final int READ_RESPONSE = 0x42;
    private static final int SEND = 0x43;
    private static final int SEND_WITH_INVALIDATE = 0x44;
    private static final int READ_QUEUE = 1;

    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    private final DataOutputStream file = new DataOutputStream(bytes);
    private final int[] nextSequence = {1000, 5000};
    private int packets;

    HandMadeCapture() throws IOException {
        file.writeInt(0xa1b2c3d4);
        file.writeShort(2);
        file.writeShort(4);
        file.writeInt(0);
        file.writeInt(0);
        file.writeInt(65535);
        file.writeInt(LINKTYPE_RAW_IP);
        connect();
    }

    private void connect() throws IOException {
        segment(Side.INITIATOR, SYN, new byte[0]);
        segment(Side.RESPONDER, SYN | ACK, new byte[0]);
        segment(Side.INITIATOR, ACK, new byte[0]);
        segment(Side.INITIATOR, PUSH_ACK, mpaFrame("MPA ID Req Frame"));
        segment(Side.RESPONDER, PUSH_ACK, mpaFrame("MPA ID Rep Frame"));
    }

    private static byte[] mpaFrame(String key) {
        // Revision 1, CRC wanted, no private data: tshark warns about anything newer.
        return ByteBuffer.allocate(20)
                .put(key.getBytes(StandardCharsets.US_ASCII))
                .put((byte) 0x40)
                .put((byte) 1)
                .putShort((short) 0)
                .array();
    }

    /** An RPC NULL call in an RPC-over-RDMA message without chunks. */
    static byte[] nullCall(int xid) {
        return ByteBuffer.allocate(68)
                .put(transportHeader(xid))
                .putInt(xid)
                .putInt(0)
                .putInt(2)
                .putInt(100003)
                .putInt(3)
                .array();
    }

    /** The reply to {@link #nullCall}: accepted, success. */
    static byte[] nullReply(int xid) {
        return ByteBuffer.allocate(52)
                .put(transportHeader(xid))
                .putInt(xid)
                .putInt(1)
                .array();
    }

    private static byte[] transportHeader(int xid) {
        return ByteBuffer.allocate(28).putInt(xid).putInt(1).putInt(32).array();
    }

    HandMadeCapture send(Side from, int msn, byte[] payload) throws IOException {
        segment(from, PUSH_ACK, fpdu(msn, payload));
        return this;
    }

    /** Another connection, with the ports of the one before. */
    HandMadeCapture connectAgain() throws IOException {
        nextSequence[0] += 1_000_000;
        nextSequence[1] += 1_000_000;
        connect();
        return this;
    }

    /** A Send with one bit of its CRC wrong. */
    HandMadeCapture sendWithBadCrc(Side from, int msn, byte[] payload) throws IOException {
        byte[] fpdu = fpdu(msn, payload);
        fpdu[fpdu.length - 1] ^= 1;
        segment(from, PUSH_ACK, fpdu);
        return this;
    }

    /** Octets that were sent but not captured. */
    HandMadeCapture lose(Side from, int octets) {
        nextSequence[from.ordinal()] += octets;
        return this;
    }

    /** Octets of a Send in two segments, of which the second was captured first. */
    HandMadeCapture sendInTheWrongOrder(Side from, int msn, byte[] payload) throws IOException {
        byte[] fpdu = fpdu(msn, payload);
        int begin = nextSequence[from.ordinal()];
        int cut = 20;
        nextSequence[from.ordinal()] = begin + cut;
        segment(from, PUSH_ACK, Arrays.copyOfRange(fpdu, cut, fpdu.length));
        nextSequence[from.ordinal()] = begin;
        segment(from, PUSH_ACK, Arrays.copyOf(fpdu, cut));
        nextSequence[from.ordinal()] = begin + fpdu.length;
        return this;
    }

    /** A Send that invalidates a key of the other side. */
    HandMadeCapture sendInvalidating(Side from, int msn, int key, byte[] payload) throws IOException {
        segment(from, PUSH_ACK, untagged(SEND_WITH_INVALIDATE, key, 0, msn, payload));
        return this;
    }

    /** An RDMA Write in one FPDU, of zeros. */
    HandMadeCapture write(Side from, int key, long offset, int length) throws IOException {
        segment(from, PUSH_ACK, tagged(WRITE, key, offset, length));
        return this;
    }

    /** An RDMA Read Request. */
    HandMadeCapture readRequest(Side from, int msn, int sinkKey, long sinkOffset, int length, int key, long offset)
            throws IOException {
        byte[] request = ByteBuffer.allocate(28)
                .putInt(sinkKey)
                .putLong(sinkOffset)
                .putInt(length)
                .putInt(key)
                .putLong(offset)
                .array();
        segment(from, PUSH_ACK, untagged(READ_REQUEST, 0, READ_QUEUE, msn, request));
        return this;
    }

    /** An RDMA Read Response in one FPDU, of zeros. */
    HandMadeCapture readResponse(Side from, int sinkKey, long sinkOffset, int length) throws IOException {
        segment(from, PUSH_ACK, tagged(READ_RESPONSE, sinkKey, sinkOffset, length));
        return this;
    }

    private static byte[] fpdu(int msn, byte[] payload) {
        return untagged(SEND, 0, 0, msn, payload);
    }

    private static byte[] untagged(int operation, int invalidatedKey, int queue, int msn, byte[] payload) {
        // Untagged, last, DDP version 1; message offset 0.
        return fpdu(ByteBuffer.allocate(18 + payload.length)
                .put((byte) 0x41)
                .put((byte) operation)
                .putInt(invalidatedKey)
                .putInt(queue)
                .putInt(msn)
                .putInt(0)
                .put(payload));
    }

    private static byte[] tagged(int operation, int key, long offset, int length) {
        // Tagged, last, DDP version 1.
        return fpdu(ByteBuffer.allocate(14 + length)
                .put((byte) 0xc1)
                .put((byte) operation)
                .putInt(key)
                .putLong(offset));
    }

    private static byte[] fpdu(ByteBuffer ulpdu) {
        int padded = (2 + ulpdu.capacity() + 3) / 4 * 4;
        ByteBuffer fpdu = ByteBuffer.allocate(padded + 4);
        fpdu.putShort((short) ulpdu.capacity()).put(ulpdu.array());
        CRC32C crc = new CRC32C();
        crc.update(fpdu.array(), 0, padded);
        fpdu.order(ByteOrder.LITTLE_ENDIAN).putInt(padded, (int) crc.getValue());
        return fpdu.array();
    }

    private void segment(Side from, int flags, byte[] payload) throws IOException {
        int length = 40 + payload.length;
        file.writeInt(packets++);
        file.writeInt(0);
        file.writeInt(length);
        file.writeInt(length);
        // IPv4 and TCP without checksums, which tshark does not verify unless asked.
        file.writeInt(0x45000000 | length);
        file.writeInt(packets << 16);
        file.writeInt(0x40060000);
        file.writeInt(0x7f000001);
        file.writeInt(0x7f000001);
        boolean initiator = from == Side.INITIATOR;
        file.writeShort(initiator ? 40000 : 20049);
        file.writeShort(initiator ? 20049 : 40000);
        file.writeInt(nextSequence[from.ordinal()]);
        file.writeInt((flags & ACK) == 0 ? 0 : nextSequence[1 - from.ordinal()]);
        file.writeShort(0x5000 | flags);
        file.writeShort(65535);
        file.writeInt(0);
        file.write(payload);
        nextSequence[from.ordinal()] += payload.length + ((flags & SYN) == 0 ? 0 : 1);
    }

    Path write(Path target) throws IOException {
        return Files.write(target, bytes.toByteArray());
    }
}
