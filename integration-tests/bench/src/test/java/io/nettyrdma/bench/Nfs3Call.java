// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.bench;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.nettyrdma.rpc.message.RpcRdmaCall;
import io.nettyrdma.rpc.message.RpcRdmaReply;
import io.nettyrdma.rpc.message.XdrItem;
import java.util.List;

/** Procedures of NFS version 3 (RFC 1813) with calls and replies of their usual lengths, AUTH_NONE. */
enum Nfs3Call implements Procedure {
    NULL(0),
    READ(6),
    WRITE(7);

    private static final int RPC_VERSION = 2;
    private static final int PROGRAM = 100003;
    private static final int VERSION = 3;
    private static final int CALL_HEADER_BYTES = 40;
    private static final int REPLY_HEADER_BYTES = 24;
    private static final int HANDLE_BYTES = 32;
    private static final int ATTRIBUTES_BYTES = 84;
    private static final int WRITE_ARGUMENTS_BYTES = 4 + HANDLE_BYTES + 8 + 4 + 4 + 4;
    private static final int READ_RESULTS_BYTES = 4 + 4 + ATTRIBUTES_BYTES + 4 + 4 + 4;
    private static final int WRITE_RESULTS_BYTES = 4 + 4 + 24 + 4 + ATTRIBUTES_BYTES + 4 + 4 + 8;

    /** Where the data of a WRITE begins. */
    static final int WRITE_DATA_OFFSET = CALL_HEADER_BYTES + WRITE_ARGUMENTS_BYTES;

    private final int procedure;

    Nfs3Call(int procedure) {
        this.procedure = procedure;
    }

    @Override
    public int bufferBytes(int sizeBytes) {
        return this == NULL ? 4 : sizeBytes;
    }

    /**
     * {@inheritDoc}
     *
     * @param buffer what WRITE sends, and where READ wants its data; its capacity is their length
     */
    @Override
    public RpcRdmaCall request(ByteBufAllocator alloc, int xid, ByteBuf buffer) {
        ByteBuf head = head(alloc, xid, buffer.capacity());
        return switch (this) {
            case NULL -> RpcRdmaCall.of(head);
            case READ -> RpcRdmaCall.of(head).replyInto(buffer.setIndex(0, 0));
            case WRITE ->
                RpcRdmaCall.of(alloc.compositeDirectBuffer(2)
                        .addComponent(true, head)
                        .addComponent(
                                true, buffer.setIndex(0, buffer.capacity()).retainedSlice()));
        };
    }

    /** A call without what may be in a read chunk. */
    ByteBuf head(ByteBufAllocator alloc, int xid, int dataBytes) {
        ByteBuf head = alloc.directBuffer(WRITE_DATA_OFFSET);
        head.writeInt(xid).writeInt(0).writeInt(RPC_VERSION);
        head.writeInt(PROGRAM)
                .writeInt(VERSION)
                .writeInt(procedure)
                .writeLong(0)
                .writeLong(0);
        if (this != NULL) {
            head.writeInt(HANDLE_BYTES).writeZero(HANDLE_BYTES).writeLong(0).writeInt(dataBytes);
        }
        if (this == WRITE) {
            head.writeInt(0).writeInt(dataBytes);
        }
        return head;
    }

    @Override
    public RpcRdmaReply reply(ByteBufAllocator alloc, ByteBuf call, ByteBuf data) {
        int xid = call.getInt(call.readerIndex());
        int dataBytes = data.capacity();
        ByteBuf head = alloc.directBuffer(REPLY_HEADER_BYTES + WRITE_RESULTS_BYTES);
        head.writeInt(xid).writeInt(1).writeLong(0).writeLong(0);
        if (this == NULL) {
            return new RpcRdmaReply(head, List.of());
        }
        if (this == WRITE) {
            Procedure.require(call.readableBytes(), WRITE_DATA_OFFSET + dataBytes);
            head.writeZero(WRITE_RESULTS_BYTES);
            return new RpcRdmaReply(head, List.of());
        }
        head.writeInt(0)
                .writeInt(1)
                .writeZero(ATTRIBUTES_BYTES)
                .writeInt(dataBytes)
                .writeInt(1)
                .writeInt(dataBytes);
        ByteBuf whole = alloc.compositeDirectBuffer(2)
                .addComponent(true, head)
                .addComponent(true, data.setIndex(0, dataBytes).retainedSlice());
        return new RpcRdmaReply(whole, List.of(new XdrItem(REPLY_HEADER_BYTES + READ_RESULTS_BYTES, dataBytes)));
    }

    @Override
    public void check(ByteBuf reply, int xid, int dataBytes) {
        Procedure.require(reply.getInt(reply.readerIndex()), xid);
        int results =
                switch (this) {
                    case NULL -> 0;
                    case READ -> READ_RESULTS_BYTES + dataBytes;
                    case WRITE -> WRITE_RESULTS_BYTES;
                };
        Procedure.require(reply.readableBytes(), REPLY_HEADER_BYTES + results);
    }
}
