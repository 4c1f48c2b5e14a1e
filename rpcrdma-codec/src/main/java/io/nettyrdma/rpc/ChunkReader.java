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
package io.nettyrdma.rpc;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.nettyrdma.rpc.engine.ReadPlan;
import io.nettyrdma.rpc.engine.ResponderCall;
import java.util.ArrayDeque;
import java.util.List;

/**
 * Pulls the read chunks of calls by RDMA Read. The channel keeps the Reads within what the peer allows; this class
 * keeps the memory within bounds: calls wait in the order they came while too many octets are on their way.
 *
 * <p>A Read that fails ends the connection, by the rules of RDMA; the call is then dropped.
 *
 * <p>Threading: confined to the executor of the handler. Ownership: owns the inline parts and buffers of calls from
 * {@link #pull} until they are handed over.
 */
final class ChunkReader {

    /** Who takes the calls. */
    interface Receiver {

        /** A call is complete; its buffer is the receiver's. */
        void pulled(ChannelHandlerContext ctx, ResponderCall call, ReadPlan plan, ByteBuf message);

        /** There was no memory for a call; nothing was read. */
        void noMemory(ChannelHandlerContext ctx, ResponderCall call);
    }

    private final long maxPullingBytes;
    private final ByteBufAllocator alloc;
    private final ArrayDeque<CallAssembly> waiting = new ArrayDeque<>();
    private long pullingBytes;
    private boolean closed;

    /**
     * @param maxPullingBytes octets on their way at a time
     * @param alloc           provides the memory that Reads go to, best registered
     */
    ChunkReader(long maxPullingBytes, ByteBufAllocator alloc) {
        this.maxPullingBytes = maxPullingBytes;
        this.alloc = alloc;
    }

    /** Octets on their way. */
    long pullingBytes() {
        return pullingBytes;
    }

    /**
     * Pulls a call, now or when others are done. The Reads are written; flushing them is the caller's.
     *
     * @param inline payload stream behind the header; becomes this object's
     */
    void pull(ChannelHandlerContext ctx, ResponderCall call, ReadPlan plan, ByteBuf inline, Receiver receiver) {
        CallAssembly assembly = new CallAssembly(call, plan, inline, receiver);
        if (waiting.isEmpty() && hasRoomFor(assembly)) {
            start(ctx, assembly);
        } else {
            waiting.add(assembly);
        }
    }

    /** A call that exceeds the bound by itself is pulled alone. */
    private boolean hasRoomFor(CallAssembly assembly) {
        return pullingBytes == 0 || assembly.plan().pulledBytes() <= maxPullingBytes - pullingBytes;
    }

    private void start(ChannelHandlerContext ctx, CallAssembly assembly) {
        try {
            assembly.allocate(alloc);
        } catch (RuntimeException | OutOfMemoryError e) {
            assembly.release();
            assembly.receiver().noMemory(ctx, assembly.call());
            return;
        }
        pullingBytes += assembly.plan().pulledBytes();
        assembly.trace = TransferTrace.pulling(CallTrace.of(assembly.call()), assembly.plan());
        assembly.outstanding = 1; // for this method, so that Reads which fail at once do not end the call under way
        ChannelFutureListener listener = future -> completed(ctx, assembly, future.isSuccess());
        List<ReadPlan.Chunk> chunks = assembly.plan().chunks();
        for (int i = 0; i < chunks.size(); i++) {
            for (ReadPlan.Pull pull : chunks.get(i).pulls()) {
                assembly.outstanding++;
                ctx.write(assembly.read(i, pull), ctx.newPromise().addListener(listener));
            }
        }
        completed(ctx, assembly, true);
    }

    private void completed(ChannelHandlerContext ctx, CallAssembly assembly, boolean success) {
        if (!success && !assembly.failed) {
            assembly.failed = true;
            ctx.close(); // where the failed Read has not done so
        }
        if (--assembly.outstanding > 0) {
            return;
        }
        pullingBytes -= assembly.plan().pulledBytes();
        if (closed || assembly.failed) {
            assembly.release();
            return;
        }
        if (assembly.trace != null) {
            assembly.trace.ended();
        }
        startWaiting(ctx);
        ByteBuf message = assembly.assemble(ctx.alloc());
        assembly.receiver().pulled(ctx, assembly.call(), assembly.plan(), message); // V1-060
    }

    private void startWaiting(ChannelHandlerContext ctx) {
        boolean started = false;
        for (CallAssembly next = waiting.peek(); next != null && hasRoomFor(next); next = waiting.peek()) {
            waiting.remove();
            start(ctx, next);
            started = true;
        }
        if (started) {
            ctx.flush();
        }
    }

    /** Drops the calls that wait; those whose Reads are in flight go when these have ended. */
    void connectionLost() {
        closed = true;
        waiting.forEach(CallAssembly::release);
        waiting.clear();
    }
}
