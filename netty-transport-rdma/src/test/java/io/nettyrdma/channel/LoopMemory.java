// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.channel;

import io.nettyrdma.memory.LoopAllocator;
import io.nettyrdma.memory.RegisteredMemoryPool;

/** Shows tests of other packages what an event loop has handed out of its registered memory. */
public final class LoopMemory {

    private LoopMemory() {}

    /** Octets in use of the event loop that calls, posted receives among them. */
    public static long usedBytes() {
        RegisteredMemoryPool pool = LoopAllocator.pool();
        return pool == null ? 0 : pool.usedBytes();
    }
}
