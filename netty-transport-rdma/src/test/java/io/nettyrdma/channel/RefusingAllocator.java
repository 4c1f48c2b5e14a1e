// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.channel;

import io.netty.buffer.AbstractByteBufAllocator;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;

/** Allocates from another allocator, and has no memory for direct buffers of a length that a test names. */
final class RefusingAllocator extends AbstractByteBufAllocator {

    private final ByteBufAllocator real;
    private volatile int refusedBytes = -1;
    /** Buffers of that length that are still allocated. */
    private volatile int allowed;

    RefusingAllocator(ByteBufAllocator real) {
        super(true);
        this.real = real;
    }

    /** From now on buffers of {@code bytes} are refused, but for the first {@code allowedFirst}. */
    void refuse(int bytes, int allowedFirst) {
        allowed = allowedFirst;
        refusedBytes = bytes;
    }

    @Override
    protected ByteBuf newDirectBuffer(int initialCapacity, int maxCapacity) {
        if (initialCapacity == refusedBytes && --allowed < 0) { // one event loop allocates
            throw new OutOfMemoryError("injected: " + initialCapacity);
        }
        return real.directBuffer(initialCapacity, maxCapacity);
    }

    @Override
    protected ByteBuf newHeapBuffer(int initialCapacity, int maxCapacity) {
        return real.heapBuffer(initialCapacity, maxCapacity);
    }

    @Override
    public boolean isDirectBufferPooled() {
        return real.isDirectBufferPooled();
    }
}
