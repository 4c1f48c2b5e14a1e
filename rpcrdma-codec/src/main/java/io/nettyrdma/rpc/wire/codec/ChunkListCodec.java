// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.wire.codec;

import io.netty.buffer.ByteBuf;
import io.nettyrdma.rpc.wire.header.ChunkLists;
import io.nettyrdma.rpc.wire.header.PlainSegment;
import io.nettyrdma.rpc.wire.header.ReadSegment;
import io.nettyrdma.rpc.wire.header.WriteChunk;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The octets of the three chunk lists (RFC 8166, section 4.1.2), and back.
 *
 * <p>Threading: stateless. Ownership: buffers stay the caller's.
 */
public final class ChunkListCodec {

    private ChunkListCodec() {}

    /** Appends the lists, {@link ChunkLists#encodedBytes} octets; nothing is allocated. */
    public static void write(ChunkLists chunks, ByteBuf out) {
        if (chunks.areAbsent()) {
            out.writeZero(ChunkLists.ABSENT_BYTES);
            return;
        }
        writeReadList(chunks.readList(), out); // V1-075
        writeWriteList(chunks.writeList(), out);
        WriteChunk replyChunk = chunks.replyChunk();
        out.writeInt(replyChunk == null ? 0 : 1); // V1-074
        if (replyChunk != null) {
            writeChunk(replyChunk, out);
        }
    }

    private static void writeReadList(List<ReadSegment> readList, ByteBuf out) {
        for (int i = 0; i < readList.size(); i++) {
            ReadSegment segment = readList.get(i);
            out.writeInt(1); // V1-072
            out.writeInt((int) segment.position()); // V1-071
            writeSegment(segment.segment(), out);
        }
        out.writeInt(0);
    }

    private static void writeWriteList(List<WriteChunk> writeList, ByteBuf out) {
        for (int i = 0; i < writeList.size(); i++) {
            out.writeInt(1); // V1-073
            writeChunk(writeList.get(i), out);
        }
        out.writeInt(0);
    }

    private static void writeChunk(WriteChunk chunk, ByteBuf out) {
        List<PlainSegment> segments = chunk.segments();
        out.writeInt(segments.size());
        for (int i = 0; i < segments.size(); i++) {
            writeSegment(segments.get(i), out);
        }
    }

    private static void writeSegment(PlainSegment segment, ByteBuf out) {
        out.writeInt(segment.handle()); // V1-070
        out.writeInt((int) segment.lengthBytes());
        out.writeLong(segment.offset()); // V1-004, V2-005
    }

    /**
     * Builds what a scan has found to be well-formed.
     *
     * @param at           index of the first word of the read list
     * @param readSegments entries of the read list
     * @param writeChunks  entries of the write list
     */
    static ChunkLists read(ByteBuf message, int at, int readSegments, int writeChunks) {
        List<ReadSegment> readList = new ArrayList<>(readSegments);
        while (message.getInt(at) != 0) {
            readList.add(new ReadSegment(message.getUnsignedInt(at + 4), segment(message, at + 8)));
            at += ChunkLists.READ_SEGMENT_BYTES;
        }
        at += 4;
        List<WriteChunk> writeList = new ArrayList<>(writeChunks);
        while (message.getInt(at) != 0) {
            WriteChunk chunk = writeChunk(message, at + 4);
            writeList.add(chunk);
            at += 4 + chunk.encodedBytes();
        }
        at += 4;
        @Nullable WriteChunk replyChunk = message.getInt(at) == 0 ? null : writeChunk(message, at + 4);
        return new ChunkLists(readList, writeList, replyChunk);
    }

    private static WriteChunk writeChunk(ByteBuf message, int at) {
        int count = message.getInt(at);
        List<PlainSegment> segments = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            segments.add(segment(message, at + 4 + i * PlainSegment.BYTES));
        }
        return new WriteChunk(segments);
    }

    private static PlainSegment segment(ByteBuf message, int at) {
        return new PlainSegment(message.getInt(at), message.getUnsignedInt(at + 4), message.getLong(at + 8));
    }
}
