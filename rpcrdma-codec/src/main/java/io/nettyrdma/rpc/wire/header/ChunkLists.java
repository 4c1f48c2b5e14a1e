// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.wire.header;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The three lists of a header, in wire order: read list {@code {1, read segment}* 0}, write list
 * {@code {1, write chunk}* 0}, reply chunk {@code 0 | 1, write chunk} (RFC 8166, sections 4.1.2 and 4.3). The same in
 * all versions.
 *
 * @param readList   memory to pull, in list order
 * @param writeList  memory for results, one chunk per item
 * @param replyChunk memory for the whole reply, {@code null} if absent
 */
public record ChunkLists(List<ReadSegment> readList, List<WriteChunk> writeList, @Nullable WriteChunk replyChunk) {

    /** Octets of the lists if all three are absent. */
    public static final int ABSENT_BYTES = 3 * 4;

    /** Octets that a read segment adds to them. */
    public static final int READ_SEGMENT_BYTES = 4 + ReadSegment.BYTES;

    /** Octets that a write chunk of one segment adds to them. */
    public static final int WRITE_CHUNK_BYTES = 4 + 4 + PlainSegment.BYTES;

    /** Octets that a reply chunk of one segment adds to them. */
    public static final int REPLY_CHUNK_BYTES = 4 + PlainSegment.BYTES;

    /** All three absent. */
    public static final ChunkLists ABSENT = new ChunkLists(List.of(), List.of(), null);

    /** Copies the lists. */
    public ChunkLists {
        readList = List.copyOf(readList);
        writeList = List.copyOf(writeList);
    }

    /** Whether all three are absent. */
    public boolean areAbsent() {
        return readList.isEmpty() && writeList.isEmpty() && replyChunk == null;
    }

    /**
     * Returns the lists in the reply of a responder that wrote nothing: the same write list and reply chunk with every
     * length 0, and no read list (RFC 8166, sections 4.3.1 to 4.3.3).
     */
    public ChunkLists asUnused() {
        if (writeList.isEmpty() && replyChunk == null) {
            return ABSENT; // V1-089
        }
        List<WriteChunk> returned = new ArrayList<>(writeList.size());
        for (WriteChunk chunk : writeList) {
            returned.add(chunk.asUnused()); // V1-094, V1-097
        }
        return new ChunkLists(List.of(), returned, replyChunk == null ? null : replyChunk.asUnused()); // V1-100
    }

    /** The segments of all chunks, in wire order. */
    public List<PlainSegment> segments() {
        List<PlainSegment> segments = new ArrayList<>();
        for (ReadSegment entry : readList) {
            segments.add(entry.segment());
        }
        for (WriteChunk chunk : writeList) {
            segments.addAll(chunk.segments());
        }
        if (replyChunk != null) {
            segments.addAll(replyChunk.segments());
        }
        return segments;
    }

    /** Octets the three lists take on the wire, at least 12. */
    public int encodedBytes() {
        int bytes = ABSENT_BYTES + READ_SEGMENT_BYTES * readList.size();
        for (int i = 0; i < writeList.size(); i++) {
            bytes += 4 + writeList.get(i).encodedBytes();
        }
        return replyChunk == null ? bytes : bytes + replyChunk.encodedBytes();
    }
}
