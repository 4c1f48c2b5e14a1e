// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.requester;

import io.nettyrdma.rpc.wire.Rdma2ErrorCode;
import java.util.EnumSet;
import java.util.Set;

/**
 * Decides what an error of version 2 means for the call it answers: repeat it, with less or with more, or end it (draft
 * -01, section 7). A call is repeated with the same XID, within the same deadline, and at most once for each kind of
 * error (C59). One is made for a call when its first error has come.
 *
 * <p>Threading: confined to one thread.
 */
final class CallRecovery {

    enum Decision {
        /** It is sent again within {@link #limits}. */
        REPEAT,
        /** It ends with the error. */
        FAIL,
        /** It ends for want of memory for its reply, and may have been executed. */
        FAIL_RESOURCE,
        /** It ends as the version is refused, and the connection is closed. */
        FAIL_VERSION
    }

    /**
     * The limits of a call, as far as answers to it have told.
     *
     * @param readChunks      read chunks at most
     * @param writeChunks     write chunks at most
     * @param segments        segments at most
     * @param writeChunk      which write chunk must be longer, from 1 on; 0 for any of them
     * @param writeChunkBytes its least length in octets; 0 if nothing is known
     * @param replyBytes      how long the reply is, in octets; 0 if nothing is known
     */
    record Limits(int readChunks, int writeChunks, int segments, int writeChunk, int writeChunkBytes, int replyBytes) {

        /** Those of a call without an answer. */
        static Limits first(int readChunks, int writeChunks, int segments) {
            return new Limits(readChunks, writeChunks, segments, 0, 0, 0);
        }
    }

    private final Set<Rdma2ErrorCode> tried = EnumSet.noneOf(Rdma2ErrorCode.class);
    private final int maxChunkBytes;
    private Limits limits;

    /**
     * A recovery of one call.
     *
     * @param limits        it was sent within
     * @param maxChunkBytes octets of all chunks of a call at most
     */
    CallRecovery(Limits limits, int maxChunkBytes) {
        this.limits = limits;
        this.maxChunkBytes = maxChunkBytes;
    }

    /** Returns the limits of the call when it is sent again. */
    Limits limits() {
        return limits;
    }

    /**
     * Decides about an error without a number, or with one.
     *
     * @param number     that came with it, 0 to 2<sup>32</sup>-1; 0 if there is none
     * @param writeChunk the one that {@code WRITE_RESOURCE} is about, from 1 on; 0 if the peer does not know, otherwise
     *                   of no meaning
     * @param used       what the call had of that which the error is about: chunks, segments, or octets of a chunk
     * @param repeatable whether the call may be executed twice
     */
    Decision decide(Rdma2ErrorCode error, long number, long writeChunk, long used, boolean repeatable) {
        return switch (error) {
            case VERS -> Decision.FAIL_VERSION; // V2-139
            case BAD_XDR, BAD_PROPVAL, INVAL_HTYPE, INVAL_CONT -> Decision.FAIL; // V2-139
            case SYSTEM -> Decision.FAIL; // V2-158
            case READ_CHUNKS, WRITE_CHUNKS, SEGMENTS ->
                number < used && tried.add(error) ? repeatWithLess(error, (int) number) : Decision.FAIL; // V2-147
            case WRITE_RESOURCE, REPLY_RESOURCE -> {
                // Numbers that no longer reply explains, or that memory is not given for, are the peer's last word.
                boolean helps = repeatable && number > used && number <= maxChunkBytes && number != 0;
                yield helps && tried.add(error)
                        ? repeatWithMore(error, (int) number, (int) Math.min(writeChunk, Integer.MAX_VALUE))
                        : Decision.FAIL_RESOURCE; // V2-133, V2-147
            }
        };
    }

    /** Calls that were refused like this were not executed, so any of them may be repeated. */
    private Decision repeatWithLess(Rdma2ErrorCode error, int number) {
        limits = new Limits(
                error == Rdma2ErrorCode.READ_CHUNKS ? number : limits.readChunks,
                error == Rdma2ErrorCode.WRITE_CHUNKS ? number : limits.writeChunks,
                error == Rdma2ErrorCode.SEGMENTS ? number : limits.segments,
                limits.writeChunk,
                limits.writeChunkBytes,
                limits.replyBytes);
        return Decision.REPEAT;
    }

    private Decision repeatWithMore(Rdma2ErrorCode error, int number, int writeChunk) {
        boolean isReply = error == Rdma2ErrorCode.REPLY_RESOURCE;
        limits = new Limits(
                limits.readChunks,
                limits.writeChunks,
                limits.segments,
                isReply ? limits.writeChunk : writeChunk,
                isReply ? limits.writeChunkBytes : number,
                isReply ? number : limits.replyBytes);
        return Decision.REPEAT;
    }
}
