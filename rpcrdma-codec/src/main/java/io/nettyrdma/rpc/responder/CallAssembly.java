// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.responder;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.CompositeByteBuf;
import io.nettyrdma.channel.RdmaRead;
import io.nettyrdma.channel.RemoteSegment;
import io.nettyrdma.rpc.engine.ReadPlan;
import io.nettyrdma.rpc.engine.ResponderCall;
import io.nettyrdma.rpc.trace.TransferTrace;
import io.nettyrdma.rpc.wire.header.PlainSegment;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A call while its read chunks are pulled: the inline part of its message and one buffer for each chunk.
 *
 * <p>Threading: confined to the executor of the handler. Ownership: owns inline part and buffers until {@link
 * #assemble} or {@link #release}; RDMA Reads in flight hold references of their own.
 */
public final class CallAssembly {

    private final ResponderCall call;
    private final ReadPlan plan;
    private final ByteBuf inline;
    private final @Nullable ByteBuf[] buffers;
    private final int maxTransferBytes;
    /** Where {@link #nextRead} goes on: octet {@link #read} of a segment, which goes to {@link #target} of a buffer. */
    private int chunk;

    private int segment;
    private int read;
    private int target;
    /** RDMA Reads that were written and are not complete. */
    int readsInFlight;

    boolean failed;

    /** What observes the transfer, if anybody does. */
    @Nullable
    TransferTrace trace;

    /**
     * @param inline           payload stream behind the header; becomes this object's
     * @param maxTransferBytes longest RDMA Read
     */
    CallAssembly(ResponderCall call, ReadPlan plan, ByteBuf inline, int maxTransferBytes) {
        this.call = call;
        this.plan = plan;
        this.inline = inline;
        this.maxTransferBytes = maxTransferBytes;
        buffers = new ByteBuf[plan.chunks().size()];
    }

    ResponderCall call() {
        return call;
    }

    ReadPlan plan() {
        return plan;
    }

    /**
     * Provides the memory for the chunks.
     *
     * @throws OutOfMemoryError if there is none
     */
    public void allocate(ByteBufAllocator alloc) {
        for (int i = 0; i < buffers.length; i++) {
            ReadPlan.Chunk chunk = plan.chunks().get(i);
            if (chunk.lengthBytes() > 0) {
                buffers[i] = alloc.directBuffer(chunk.paddedBytes());
            }
        }
    }

    /** Whether there are Reads that were not yet taken. */
    boolean hasMoreReads() {
        List<ReadPlan.Chunk> chunks = plan.chunks();
        while (chunk < chunks.size() && segment == chunks.get(chunk).segments().size()) {
            chunk++;
            segment = 0;
            target = 0;
        }
        return chunk < chunks.size();
    }

    /** The next RDMA Read; its target is a view of a chunk's buffer with a reference of its own. */
    RdmaRead nextRead() {
        PlainSegment from = plan.chunks().get(chunk).segments().get(segment);
        int bytes = (int) Math.min(from.lengthBytes() - read, maxTransferBytes);
        ByteBuf to = buffer(chunk).retainedSlice(target, bytes).writerIndex(0);
        RemoteSegment source = new RemoteSegment(from.handle(), from.offset() + read, bytes); // V1-103
        target += bytes;
        read += bytes;
        if (read == from.lengthBytes()) {
            segment++;
            read = 0;
        }
        return new RdmaRead(source, to);
    }

    /** Takes no more Reads. */
    void dropReads() {
        chunk = plan.chunks().size();
    }

    /** The whole call, when all Reads are complete. The inline part is not copied. */
    public ByteBuf assemble(ByteBufAllocator alloc) {
        List<ReadPlan.Chunk> chunks = plan.chunks();
        try {
            ByteBuf stream = plan.isLong() ? whole(0, chunks.get(0).lengthBytes()) : inline;
            int first = plan.isLong() ? 1 : 0;
            if (first == chunks.size()) {
                return stream.retain();
            }
            CompositeByteBuf call = alloc.compositeDirectBuffer(2 * chunks.size() + 1);
            for (int i = first; i < chunks.size(); i++) {
                ReadPlan.Chunk chunk = chunks.get(i);
                take(stream, chunk.position() - call.readableBytes(), call); // V1-039, V1-041
                if (chunk.lengthBytes() > 0) {
                    call.addComponent(true, whole(i, chunk.paddedBytes()).retain());
                }
            }
            return take(stream, stream.readableBytes(), call);
        } finally {
            release();
        }
    }

    private static CompositeByteBuf take(ByteBuf stream, int bytes, CompositeByteBuf call) {
        return bytes > 0 ? call.addComponent(true, stream.readRetainedSlice(bytes)) : call;
    }

    /** A buffer that has been read, with zeros behind. */
    private ByteBuf whole(int chunk, int bytes) {
        ReadPlan.Chunk read = plan.chunks().get(chunk);
        ByteBuf buffer = buffer(chunk);
        buffer.setZero(read.lengthBytes(), read.paddedBytes() - read.lengthBytes()); // V1-003, V1-042
        return buffer.setIndex(0, bytes);
    }

    private ByteBuf buffer(int chunk) {
        @Nullable ByteBuf buffer = buffers[chunk];
        if (buffer == null) {
            throw new IllegalStateException("chunk " + chunk + " has no bytes");
        }
        return buffer;
    }

    /** Lets go of everything. */
    void release() {
        inline.release();
        for (int i = 0; i < buffers.length; i++) {
            @Nullable ByteBuf buffer = buffers[i];
            if (buffer != null) {
                buffers[i] = null;
                buffer.release();
            }
        }
    }
}
