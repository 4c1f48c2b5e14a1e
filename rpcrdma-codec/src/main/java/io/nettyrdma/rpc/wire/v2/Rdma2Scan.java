// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.wire.v2;

import io.netty.buffer.ByteBuf;
import io.nettyrdma.rpc.message.RpcHeaders;
import io.nettyrdma.rpc.wire.codec.ChunkListScan;
import io.nettyrdma.rpc.wire.codec.Defect;
import io.nettyrdma.rpc.wire.header.ChunkLists;
import io.nettyrdma.rpc.wire.header.DecodeLimits;

/**
 * First pass of the decoder: the checks of {@link Rdma2Decoder} over raw words, and the answer to the first that fails.
 * Nothing is allocated for messages that pass but by {@link ChunkListScan}.
 *
 * <p>Threading: confined to one thread. Ownership: keeps no reference to the message.
 */
final class Rdma2Scan {

    private final Rdma2Limits limits;
    private final Defect defect = new Defect();
    private final ChunkListScan lists;
    private final PropertyScan properties = new PropertyScan(defect);
    private Rdma2Error answer = Rdma2Error.BAD_XDR;
    private boolean continuesReplies = true;

    Rdma2Scan(Rdma2Limits limits) {
        this.limits = limits;
        // How many there may be is checked here, because only calls are limited and each limit has its own error.
        lists = new ChunkListScan(
                new DecodeLimits(Integer.MAX_VALUE, Integer.MAX_VALUE, Integer.MAX_VALUE, limits.maxReadChunkBytes()),
                defect);
    }

    /** Octets of the header of the message that {@link #checkShape} has passed. */
    int headerBytes() {
        return lists.end();
    }

    ChunkLists chunks(ByteBuf message) {
        return lists.read(message);
    }

    Defect defect() {
        return defect;
    }

    /** The answer to the last defect. */
    Rdma2Error answer() {
        return answer;
    }

    void setContinuesReplies(boolean continues) {
        continuesReplies = continues;
    }

    /** What refuses a call with more write chunks than this side takes. */
    private Rdma2Error writeChunks(int most) {
        return most == 0 && !continuesReplies ? Rdma2Error.replyResource(0) : Rdma2Error.writeChunks(most); // V2-149
    }

    private boolean refuse(Rdma2Error error, String what, int octet, long found, long expected) {
        answer = error;
        return defect.is(what, octet, found, expected);
    }

    private boolean exceeds(Rdma2Error error, String what, int octet, long found) {
        answer = error;
        return defect.exceeds(null, what, octet, found, error.first());
    }

    /** Steps 4 to 6: what type it is, and which flags that may have. */
    boolean checkType(int type, int flags) {
        defect.clear();
        if (type != Rdma2.MSG && type != Rdma2.NOMSG && type != Rdma2.ERROR && type != Rdma2.CONNPROP) {
            return refuse( // V2-094
                    Rdma2Error.INVAL_HTYPE, "unknown header type", Rdma2.HTYPE, Integer.toUnsignedLong(type), 0);
        }
        if ((flags & Rdma2.TPMORE) != 0 && type != Rdma2.CONNPROP) {
            return refuse(Rdma2Error.INVAL_HTYPE, "TPMORE in another type", Rdma2.FLAGS, flags, flags & ~Rdma2.TPMORE);
        }
        if ((flags & Rdma2.MORE) != 0 && (type == Rdma2.NOMSG || type == Rdma2.ERROR)) {
            return refuse( // V2-106, V2-107
                    Rdma2Error.INVAL_CONT, "MORE in a type that cannot go on", Rdma2.FLAGS, flags, flags & ~Rdma2.MORE);
        }
        return true;
    }

    /** Steps 7 and 8 of RDMA2_MSG and RDMA2_NOMSG. */
    boolean checkShape(ByteBuf message, boolean inline, boolean more) {
        answer = Rdma2Error.BAD_XDR; // V2-144
        if (message.readableBytes() < Rdma2.LISTS_OFFSET) {
            return defect.is(
                    "handle to invalidate cut short", Rdma2.INV_HANDLE, message.readableBytes(), Rdma2.LISTS_OFFSET);
        }
        if (!lists.scan(message, Rdma2.LISTS_OFFSET)) {
            return false;
        }
        int payloadBytes = message.readableBytes() - lists.end();
        if (inline && payloadBytes == 0) {
            return defect.is("no payload", lists.end(), 0, 4); // V2-121
        }
        if (!inline && payloadBytes != 0) {
            return defect.is("octets after an RDMA2_NOMSG header", lists.end(), payloadBytes, 0); // V2-122
        }
        if (!inline && lists.end() == Rdma2.MIN_HEADER_BYTES) {
            return defect.is("RDMA2_NOMSG of a transaction without chunks", Rdma2.LISTS_OFFSET, 0, 1); // C4
        }
        return !more
                || lists.end() == Rdma2.MIN_HEADER_BYTES
                || refuse( // V2-109
                        Rdma2Error.INVAL_CONT,
                        "chunks in a fragment that others follow",
                        Rdma2.LISTS_OFFSET,
                        lists.end(),
                        Rdma2.MIN_HEADER_BYTES);
    }

    /** Step 7 of RDMA2_CONNPROP. */
    boolean checkProperties(ByteBuf octets, int first) {
        if (properties.scan(octets, first)) {
            return true;
        }
        answer = properties.error();
        return false;
    }

    /**
     * Step 10: the payload stream has to start with the XID and be what the flags say.
     *
     * @param octets  with the first of the payload stream
     * @param payload octet at which it begins, counted from the reader index
     */
    boolean checkStart(ByteBuf octets, int payload, int xid, boolean response) {
        answer = Rdma2Error.BAD_XDR;
        int at = octets.readerIndex() + payload; // no record mark. V2-177
        int payloadBytes = octets.readableBytes() - payload;
        if (payloadBytes < 8) {
            return defect.is("payload stream too short", payload, payloadBytes, 8);
        }
        if (octets.getInt(at) != xid) {
            return defect.is( // V2-142
                    "XID of the payload stream differs",
                    payload,
                    octets.getUnsignedInt(at),
                    Integer.toUnsignedLong(xid));
        }
        int wanted = response ? RpcHeaders.REPLY : RpcHeaders.CALL;
        return octets.getInt(at + 4) == wanted
                || defect.isOtherType(payload + 4, octets.getUnsignedInt(at + 4), wanted); // V2-099
    }

    /**
     * Steps 11 to 13 of the message that {@link #checkShape} has passed.
     *
     * @param payloadBytes octets of the payload stream that are inline, those of earlier fragments with them
     */
    boolean checkLists(ByteBuf message, boolean inline, boolean response, int payloadBytes) {
        answer = Rdma2Error.BAD_XDR;
        if (response) {
            return checkReturnedChunks(inline);
        }
        return lists.end() == Rdma2.MIN_HEADER_BYTES
                || checkLimits(message) && checkPlacement(message, inline, payloadBytes);
    }

    private boolean checkLimits(ByteBuf message) {
        if (limits.areChunksRefused()) {
            return refuseChunks();
        }
        if (lists.segments() > limits.maxSegmentsPerHeader()) {
            return exceeds( // V2-150
                    Rdma2Error.segments(limits.maxSegmentsPerHeader()),
                    "too many segments",
                    Rdma2.LISTS_OFFSET,
                    lists.segments());
        }
        // There are never more chunks than segments, so the chunks are rarely counted.
        if (lists.readSegments() > limits.maxReadChunks() && lists.readChunks(message) > limits.maxReadChunks()) {
            return exceeds( // V2-146
                    Rdma2Error.readChunks(limits.maxReadChunks()),
                    "too many read chunks",
                    Rdma2.LISTS_OFFSET,
                    lists.readChunks(message));
        }
        return lists.writeChunks() <= limits.maxWriteChunks() // V2-148
                || exceeds(
                        writeChunks(limits.maxWriteChunks()),
                        "too many write chunks",
                        Rdma2.LISTS_OFFSET,
                        lists.writeChunks());
    }

    private boolean refuseChunks() {
        if (lists.readSegments() != 0) {
            return refuse(
                    Rdma2Error.readChunks(0), "read chunks not supported", Rdma2.LISTS_OFFSET, lists.readSegments(), 0);
        }
        return lists.writeChunks() != 0
                ? refuse(writeChunks(0), "write chunks not supported", Rdma2.LISTS_OFFSET, lists.writeChunks(), 0)
                : refuse(Rdma2Error.replyResource(0), "reply chunk not supported", Rdma2.LISTS_OFFSET, 1, 0);
    }

    private boolean checkPlacement(ByteBuf message, boolean inline, int payloadBytes) {
        if (lists.readSegments() == 0) {
            return inline || defect.is("RDMA2_NOMSG call without a position-zero chunk", Rdma2.LISTS_OFFSET, 0, 1);
        }
        if (lists.checkPlacement(message, inline, payloadBytes)) {
            return true;
        }
        if (defect.isOwnLimit()) {
            answer = Rdma2Error.SYSTEM; // no memory for it, which no other code says
        }
        return false;
    }

    private boolean checkReturnedChunks(boolean inline) {
        if (lists.readSegments() != 0) { // V2-057
            return defect.is("read list in a reply", Rdma2.LISTS_OFFSET, lists.readSegments(), 0);
        }
        if (inline) {
            return lists.replyChunkBytes() == 0
                    || defect.is("reply chunk used by an inline reply", lists.end(), lists.replyChunkBytes(), 0);
        }
        return lists.replyChunkBytes() != 0
                || defect.is("RDMA2_NOMSG reply without a payload stream", lists.end(), 0, 1);
    }
}
