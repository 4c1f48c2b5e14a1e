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
    /** Where {@link #nextRead} goes on. */
    private int chunk;

    private int pull;
    /** RDMA Reads that were written and are not complete. */
    int readsInFlight;

    boolean failed;

    /** What observes the transfer, if anybody does. */
    @Nullable
    TransferTrace trace;

    /**
     * @param inline payload stream behind the header; becomes this object's
     */
    public CallAssembly(ResponderCall call, ReadPlan plan, ByteBuf inline) {
        this.call = call;
        this.plan = plan;
        this.inline = inline;
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
        while (chunk < chunks.size() && pull == chunks.get(chunk).pulls().size()) {
            chunk++;
            pull = 0;
        }
        return chunk < chunks.size();
    }

    /** The next RDMA Read; its target is a view of a chunk's buffer with a reference of its own. */
    RdmaRead nextRead() {
        ReadPlan.Pull next = plan.chunks().get(chunk).pulls().get(pull++);
        ByteBuf target =
                buffer(chunk).retainedSlice(next.target(), next.lengthBytes()).writerIndex(0);
        return new RdmaRead(new RemoteSegment(next.handle(), next.offset(), next.lengthBytes()), target);
    }

    /** Takes no more Reads. */
    void dropReads() {
        chunk = plan.chunks().size();
    }

    /** The whole call, when all Reads are complete. The inline part is not copied. */
    public ByteBuf assemble(ByteBufAllocator alloc) {
        for (int i = 0; i < buffers.length; i++) {
            @Nullable ByteBuf buffer = buffers[i];
            if (buffer != null) {
                ReadPlan.Chunk chunk = plan.chunks().get(i);
                buffer.setZero(chunk.lengthBytes(), chunk.paddedBytes() - chunk.lengthBytes()); // V1-003, V1-042
                buffer.setIndex(0, chunk.paddedBytes());
            }
        }
        try {
            List<ReadPlan.Piece> pieces = plan.pieces();
            if (pieces.size() == 1) {
                return piece(pieces.get(0)); // a long call, or chunks without octets
            }
            CompositeByteBuf whole = alloc.compositeDirectBuffer(pieces.size());
            for (ReadPlan.Piece piece : pieces) {
                whole.addComponent(true, piece(piece)); // V1-041
            }
            return whole;
        } finally {
            release();
        }
    }

    private ByteBuf piece(ReadPlan.Piece piece) {
        if (piece.chunk() == ReadPlan.Piece.INLINE) {
            return inline.retainedSlice(inline.readerIndex() + piece.offset(), piece.lengthBytes());
        }
        ByteBuf buffer = buffer(piece.chunk());
        return piece.lengthBytes() == buffer.capacity()
                ? buffer.retain()
                : buffer.retainedSlice(piece.offset(), piece.lengthBytes());
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
