// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.kit;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.nettyrdma.rpc.message.RpcHeaders;
import io.nettyrdma.rpc.message.XdrOpaque;
import io.nettyrdma.rpc.wire.header.ChunkLists;
import io.nettyrdma.rpc.wire.header.PlainSegment;
import io.nettyrdma.rpc.wire.header.ReadSegment;
import io.nettyrdma.rpc.wire.header.WriteChunk;
import java.util.Arrays;
import java.util.List;

/** Calls and replies of {@link OpaquesBinding}, and the chunks they travel in. */
public final class OpaqueMessages {

    public static final int XID = 0x1234;

    private OpaqueMessages() {}

    /** A call with these arguments, whole. */
    public static byte[] call(int procedure, byte[]... opaques) {
        return opaques(
                RpcHeaders.call(
                        Unpooled.buffer().alloc(), XID, OpaquesBinding.PROGRAM, OpaquesBinding.VERSION, procedure),
                opaques);
    }

    /** A reply with these results, whole. */
    public static byte[] reply(byte[]... opaques) {
        return opaques(RpcHeaders.accepted(Unpooled.buffer().alloc(), XID, RpcHeaders.SUCCESS), opaques);
    }

    private static byte[] opaques(ByteBuf message, byte[]... opaques) {
        for (byte[] opaque : opaques) {
            XdrOpaque.write(message, Unpooled.wrappedBuffer(opaque));
        }
        byte[] octets = ByteBufUtil.getBytes(message);
        message.release();
        return octets;
    }

    public static byte[] pattern(int bytes, int seed) {
        byte[] octets = new byte[bytes];
        for (int i = 0; i < bytes; i++) {
            octets[i] = (byte) (seed + i * 7 + (i >> 8));
        }
        return octets;
    }

    /** A message without some of its octets. */
    public static byte[] without(byte[] message, int offset, int bytes) {
        byte[] rest = Arrays.copyOf(message, message.length - bytes);
        System.arraycopy(message, offset + bytes, rest, offset, rest.length - offset);
        return rest;
    }

    public static ChunkLists reads(ReadSegment... segments) {
        return new ChunkLists(List.of(segments), List.of(), null);
    }

    public static ChunkLists writes(WriteChunk... chunks) {
        return new ChunkLists(List.of(), List.of(chunks), null);
    }

    public static WriteChunk chunk(PlainSegment... segments) {
        return new WriteChunk(List.of(segments));
    }
}
