// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.channel;

import io.netty.buffer.AbstractByteBufAllocator;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.util.concurrent.FastThreadLocal;
import io.nettyrdma.memory.RegisteredMemoryPool;
import org.jspecify.annotations.Nullable;

/**
 * Allocates direct buffers in registered memory, which the channel sends without a copy. Set it as {@code
 * ChannelOption.ALLOCATOR} of RDMA channels whose handlers build their messages on the event loop. Elsewhere, and for
 * heap buffers or more than 16 MiB, it returns ordinary pooled buffers, which the channel copies or registers to send.
 * A buffer that grows stays in registered memory within the same limits.
 *
 * <p>The memory belongs to the event loop that allocates and can be used locally only: it is never exposed to a peer
 * (RFC 8166, section 4.4). To expose memory, use {@link RdmaChannel#allocateMemory}.
 *
 * <p>Threading: any thread; buffers may be released on any thread.
 */
public final class RdmaByteBufAllocator extends AbstractByteBufAllocator {

    /** The allocator. It has no state of its own. */
    public static final RdmaByteBufAllocator DEFAULT = new RdmaByteBufAllocator();

    // The pool of the loop that runs on this thread.
    private static final FastThreadLocal<RegisteredMemoryPool> LOOP_POOL = new FastThreadLocal<>();

    private static final ByteBufAllocator FALL_BACK = PooledByteBufAllocator.DEFAULT;

    private RdmaByteBufAllocator() {
        super(true);
    }

    static void loopPool(@Nullable RegisteredMemoryPool pool) {
        if (pool == null) {
            LOOP_POOL.remove();
        } else {
            LOOP_POOL.set(pool);
        }
    }

    /** The pool of the event loop that calls; {@code null} elsewhere, and before its first connection. */
    static @Nullable RegisteredMemoryPool loopPool() {
        return LOOP_POOL.getIfExists();
    }

    static ByteBuf leakAware(ByteBuf buffer) {
        return toLeakAwareBuffer(buffer);
    }

    @Override
    protected ByteBuf newHeapBuffer(int initialCapacity, int maxCapacity) {
        return FALL_BACK.heapBuffer(initialCapacity, maxCapacity);
    }

    @Override
    protected ByteBuf newDirectBuffer(int initialCapacity, int maxCapacity) {
        RegisteredMemoryPool pool = loopPool();
        if (pool == null || initialCapacity > RegisteredMemoryPool.MAX_SLOT_BYTES || maxCapacity != Integer.MAX_VALUE) {
            return FALL_BACK.directBuffer(initialCapacity, maxCapacity);
        }
        return toLeakAwareBuffer(pool.allocate(initialCapacity));
    }

    /** As {@link #directBuffer(int)}, for what goes to the channel at once: its leaks are not looked for. */
    static ByteBuf outboundBuffer(int bytes) {
        RegisteredMemoryPool pool = loopPool();
        return pool == null || bytes > RegisteredMemoryPool.MAX_SLOT_BYTES
                ? FALL_BACK.directBuffer(bytes)
                : pool.allocate(bytes);
    }

    @Override
    public boolean isDirectBufferPooled() {
        return true;
    }
}
