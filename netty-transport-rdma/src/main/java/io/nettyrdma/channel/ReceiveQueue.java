// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.channel;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.util.ResourceLeakDetector;
import io.netty.util.ResourceLeakDetector.Level;
import io.nettyrdma.engine.ChannelLifecycle;
import io.nettyrdma.engine.ReceivePoster;
import io.nettyrdma.engine.Receives;
import io.nettyrdma.error.RdmaResourceLimitException;
import io.nettyrdma.memory.LoopAllocator;
import io.nettyrdma.memory.RegisteredByteBuf;
import io.nettyrdma.memory.RegisteredMemoryPool;
import io.nettyrdma.verbs.spi.VerbsConstants;
import io.nettyrdma.verbs.spi.WorkRequestBatch;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The messages received on one queue pair, from the post of their receives until the pipeline gets them. All granted
 * receives stay posted, even while handlers keep messages, unless the device has messages wait for receives: then it
 * begins with a few, and doubles their number when none is left. A thousand quiet connections use the same few slots
 * again, which are in the cache, and not 64 in turn. Before each send, which may grant the peer room, and before
 * the loop waits, the queue replaces each slot that the pipeline holds, up to as many again as the receive count. It
 * copies a message beyond that and reuses its slot at once. A slow handler then costs memory, not the peer's credits.
 * Only the software provider would wait for a receive: siw, rxe and hardware end the connection.
 *
 * <p>An unread message keeps its slot, and no slot replaces it: it is not answered, so a peer that counts its credits
 * has none for another. Only slots with the pipeline have a reference count: a handler that releases once too often
 * harms only itself.
 *
 * <p>Threading: the loop's. Ownership: the queue owns its slots until {@link #close}. Slots with the pipeline return
 * through {@link #takeBack} or, after that, to the pool.
 */
final class ReceiveQueue implements Receives, RegisteredByteBuf.SlotOwner {

    /**
     * Every how many messages one is offered to leak detection, which takes its own sample of those: a stack trace per
     * sampled buffer is a tenth of the cost of short messages, of which a stream has many in one buffer.
     */
    private static final int LEAK_DETECTION_INTERVAL = 16;

    /** Receives posted at first, if the device has messages wait for more. */
    static final int FIRST_POSTED = 4;

    /** How long a loop may make slots: its other connections wait meanwhile. */
    static final long MAX_ALLOCATION_NANOS = TimeUnit.SECONDS.toNanos(10);

    private final ReceivePoster poster;
    private final RegisteredMemoryPool pool;
    private final ChannelLifecycle lifecycle;
    private final int slotBytes;
    private final RegisteredByteBuf[] posted;
    private final int[] freeSlots;
    private final RegisteredByteBuf[] waiting;
    private final ArrayDeque<RegisteredByteBuf> unread = new ArrayDeque<>();
    private final Runnable postLater;
    private int freeCount;
    private int waitingCount;
    /** Receives that are posted at once. */
    private int window;
    /** Slots with the pipeline. */
    private int kept;
    /** Those of them that have been replaced. */
    private int replaced;
    /** Whether {@link #post} will be called before the loop waits. */
    private boolean postComes;

    private int handedOut;
    private boolean closed;

    /**
     * @param count     how many messages the peer may send before the first of them is read
     * @param first     how many receives to post at first, 1 or more
     * @param slotBytes bytes of the longest message
     * @param lifecycle decides whether received messages are kept
     * @param postLater sees to it that {@link #post} is called before the loop waits
     * @param maxAllocationNanos how long to make slots, {@link #MAX_ALLOCATION_NANOS} but in tests
     * @throws RdmaResourceLimitException if the JVM has less memory left than the slots need, or is slow to give it
     */
    ReceiveQueue(
            ReceivePoster poster,
            RegisteredMemoryPool pool,
            int count,
            int first,
            int slotBytes,
            ChannelLifecycle lifecycle,
            Runnable postLater,
            long maxAllocationNanos)
            throws RdmaResourceLimitException {
        long eachBytes = RegisteredMemoryPool.slotBytes(slotBytes);
        long neededBytes = count * eachBytes;
        long availableBytes = pool.availableBytes(slotBytes);
        if (neededBytes > availableBytes && RegisteredMemoryPool.freeKept()) {
            availableBytes = pool.availableBytes(slotBytes);
        }
        if (neededBytes > availableBytes) {
            throw outOfMemory(count, slotBytes, neededBytes, availableBytes, "are left");
        }
        this.poster = poster;
        this.pool = pool;
        this.lifecycle = lifecycle;
        this.slotBytes = slotBytes;
        this.postLater = postLater;
        window = Math.min(first, count);
        posted = new RegisteredByteBuf[count];
        waiting = new RegisteredByteBuf[count];
        freeSlots = new int[count];
        try {
            long begun = System.nanoTime();
            for (int i = 0; i < count; i++) {
                if (System.nanoTime() - begun > maxAllocationNanos) {
                    String limit = TimeUnit.NANOSECONDS.toSeconds(maxAllocationNanos) + " s";
                    throw outOfMemory(count, slotBytes, neededBytes, i * eachBytes, "came within " + limit);
                }
                freeSlots[freeCount++] = i;
                waiting[waitingCount] = pool.take(slotBytes);
                waitingCount++;
            }
        } catch (OutOfMemoryError e) {
            RdmaResourceLimitException refused =
                    outOfMemory(count, slotBytes, neededBytes, waitingCount * eachBytes, "came");
            refused.initCause(e);
            close();
            throw refused;
        } catch (Throwable e) {
            close();
            throw e;
        }
    }

    private static RdmaResourceLimitException outOfMemory(
            int count, int slotBytes, long neededBytes, long availableBytes, String fate) {
        return new RdmaResourceLimitException(
                "receives of the channel: RDMA_RECEIVE_COUNT " + count + " times RDMA_RECEIVE_SIZE " + slotBytes
                        + " needs " + neededBytes + " bytes of direct memory, of which " + availableBytes + ' ' + fate
                        + "; lower one of the options or raise -XX:MaxDirectMemorySize",
                neededBytes,
                availableBytes);
    }

    @Override
    public int outstanding() {
        return posted.length - freeCount;
    }

    /** Posts slots that are back, and others for those that are not, as far as the window goes. */
    @Override
    public void post(WorkRequestBatch requests) throws IOException {
        postComes = false;
        while (replaced < kept && !closed) {
            waiting[waitingCount] = pool.take(slotBytes);
            waitingCount++;
            replaced++;
        }
        while (mayPost()) {
            requests.clear();
            try {
                while (mayPost() && !requests.isFull()) {
                    add(requests);
                }
            } finally {
                poster.post(requests); // also what stands before a slot that could not be registered
            }
        }
    }

    private boolean mayPost() {
        return waitingCount > 0 && outstanding() < window && !closed;
    }

    private void add(WorkRequestBatch requests) throws IOException {
        RegisteredByteBuf buffer = waiting[waitingCount - 1];
        buffer.ensureRegistered();
        waiting[--waitingCount] = null;
        int slot = freeSlots[--freeCount];
        posted[slot] = buffer;
        poster.add(requests, slot, buffer.address(0), slotBytes, buffer.localKey());
    }

    /** Keeps the message until it is read. No slot replaces it before. */
    @Override
    public void onReceived(int slot, int bytes, int immediate, int flags) {
        RegisteredByteBuf buffer = unpost(slot);
        if (outstanding() == 0) {
            poster.traffic().onExhausted();
            if (window < posted.length) {
                window = Math.min(2 * window, posted.length);
                postSoon();
            }
        }
        buffer.owner(this);
        buffer.revive(slotBytes);
        buffer.setIndex(0, bytes);
        if ((flags & VerbsConstants.WC_WITH_INV) != 0) {
            buffer.onKeyInvalidated(immediate);
        }
        if (lifecycle.mayTakeOn()) {
            unread.add(buffer);
        } else {
            discard(buffer);
        }
    }

    boolean hasUnread() {
        return !unread.isEmpty();
    }

    /** Returns the key that the oldest unread message invalidates, if any. */
    @Nullable
    RdmaKeyInvalidatedEvent invalidation() {
        RegisteredByteBuf message = unread.element();
        return message.hasInvalidated() ? new RdmaKeyInvalidatedEvent(message.invalidatedKey()) : null;
    }

    /** Returns the oldest unread message, or a copy if the pipeline holds too many slots or reads only copies. */
    ByteBuf read(ByteBufAllocator allocator) {
        RegisteredByteBuf buffer = unread.remove();
        kept++;
        if (kept > posted.length && !closed || !LoopAllocator.allowsOthers(allocator)) {
            poster.traffic().onCopied();
            return copy(buffer, allocator);
        }
        postSoon();
        return tracked(buffer);
    }

    /** Drops all unread messages. */
    void discardUnread() {
        RegisteredByteBuf buffer;
        while ((buffer = unread.poll()) != null) {
            discard(buffer);
        }
    }

    private void discard(RegisteredByteBuf buffer) {
        kept++;
        buffer.release();
    }

    /** A received message, of which leak detection sees a share; all of them if it is to see every buffer. */
    private ByteBuf tracked(RegisteredByteBuf buffer) {
        return handedOut++ % LEAK_DETECTION_INTERVAL == 0 || ResourceLeakDetector.getLevel() == Level.PARANOID
                ? LoopAllocator.leakAware(buffer)
                : buffer;
    }

    private ByteBuf copy(RegisteredByteBuf buffer, ByteBufAllocator allocator) {
        int lengthBytes = buffer.readableBytes();
        try {
            ByteBuf copy = allocator.ioBuffer(lengthBytes);
            buffer.copyTo(copy, 0, lengthBytes);
            return copy;
        } finally {
            buffer.release(); // comes back at once
        }
    }

    @Override
    public void onFlushed(int slot) {
        pool.giveBack(unpost(slot));
    }

    private RegisteredByteBuf unpost(int slot) {
        RegisteredByteBuf buffer = posted[slot];
        if (buffer == null) {
            throw new IllegalStateException("completion of receive " + slot + ", which is not posted");
        }
        posted[slot] = null;
        freeSlots[freeCount++] = slot;
        return buffer;
    }

    /** Takes a slot back that the pipeline released, unless the queue is closed. */
    @Override
    public boolean takeBack(RegisteredByteBuf buffer) {
        if (closed) {
            return false;
        }
        kept--;
        if (replaced > kept) {
            replaced--; // another slot has taken its place
            return false;
        }
        waiting[waitingCount++] = buffer;
        postSoon();
        return true;
    }

    private void postSoon() {
        if (!postComes) {
            postComes = true;
            postLater.run();
        }
    }

    @Override
    public void close() {
        closed = true;
        while (waitingCount > 0) {
            pool.giveBack(waiting[--waitingCount]);
            waiting[waitingCount] = null;
        }
    }

    @Override
    public void abandon() {
        for (int slot = 0; slot < posted.length; slot++) {
            if (posted[slot] != null) {
                pool.giveBack(unpost(slot));
            }
        }
    }
}
