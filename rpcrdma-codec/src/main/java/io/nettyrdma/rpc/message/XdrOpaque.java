// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.message;

import io.netty.buffer.ByteBuf;
import io.netty.handler.codec.CorruptedFrameException;

/**
 * Variable-length opaque data and strings of XDR (RFC 4506, sections 4.10 and 4.11): a length, the bytes, and zeros up
 * to a whole word. For other types, {@code ByteBuf} has {@code writeInt}, {@code writeLong} and their counterparts.
 *
 * <p>Threading: stateless. Ownership: neither method changes a reference count.
 */
public final class XdrOpaque {

    private XdrOpaque() {}

    /** Writes a copy of the readable bytes of {@code data}, and does not change its indices. */
    public static void write(ByteBuf out, ByteBuf data) {
        int bytes = data.readableBytes();
        out.writeInt(bytes).writeBytes(data, data.readerIndex(), bytes).writeZero(XdrLengths.padded(bytes) - bytes);
    }

    /**
     * Returns the data as a slice, and moves the reader index behind the padding.
     *
     * @param maxBytes bytes of the longest data to accept, without padding, at least 0
     * @throws CorruptedFrameException   if the length exceeds this, or what is readable
     * @throws IndexOutOfBoundsException if the length or the padding is cut short
     */
    public static ByteBuf read(ByteBuf in, int maxBytes) {
        long bytes = in.readUnsignedInt();
        int limit = Math.min(maxBytes, in.readableBytes());
        if (bytes > limit) {
            throw new CorruptedFrameException("opaque of " + bytes + " bytes (expected: at most " + limit + ')');
        }
        ByteBuf data = in.readSlice((int) bytes);
        in.skipBytes(-(int) bytes & 3);
        return data;
    }
}
