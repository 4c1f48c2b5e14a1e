// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.nfs.protocol;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.CorruptedFrameException;
import io.nettyrdma.rpc.message.XdrOpaque;
import java.nio.charset.StandardCharsets;

/**
 * The XDR types (RFC 4506) that neither {@code ByteBuf} nor {@link XdrOpaque} has.
 *
 * <p>Readers throw {@link CorruptedFrameException} or {@link IndexOutOfBoundsException} where the peer's data make no
 * sense; no length of the peer's is believed before it is checked against what is there.
 */
public final class Xdr {

    private Xdr() {}

    /** Octets that follow {@code lengthBytes} octets of opaque data up to the next multiple of four. */
    public static int pad(int lengthBytes) {
        return -lengthBytes & 3;
    }

    /** Writes variable-length opaque data. */
    public static void writeOpaque(ByteBuf out, byte[] octets) {
        XdrOpaque.write(out, Unpooled.wrappedBuffer(octets));
    }

    /** Writes a string in UTF-8. */
    public static void writeString(ByteBuf out, String text) {
        writeOpaque(out, text.getBytes(StandardCharsets.UTF_8));
    }

    /** Writes a boolean. */
    public static void writeBoolean(ByteBuf out, boolean value) {
        out.writeInt(value ? 1 : 0);
    }

    /** Reads a boolean. */
    public static boolean readBoolean(ByteBuf in) {
        int value = in.readInt();
        if (value != 0 && value != 1) {
            throw new CorruptedFrameException("boolean is " + value);
        }
        return value == 1;
    }

    /** Reads a string in UTF-8. */
    public static String readString(ByteBuf in, int maxBytes) {
        return XdrOpaque.read(in, maxBytes).toString(StandardCharsets.UTF_8);
    }
}
