// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.kit;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.ChannelPromise;
import io.nettyrdma.channel.LoopMemory;
import io.nettyrdma.channel.RdmaRead;
import io.nettyrdma.channel.RdmaWrite;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The most that a connection has held at any time. Looks whenever a message comes or goes, as the handlers behind it
 * take and release memory at no other time. To be added first, with {@link #alloc} as the channel's allocator, so that
 * every octet is counted; registered memory is that of the whole event loop.
 *
 * <p>Threading: writes on the event loop; what it has found may be read by any thread.
 */
public final class HighWater extends ChannelDuplexHandler {

    public final UnpooledByteBufAllocator alloc = new UnpooledByteBufAllocator(true);

    /** Messages received. */
    public final AtomicInteger received = new AtomicInteger();
    /** Messages received minus those written, which are as many as the calls in progress if every message is a call. */
    public final AtomicInteger unanswered = new AtomicInteger();
    /** RDMA Reads and RDMA Writes with the channel. */
    public final AtomicInteger reads = new AtomicInteger();

    public final AtomicInteger writes = new AtomicInteger();

    public volatile int mostUnanswered;
    public volatile int mostReads;
    public volatile int mostWrites;
    /** Octets in the channel's outbound buffer, as Netty counts them. */
    public volatile long mostPendingBytes;
    /** Octets of buffers, posted receives among them. */
    public volatile long mostMemoryBytes;

    /** Octets of buffers at present; on the event loop. */
    public long memoryBytes() {
        return LoopMemory.usedBytes()
                + alloc.metric().usedDirectMemory()
                + alloc.metric().usedHeapMemory();
    }

    private void look(ChannelHandlerContext ctx) {
        ChannelOutboundBuffer pending = ctx.channel().unsafe().outboundBuffer();
        if (pending != null) {
            mostPendingBytes = Math.max(mostPendingBytes, pending.totalPendingWriteBytes());
        }
        mostMemoryBytes = Math.max(mostMemoryBytes, memoryBytes());
        mostReads = Math.max(mostReads, reads.get());
        mostWrites = Math.max(mostWrites, writes.get());
        mostUnanswered = Math.max(mostUnanswered, unanswered.get());
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        received.incrementAndGet();
        unanswered.incrementAndGet();
        look(ctx);
        ctx.fireChannelRead(message);
        look(ctx);
    }

    @Override
    public void write(ChannelHandlerContext ctx, Object message, ChannelPromise promise) {
        if (message instanceof RdmaRead) {
            reads.incrementAndGet();
            ctx.write(message, promise).addListener(done -> reads.decrementAndGet());
        } else if (message instanceof RdmaWrite) {
            writes.incrementAndGet();
            ctx.write(message, promise).addListener(done -> writes.decrementAndGet());
        } else {
            if (!(message instanceof ByteBuf buffer) || buffer.isReadable()) {
                unanswered.decrementAndGet();
            }
            ctx.write(message, promise);
        }
        look(ctx);
    }
}
