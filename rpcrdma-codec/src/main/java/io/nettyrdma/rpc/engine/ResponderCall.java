// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.engine;

import io.nettyrdma.rpc.binding.RpcCallHeader;
import io.nettyrdma.rpc.wire.header.ChunkLists;
import io.nettyrdma.rpc.wire.header.PlainSegment;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A call between its reception and its reply.
 *
 * <p>Threading: confined to the thread of its engine.
 */
public final class ResponderCall {

    /** What only calls with chunks have, or with replies that may be long. */
    private static final class Extras {

        final ChunkLists lists;

        @Nullable
        RpcCallHeader header;

        final int nominated;
        boolean pulling;
        long replyBytes;

        Extras(ChunkLists lists, int nominated) {
            this.lists = lists;
            this.nominated = nominated;
        }
    }

    private final int xid;
    private final OwedAnswer answer;
    private @Nullable Extras extras;
    private @Nullable Object attachment;

    /** @param nominated handle that the requester wants its reply to invalidate, 0 if it has named none */
    ResponderCall(int xid, ChunkLists chunks, int nominated, OwedAnswer answer) {
        this.answer = answer;
        this.xid = xid;
        extras = chunks.areAbsent() ? null : new Extras(chunks, nominated);
    }

    /** Identifies the transaction. */
    public int xid() {
        return xid;
    }

    /** Returns the answer that is owed for it. */
    public OwedAnswer answer() {
        return answer;
    }

    /** The lists of its header. */
    public ChunkLists chunks() {
        return extras == null ? ChunkLists.ABSENT : extras.lists;
    }

    /** The RPC header of a call with chunks, if it could be understood. */
    public @Nullable RpcCallHeader header() {
        return extras == null ? null : extras.header;
    }

    /** Keeps the RPC header of a call with chunks for the reply. */
    public void setHeader(@Nullable RpcCallHeader header) {
        if (extras != null) {
            extras.header = header;
        }
    }

    /** What {@link #attach} was given. */
    public @Nullable Object attachment() {
        return attachment;
    }

    /** Keeps an object that means nothing to the engine. */
    public void attach(@Nullable Object attachment) {
        this.attachment = attachment;
    }

    /** Octets that the call counts for in its reply, in chunks or not. */
    public long replyBytes() {
        return extras == null ? 0 : extras.replyBytes;
    }

    /** Keeps how many octets a call counts for in its reply, which means nothing to the engine. */
    public void setReplyBytes(long bytes) {
        if (extras == null && bytes > 0) {
            extras = new Extras(ChunkLists.ABSENT, 0);
        }
        if (extras != null) {
            extras.replyBytes = bytes;
        }
    }

    /** Whether its read chunks are being pulled, so that it cannot be replied to yet. */
    boolean isPulling() {
        return extras != null && extras.pulling;
    }

    void setPulling(boolean pulling) {
        if (extras != null) {
            extras.pulling = pulling;
        }
    }

    /** What the requester wants its reply to invalidate, 0 for nothing. */
    int nominatedHandle() {
        return extras == null ? 0 : extras.nominated;
    }

    /**
     * The one handle that all segments of the call name, 0 if there is none or more than one. Only one handle fits into
     * a Send with Invalidate; a requester that has to invalidate others anyway gains little by it.
     */
    int onlyHandle() {
        if (extras == null) {
            return 0;
        }
        List<PlainSegment> segments = chunks().segments();
        int only = segments.isEmpty() ? 0 : segments.get(0).handle();
        for (PlainSegment segment : segments) {
            if (segment.handle() != only) {
                return 0;
            }
        }
        return only; // PD-021
    }
}
