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
package io.nettyrdma.channel;

import com.ibm.disni.verbs.IbvQP;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.util.ResourceLeakDetector;
import io.netty.util.ResourceLeakDetector.Level;
import io.nettyrdma.verbs.VerbsExtensions;
import io.nettyrdma.verbs.WorkRequestBatch;
import java.io.IOException;

/**
 * The receives of one queue pair. What is granted is posted, whatever handlers keep: before anything is sent, which may
 * tell the peer of room, and before the loop waits, each slot that is with the pipeline and not back has been replaced
 * by another, up to as many again as the receive count; a message beyond that is copied, so that its slot goes back at
 * once. A slow handler then costs memory, not the peer's credits. Only the software provider would wait for a receive:
 * siw, rxe and hardware end the connection.
 *
 * <p>A message that nobody has read yet keeps its slot, and nothing takes its place: it is not answered, so a peer that
 * keeps count has no credit for another. Only slots with the pipeline have a reference count, so that a handler which
 * releases once too often hurts itself alone.
 *
 * <p>Threading: the loop's. Ownership: the queue owns its slots until {@link #close}; those with the pipeline come back
 * through {@link #takeBack} or, after that, go to the pool.
 */
final class ReceiveQueue implements RegisteredByteBuf.SlotOwner {

    /**
     * Every how many messages one is offered to leak detection, which takes its own sample of those: a stack trace per
     * sampled buffer is a tenth of the cost of short messages, of which a stream has many in one buffer.
     */
    private static final int LEAK_DETECTION_INTERVAL = 16;

    private final VerbsExtensions verbs;
    private final IbvQP qp;
    private final RegisteredMemoryPool pool;
    private final int registration;
    private final int slotBytes;
    private final RegisteredByteBuf[] posted;
    private final int[] freeSlots;
    private final RegisteredByteBuf[] waiting;
    private final Runnable postLater;
    private int freeCount;
    private int waitingCount;
    /** Slots with the pipeline. */
    private int kept;
    /** Those of them that have been replaced. */
    private int replaced;
    /** Whether {@link #post} will be called before the loop waits. */
    private boolean postComes;

    private int received;
    private boolean postFailed;
    private boolean closed;

    ReceiveQueue(
            VerbsExtensions verbs,
            IbvQP qp,
            RegisteredMemoryPool pool,
            int registration,
            int count,
            int slotBytes,
            Runnable postLater) {
        this.verbs = verbs;
        this.qp = qp;
        this.pool = pool;
        this.registration = registration;
        this.slotBytes = slotBytes;
        this.postLater = postLater;
        posted = new RegisteredByteBuf[count];
        waiting = new RegisteredByteBuf[count];
        freeSlots = new int[count];
        try {
            for (int i = 0; i < count; i++) {
                freeSlots[freeCount++] = i;
                waiting[waitingCount] = pool.take(slotBytes);
                waitingCount++;
            }
        } catch (Throwable e) {
            close();
            throw e;
        }
    }

    /** As {@link SendQueue#hasFailedPost}. */
    boolean hasFailedPost() {
        return postFailed;
    }

    /** Receives that are posted and not completed. */
    int outstanding() {
        return posted.length - freeCount;
    }

    /** Posts every slot that is back, and others for those that are not. A failure is fatal for the queue pair. */
    void post(WorkRequestBatch requests) throws IOException {
        postComes = false;
        while (replaced < kept && !closed) {
            waiting[waitingCount] = pool.take(slotBytes);
            waitingCount++;
            replaced++;
        }
        while (waitingCount > 0 && !closed) {
            requests.clear();
            try {
                while (waitingCount > 0 && !requests.isFull()) {
                    add(requests);
                }
            } finally {
                postBatch(requests); // also what stands before a slot that could not be registered
            }
        }
    }

    private void add(WorkRequestBatch requests) throws IOException {
        RegisteredByteBuf buffer = waiting[waitingCount - 1];
        buffer.ensureRegistered();
        waiting[--waitingCount] = null;
        int slot = freeSlots[--freeCount];
        posted[slot] = buffer;
        requests.add()
                .receive(WorkRequestId.of(registration, WorkRequestId.RECEIVE, slot))
                .addSge(buffer.address(0), slotBytes, buffer.localKey());
    }

    private void postBatch(WorkRequestBatch requests) throws IOException {
        if (requests.size() > 0) {
            try {
                verbs.postReceives(qp, requests);
            } catch (Throwable e) {
                postFailed = true; // how many were posted is unknown: they stay outstanding until abandon()
                EndSteps.after(e).then(() -> verbs.toError(qp));
                throw e;
            }
        }
    }

    /** The message of a completed receive. Nothing takes its place before {@link #handOut}. */
    RegisteredByteBuf takeCompleted(int slot, int lengthBytes) {
        RegisteredByteBuf buffer = unpost(slot);
        buffer.owner(this);
        buffer.revive(slotBytes);
        buffer.setIndex(0, lengthBytes);
        return buffer;
    }

    /** A message on its way to the pipeline: itself or, if too many slots are there already, a copy. */
    ByteBuf handOut(RegisteredByteBuf buffer, ByteBufAllocator allocator) {
        kept++;
        if (kept > posted.length && !closed) {
            return copy(buffer, allocator);
        }
        postSoon();
        return tracked(buffer);
    }

    /** A message that the pipeline does not get. */
    void discard(RegisteredByteBuf buffer) {
        kept++;
        buffer.release();
    }

    /** A received message, of which leak detection sees a share; all of them if it is to see every buffer. */
    private ByteBuf tracked(RegisteredByteBuf buffer) {
        return received++ % LEAK_DETECTION_INTERVAL == 0 || ResourceLeakDetector.getLevel() == Level.PARANOID
                ? RdmaByteBufAllocator.leakAware(buffer)
                : buffer;
    }

    private ByteBuf copy(RegisteredByteBuf buffer, ByteBufAllocator allocator) {
        int lengthBytes = buffer.readableBytes();
        try {
            // By way of the cached NIO view: writeBytes of a ByteBuf would make views for each message.
            return allocator.directBuffer(lengthBytes).writeBytes(buffer.internalNioBuffer(0, lengthBytes));
        } finally {
            buffer.release(); // comes back at once
        }
    }

    /** The slot of a receive that failed or was flushed, after which nothing is received any more. */
    void onFlushed(int slot) {
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

    /** No more posts: slots at hand go to the pool, posted ones when their completions are in. */
    void close() {
        closed = true;
        while (waitingCount > 0) {
            pool.giveBack(waiting[--waitingCount]);
            waiting[waitingCount] = null;
        }
    }

    /** Lets go of what did not complete; the queue pair is destroyed, so nothing touches the memory any more. */
    void abandon() {
        for (int slot = 0; slot < posted.length; slot++) {
            if (posted[slot] != null) {
                pool.giveBack(unpost(slot));
            }
        }
    }
}
