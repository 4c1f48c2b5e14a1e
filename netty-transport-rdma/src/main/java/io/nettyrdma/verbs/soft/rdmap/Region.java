// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.soft.rdmap;

import io.nettyrdma.verbs.spi.VerbsConstants;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Registered memory: a buffer under a key, at an address that was made up. Local and remote key are the same.
 *
 * <p>Invalidation of memory that peers may reach fences: once {@link #invalidate} has returned, no octet is read or
 * written through the key any more, whichever thread is in the middle of a transfer. Transfers therefore hold the
 * region from the check of a piece of payload to the end of its copy, a few microseconds at most. Local memory is of
 * one thread, which does not invalidate it in the middle of a copy, and does not pay for that.
 *
 * <p>It knows how far its peer has written, as memory may hold octets of other connections behind that. The peer's
 * claims are compared with it.
 *
 * <p>Threading: any thread, but for what the peer has written, which belongs to the thread that places. Ownership:
 * keeps the buffer reachable; the {@link RegionTable} holds it until it is deregistered.
 */
public final class Region {

    private static final int INVALID = 1 << 31;
    private static final int REMOTE = VerbsConstants.ACCESS_REMOTE_READ | VerbsConstants.ACCESS_REMOTE_WRITE;

    private final ProtectionDomain domain;
    private final ByteBuffer memory;
    private final int rights;
    private final int key;
    private final long address;
    /** Copies under way, and the sign bit once the region is invalid. */
    private final AtomicInteger users = new AtomicInteger();
    /** Octets from the first one on that the peer has written, without a gap. */
    private int written;
    /** Ranges behind them; {@code null} as long as the peer writes in order. */
    private @Nullable WrittenRanges ahead;

    Region(ProtectionDomain domain, ByteBuffer memory, int rights, int key, long address) {
        this.domain = domain;
        this.memory = memory;
        this.rights = rights;
        this.key = key;
        this.address = address;
    }

    ProtectionDomain domain() {
        return domain;
    }

    /** Opaque, never 0. */
    public int key() {
        return key;
    }

    /** Address of the first octet, unsigned. */
    public long address() {
        return address;
    }

    /** Octets. */
    public int lengthBytes() {
        return memory.capacity();
    }

    /** {@code VerbsConstants.ACCESS_*}. */
    public int rights() {
        return rights;
    }

    /** Whether octets can be read and written through the key. */
    public boolean isValid() {
        return users.get() >= 0;
    }

    boolean contains(long from, long lengthBytes) {
        long offset = from - address;
        long size = memory.capacity();
        // Unsigned, and without a sum that could overflow: offset <= size and length <= size - offset.
        return Long.compareUnsigned(offset, size) <= 0
                && Long.compareUnsigned(lengthBytes, size - offset) <= 0; // V1-139, V2-160
    }

    /** Copies out of the region to the position of {@code to}; false if the region has become invalid. */
    boolean read(long from, int lengthBytes, ByteBuffer to) {
        if (!hold()) {
            return false;
        }
        try {
            int position = to.position();
            to.put(position, memory, (int) (from - address), lengthBytes);
            to.position(position + lengthBytes);
            return true;
        } finally {
            release();
        }
    }

    /** Copies into the region; false if the region has become invalid. Leaves the position of {@code from} alone. */
    boolean write(long to, ByteBuffer from, int at, int lengthBytes) {
        if (!hold()) {
            return false;
        }
        try {
            memory.put((int) (to - address), from, at, lengthBytes);
            return true;
        } finally {
            release();
        }
    }

    /** The peer has written octets, by RDMA Write. */
    void onWritten(long to, int lengthBytes) {
        int from = (int) (to - address);
        int end = from + lengthBytes;
        if (from > written) {
            if (ahead == null) {
                ahead = new WrittenRanges();
            }
            ahead.add(from, end);
            return;
        }
        written = Math.max(written, end);
        if (ahead != null) {
            written = ahead.joined(written);
        }
    }

    /** Octets from the first one on that the peer has written since the registration, without a gap. */
    public int writtenBytes() {
        return written;
    }

    private boolean hold() {
        if (!isExposed()) {
            return isValid();
        }
        if (users.incrementAndGet() > 0) {
            return true;
        }
        users.decrementAndGet();
        return false;
    }

    private void release() {
        if (isExposed()) {
            users.decrementAndGet();
        }
    }

    /** Whether peers may reach the memory. */
    boolean isExposed() {
        return (rights & REMOTE) != 0;
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
}
