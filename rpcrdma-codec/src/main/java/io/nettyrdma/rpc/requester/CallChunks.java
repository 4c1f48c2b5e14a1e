// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.requester;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.nettyrdma.channel.RdmaAccess;
import io.nettyrdma.rpc.engine.CallPlan;
import io.nettyrdma.rpc.engine.SegmentLimits;
import io.nettyrdma.rpc.message.XdrItem;
import io.nettyrdma.rpc.wire.header.ChunkLists;
import io.nettyrdma.rpc.wire.header.ReadSegment;
import io.nettyrdma.rpc.wire.header.WriteChunk;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The memory one call exposes to its responder: each chunk registered by itself, for the time of the call, for reading
 * or for writing only (RFC 8166, section 8.1.3). Either all of a plan's chunks are there, or none.
 *
 * <p>Threading: the event loop's. Ownership: holds the message as long as chunks refer to it, and the buffers that
 * results go to; both until {@link #release}, which is to follow {@link #fence}.
 */
final class CallChunks {

    /** Of all calls without chunks, on all event loops: nothing of it ever changes. */
    private static final CallChunks NONE = new CallChunks(List.of(), List.of(), List.of());

    /** Memory of a result, and what the responder may write of it. */
    private record Target(ByteBuf memory, CallMemory.Region region) {

        /** The first bytes, with a reference of their own. */
        ByteBuf first(int lengthBytes) {
            return memory.retainedSlice(0, lengthBytes);
        }
    }

    private final List<CallMemory.Region> regions;
    private final List<ByteBuf> sources;
    private final List<Target> results;
    private @Nullable Target reply;
    private ChunkLists lists = ChunkLists.ABSENT;
    /** Which of the regions the responder has invalidated. */
    private CallMemory.@Nullable Region invalidated;

    private CallChunks(List<CallMemory.Region> regions, List<ByteBuf> sources, List<Target> results) {
        this.regions = regions;
        this.sources = sources;
        this.results = results;
    }

    static CallChunks none() {
        return NONE;
    }

    /**
     * Registers what the plan asks for.
     *
     * @param target for the first write chunk, if the application has named one
     * @param limits of the responder, by which segments are cut
     * @throws IOException if a registration was refused; nothing stays registered then
     */
    static CallChunks register(
            CallMemory memory,
            ByteBufAllocator alloc,
            CallPlan plan,
            ByteBuf message,
            @Nullable ResultTarget target,
            SegmentLimits limits)
            throws IOException {
        CallChunks chunks = new CallChunks(new ArrayList<>(), new ArrayList<>(), new ArrayList<>());
        try {
            chunks.lists = limits.cut(chunks.add(memory, alloc, plan, message, target));
            return chunks;
        } catch (IOException | RuntimeException | OutOfMemoryError e) {
            try {
                chunks.fence();
            } catch (IOException suppressed) {
                e.addSuppressed(suppressed);
            }
            chunks.release();
            throw e;
        }
    }

    private ChunkLists add(
            CallMemory memory, ByteBufAllocator alloc, CallPlan plan, ByteBuf message, @Nullable ResultTarget target)
            throws IOException {
        List<ReadSegment> readList = new ArrayList<>();
        if (plan.form() == CallPlan.Form.LONG) {
            readList.add(readChunk(memory, alloc, 0, message, message.readableBytes())); // V1-063, V1-068
        }
        for (XdrItem item : plan.readChunks()) {
            // V1-038, V1-044, V1-046, BIS-008
            readList.add(readChunk(memory, alloc, item.offset(), message, item.lengthBytes()));
        }
        List<WriteChunk> writeList = new ArrayList<>();
        for (int i = 0; i < plan.writeChunkBytes().size(); i++) {
            int bytes = plan.writeChunkBytes().get(i);
            ByteBuf result = i == 0 && target != null
                    ? target.memory(bytes)
                    : alloc.directBuffer(bytes).writerIndex(bytes);
            Target exposed = expose(memory, result);
            results.add(exposed);
            writeList.add(new WriteChunk(List.of(exposed.region().segment())));
        }
        @Nullable WriteChunk replyChunk = null;
        if (plan.replyChunkBytes() > 0) {
            Target exposed =
                    expose(memory, alloc.directBuffer(plan.replyChunkBytes()).writerIndex(plan.replyChunkBytes()));
            reply = exposed;
            replyChunk = new WriteChunk(List.of(exposed.region().segment()));
        }
        return new ChunkLists(readList, writeList, replyChunk);
    }

    /** Takes over the reference of {@code result}, also by a failure. */
    private Target expose(CallMemory memory, ByteBuf result) throws IOException {
        try {
            CallMemory.Region region =
                    memory.expose(result.retainedSlice(), RdmaAccess.REMOTE_WRITE); // V1-142, V1-143, V2-183
            regions.add(region);
            return new Target(result, region);
        } catch (Throwable e) {
            result.release();
            throw e;
        }
    }

    private ReadSegment readChunk(
            CallMemory memory, ByteBufAllocator alloc, int position, ByteBuf message, int lengthBytes)
            throws IOException {
        ByteBuf source = direct(alloc, message, message.readerIndex() + position, lengthBytes);
        CallMemory.Region region = memory.expose(source, RdmaAccess.REMOTE_READ); // V1-142, V1-143, V2-183
        regions.add(region);
        return new ReadSegment(position, region.segment());
    }

    /** These octets where they are, if they are in one direct buffer, otherwise a copy of them. */
    private ByteBuf direct(ByteBufAllocator alloc, ByteBuf message, int index, int lengthBytes) {
        if (message.isDirect() && message.nioBufferCount() == 1 && !message.isReadOnly()) {
            return message.retainedSlice(index, lengthBytes); // its memory may be registered already. V1-043, V2-043
        }
        ByteBuffer[] parts = message.nioBuffers(index, lengthBytes);
        if (parts.length == 1 && parts[0].isDirect() && !parts[0].isReadOnly()) {
            sources.add(message.retain()); // V1-043
            return Unpooled.wrappedBuffer(parts[0]);
        }
        return alloc.directBuffer(lengthBytes).writeBytes(message, index, lengthBytes);
    }

    /** How many registrations there are. */
    int registrations() {
        return regions.size();
    }

    /** Octets of all registrations. */
    long exposedBytes() {
        long bytes = 0;
        for (CallMemory.Region region : regions) {
            bytes += region.segment().lengthBytes();
        }
        return bytes;
    }

    ChunkLists lists() {
        return lists;
    }

    /**
     * The responder has invalidated a handle with its reply. A handle of another call does not count: that
     * call invalidates it itself.
     */
    void onInvalidatedByPeer(int handle) {
        for (CallMemory.Region region : regions) {
            if (region.segment().handle() == handle) {
                invalidated = region;
                region.onInvalidatedByPeer();
            }
        }
    }

    /**
     * Ends the exposure of all of it that the responder has not ended.
     *
     * @throws IOException if part of it may still be exposed
     */
    void fence() throws IOException {
        IOException refusal = null;
        for (CallMemory.Region region : regions) {
            if (region == invalidated) {
                continue; // PD-016
            }
            try {
                region.invalidate(); // V1-101, V1-102, V2-162
            } catch (IOException | RuntimeException | OutOfMemoryError e) {
                if (refusal == null) {
                    refusal = new IOException("memory of a call cannot be invalidated", e);
                } else {
                    refusal.addSuppressed(e);
                }
            }
        }
        if (refusal != null) {
            throw refusal;
        }
    }

    /**
     * Compares the lengths of returned chunks with what the responder has written: behind that the memory holds what it
     * held before, perhaps of another connection.
     *
     * @param returned chunks that have been found to be those of the call
     * @return what the responder claims and has not written, or {@code null}
     */
    @Nullable
    String unwritten(ChunkLists returned) {
        for (int i = 0; i < returned.writeList().size() && i < results.size(); i++) {
            String claim = unwritten("write chunk " + i, returned.writeList().get(i), results.get(i));
            if (claim != null) {
                return claim;
            }
        }
        WriteChunk replyChunk = returned.replyChunk();
        return replyChunk == null || reply == null ? null : unwritten("the reply chunk", replyChunk, reply);
    }

    private static @Nullable String unwritten(String name, WriteChunk claimed, Target target) {
        long written = target.region().writtenBytes();
        return claimed.lengthBytes() <= written
                ? null
                : "reply claims " + claimed.lengthBytes() + " bytes in " + name + " (expected: at most " + written
                        + ", which is what the responder has written)";
    }

    /** The first octets of write chunk {@code index}, with a reference of their own. */
    ByteBuf result(int index, int lengthBytes) {
        return results.get(index).first(lengthBytes); // V1-095
    }

    /** The first octets of the reply chunk, with a reference of their own. */
    ByteBuf reply(int lengthBytes) {
        return Objects.requireNonNull(reply).first(lengthBytes);
    }

    /** Lets go of the memory. Idempotent. */
    void release() {
        if (this == NONE) {
            return;
        }
        regions.forEach(CallMemory.Region::release);
        sources.forEach(ByteBuf::release);
        results.forEach(target -> target.memory().release());
        regions.clear();
        sources.clear();
        results.clear();
        if (reply != null) {
            reply.memory().release();
            reply = null;
        }
    }
}
