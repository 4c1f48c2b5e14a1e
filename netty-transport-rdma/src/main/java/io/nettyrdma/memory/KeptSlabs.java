// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.memory;

import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;

/**
 * The slabs of all pools of the process, any of which a loop may keep although none of its slots is in use. The loop
 * that needs memory frees the idle ones of all loops, by winning {@link RegisteredSlab#end} for each. Asking the other
 * loops to free theirs would mean to wait for them. The loop that takes a slot of an idle slab has to win {@link
 * RegisteredSlab#reuse}, which costs one atomic operation, and none while other slots of the slab are in use.
 *
 * <p>Threading: any thread.
 */
final class KeptSlabs {

    /** With the list of its size and loop. */
    private static final Map<RegisteredSlab, SlabList> ALL = new ConcurrentHashMap<>();

    private KeptSlabs() {}

    static void add(RegisteredSlab slab, SlabList list) {
        ALL.put(slab, list);
    }

    static void remove(RegisteredSlab slab) {
        ALL.remove(slab);
    }

    /** Frees the idle slabs of all pools; returns whether there was one. */
    static boolean free() {
        return free(list -> true);
    }

    /** As {@link #free}, but each loop keeps one slab of each size: channels that stand send without a new key. */
    static boolean freeAllButOne() {
        Set<SlabList> seen = new HashSet<>();
        return free(list -> !seen.add(list));
    }

    private static boolean free(Predicate<SlabList> which) {
        boolean any = false;
        for (Map.Entry<RegisteredSlab, SlabList> kept : ALL.entrySet()) {
            RegisteredSlab slab = kept.getKey();
            if (which.test(kept.getValue()) && slab.end()) {
                ALL.remove(slab);
                any |= RegisteredMemoryPool.deregisterAndFree(slab);
                slab.onEnded();
            }
        }
        return any;
    }
}
