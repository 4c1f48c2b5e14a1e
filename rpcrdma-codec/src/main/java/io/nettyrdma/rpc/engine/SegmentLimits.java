// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.engine;

import io.nettyrdma.rpc.message.XdrItem;
import io.nettyrdma.rpc.wire.header.ChunkLists;
import io.nettyrdma.rpc.wire.header.PlainSegment;
import io.nettyrdma.rpc.wire.header.ReadSegment;
import io.nettyrdma.rpc.wire.header.WriteChunk;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a responder takes of segments in the header of a call.
 *
 * @param maxBytes     octets of the longest one, 0 if it takes none
 * @param maxPerHeader how many in one header, 0 if it takes none
 */
public record SegmentLimits(long maxBytes, int maxPerHeader) {

    /** As in version 1, which has no such limits. */
    public static final SegmentLimits NONE = new SegmentLimits(Long.MAX_VALUE, Integer.MAX_VALUE);

    /** Whether there can be chunks. */
    public boolean allowChunks() {
        return maxBytes > 0 && maxPerHeader > 0;
    }

    /** The same memory in segments that are not too long, each handle having as many of them as it takes (C60). */
    public ChunkLists cut(ChunkLists lists) {
        if (maxBytes == Long.MAX_VALUE) {
            return lists;
        }
        List<ReadSegment> readList = new ArrayList<>();
        for (ReadSegment entry : lists.readList()) {
            cut(entry.segment()).forEach(part -> readList.add(new ReadSegment(entry.position(), part)));
        }
        List<WriteChunk> writeList = new ArrayList<>();
        lists.writeList().forEach(chunk -> writeList.add(cut(chunk)));
        @Nullable WriteChunk reply = lists.replyChunk();
        return new ChunkLists(readList, writeList, reply == null ? null : cut(reply));
    }

    private WriteChunk cut(WriteChunk chunk) {
        List<PlainSegment> segments = new ArrayList<>();
        chunk.segments().forEach(segment -> segments.addAll(cut(segment)));
        return new WriteChunk(segments);
    }

    private List<PlainSegment> cut(PlainSegment segment) {
        List<PlainSegment> parts = new ArrayList<>();
        long done = 0;
        do {
            long bytes = Math.min(maxBytes, segment.lengthBytes() - done); // V2-032, V2-088
            parts.add(new PlainSegment(segment.handle(), bytes, segment.offset() + done));
            done += bytes;
        } while (done < segment.lengthBytes());
        return parts;
    }

    /** Segments that the chunks of a plan are cut into. */
    public long count(CallPlan plan, int messageBytes) {
        if (maxBytes == Long.MAX_VALUE) {
            return 0; // which has no limit
        }
        long count = segments(plan.replyChunkBytes()) + segments(plan.form() == CallPlan.Form.LONG ? messageBytes : 0);
        for (XdrItem item : plan.readChunks()) {
            count += segments(item.lengthBytes());
        }
        for (int bytes : plan.writeChunkBytes()) {
            count += segments(bytes);
        }
        return count;
    }

    private long segments(long bytes) {
        return (bytes + maxBytes - 1) / maxBytes;
    }
}
