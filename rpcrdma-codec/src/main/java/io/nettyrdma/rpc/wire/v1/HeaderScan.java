/*
 * Copyright 2026 The Netty RDMA authors
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
 * with the License. You may obtain a copy of the License at
 *
 *     https://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software distributed under the License is distributed
 * on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for
 * the specific language governing permissions and limitations under the License.
 */
package io.nettyrdma.rpc.wire.v1;

import io.netty.buffer.ByteBuf;
import io.nettyrdma.rpc.message.RpcMessage;
import io.nettyrdma.rpc.message.Xdr;
import io.nettyrdma.rpc.wire.DecodeLimits;
import io.nettyrdma.rpc.wire.Direction;
import io.nettyrdma.rpc.wire.PlainSegment;
import io.nettyrdma.rpc.wire.ReadSegment;
import io.nettyrdma.rpc.wire.Rejection;
import io.nettyrdma.rpc.wire.Rejection.Reaction;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * First pass of the decoder: bounds, counts and placement of an RDMA_MSG or RDMA_NOMSG over raw words. Nothing is
 * allocated, except an index of at most the message's own size if a read list is not in ascending order.
 *
 * <p>Threading: confined to one thread. Ownership: keeps no reference to the message beyond {@link #scan}.
 */
final class HeaderScan {

    /** Read list entry: discriminator, position, handle, length, offset. */
    private static final int READ_ENTRY_BYTES = 4 + ReadSegment.BYTES;

    private static final int READ_LIST = V1.FIXED_BYTES;

    private final DecodeLimits limits;

    // Results.
    private int readSegments;
    private int writeChunks;
    private boolean replyChunk;
    private long replyChunkBytes;
    private int headerBytes;
    private boolean ascending;

    // First defect.
    private String what = "";
    private int octet;
    private long found;
    private long expected;
    private boolean discard;
    /** The setting that was exceeded, if it is a limit. */
    private @Nullable String option;

    HeaderScan(DecodeLimits limits) {
        this.limits = limits;
    }

    int readSegments() {
        return readSegments;
    }

    int writeChunks() {
        return writeChunks;
    }

    boolean hasChunks() {
        return readSegments != 0 || writeChunks != 0 || replyChunk;
    }

    /** The defect that made {@link #scan} return false. */
    Rejection rejection(Direction direction, int xid, int version) {
        // Only calls are answered. V1-106, V1-107, V1-112
        Reaction reaction = direction == Direction.REPLY || discard ? Reaction.DISCARD : Reaction.ERR_CHUNK;
        return new Rejection(reaction, xid, version, what, octet, found, expected, option);
    }

    /** Checks a message of version 1 with at least 28 octets. */
    boolean scan(ByteBuf message, Direction direction) {
        reset();
        int start = message.readerIndex();
        int procedure = message.getInt(start + V1.PROC);
        if (procedure != V1.RDMA_MSG && procedure != V1.RDMA_NOMSG) {
            return defect( // V1-113, V1-124, V1-125, BIS-001
                    procedure == V1.RDMA_MSGP ? "obsolete RDMA_MSGP" : "unknown procedure",
                    V1.PROC,
                    Integer.toUnsignedLong(procedure),
                    V1.RDMA_MSG);
        }
        int length = message.readableBytes();
        if (!scanReadList(message, start, length)
                || !scanWriteList(message, start, length)
                || !scanReplyChunk(message, start, length)) {
            return false;
        }
        int payloadBytes = length - headerBytes;
        boolean inline = procedure == V1.RDMA_MSG;
        if (inline ? !checkPayload(message, start, payloadBytes, direction) : !checkNoPayload(payloadBytes)) {
            return false;
        }
        return direction == Direction.CALL
                ? checkPlacement(message, start, inline, payloadBytes)
                : checkReturnedChunks(inline);
    }

    private void reset() {
        readSegments = 0;
        writeChunks = 0;
        replyChunk = false;
        replyChunkBytes = 0;
        headerBytes = READ_LIST;
        ascending = true;
        discard = false;
        option = null;
    }

    private boolean scanReadList(ByteBuf message, int start, int length) {
        long previous = -1;
        int at = READ_LIST;
        while (true) {
            int present = discriminator(message, start, at, length, "read list");
            if (present < 0) {
                return false;
            } else if (present == 0) {
                break;
            }
            if (length - at < READ_ENTRY_BYTES) {
                return defect("read segment cut short", at, length - at, READ_ENTRY_BYTES);
            }
            long position = message.getUnsignedInt(start + at + 4);
            if ((position & 3) != 0) {
                return defect("position is not a multiple of 4", at + 4, position, position & ~3L); // V1-040
            }
            ascending &= position >= previous;
            previous = position;
            readSegments++;
            at += READ_ENTRY_BYTES;
        }
        headerBytes = at + 4;
        return true;
    }

    private boolean scanWriteList(ByteBuf message, int start, int length) {
        while (true) {
            int present = discriminator(message, start, headerBytes, length, "write list");
            if (present < 0) {
                return false;
            }
            headerBytes += 4;
            if (present == 0) {
                return true;
            }
            if (writeChunks == limits.maxWriteChunks()) { // V1-136
                return exceeds(
                        "maxWriteChunks",
                        "too many write chunks",
                        headerBytes,
                        writeChunks + 1L,
                        limits.maxWriteChunks());
            }
            if (scanWriteChunk(message, start, length) < 0) {
                return false;
            }
            writeChunks++;
        }
    }

    private boolean scanReplyChunk(ByteBuf message, int start, int length) {
        int present = discriminator(message, start, headerBytes, length, "reply chunk");
        if (present < 0) {
            return false;
        }
        headerBytes += 4;
        if (present == 1) {
            replyChunk = true; // V1-082
            replyChunkBytes = scanWriteChunk(message, start, length);
        }
        return replyChunkBytes >= 0;
    }

    /** Passes the count and segments at {@code headerBytes}; returns the sum of their lengths, -1 on a defect. */
    private long scanWriteChunk(ByteBuf message, int start, int length) {
        int at = headerBytes;
        if (length - at < 4) {
            defect("segment count cut short", at, length - at, 4);
            return -1;
        }
        long count = message.getUnsignedInt(start + at); // V1-048
        int fitting = (length - at - 4) / PlainSegment.BYTES;
        if (count > fitting) {
            defect("segment count exceeds the message", at, count, fitting);
            return -1;
        }
        if (count > limits.maxSegmentsPerChunk()) {
            exceeds("maxSegmentsPerChunk", "too many segments in a chunk", at, count, limits.maxSegmentsPerChunk());
            return -1;
        }
        at += 4;
        long bytes = 0;
        for (int i = 0; i < count; i++) {
            bytes += message.getUnsignedInt(start + at + 4);
            at += PlainSegment.BYTES;
        }
        headerBytes = at;
        return bytes;
    }

    /** The word that says whether another entry follows: 0, 1, or -1 on a defect. */
    private int discriminator(ByteBuf message, int start, int at, int length, String list) {
        if (length - at < 4) {
            defect(list + " cut short", at, length - at, 4);
            return -1;
        }
        int word = message.getInt(start + at);
        if (word != 0 && word != 1) {
            defect(list + " discriminator", at, Integer.toUnsignedLong(word), 1); // V1-088
            return -1;
        }
        return word;
    }

    /** The payload stream has to start with the XID and say that it is what the receiver expects. */
    private boolean checkPayload(ByteBuf message, int start, int payloadBytes, Direction direction) {
        if (payloadBytes < 8) {
            return defect("payload stream too short", headerBytes, payloadBytes, 8);
        }
        int headerXid = message.getInt(start + V1.XID);
        int payloadXid = message.getInt(start + headerBytes);
        if (payloadXid != headerXid) {
            return defect( // V1-115
                    "XID of the payload stream differs",
                    headerBytes,
                    Integer.toUnsignedLong(payloadXid),
                    Integer.toUnsignedLong(headerXid));
        }
        int type = message.getInt(start + headerBytes + 4);
        int wanted = direction == Direction.CALL ? RpcMessage.CALL : RpcMessage.REPLY;
        if (type != wanted) {
            // A reply that strayed to a responder is not answered; a reverse call is none of a requester's.
            discard = type == RpcMessage.REPLY;
            return defect("RPC message type", headerBytes + 4, Integer.toUnsignedLong(type), wanted); // BIS-015
        }
        return true;
    }

    private boolean checkNoPayload(int payloadBytes) {
        return payloadBytes == 0 || defect("octets after an RDMA_NOMSG header", headerBytes, payloadBytes, 0); // V1-062
    }

    private boolean checkReturnedChunks(boolean inline) {
        if (readSegments != 0) {
            return defect("read list in a reply", READ_LIST, readSegments, 0); // V1-089
        }
        if (inline) {
            // A9: an offered reply chunk may come back with an inline reply, but nothing can have been written to it.
            return replyChunkBytes == 0
                    || defect("reply chunk used by an inline reply", headerBytes, replyChunkBytes, 0); // V1-100
        }
        return replyChunkBytes != 0 || defect("RDMA_NOMSG reply without a payload stream", headerBytes, 0, 1); // V1-083
    }

    /**
     * Checks where the read chunks of a call belong. In an RDMA_MSG they go into the inline payload stream, in an
     * RDMA_NOMSG into the one in the position-zero chunk; positions count the octets of earlier chunks, padded.
     */
    private boolean checkPlacement(ByteBuf message, int start, boolean inline, int payloadBytes) {
        if (readSegments == 0) {
            return inline || defect("RDMA_NOMSG call without a position-zero chunk", READ_LIST, 0, 1); // V1-083, V1-114
        }
        long @Nullable [] order = ascending ? null : orderByPosition(message, start);
        long streamBytes = inline ? payloadBytes : 0; // octets the chunks are inserted into
        long insertedBytes = 0; // by the chunks so far, with their padding
        long streamEnd = 0; // octet of the rebuilt stream behind the latest chunk
        int chunks = 0;
        int next = 0;
        while (next < readSegments) {
            int first = entry(order, next);
            long position = message.getUnsignedInt(start + first + 4);
            long chunkBytes = 0;
            int segments = 0;
            while (next < readSegments && position == message.getUnsignedInt(start + entry(order, next) + 4)) {
                chunkBytes += message.getUnsignedInt(start + entry(order, next) + 12); // V1-030
                segments++;
                next++; // V1-029, V1-041
            }
            if (++chunks > limits.maxReadChunks()) { // V1-136
                return exceeds("maxReadChunks", "too many read chunks", first, chunks, limits.maxReadChunks());
            }
            if (segments > limits.maxSegmentsPerChunk()) {
                return exceeds(
                        "maxSegmentsPerChunk",
                        "too many segments in a chunk",
                        first,
                        segments,
                        limits.maxSegmentsPerChunk());
            }
            if (chunkBytes > limits.maxReadChunkBytes()) {
                return exceeds( // V1-031
                        "maxReadChunkBytes", "read chunk too long", first, chunkBytes, limits.maxReadChunkBytes());
            }
            if (position == 0) {
                if (inline || chunkBytes == 0) {
                    return defect("position-zero chunk", first + 4, chunkBytes, inline ? 0 : 8); // V1-083
                }
                streamBytes = chunkBytes;
                continue;
            }
            if (position < streamEnd) {
                return defect("read chunk overlaps the one before", first + 4, position, streamEnd); // V1-039
            }
            if (position - insertedBytes > streamBytes) {
                return defect( // V1-038
                        "position beyond the payload stream", first + 4, position, streamBytes + insertedBytes);
            }
            long paddedBytes = Xdr.padded(chunkBytes);
            insertedBytes += paddedBytes;
            streamEnd = position + paddedBytes;
        }
        return true;
    }

    /** Octet of the {@code index}-th entry of the read list, in ascending order of position. */
    private static int entry(long @Nullable [] order, int index) {
        return READ_LIST + READ_ENTRY_BYTES * (order == null ? index : (int) order[index]);
    }

    /** List indices sorted by position; equal positions keep their list order, as their octets are joined in it. */
    private long[] orderByPosition(ByteBuf message, int start) {
        long[] order = new long[readSegments];
        for (int i = 0; i < readSegments; i++) {
            // The positions' sign bit would spoil the order of longs, but positions are multiples of 4.
            order[i] = message.getUnsignedInt(start + entry(null, i) + 4) >>> 2 << 32 | i; // BIS-012
        }
        Arrays.sort(order);
        return order;
    }

    private boolean exceeds(String option, String what, int octet, long found, long limit) {
        this.option = option;
        return defect(what, octet, found, limit);
    }

    private boolean defect(String what, int octet, long found, long expected) {
        this.what = what;
        this.octet = octet;
        this.found = found;
        this.expected = expected;
        return false;
    }
}
