// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.memory;

import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * The slabs of one slot size that have free slots. A slab in use is preferred to an idle one, and idle ones are kept up
 * to {@link #IDLE_BYTES}, so that the memory of a peak, which peers can cause by connecting, is given back after it.
 *
 * <p>Threading: the loop's. Ownership: of no slab; {@link RegisteredMemoryPool} frees them.
 */
final class SlabList {

    /** Octets of idle slabs that stay for the next use: a slab of the largest slots. */
    static final int IDLE_BYTES = 16 * 1024 * 1024;

    private final ArrayDeque<RegisteredSlab> available = new ArrayDeque<>();
    private int idle;

    /** Adds a new slab, none of whose slots is in use. */
    void add(RegisteredSlab slab) {
        available.addLast(slab);
        idle++;
        slab.keep();
        KeptSlabs.add(slab, this);
    }

    /** A free slot, or {@code null} if all are in use. */
    @Nullable
    RegisteredByteBuf take(RegisteredMemoryPool pool) {
        RegisteredSlab slab = available.peekLast();
        while (slab != null && slab.isIdle()) {
            idle--;
            if (slab.reuse()) {
                break;
            }
            available.removeLast(); // freed by a loop that needs memory
            slab = available.peekLast();
        }
        if (slab == null) {
            return null;
        }
        RegisteredByteBuf buffer = slab.take(pool);
        if (!slab.hasFree()) {
            available.removeLast();
        }
        return buffer;
    }

    /** Returns the bytes of all slots that are not in use. */
    long freeBytes() {
        long bytes = 0;
        for (RegisteredSlab slab : available) {
            if (!slab.isEnding()) {
                bytes += slab.capacity() - slab.usedBytes();
            }
        }
        return bytes;
    }

    /**
     * Takes a slot back.
     *
     * @return whether its slab is idle and superfluous; it is no longer in the list then
     */
    boolean giveBack(RegisteredByteBuf buffer) {
        RegisteredSlab slab = buffer.slab();
        if (!slab.hasFree()) {
            available.addLast(slab);
        }
        slab.put(buffer);
        if (!slab.isIdle()) {
            return false;
        }
        // Idle ones are first.
        while (!available.isEmpty() && available.peekFirst().isEnding()) {
            available.removeFirst();
            idle--;
        }
        if ((idle + 1L) * slab.capacity() > IDLE_BYTES) {
            available.removeLastOccurrence(slab);
            return true;
        }
        idle++;
        // Behind those in use, or an idle slab would be filled while they empty.
        available.removeLastOccurrence(slab);
        available.addFirst(slab);
        slab.keep();
        return false;
    }
}
