// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.memory;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The slabs of all pools of the process, any of which a loop may keep although none of its slots is in use. The loop
 * that needs memory frees the idle ones of all loops, by winning {@link RegisteredSlab#end} for each. Asking the other
 * loops to free theirs would mean to wait for them. The loop that takes a slot of an idle slab has to win {@link
 * RegisteredSlab#reuse}, which costs one atomic operation, and none while other slots of the slab are in use.
 *
 * <p>Threading: any thread.
 */
final class KeptSlabs {

    private static final Set<RegisteredSlab> ALL = ConcurrentHashMap.newKeySet();

    private KeptSlabs() {}

    static void add(RegisteredSlab slab) {
        ALL.add(slab);
    }

    static void remove(RegisteredSlab slab) {
        ALL.remove(slab);
    }

    /** Frees the idle slabs of all pools; returns whether there was one. */
    static boolean free() {
        boolean any = false;
        for (RegisteredSlab slab : ALL) {
            if (slab.end()) {
                ALL.remove(slab);
                any |= RegisteredMemoryPool.deregisterAndFree(slab);
                slab.onEnded();
            }
        }
        return any;
    }
}
