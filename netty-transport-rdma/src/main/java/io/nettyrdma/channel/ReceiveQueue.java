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
import io.nettyrdma.verbs.VerbsExtensions;
import io.nettyrdma.verbs.WorkRequestRing;
import java.io.IOException;

/**
 * The receives of one queue pair. A slot is either posted, or with the pipeline, or waiting to be posted again. When
 * fewer than half of them are posted, messages are copied out so that their slots go back at once: a slow handler then
 * costs memory, not the peer's credits.
 *
 * <p>Threading: the loop's. Ownership: the queue owns its slots until {@link #close}; those with the pipeline come back
 * through {@link #takeBack} or, after that, go to the pool.
 */
final class ReceiveQueue {

    private final VerbsExtensions verbs;
    private final IbvQP qp;
    private final int registration;
    private final int slotBytes;
    private final RegisteredByteBuf[] posted;
    private final int[] freeSlots;
    private final RegisteredByteBuf[] waiting;
    private final Runnable postLater;
    private int freeCount;
    private int waitingCount;
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
        this.registration = registration;
        this.slotBytes = slotBytes;
        this.postLater = postLater;
        posted = new RegisteredByteBuf[count];
        waiting = new RegisteredByteBuf[count];
        freeSlots = new int[count];
        for (int i = 0; i < count; i++) {
            RegisteredByteBuf buffer = pool.allocate(slotBytes);
            buffer.receiver(this);
            waiting[waitingCount++] = buffer;
            freeSlots[freeCount++] = i;
        }
    }

    /** Receives that are posted and not completed. */
    int outstanding() {
        return posted.length - freeCount;
    }

    boolean hasWaiting() {
        return waitingCount > 0;
    }

    /** Posts every slot that is back. */
    void post(WorkRequestRing requests) throws IOException {
        while (waitingCount > 0 && !closed) {
            requests.clear();
            while (waitingCount > 0 && !requests.isFull()) {
                RegisteredByteBuf buffer = waiting[--waitingCount];
                waiting[waitingCount] = null;
                int slot = freeSlots[--freeCount];
                posted[slot] = buffer;
                buffer.ensureRegistered();
                requests.add()
                        .receive(WorkRequestId.of(registration, WorkRequestId.RECEIVE, slot))
                        .addSge(buffer.address(0), slotBytes, buffer.localKey());
            }
            verbs.postReceives(qp, requests);
        }
    }

    /** The message of a completed receive. */
    ByteBuf completed(int slot, int lengthBytes, ByteBufAllocator allocator) {
        RegisteredByteBuf buffer = unpost(slot);
        if (outstanding() < posted.length / 2 && posted.length > 1) {
            ByteBuf copy = allocator.directBuffer(lengthBytes);
            buffer.setIndex(0, lengthBytes);
            copy.writeBytes(buffer);
            buffer.clear();
            keep(buffer);
            return copy;
        }
        buffer.setIndex(0, lengthBytes);
        return RdmaByteBufAllocator.leakAware(buffer);
    }

    /** The slot of a receive that failed or was flushed. */
    void flushed(int slot) {
        unpost(slot).release();
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
    boolean takeBack(RegisteredByteBuf buffer) {
        if (closed) {
            return false;
        }
        buffer.revive();
        keep(buffer);
        return true;
    }

    private void keep(RegisteredByteBuf buffer) {
        waiting[waitingCount++] = buffer;
        if (waitingCount == 1) {
            postLater.run();
        }
    }

    /** No more posts: slots at hand go to the pool, posted ones when their completions are in. */
    void close() {
        closed = true;
        while (waitingCount > 0) {
            RegisteredByteBuf buffer = waiting[--waitingCount];
            waiting[waitingCount] = null;
            buffer.release();
        }
    }
}
