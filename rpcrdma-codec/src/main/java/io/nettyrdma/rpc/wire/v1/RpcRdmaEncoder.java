// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.wire.v1;

import io.netty.buffer.ByteBuf;
import io.nettyrdma.rpc.wire.codec.ChunkListCodec;
import io.nettyrdma.rpc.wire.codec.ErrVers;
import io.nettyrdma.rpc.wire.header.ChunkLists;
import io.nettyrdma.rpc.wire.header.RpcRdmaMessage;
import io.nettyrdma.rpc.wire.header.RpcRdmaMessage.VersionRange;
import org.jspecify.annotations.Nullable;

/**
 * Writes version 1 headers. There is no way to write the obsolete {@code RDMA_MSGP} and {@code RDMA_DONE} (RFC 8166,
 * section 4.6), nor a credit of zero.
 *
 * <p>Threading: stateless. Ownership: the buffer stays the caller's; nothing is allocated.
 */
public final class RpcRdmaEncoder {

    /** The version of all headers but those of errors. */
    public static final int VERSION = V1.VERSION;

    /** Octet of an {@code RDMA_MSG} or {@code RDMA_NOMSG} header at which its chunk lists begin. */
    public static final int LISTS_OFFSET = V1.FIXED_BYTES;

    private static final long MAX_CREDITS = 0xffff_ffffL;

    private RpcRdmaEncoder() {}

    /** Octets {@link #encode} writes. */
    public static int encodedBytes(RpcRdmaMessage message) {
        if (message instanceof RpcRdmaMessage.Msg msg) {
            return headerBytes(msg.chunks());
        } else if (message instanceof RpcRdmaMessage.NoMsg noMsg) {
            return V1.FIXED_BYTES + noMsg.chunks().encodedBytes();
        }
        RpcRdmaMessage.ErrorMsg error = (RpcRdmaMessage.ErrorMsg) message;
        return error.supported() == null ? V1.ERR_CHUNK_BYTES : ErrVers.BYTES;
    }

    /** Octets of an {@code RDMA_MSG} or {@code RDMA_NOMSG} header with these lists. */
    public static int headerBytes(ChunkLists chunks) {
        return V1.FIXED_BYTES + chunks.encodedBytes();
    }

    /**
     * Appends a header.
     *
     * @throws IllegalArgumentException if the message carries zero credits or, unless it is an error, another version
     */
    public static void encode(RpcRdmaMessage message, ByteBuf out) {
        if (message instanceof RpcRdmaMessage.Msg msg) {
            requireVersion(msg.version());
            encodeMsg(msg.xid(), msg.credits(), msg.chunks(), out);
        } else if (message instanceof RpcRdmaMessage.NoMsg noMsg) {
            requireVersion(noMsg.version());
            encodeWithLists(V1.RDMA_NOMSG, noMsg.xid(), noMsg.credits(), noMsg.chunks(), out); // V1-123
        } else if (message instanceof RpcRdmaMessage.ErrorMsg error) {
            encodeError(error, out);
        }
    }

    /**
     * Appends an {@code RDMA_MSG} header; the payload stream is to follow.
     *
     * @param credits requested or granted, 1 to 2<sup>32</sup>-1
     * @throws IllegalArgumentException if {@code credits} is out of range
     */
    public static void encodeMsg(int xid, long credits, ChunkLists chunks, ByteBuf out) {
        encodeWithLists(V1.RDMA_MSG, xid, credits, chunks, out);
    }

    private static void encodeWithLists(int procedure, int xid, long credits, ChunkLists chunks, ByteBuf out) {
        final int start = out.writerIndex();
        writeFixedPart(procedure, xid, V1.VERSION, credits, out);
        ChunkListCodec.write(chunks, out);
        assert out.writerIndex() - start == headerBytes(chunks) : "computed size differs from encoded size";
    }

    private static void encodeError(RpcRdmaMessage.ErrorMsg error, ByteBuf out) {
        final int start = out.writerIndex();
        writeFixedPart(V1.RDMA_ERROR, error.xid(), error.version(), error.credits(), out); // V1-108
        @Nullable VersionRange supported = error.supported();
        if (supported == null) {
            out.writeInt(V1.ERR_CHUNK);
        } else {
            ErrVers.write(supported, out);
        }
        assert out.writerIndex() - start == encodedBytes(error) : "computed size differs from encoded size";
    }

    private static void writeFixedPart(int procedure, int xid, int version, long credits, ByteBuf out) {
        if (credits < 1 || credits > MAX_CREDITS) {
            throw new IllegalArgumentException("credits: " + credits + " (expected: 1 to 2^32-1)"); // V1-013
        }
        out.writeLong(twoWords(xid, version)); // V1-069, BIS-017
        out.writeLong(twoWords((int) credits, procedure)); // V1-010, V1-011
    }

    private static long twoWords(int first, int second) {
        return (long) first << Integer.SIZE | Integer.toUnsignedLong(second);
    }

    private static void requireVersion(int version) {
        if (version != V1.VERSION) {
            throw new IllegalArgumentException("only version 1 is encoded, not " + Integer.toUnsignedString(version));
        }
    }
}
