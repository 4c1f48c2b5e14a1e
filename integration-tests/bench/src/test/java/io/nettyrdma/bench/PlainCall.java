// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.bench;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.nettyrdma.rpc.message.RpcRdmaCall;
import io.nettyrdma.rpc.message.RpcRdmaReply;
import java.util.List;

/**
 * Procedures of a program without an upper-layer binding, so that nothing of them can be reduced. The size of a
 * scenario is the length of the call, the length of the reply, or the bound on the length of the reply.
 */
enum PlainCall implements Procedure {
    /** A call of the size, a short reply. */
    LONG_CALL,
    /** A short call, a reply of the size. */
    LONG_REPLY,
    /** A short call, and a short reply that could have had the size. */
    LONG_BOUND;

    /** Bytes of the RPC header of a call with AUTH_NONE. */
    static final int HEADER_BYTES = 40;

    private static final int REPLY_HEADER_BYTES = 24;
    private static final int RPC_VERSION = 2;
    private static final int PROGRAM = 0x2000_0001; // of the numbers that users define

    @Override
    public int bufferBytes(int sizeBytes) {
        return sizeBytes;
    }

    @Override
    public RpcRdmaCall request(ByteBufAllocator alloc, int xid, ByteBuf buffer) {
        if (this == LONG_CALL) {
            writeHeader(xid, buffer.setIndex(0, 0));
            return RpcRdmaCall.of(buffer.setIndex(0, buffer.capacity()).retainedSlice());
        }
        return RpcRdmaCall.of(writeHeader(xid, alloc.directBuffer(HEADER_BYTES)))
                .maxReplyBytes(buffer.capacity());
    }

    private ByteBuf writeHeader(int xid, ByteBuf out) {
        out.writeInt(xid).writeInt(0).writeInt(RPC_VERSION);
        return out.writeInt(PROGRAM)
                .writeInt(1)
                .writeInt(ordinal())
                .writeLong(0)
                .writeLong(0);
    }

    @Override
    public RpcRdmaReply reply(ByteBufAllocator alloc, ByteBuf call, ByteBuf data) {
        Procedure.require(call.readableBytes(), this == LONG_CALL ? data.capacity() : HEADER_BYTES);
        int replyBytes = replyBytes(data.capacity());
        ByteBuf reply = alloc.directBuffer(replyBytes);
        reply.writeInt(call.getInt(call.readerIndex())).writeInt(1).writeLong(0).writeLong(0);
        return new RpcRdmaReply(reply.writeBytes(data, 0, replyBytes - REPLY_HEADER_BYTES), List.of());
    }

    @Override
    public void check(ByteBuf reply, int xid, int sizeBytes) {
        Procedure.require(reply.getInt(reply.readerIndex()), xid);
        Procedure.require(reply.readableBytes(), replyBytes(sizeBytes));
    }

    private int replyBytes(int sizeBytes) {
        return this == LONG_REPLY ? sizeBytes : REPLY_HEADER_BYTES;
    }
}
