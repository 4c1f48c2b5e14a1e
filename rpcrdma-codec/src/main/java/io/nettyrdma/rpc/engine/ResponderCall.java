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
package io.nettyrdma.rpc.engine;

import io.nettyrdma.rpc.binding.RpcCallHeader;
import io.nettyrdma.rpc.wire.ChunkLists;
import io.nettyrdma.rpc.wire.PlainSegment;
import io.nettyrdma.rpc.wire.ReadSegment;
import io.nettyrdma.rpc.wire.WriteChunk;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A call between its reception and its reply.
 *
 * <p>Threading: confined to the thread of its engine.
 */
public final class ResponderCall {

    private final int xid;
    private final ChunkLists chunks;
    private @Nullable RpcCallHeader header;
    private @Nullable Object attachment;
    private boolean delivered;

    ResponderCall(int xid, ChunkLists chunks) {
        this.xid = xid;
        this.chunks = chunks;
    }

    /** Identifies the transaction. */
    public int xid() {
        return xid;
    }

    /** The lists of its header. */
    public ChunkLists chunks() {
        return chunks;
    }

    /** The RPC header, if somebody had to know it. */
    public @Nullable RpcCallHeader header() {
        return header;
    }

    /** Keeps the RPC header for the reply. */
    public void setHeader(@Nullable RpcCallHeader header) {
        this.header = header;
    }

    /** What {@link #attach} was given. */
    public @Nullable Object attachment() {
        return attachment;
    }

    /** Keeps an object that means nothing to the engine. */
    public void attach(@Nullable Object attachment) {
        this.attachment = attachment;
    }

    /** Whether it was handed up, so that it can be replied to. */
    boolean isDelivered() {
        return delivered;
    }

    void deliver() {
        delivered = true;
    }

    /**
     * The one handle that all segments of the call name, 0 if there is none or more than one. Only one handle fits into a
     * Send with Invalidate; a requester that has to invalidate others anyway gains little by it.
     */
    int onlyHandle() {
        List<PlainSegment> segments = new ArrayList<>();
        for (ReadSegment entry : chunks.readList()) {
            segments.add(entry.segment());
        }
        for (WriteChunk chunk : chunks.writeList()) {
            segments.addAll(chunk.segments());
        }
        WriteChunk replyChunk = chunks.replyChunk();
        if (replyChunk != null) {
            segments.addAll(replyChunk.segments());
        }
        int only = segments.isEmpty() ? 0 : segments.get(0).handle();
        for (PlainSegment segment : segments) {
            if (segment.handle() != only) {
                return 0;
            }
        }
        return only; // PD-021
    }
}
