// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.memory;

import io.netty.buffer.AbstractByteBufAllocator;
import io.netty.buffer.AdaptiveByteBufAllocator;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufAllocatorMetric;
import io.netty.buffer.ByteBufAllocatorMetricProvider;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.util.concurrent.FastThreadLocal;
import org.jspecify.annotations.Nullable;

/**
 * Allocates direct buffers from the pool of the event loop that calls. Elsewhere, and for heap buffers or more than
 * {@link RegisteredMemoryPool#MAX_SLOT_BYTES}, it returns ordinary pooled buffers.
 *
 * <p>Threading: any thread; each sees the pool of the loop that it runs.
 */
public class LoopAllocator extends AbstractByteBufAllocator implements ByteBufAllocatorMetricProvider {

    // The pool of the loop that runs on this thread.
    private static final FastThreadLocal<RegisteredMemoryPool> LOOP_POOL = new FastThreadLocal<>();

    private static final ByteBufAllocator FALL_BACK = PooledByteBufAllocator.DEFAULT;

    /** Creates an allocator without state of its own. */
    protected LoopAllocator() {
        super(true);
    }

    /** Sets the pool of the event loop that calls; {@code null} ends it. */
    public static void pool(@Nullable RegisteredMemoryPool pool) {
        if (pool == null) {
            LOOP_POOL.remove();
        } else {
            LOOP_POOL.set(pool);
        }
    }

    /** Returns the pool of the event loop that calls; {@code null} elsewhere, and before its first connection. */
    public static @Nullable RegisteredMemoryPool pool() {
        return LOOP_POOL.getIfExists();
    }

    /**
     * Whether a program that has set an allocator reads buffers of the transport as well as its. The buffers of a
     * program's own allocator may be the only ones that it can read.
     */
    public static boolean allowsOthers(ByteBufAllocator allocator) {
        Class<?> kind = allocator.getClass();
        return kind == AdaptiveByteBufAllocator.class
                || kind == PooledByteBufAllocator.class
                || kind == UnpooledByteBufAllocator.class
                || allocator instanceof LoopAllocator;
    }

    /** Returns the buffer, or a wrapper of it that Netty's leak detector follows. */
    public static ByteBuf leakAware(ByteBuf buffer) {
        return toLeakAwareBuffer(buffer);
    }

    /** As {@link #directBuffer(int)}, for what goes to the channel at once: its leaks are not looked for. */
    public static ByteBuf outboundBuffer(int bytes) {
        RegisteredMemoryPool pool = pool();
        return pool == null || bytes > RegisteredMemoryPool.MAX_SLOT_BYTES
                ? FALL_BACK.directBuffer(bytes)
                : pool.allocate(bytes);
    }

    @Override
    protected ByteBuf newHeapBuffer(int initialCapacity, int maxCapacity) {
        return FALL_BACK.heapBuffer(initialCapacity, maxCapacity);
    }

    @Override
    protected ByteBuf newDirectBuffer(int initialCapacity, int maxCapacity) {
        RegisteredMemoryPool pool = pool();
        if (pool == null || initialCapacity > RegisteredMemoryPool.MAX_SLOT_BYTES || maxCapacity != Integer.MAX_VALUE) {
            return FALL_BACK.directBuffer(initialCapacity, maxCapacity);
        }
        return toLeakAwareBuffer(pool.allocate(initialCapacity));
    }

    /**
     * Returns what all event loops of the process have allocated for messages and for peers, used or kept. Ordinary
     * pooled buffers are not in it: {@link PooledByteBufAllocator#DEFAULT} counts them.
     */
    @Override
    public ByteBufAllocatorMetric metric() {
        return new ByteBufAllocatorMetric() {
            @Override
            public long usedHeapMemory() {
                return 0;
            }

            @Override
            public long usedDirectMemory() {
                return RegisteredSlab.allocatedBytes();
            }
        };
    }

    @Override
    public boolean isDirectBufferPooled() {
        return true;
    }
}
