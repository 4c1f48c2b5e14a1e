// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.channel;

import io.nettyrdma.memory.LoopAllocator;

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
@SuppressWarnings("exports") // what it extends is not for programs
public final class RdmaByteBufAllocator extends LoopAllocator {

    /** The allocator. It has no state of its own. */
    public static final RdmaByteBufAllocator DEFAULT = new RdmaByteBufAllocator();

    private RdmaByteBufAllocator() {}
}
