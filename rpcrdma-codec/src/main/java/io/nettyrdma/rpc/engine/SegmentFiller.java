// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.engine;

import io.nettyrdma.rpc.wire.header.PlainSegment;
import io.nettyrdma.rpc.wire.header.WriteChunk;
import java.util.ArrayList;
import java.util.List;

/**
 * Fills the segments of one write chunk or reply chunk, from the first on (RFC 8166, section 3.4.6).
 *
 * <p>Threading: confined to one thread, for one reply.
 */
final class SegmentFiller {

    private final List<PlainSegment> segments;
    private final long[] written;
    private final int maxTransferBytes;
    private int current;

    /**
     * @param maxTransferBytes longest RDMA Write
     */
    SegmentFiller(WriteChunk chunk, int maxTransferBytes) {
        segments = chunk.segments();
        written = new long[segments.size()];
        this.maxTransferBytes = maxTransferBytes;
    }

    /** Adds the RDMA Writes of a range of the reply. The chunk has to have room for it. */
    void fill(int replyOffset, int lengthBytes, List<ReplyPlan.Push> pushes) {
        int from = replyOffset;
        int end = replyOffset + lengthBytes;
        while (from < end) {
            PlainSegment segment = segments.get(current);
            long room = segment.lengthBytes() - written[current];
            if (room == 0) {
                current++; // V1-050, V2-048
                continue;
            }
            int part = (int) Math.min(Math.min(room, end - from), maxTransferBytes);
            pushes.add(new ReplyPlan.Push(from, part, segment.handle(), segment.offset() + written[current]));
            written[current] += part;
            from += part;
        }
    }

    /** The chunk as the reply returns it: the same segments with the lengths that were written. */
    WriteChunk returned() {
        List<PlainSegment> returned = new ArrayList<>(segments.size());
        for (int i = 0; i < written.length; i++) {
            PlainSegment segment = segments.get(i);
            returned.add(new PlainSegment(segment.handle(), written[i], segment.offset())); // V1-051, V1-052
        }
        return new WriteChunk(returned);
    }
}
