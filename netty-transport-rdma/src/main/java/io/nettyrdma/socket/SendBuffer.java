// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.socket;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.CompositeByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.FileRegion;
import io.netty.util.internal.PlatformDependent;
import io.nettyrdma.engine.SendQueue;
import io.nettyrdma.memory.RegisteredByteBuf;
import io.nettyrdma.memory.RegisteredMemoryPool;
import java.io.IOException;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * The bytes that a stream has taken from its program and not posted, in their order. Small messages and files are
 * copied one behind the other into blocks of registered memory, so that many of them are one RDMA Write. The buffer
 * keeps a long message without a copy only if nothing else can change it. A buffer without bytes holds no memory.
 *
 * <p>Threading: the loop's. Ownership: of a reference to each piece.
 */
final class SendBuffer {

    private static final int BLOCK_BYTES = 64 * 1024;
    /** Fewest bytes in the loop's registered memory that are not copied: each costs an RDMA Write of its own. */
    private static final int REGISTERED_BYTES = 8 * 1024;
    /** Bytes that a stream may hold while direct memory is scarce. */
    private static final int SCARCE_BYTES = 64 * 1024;
    /** Direct memory is scarce if less than this part of it is left. */
    private static final int SCARCE_PART = 4;

    private final RegisteredMemoryPool pool;
    private final FileRegionChannel files = new FileRegionChannel();
    /** The readable bytes of each are not posted. */
    private final ArrayDeque<ByteBuf> pieces = new ArrayDeque<>(0);

    private long bytes;
    /** The last piece, if small messages may follow in it. */
    private @Nullable RegisteredByteBuf block;
    /** The message whose first bytes were kept without a copy, and whose others follow. */
    private @Nullable ByteBuf partly;

    SendBuffer(RegisteredMemoryPool pool) {
        this.pool = pool;
    }

    /** Bytes that are taken and not posted. */
    long bytes() {
        return bytes;
    }

    /**
     * Returns the most bytes that the stream may hold now, {@code configured} unless direct memory is scarce.
     *
     * @param wanted bytes that it would hold
     */
    long limit(int configured, long wanted) {
        if (wanted <= SCARCE_BYTES) {
            return configured; // the usual flush need not ask how much memory there is
        }
        boolean scarce = pool.availableBytes(BLOCK_BYTES) < PlatformDependent.maxDirectMemory() / SCARCE_PART;
        return scarce ? Math.min(configured, SCARCE_BYTES) : configured;
    }

    /**
     * Takes {@code length} bytes of a message from {@code index}.
     *
     * @param following bytes that are likely to follow, {@code length} included
     * @param copyBytes the most bytes of other memory that cost less to copy than to register
     */
    void add(ByteBuf message, int index, int length, long following, int copyBytes) {
        boolean owned = message == partly;
        partly = null;
        if (isWorthWhile(message, length, copyBytes) && (owned || isOwned(message))) {
            owned = true;
            pieces.add(message.retain().slice(index, length));
            bytes += length;
            block = null;
        } else {
            copy(message, index, length, following);
        }
        if (owned && index + length < message.writerIndex()) {
            partly = message;
        }
    }

    private void copy(ByteBuf message, int index, int length, long following) {
        for (int done = 0; done < length; ) {
            RegisteredByteBuf into = openBlock(Math.max(following, length) - done);
            int now = Math.min(length - done, into.writableBytes());
            // By way of the cached NIO view: writeBytes would make views of the source for each message.
            int end = into.writerIndex();
            message.getBytes(index + done, into.internalNioBuffer(end, now));
            into.writerIndex(end + now);
            bytes += now;
            done += now;
        }
    }

    /**
     * Reads up to {@code length} bytes of a region.
     *
     * @return the number of bytes; less than {@code length} if the region gives no more
     */
    int add(FileRegion region, int length) throws IOException {
        int done = 0;
        while (done < length) {
            RegisteredByteBuf into = openBlock(length - done);
            int wanted = Math.min(length - done, into.writableBytes());
            int start = into.writerIndex();
            int read;
            try {
                files.read(region, into, wanted);
            } finally {
                read = into.writerIndex() - start; // also what a region that fails has given before
                bytes += read;
                dropEmptyBlock();
            }
            done += read;
            if (read < wanted) {
                break;
            }
        }
        return done;
    }

    private boolean isWorthWhile(ByteBuf message, int length, int copyBytes) {
        return length >= REGISTERED_BYTES
                && SendQueue.isOneDirectBuffer(message)
                && (pool.find(message) != null || length > copyBytes);
    }

    /**
     * Whether the memory of a message is pooled, and the channel is its only holder. The promise succeeds before the
     * bytes are sent, and the program may change any other memory then.
     */
    private static boolean isOwned(ByteBuf message) {
        ByteBuf root = message;
        for (ByteBuf below = message; below != null; below = below.unwrap()) {
            if (below.refCnt() != 1) {
                return false;
            }
            root = below;
        }
        if (!(root instanceof RegisteredByteBuf)
                && (root instanceof CompositeByteBuf || root.alloc() instanceof UnpooledByteBufAllocator)) {
            return false;
        }
        boolean counted = message.retain().refCnt() == 2; // a constant that cannot be released ignores both calls
        message.release();
        return counted;
    }

    private RegisteredByteBuf openBlock(long following) {
        RegisteredByteBuf present = block;
        if (present == null || !present.isWritable()) {
            // The more bytes wait, the longer the block, so that a trickle of small messages takes few of them.
            long size = Math.min(BLOCK_BYTES, Math.max(following, bytes));
            present = pool.allocate(RegisteredMemoryPool.slotBytes((int) size));
            block = present;
            pieces.add(present);
        }
        return present;
    }

    private void dropEmptyBlock() {
        RegisteredByteBuf present = block;
        if (present != null && !present.isReadable()) {
            pieces.removeLast();
            block = null;
            present.release();
        }
    }

    /** The piece that is posted next. There are bytes. */
    ByteBuf first() {
        return pieces.element();
    }

    /** That many bytes of the first piece are posted; the request holds them. */
    void skip(int count) {
        ByteBuf piece = pieces.element();
        piece.skipBytes(count);
        bytes -= count;
        if (!piece.isReadable()) {
            removeFirst();
        }
    }

    private void removeFirst() {
        ByteBuf piece = pieces.remove();
        if (piece == block) {
            block = null;
        }
        piece.release();
    }

    /** Lets go of all bytes. */
    void clear() {
        bytes = 0;
        partly = null;
        while (!pieces.isEmpty()) {
            removeFirst();
        }
    }
}
