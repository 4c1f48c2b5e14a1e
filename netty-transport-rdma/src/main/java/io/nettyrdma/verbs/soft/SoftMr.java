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
package io.nettyrdma.verbs.soft;

import com.ibm.disni.verbs.IbvMr;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Registered memory: a direct buffer under a key, at an address the device made up. Local and remote key are the same.
 *
 * <p>Invalidation fences: once {@link #invalidate} has returned, no octet is read or written through the key any more,
 * whichever thread is in the middle of a transfer. Transfers therefore hold the region from the check of a piece of
 * payload to the end of its copy, a few microseconds at most.
 *
 * <p>Threading: any thread. Ownership: keeps the buffer reachable until it is deregistered.
 */
final class SoftMr extends IbvMr {

    private static final int INVALID = 1 << 31;

    // Own copies of what the base class lets anybody change by its setters.
    private final int key;
    private final long base;
    private final int rights;
    private final SoftPd pd;
    private final ByteBuffer memory;
    /** Copies under way, and the sign bit once the region is invalid. */
    private final AtomicInteger users = new AtomicInteger();

    SoftMr(SoftPd pd, ByteBuffer memory, int access, int key, long address) throws IOException {
        super(pd.getContext(), address, memory.capacity(), access, key, key, key);
        this.key = key;
        this.base = address;
        this.rights = access;
        this.pd = pd;
        this.memory = memory;
    }

    int key() {
        return key;
    }

    SoftPd pd() {
        return pd;
    }

    int access() {
        return rights;
    }

    boolean isValid() {
        return users.get() >= 0;
    }

    boolean contains(long address, long lengthBytes) {
        long offset = address - base;
        long size = memory.capacity();
        // Unsigned, and without a sum that could overflow: offset <= size and length <= size - offset.
        return Long.compareUnsigned(offset, size) <= 0
                && Long.compareUnsigned(lengthBytes, size - offset) <= 0; // V1-139
    }

    /** Copies out of the region to the position of {@code to}; false if the region has become invalid. */
    boolean read(long address, int lengthBytes, ByteBuffer to) {
        if (!hold()) {
            return false;
        }
        try {
            int position = to.position();
            to.put(position, memory, (int) (address - base), lengthBytes);
            to.position(position + lengthBytes);
            return true;
        } finally {
            users.decrementAndGet();
        }
    }

    /** Copies into the region; false if the region has become invalid. Leaves the position of {@code from} alone. */
    boolean write(long address, ByteBuffer from, int at, int lengthBytes) {
        if (!hold()) {
            return false;
        }
        try {
            memory.put((int) (address - base), from, at, lengthBytes);
            return true;
        } finally {
            users.decrementAndGet();
        }
    }

    private boolean hold() {
        if (users.incrementAndGet() > 0) {
            return true;
        }
        users.decrementAndGet();
        return false;
    }

    /** Makes the key useless and waits for copies under way. Idempotent. */
    void invalidate() {
        int current;
        do {
            current = users.get();
        } while (current >= 0 && !users.compareAndSet(current, current | INVALID));
        while ((users.get() & ~INVALID) != 0) {
            Thread.onSpinWait();
        }
    }

    /** Invalidates for good and gives the key back. Idempotent. */
    void deregister() {
        invalidate();
        if (pd.device().keys.remove(this)) {
            close();
            pd.references().decrementAndGet();
        }
    }
}
