// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.soft;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Direct buffers of one event channel, by powers of two: two staging buffers through which the octets of all
 * connections pass, and those that connections take while they are in the middle of an FPDU or TCP does not accept
 * their octets, so that an idle connection holds none.
 *
 * <p>Threading: confined to the thread of the event channel. Ownership: the taker of a buffer gives it back.
 */
final class BufferPool {

    /**
     * Octets of a staging buffer, which holds at least two FPDUs. An event channel has two, a connection that TCP does
     * not take octets from holds one more. Also bounds what one connection may send before others get their turn.
     */
    static final int STAGING_BYTES = 256 * 1024;

    private static final int MIN_BYTES = 256;
    /** Octets kept for reuse per size; what comes back beyond is left to the garbage collector. */
    private static final int MAX_IDLE_BYTES = 4 * 1024 * 1024;

    private final List<ArrayDeque<ByteBuffer>> idle = new ArrayList<>();
    private @Nullable ByteBuffer receiveStaging;
    private @Nullable ByteBuffer transmitStaging;
    private final ByteBuffer bell = ByteBuffer.allocateDirect(1);
    private int taken;
    private long takenBytes;

    BufferPool() {
        for (int i = 0; i < Integer.SIZE; i++) {
            idle.add(new ArrayDeque<>(0));
        }
    }

    /** Where octets are received; empty. Its content is only valid until the connection's turn ends. */
    ByteBuffer receiveStaging() {
        ByteBuffer b = receiveStaging;
        if (b == null) {
            b = take(STAGING_BYTES);
            receiveStaging = b;
        }
        return b.clear();
    }

    /** Where FPDUs are built; empty. */
    ByteBuffer transmitStaging() {
        ByteBuffer b = transmitStaging;
        if (b == null) {
            b = take(STAGING_BYTES);
            transmitStaging = b;
        }
        return b.clear();
    }

    /** One octet to be sent. */
    ByteBuffer bell() {
        return bell.clear();
    }

    /** A connection keeps the transmit staging buffer, because TCP did not take all of it. */
    void loseTransmitStaging() {
        transmitStaging = null;
    }

    /** Takes the staging buffers back. */
    void endStaging() {
        if (receiveStaging != null) {
            give(receiveStaging);
            receiveStaging = null;
        }
        if (transmitStaging != null) {
            give(transmitStaging);
            transmitStaging = null;
        }
    }

    /** An empty buffer of at least {@code minBytes} octets. */
    ByteBuffer take(int minBytes) {
        int shift = Integer.SIZE - Integer.numberOfLeadingZeros(Math.max(minBytes, MIN_BYTES) - 1);
        ByteBuffer buffer = idle.get(shift).poll();
        buffer = buffer == null ? allocate(1 << shift) : buffer.clear();
        taken++;
        takenBytes += 1L << shift;
        return buffer;
    }

    private ByteBuffer allocate(int bytes) {
        try {
            return ByteBuffer.allocateDirect(bytes);
        } catch (OutOfMemoryError e) {
            idle.forEach(ArrayDeque::clear); // kept for reuse only
            return ByteBuffer.allocateDirect(bytes);
        }
    }

    /** Takes a buffer back. */
    void give(ByteBuffer buffer) {
        taken--;
        takenBytes -= buffer.capacity();
        ArrayDeque<ByteBuffer> free = idle.get(Integer.numberOfTrailingZeros(buffer.capacity()));
        if ((free.size() + 1L) * buffer.capacity() <= MAX_IDLE_BYTES) {
            free.push(buffer);
        }
    }

    /** Buffers not given back. */
    int taken() {
        return taken;
    }

    /** Octets of these. */
    long takenBytes() {
        return takenBytes;
    }
}
