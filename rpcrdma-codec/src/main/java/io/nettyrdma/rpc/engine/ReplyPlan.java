// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.engine;

import io.nettyrdma.rpc.engine.ResponderEngine.Disposal;
import io.nettyrdma.rpc.message.XdrItem;
import io.nettyrdma.rpc.message.XdrLengths;
import io.nettyrdma.rpc.wire.header.ChunkLists;
import io.nettyrdma.rpc.wire.header.WriteChunk;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How a reply travels: which octets are written into the requester's memory, and what remains for the Send (RFC 8166,
 * sections 3.4.6, 3.5.3, 4.3.2 and 4.3.3).
 *
 * @param isLong   whether the Send is an {@code RDMA_NOMSG}: all octets that remain are in the reply chunk
 * @param pushes   RDMA Writes, in order
 * @param removed  results that are in write chunks: content and padding, ascending
 * @param returned chunk lists of the reply's header
 */
public record ReplyPlan(boolean isLong, List<Push> pushes, List<Range> removed, ChunkLists returned)
        implements Disposal {

    /** The whole reply in one Send, to a call without chunks. */
    static final ReplyPlan INLINE = new ReplyPlan(false, List.of(), List.of(), ChunkLists.ABSENT);

    /**
     * One RDMA Write.
     *
     * @param replyOffset first octet, counted from the XID of the reply
     * @param lengthBytes octets, at least 1
     * @param handle      of the requester's memory
     * @param offset      in it, opaque
     */
    public record Push(int replyOffset, int lengthBytes, int handle, long offset) {}

    /**
     * A run of octets of the reply.
     *
     * @param offset      first octet, counted from the XID
     * @param lengthBytes octets, a multiple of 4
     */
    public record Range(int offset, int lengthBytes) {

        int end() {
            return offset + lengthBytes;
        }
    }

    /** Copies the lists. */
    public ReplyPlan {
        pushes = List.copyOf(pushes);
        removed = List.copyOf(removed);
    }

    /**
     * Plans a reply.
     *
     * @param offered        chunk lists of the call
     * @param replyBytes     octets of the whole reply, a multiple of 4
     * @param results        results that may be in write chunks, ascending; the n-th belongs to the n-th write chunk
     * @param listsOffset    octet of a header at which its chunk lists begin
     * @param thresholdBytes longest Send
     * @throws IllegalArgumentException if the results are not in ascending order within the reply
     */
    static Disposal of(ChunkLists offered, int replyBytes, List<XdrItem> results, int listsOffset, int thresholdBytes) {
        if (offered.areAbsent() && (long) listsOffset + ChunkLists.ABSENT_BYTES + replyBytes <= thresholdBytes) {
            return INLINE; // what most replies are, without an allocation. V1-058, V1-087
        }
        return new Planner(offered, replyBytes, listsOffset, thresholdBytes, ReadPlan.MAX_TRANSFER_BYTES).plan(results);
    }

    static final class Planner {

        private final ChunkLists offered;
        private final int replyBytes;
        private final int listsOffset;
        private final int thresholdBytes;
        private final int maxTransferBytes;
        private final List<Push> pushes = new ArrayList<>();
        private final List<Range> removed = new ArrayList<>();
        private final List<WriteChunk> writeList = new ArrayList<>();
        private int removedBytes;

        Planner(ChunkLists offered, int replyBytes, int listsOffset, int thresholdBytes, int maxTransferBytes) {
            this.offered = offered;
            this.replyBytes = replyBytes;
            this.listsOffset = listsOffset;
            this.thresholdBytes = thresholdBytes;
            this.maxTransferBytes = maxTransferBytes;
        }

        Disposal plan(List<XdrItem> results) {
            requireAscending(results);
            @Nullable Disposal tooSmall = reduce(results); // V1-066, V1-090
            if (tooSmall != null) {
                return tooSmall;
            }
            int remaining = replyBytes - removedBytes;
            WriteChunk replyChunk = offered.replyChunk();
            ChunkLists unused = new ChunkLists(
                    List.of(), writeList, replyChunk == null ? null : replyChunk.asUnused()); // V1-089, V1-100
            long sendBytes = (long) listsOffset + unused.encodedBytes() + remaining;
            if (sendBytes <= thresholdBytes) {
                return new ReplyPlan(false, pushes, removed, unused); // V1-087, V1-099
            }
            if (replyChunk == null) {
                return tooLong(sendBytes, thresholdBytes, "inline threshold", remaining); // V1-117, BIS-013
            }
            return planLong(replyChunk, remaining); // V1-061, V1-067
        }

        private Disposal planLong(WriteChunk replyChunk, int remaining) {
            if (remaining > replyChunk.lengthBytes()) {
                return tooLong(remaining, replyChunk.lengthBytes(), "reply chunk", remaining); // V1-117
            }
            SegmentFiller filler = new SegmentFiller(replyChunk, maxTransferBytes);
            int from = 0;
            for (Range range : removed) {
                filler.fill(from, range.offset() - from, pushes);
                from = range.end();
            }
            filler.fill(from, replyBytes - from, pushes); // V1-068
            ChunkLists returned = new ChunkLists(List.of(), writeList, filler.returned()); // V1-089, V1-100
            int headerBytes = listsOffset + returned.encodedBytes();
            return headerBytes <= thresholdBytes
                    ? new ReplyPlan(true, pushes, removed, returned)
                    : tooLong(headerBytes, thresholdBytes, "inline threshold", remaining); // V1-087
        }

        private static Disposal tooLong(long bytes, long limitBytes, String where, int remaining) {
            return new Disposal.SendErrChunk(bytes, limitBytes, where, new ReplyShortage(0, remaining));
        }

        /** Puts each result into its write chunk; returns the error, if one does not fit. */
        private @Nullable Disposal reduce(List<XdrItem> results) {
            List<WriteChunk> chunks = offered.writeList();
            for (int i = 0; i < chunks.size(); i++) {
                WriteChunk chunk = chunks.get(i);
                XdrItem result = i < results.size() ? results.get(i) : null; // V1-092, V1-093
                if (result == null || chunk.isEmpty() || result.lengthBytes() == 0) {
                    writeList.add(chunk.asUnused()); // V1-094, V1-097
                    continue;
                }
                if (result.lengthBytes() > chunk.lengthBytes()) {
                    ReplyShortage shortage = new ReplyShortage(i + 1, result.lengthBytes());
                    return new Disposal.SendErrChunk(
                            result.lengthBytes(), chunk.lengthBytes(), "write chunk " + i, shortage);
                }
                SegmentFiller filler = new SegmentFiller(chunk, maxTransferBytes);
                filler.fill(result.offset(), result.lengthBytes(), pushes); // V1-056, V1-057, BIS-006
                writeList.add(filler.returned());
                Range range = new Range(result.offset(), XdrLengths.padded(result.lengthBytes())); // V1-037
                removed.add(range);
                removedBytes += range.lengthBytes();
            }
            return null;
        }

        private void requireAscending(List<XdrItem> results) {
            long end = 0;
            for (XdrItem result : results) {
                if (result.offset() < end) {
                    throw new IllegalArgumentException("result at " + result.offset() + " overlaps the one before");
                }
                end = result.offset() + XdrLengths.padded((long) result.lengthBytes());
                if (end > replyBytes) {
                    throw new IllegalArgumentException("result of " + result.lengthBytes() + " bytes at "
                            + result.offset() + " exceeds the reply of " + replyBytes);
                }
            }
        }
    }
}
