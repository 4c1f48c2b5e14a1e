// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.socket;

import com.ibm.disni.verbs.IbvMr;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.util.ResourceLeakDetector;
import io.netty.util.ResourceLeakDetector.Level;
import io.nettyrdma.engine.EndSteps;
import io.nettyrdma.engine.LoopDevice;
import io.nettyrdma.memory.LoopAllocator;
import io.nettyrdma.memory.RegisteredByteBuf;
import io.nettyrdma.memory.RegisteredMemoryPool;
import io.nettyrdma.stream.ReceiveWindow;
import io.nettyrdma.verbs.spi.VerbsExtensions;
import java.io.IOException;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * The memory of a stream that the peer may write: its table, and the buffers for its bytes, in one queue with those
 * that are unread.
 *
 * <p>A buffer is a slot of the loop's registered memory, with a second registration over its bytes alone, whose key the
 * peer gets. When it is full, that registration ends: the peer can no longer change bytes that a handler parses, and
 * the unread bytes go to the pipeline without a copy. Bytes read from a buffer before it is full are copied,
 * for the same reason. Where registrations are calls of the kernel, a buffer keeps its key and is used again, and all
 * its bytes are copied.
 *
 * <p>Threading: the loop's. Ownership: of the table and all buffers in the queue. The pipeline owns the result of
 * {@link #read}; its memory stays registered for local use, and can be sent on without a copy.
 */
final class PublishedBuffers {

    /** Fewest bytes of a full buffer passed on without a copy, since they hold its whole memory. */
    private static final int REFERENCE_BYTES = 4096;

    private static final class Published {
        final RegisteredByteBuf memory;
        final int bytes;

        @Nullable
        IbvMr exposure;

        int written;
        int read;

        Published(RegisteredByteBuf memory, int bytes) {
            this.memory = memory;
            this.bytes = bytes;
        }

        int unread() {
            return written - read;
        }

        boolean isFull() {
            return written == bytes;
        }

        IbvMr exposure() {
            IbvMr present = exposure;
            assert present != null;
            return present;
        }

        void withdraw(RegisteredMemoryPool pool) throws IOException {
            IbvMr present = exposure;
            exposure = null;
            if (present != null) {
                pool.withdraw(present);
            }
        }

        void free(RegisteredMemoryPool pool) throws IOException {
            withdraw(pool);
            memory.release(); // not before: the peer must not write what others use
        }
    }

    private final VerbsExtensions verbs;
    private final RegisteredMemoryPool pool;
    private final boolean withdrawing;
    /** Where the peer tells of its own buffers. */
    private final Published table;
    /** Full ones, the one that is being filled, empty ones. */
    private final ArrayDeque<Published> buffers = new ArrayDeque<>();
    /** Those of them that are not full. */
    private final ArrayDeque<Published> writable = new ArrayDeque<>();
    /** Read whole, and still exposed. */
    private final ArrayDeque<Published> spare = new ArrayDeque<>();

    private int unread;
    private int held;

    /** @param tableBytes of the peer's entries */
    PublishedBuffers(LoopDevice device, int tableBytes) throws IOException {
        verbs = device.verbs();
        pool = device.memory();
        withdrawing = device.hasCheapRegistration();
        table = expose(tableBytes);
        table.memory.zero(tableBytes);
    }

    long tableAddress() {
        return table.exposure().getAddr();
    }

    int tableKey() {
        return table.exposure().getRkey();
    }

    /** The entries that the peer has written; the memory is freed with the buffers. */
    ByteBuf table() {
        return table.memory.slice(0, table.bytes);
    }

    /** Returns the bytes that the peer has written and the pipeline has not read. */
    int unread() {
        return unread;
    }

    /** Bytes of all buffers that are not read whole. */
    int held() {
        return held;
    }

    /** Bytes that the device has placed in the buffer that is being filled, or {@link ReceiveWindow#UNKNOWN}. */
    int placed() {
        Published buffer = writable.peek();
        return buffer == null ? ReceiveWindow.UNKNOWN : verbs.writtenBytes(buffer.exposure());
    }

    /** Buffers that the peer may write. */
    int writable() {
        return writable.size();
    }

    /** Adds a buffer behind the others; {@link #lastAddress} and {@link #lastKey} are for the peer. */
    void add(int bytes) throws IOException {
        Published buffer = spareOf(bytes);
        if (buffer == null) {
            buffer = expose(bytes);
        }
        buffers.add(buffer);
        writable.add(buffer);
        held += bytes;
    }

    private Published expose(int bytes) throws IOException {
        Published buffer = new Published(pool.allocate(bytes), bytes);
        try {
            IbvMr exposure = pool.show(buffer.memory, bytes, RegisteredMemoryPool.REMOTE_WRITE_ACCESS);
            buffer.exposure = exposure;
            if (verbs.writtenBytes(exposure) == ReceiveWindow.UNKNOWN) {
                buffer.memory.zero(bytes); // what the peer announces and does not write was another's
            }
        } catch (Throwable e) {
            buffer.memory.release();
            throw e;
        }
        return buffer;
    }

    private @Nullable Published spareOf(int bytes) throws IOException {
        Published buffer = spare.poll();
        while (buffer != null && buffer.bytes != bytes) {
            buffer.free(pool); // of another size than is wanted now
            buffer = spare.poll();
        }
        if (buffer != null) {
            buffer.written = 0;
            buffer.read = 0;
        }
        return buffer;
    }

    long lastAddress() {
        return writable.getLast().exposure().getAddr();
    }

    int lastKey() {
        return writable.getLast().exposure().getRkey();
    }

    /**
     * The peer has written.
     *
     * @param bytes no more than what is left of the first buffer that is not full
     */
    void onWritten(int bytes) throws IOException {
        Published buffer = writable.element();
        buffer.written += bytes;
        unread += bytes;
        if (buffer.isFull()) {
            writable.remove();
            if (withdrawing) {
                buffer.withdraw(pool);
            }
        }
    }

    /**
     * The next unread bytes, of which there is at least one.
     *
     * @param handle limits the copied bytes, and records how many could be read
     * @param allocator the channel's, which makes the result, or is named by it
     */
    @SuppressWarnings("deprecation") // the handle is how Netty predicts
    ByteBuf read(RecvByteBufAllocator.Handle handle, ByteBufAllocator allocator) throws IOException {
        Published buffer = buffers.element();
        boolean copies = !LoopAllocator.allowsOthers(allocator);
        if (!copies && isReferenced(buffer)) {
            int bytes = buffer.unread();
            handle.attemptedBytesRead(bytes);
            buffers.remove();
            unread -= bytes;
            held -= buffer.bytes;
            buffer.memory.setIndex(buffer.read, buffer.written);
            buffer.memory.nameAllocator(allocator);
            return ResourceLeakDetector.getLevel() == Level.DISABLED
                    ? buffer.memory
                    : LoopAllocator.leakAware(buffer.memory);
        }
        ByteBuf copy = handle.allocate(allocator);
        handle.attemptedBytesRead(copy.writableBytes());
        try {
            do {
                int copied = Math.min(buffer.unread(), copy.writableBytes());
                buffer.memory.copyTo(copy, buffer.read, copied);
                skip(buffer, copied);
                buffer = buffers.peek();
            } while (buffer != null && buffer.unread() > 0 && copy.isWritable() && (copies || !isReferenced(buffer)));
        } catch (Throwable e) {
            copy.release();
            throw e;
        }
        return copy;
    }

    /** Whether what is unread of a buffer goes up as it is. */
    private static boolean isReferenced(Published buffer) {
        return buffer.exposure == null && buffer.unread() >= REFERENCE_BYTES;
    }

    void dropUnread() throws IOException {
        while (unread > 0) {
            Published buffer = buffers.element();
            skip(buffer, buffer.unread());
        }
    }

    private void skip(Published buffer, int bytes) throws IOException {
        buffer.read += bytes;
        unread -= bytes;
        if (buffer.read == buffer.bytes) {
            buffers.remove();
            held -= buffer.bytes;
            if (buffer.exposure == null) {
                buffer.free(pool);
            } else {
                spare.add(buffer);
            }
        }
    }

    /** Gives all buffers back. The queue pair is gone: the peer cannot write any more. */
    void free() throws IOException {
        EndSteps steps = new EndSteps().then(() -> table.free(pool));
        for (Published buffer : buffers) {
            steps.then(() -> buffer.free(pool));
        }
        for (Published buffer : spare) {
            steps.then(() -> buffer.free(pool));
        }
        buffers.clear();
        writable.clear();
        spare.clear();
        unread = 0;
        held = 0;
        steps.end();
    }
}
