// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.session;

import io.nettyrdma.rpc.binding.ReplyBounds;
import io.nettyrdma.rpc.engine.SegmentLimits;
import io.nettyrdma.rpc.error.CallOutcome;
import io.nettyrdma.rpc.wire.InlineThresholds;
import io.nettyrdma.rpc.wire.ReverseLevel;
import io.nettyrdma.rpc.wire.header.ChunkLists;
import org.jspecify.annotations.Nullable;

/**
 * Limits and abilities of one direction of a connection: of its version, and of what the two sides have agreed on.
 *
 * @param version            of the headers that this side makes
 * @param listsOffset        octet of a header with chunk lists at which these begin
 * @param thresholds         longest Sends
 * @param usualWithoutChunks longest messages, headers included, that are sent without chunks if there could be some
 * @param mostWithoutChunks  longest messages, headers included, that can be sent without chunks
 * @param lastRoomBytes      octets that a message in several Sends needs behind its header in the last one
 * @param segments           what the responder takes of segments
 * @param mayHaveChunks      whether calls may have chunks
 * @param paddedChunks       whether a chunk may also contain the XDR padding of its item
 * @param detailedErrors     whether errors say what would have been accepted, so that a call can be made again
 *                           accordingly, and one of them is for a call that is one too many
 * @param reverseLevel       in the reverse direction, what the peer takes of calls; {@code null} if the version does
 *                           not have it told
 */
public record LinkTerms(
        int version,
        int listsOffset,
        InlineThresholds thresholds,
        InlineThresholds usualWithoutChunks,
        InlineThresholds mostWithoutChunks,
        int lastRoomBytes,
        SegmentLimits segments,
        boolean mayHaveChunks,
        boolean paddedChunks,
        boolean detailedErrors,
        @Nullable ReverseLevel reverseLevel) {

    /** Whether a reply may go in several Sends. */
    public boolean continuesReplies() {
        return mostWithoutChunks.replyBytes() > thresholds.replyBytes();
    }

    /** Returns the octets of a reply without chunks that is not in one Send; 0 if it is. */
    public int continuedBytes(int replyBytes) {
        return replyBytes > thresholds.replyBytes() - headerBytes() ? replyBytes : 0;
    }

    /**
     * Returns the octets that a reply without chunks may have if it is not in one Send; 0 if it is.
     *
     * @param replyBytes its longest length, {@link ReplyBounds#UNKNOWN_BYTES} for 1
     */
    public int mostContinuedBytes(int replyBytes) {
        if (replyBytes == ReplyBounds.UNKNOWN_BYTES) {
            return 1;
        }
        return Math.min(continuedBytes(replyBytes), mostWithoutChunks.replyBytes() - headerBytes());
    }

    /** Returns the octets of a header without chunks. */
    public int headerBytes() {
        return listsOffset + ChunkLists.ABSENT_BYTES;
    }

    /** Returns how a call has ended that was answered by an error, as listeners see it. */
    public CallOutcome errorOutcome() {
        return detailedErrors ? CallOutcome.RDMA2_ERROR : CallOutcome.ERR_CHUNK;
    }
}
