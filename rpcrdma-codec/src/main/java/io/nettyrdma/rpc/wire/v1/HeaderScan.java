// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.wire.v1;

import io.netty.buffer.ByteBuf;
import io.nettyrdma.rpc.message.RpcHeaders;
import io.nettyrdma.rpc.wire.Direction;
import io.nettyrdma.rpc.wire.codec.ChunkListScan;
import io.nettyrdma.rpc.wire.codec.Defect;
import io.nettyrdma.rpc.wire.header.ChunkLists;
import io.nettyrdma.rpc.wire.header.DecodeLimits;
import io.nettyrdma.rpc.wire.header.Rejection;
import io.nettyrdma.rpc.wire.header.Rejection.Reaction;

/**
 * First pass of the decoder: what is special to an RDMA_MSG or RDMA_NOMSG of version 1 around its chunk lists, over raw
 * words. Nothing is allocated but by {@link ChunkListScan}.
 *
 * <p>Threading: confined to one thread. Ownership: keeps no reference to the message.
 */
final class HeaderScan {

    private static final int READ_LIST = V1.FIXED_BYTES;

    private final Defect defect = new Defect();
    private final ChunkListScan lists;
    private boolean discard;

    HeaderScan(DecodeLimits limits) {
        lists = new ChunkListScan(limits, defect);
    }

    /** The chunk lists of a message that {@link #scan} has passed. */
    ChunkLists chunks(ByteBuf message) {
        return lists.read(message);
    }

    /** The defect that made {@link #scan} return false. */
    Rejection rejection(Direction direction, int xid, int version) {
        // Only calls are answered. V1-106, V1-107, V1-112
        Reaction reaction = direction == Direction.REPLY || discard ? Reaction.DISCARD : Reaction.ERR_CHUNK;
        return defect.rejection(reaction, xid, version);
    }

    /** Checks a message of version 1 with at least 28 octets. */
    boolean scan(ByteBuf message, Direction direction) {
        discard = false;
        defect.clear();
        int start = message.readerIndex();
        int procedure = message.getInt(start + V1.PROC);
        if (procedure != V1.RDMA_MSG && procedure != V1.RDMA_NOMSG) {
            return defect.is( // V1-113, V1-124, V1-125, BIS-001
                    procedure == V1.RDMA_MSGP ? "obsolete RDMA_MSGP" : "unknown procedure",
                    V1.PROC,
                    Integer.toUnsignedLong(procedure),
                    V1.RDMA_MSG);
        }
        if (!lists.scan(message, READ_LIST)) {
            return false;
        }
        int payloadBytes = message.readableBytes() - lists.end();
        boolean inline = procedure == V1.RDMA_MSG;
        if (inline ? !checkPayload(message, start, payloadBytes, direction) : !checkNoPayload(payloadBytes)) {
            return false;
        }
        if (direction == Direction.REPLY) {
            return checkReturnedChunks(inline);
        }
        return lists.readSegments() == 0
                ? inline
                        || defect.is("RDMA_NOMSG call without a position-zero chunk", READ_LIST, 0, 1) // V1-083, V1-114
                : lists.checkPlacement(message, inline, payloadBytes);
    }

    /** The payload stream has to start with the XID and say that it is what the receiver expects. */
    private boolean checkPayload(ByteBuf message, int start, int payloadBytes, Direction direction) {
        if (payloadBytes < 8) {
            return defect.is("payload stream too short", lists.end(), payloadBytes, 8);
        }
        int headerXid = message.getInt(start + V1.XID);
        int payloadXid = message.getInt(start + lists.end());
        if (payloadXid != headerXid) {
            return defect.is( // V1-115
                    "XID of the payload stream differs",
                    lists.end(),
                    Integer.toUnsignedLong(payloadXid),
                    Integer.toUnsignedLong(headerXid));
        }
        int type = message.getInt(start + lists.end() + 4);
        int wanted = direction == Direction.CALL ? RpcHeaders.CALL : RpcHeaders.REPLY;
        if (type != wanted) {
            // A reply that strayed to a responder is not answered; a reverse call is none of a requester's.
            discard = type == RpcHeaders.REPLY;
            return defect.isOtherType(lists.end() + 4, Integer.toUnsignedLong(type), wanted); // BIS-015
        }
        return true;
    }

    private boolean checkNoPayload(int payloadBytes) {
        return payloadBytes == 0
                || defect.is("octets after an RDMA_NOMSG header", lists.end(), payloadBytes, 0); // V1-062
    }

    private boolean checkReturnedChunks(boolean inline) {
        if (lists.readSegments() != 0) {
            return defect.is("read list in a reply", READ_LIST, lists.readSegments(), 0); // V1-089
        }
        if (inline) {
            // A9: an offered reply chunk may come back with an inline reply, but nothing can have been written to it.
            return lists.replyChunkBytes() == 0
                    || defect.is(
                            "reply chunk used by an inline reply", lists.end(), lists.replyChunkBytes(), 0); // V1-100
        }
        return lists.replyChunkBytes() != 0
                || defect.is("RDMA_NOMSG reply without a payload stream", lists.end(), 0, 1); // V1-083
    }
}
