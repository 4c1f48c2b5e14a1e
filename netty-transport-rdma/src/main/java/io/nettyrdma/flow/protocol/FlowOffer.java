// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.flow.protocol;

import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;

/**
 * What one side takes, as it stands at the begin of its private data. All fields are big-endian:
 *
 * <pre>
 * octet  0   magic, 0x4e524643 ("NRFC")
 *        4   version, 1
 *        5   0
 *        6   window: messages with data that the other side may send before the limit is raised, 1 to 65,535
 *        8   receive size: octets of the longest message on the wire, with its trailer, 64 to 2^31-1
 *       12   octets of the longest message of one or more pieces, without trailers, 1 to 2^31-1
 * </pre>
 *
 * @param window          messages
 * @param receiveBytes    bytes of the longest message on the wire
 * @param maxMessageBytes bytes of the longest message of one or more pieces
 */
public record FlowOffer(int window, int receiveBytes, int maxMessageBytes) {

    /** Octets of an offer. */
    public static final int BYTES = 16;

    /** Octets that the longest message on the wire has at least; with fewer, trailers would cost more than data. */
    public static final int MIN_RECEIVE_BYTES = 64;

    private static final int MAGIC = 0x4e52_4643;
    private static final int VERSION = 1;
    private static final int MAX_WINDOW = 0xffff;

    /** Checks the ranges. */
    public FlowOffer {
        require("window", window, 1, MAX_WINDOW);
        require("receiveBytes", receiveBytes, MIN_RECEIVE_BYTES, Integer.MAX_VALUE);
        require("maxMessageBytes", maxMessageBytes, 1, Integer.MAX_VALUE);
    }

    private static void require(String name, int value, int min, int max) {
        if (value < min || value > max) {
            throw new IllegalArgumentException(name + ": " + value + " (expected: " + min + " to " + max + ")");
        }
    }

    /** Appends the octets of this offer. */
    public void encode(ByteBuf out) {
        out.writeInt(MAGIC)
                .writeByte(VERSION)
                .writeByte(0)
                .writeShort(window)
                .writeInt(receiveBytes)
                .writeInt(maxMessageBytes);
    }

    /**
     * Reads an offer, and nothing behind it.
     *
     * @return {@code null}, with nothing read, if these octets do not begin with an offer
     * @throws FlowProtocolException if they begin with one that this version does not understand
     */
    public static @Nullable FlowOffer decode(ByteBuf in) throws FlowProtocolException {
        if (in.readableBytes() < Integer.BYTES || in.getInt(in.readerIndex()) != MAGIC) {
            return null;
        }
        if (in.readableBytes() < BYTES) {
            throw new FlowProtocolException(
                    "offer of flow control: " + in.readableBytes() + " octets (expected: " + BYTES + ")");
        }
        in.skipBytes(Integer.BYTES);
        int version = in.readUnsignedByte();
        if (version != VERSION) {
            throw new FlowProtocolException("version of flow control: " + version + " (expected: " + VERSION + ")");
        }
        in.skipBytes(1);
        try {
            return new FlowOffer(in.readUnsignedShort(), in.readInt(), in.readInt());
        } catch (IllegalArgumentException e) {
            throw new FlowProtocolException("offer of flow control: " + e.getMessage());
        }
    }

    /** Returns how many bytes of data the longest piece has. */
    public int pieceBytes() {
        return receiveBytes - FlowTrailer.BYTES;
    }
}
