// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.wire.codec;

import io.netty.buffer.ByteBuf;
import io.nettyrdma.rpc.message.XdrLengths;
import io.nettyrdma.rpc.wire.header.ChunkLists;
import io.nettyrdma.rpc.wire.header.DecodeLimits;
import io.nettyrdma.rpc.wire.header.PlainSegment;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * First pass over the chunk lists of a header: bounds, counts, limits and placement over raw words. Nothing is
 * allocated, except an index of at most the message's own size if a read list is not in ascending order.
 *
 * <p>Threading: confined to one thread. Ownership: keeps no reference to the message.
 */
public final class ChunkListScan {

    private final DecodeLimits limits;
    private final Defect defect;

    // Results.
    private int readList;
    private int end;
    private int readSegments;
    private int writeChunks;
    private boolean replyChunk;
    private long replyChunkBytes;
    private boolean ascending;

    /**
     * @param limits what to accept at most
     * @param defect records what is wrong
     */
    public ChunkListScan(DecodeLimits limits, Defect defect) {
        this.limits = limits;
        this.defect = defect;
    }

    /** Octets from the start of the header to the end of the lists. */
    public int end() {
        return end;
    }

    /** Entries of the read list. */
    public int readSegments() {
        return readSegments;
    }

    /** Entries of the write list. */
    public int writeChunks() {
        return writeChunks;
    }

    /** Segments of all chunks together; what is left of the lists' octets without the words around segments. */
    public int segments() {
        int bytes = end - readList - ChunkLists.ABSENT_BYTES - readSegments * ChunkLists.READ_SEGMENT_BYTES;
        int words = 2 * writeChunks + (replyChunk ? 1 : 0);
        return readSegments + (bytes - 4 * words) / PlainSegment.BYTES;
    }

    /** Distinct positions in the read list, that is read chunks. */
    public int readChunks(ByteBuf message) {
        int start = message.readerIndex();
        long @Nullable [] order = ascending ? null : orderByPosition(message, start);
        int chunks = 0;
        long previous = -1;
        for (int i = 0; i < readSegments; i++) {
            long position = message.getUnsignedInt(start + entry(order, i) + 4);
            chunks += position == previous ? 0 : 1;
            previous = position;
        }
        return chunks;
    }

    /** Octets of the segments of the reply chunk together, 0 without one. */
    public long replyChunkBytes() {
        return replyChunkBytes;
    }

    /** The lists that {@link #scan} has passed, as objects. */
    public ChunkLists read(ByteBuf message) {
        return readSegments != 0 || writeChunks != 0 || replyChunk
                ? ChunkListCodec.read(message, message.readerIndex() + readList, readSegments, writeChunks)
                : ChunkLists.ABSENT;
    }

    /**
     * Checks shape and counts.
     *
     * @param first octet of the header at which the lists begin, within the message
     * @return whether they are well-formed
     */
    public boolean scan(ByteBuf message, int first) {
        readList = first;
        end = first;
        readSegments = 0;
        writeChunks = 0;
        replyChunk = false;
        replyChunkBytes = 0;
        ascending = true;
        int start = message.readerIndex();
        int length = message.readableBytes();
        return scanReadList(message, start, length)
                && scanWriteList(message, start, length)
                && scanReplyChunk(message, start, length);
    }

    private boolean scanReadList(ByteBuf message, int start, int length) {
        long previous = -1;
        int at = readList;
        while (true) {
            int present = discriminator(message, start, at, length, "read list");
            if (present < 0) {
                return false;
            } else if (present == 0) {
                break;
            }
            if (length - at < ChunkLists.READ_SEGMENT_BYTES) {
                return defect.is("read segment cut short", at, length - at, ChunkLists.READ_SEGMENT_BYTES);
            }
            long position = message.getUnsignedInt(start + at + 4);
            if ((position & 3) != 0) {
                return defect.is("position is not a multiple of 4", at + 4, position, position & ~3L); // V1-040, V2-041
            }
            ascending &= position >= previous;
            previous = position;
            readSegments++;
            at += ChunkLists.READ_SEGMENT_BYTES;
        }
        end = at + 4;
        return true;
    }

    private boolean scanWriteList(ByteBuf message, int start, int length) {
        while (true) {
            int present = discriminator(message, start, end, length, "write list");
            if (present < 0) {
                return false;
            }
            end += 4;
            if (present == 0) {
                return true;
            }
            if (writeChunks == limits.maxWriteChunks()) { // V1-136
                return defect.exceeds(null, "too many write chunks", end, writeChunks + 1L, limits.maxWriteChunks());
            }
            if (scanWriteChunk(message, start, length) < 0) {
                return false;
            }
            writeChunks++;
        }
    }

    private boolean scanReplyChunk(ByteBuf message, int start, int length) {
        int present = discriminator(message, start, end, length, "reply chunk");
        if (present < 0) {
            return false;
        }
        end += 4;
        if (present == 1) {
            replyChunk = true; // V1-082
            replyChunkBytes = scanWriteChunk(message, start, length);
        }
        return replyChunkBytes >= 0;
    }

    /** Passes the count and segments at {@code end}; returns the sum of their lengths, -1 on a defect. */
    private long scanWriteChunk(ByteBuf message, int start, int length) {
        int at = end;
        if (length - at < 4) {
            defect.is("segment count cut short", at, length - at, 4);
            return -1;
        }
        long count = message.getUnsignedInt(start + at); // V1-048, V2-046
        int fitting = (length - at - 4) / PlainSegment.BYTES;
        if (count > fitting) {
            defect.is("segment count exceeds the message", at, count, fitting);
            return -1;
        }
        if (count > limits.maxSegmentsPerChunk()) {
            defect.exceeds(null, "too many segments in a chunk", at, count, limits.maxSegmentsPerChunk());
            return -1;
        }
        at += 4;
        long bytes = 0;
        for (int i = 0; i < count; i++) {
            bytes += message.getUnsignedInt(start + at + 4);
            at += PlainSegment.BYTES;
        }
        end = at;
        return bytes;
    }

    /** The word that says whether another entry follows: 0, 1, or -1 on a defect. */
    private int discriminator(ByteBuf message, int start, int at, int length, String list) {
        if (length - at < 4) {
            defect.is(list + " cut short", at, length - at, 4);
            return -1;
        }
        int word = message.getInt(start + at);
        if (word != 0 && word != 1) {
            defect.is(list + " discriminator", at, Integer.toUnsignedLong(word), 1); // V1-088
            return -1;
        }
        return word;
    }

    /**
     * Checks where the read chunks of a call belong, and whether they are within the limits. If the payload stream is
     * inline they go into it, otherwise into the one in the position-zero chunk; positions count the octets of earlier
     * chunks, padded.
     *
     * @param payloadBytes octets behind the header
     */
    public boolean checkPlacement(ByteBuf message, boolean inline, int payloadBytes) {
        final int start = message.readerIndex();
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
                return defect.exceeds(null, "too many read chunks", first, chunks, limits.maxReadChunks());
            }
            if (segments > limits.maxSegmentsPerChunk()) {
                return defect.exceeds(
                        null, "too many segments in a chunk", first, segments, limits.maxSegmentsPerChunk());
            }
            if (chunkBytes > limits.maxReadChunkBytes()) {
                return defect.exceeds( // V1-031
                        "maxCallBytes", "read chunk too long", first, chunkBytes, limits.maxReadChunkBytes());
            }
            if (position == 0) {
                if (inline || chunkBytes == 0) {
                    return defect.is("position-zero chunk", first + 4, chunkBytes, inline ? 0 : 8); // V1-083
                }
                streamBytes = chunkBytes;
                continue;
            }
            if (position < streamEnd) {
                return defect.is("read chunk overlaps the one before", first + 4, position, streamEnd); // V1-039
            }
            if (position - insertedBytes > streamBytes) {
                return defect.is( // V1-038
                        "position beyond the payload stream", first + 4, position, streamBytes + insertedBytes);
            }
            long paddedBytes = XdrLengths.padded(chunkBytes);
            insertedBytes += paddedBytes;
            streamEnd = position + paddedBytes;
        }
        return true;
    }

    /** Octet of the {@code index}-th entry of the read list, in ascending order of position. */
    private int entry(long @Nullable [] order, int index) {
        return readList + ChunkLists.READ_SEGMENT_BYTES * (order == null ? index : (int) order[index]);
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
}
