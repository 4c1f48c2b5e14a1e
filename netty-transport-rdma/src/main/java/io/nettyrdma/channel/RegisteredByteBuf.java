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

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.UnpooledDirectByteBuf;
import io.netty.util.internal.CleanableDirectBuffer;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * A buffer in registered memory. The object is as long-lived as its slot: releasing it gives the slot back, and the
 * next use of the slot revives the same object, so that nothing is allocated per message.
 *
 * <p>A buffer that grows beyond its slot moves to a larger one. The slot it leaves goes back only when the buffer is
 * released, because a work request posted before may still use it. On another thread than the event loop, and beyond
 * the largest slot, the buffer moves to ordinary memory, which is not registered.
 *
 * <p>Threading: like any {@link ByteBuf}; {@link #release()} from any thread.
 */
final class RegisteredByteBuf extends UnpooledDirectByteBuf {

    /** Who has taken a slot to use it again and again. */
    interface SlotOwner {

        /** Takes a slot back that was released; {@code false} if it does not want it any more. */
        boolean takeBack(RegisteredByteBuf slot);
    }

    private final RegisteredMemoryPool pool;
    private RegisteredSlab slab;
    private int slot;
    /** Octets of the slot that count as capacity, as allocators promise it. */
    private int capacity;

    private boolean moved;
    /** Stands for the slot that this buffer has left, which in turn may have been moved to. */
    private @Nullable RegisteredByteBuf outgrown;

    /** The slot being moved to. */
    private @Nullable RegisteredByteBuf target;

    /** Who gets the slot on release instead of the pool; set and read by the loop. */
    private @Nullable SlotOwner owner;

    /** What the peer has invalidated by sending the message in this slot, if anything. */
    private @Nullable RdmaKeyInvalidatedEvent invalidated;

    RegisteredByteBuf(
            RegisteredMemoryPool pool, ByteBufAllocator allocator, RegisteredSlab slab, int slot, ByteBuffer memory) {
        // Memory that a peer knows must not move away from its key.
        super(allocator, memory, slab.isPooled() ? Integer.MAX_VALUE : memory.remaining());
        this.pool = pool;
        this.slab = slab;
        this.slot = slot;
        capacity = memory.remaining();
        setRefCnt(0);
    }

    /** Whether the content lies in registered memory. */
    boolean isRegistered() {
        return !moved && slab.isRegistered();
    }

    /** Ends the registration of memory that is exposed to a peer. Idempotent. */
    void invalidate() throws IOException {
        pool.invalidate(slab);
    }

    RegisteredSlab slab() {
        return slab;
    }

    int slot() {
        return slot;
    }

    /** Whether the memory belongs to {@code other}, in whose protection domain alone its keys are good. */
    boolean isOf(RegisteredMemoryPool other) {
        return pool == other;
    }

    /** Whether the content is in ordinary memory. */
    boolean isMoved() {
        return moved;
    }

    /** Whether the memory is registered, or will be, with at least these rights. */
    boolean allows(int access) {
        return slab.allows(access);
    }

    /** The slot that this buffer had before it grew, once. */
    @Nullable
    RegisteredByteBuf takeOutgrown() {
        RegisteredByteBuf left = outgrown;
        outgrown = null;
        return left;
    }

    /** Address of octet {@code index} as scatter-gather entries and peers name it. */
    long address(int index) {
        return slab.address() + (long) slot * slab.slotBytes() + index;
    }

    int localKey() {
        return slab.region().getLkey();
    }

    int remoteKey() {
        return slab.remoteKey();
    }

    /** Registers pooled memory on its first use. Memory that was invalidated stays so: its exposure has ended. */
    void ensureRegistered() throws IOException {
        if (!slab.isPooled() && !slab.isRegistered()) {
            throw new IOException("the memory was invalidated");
        }
        slab.register(pool.protectionDomain());
    }

    @Nullable
    RdmaKeyInvalidatedEvent invalidation() {
        return invalidated;
    }

    void invalidation(@Nullable RdmaKeyInvalidatedEvent invalidated) {
        this.invalidated = invalidated;
    }

    @Nullable
    SlotOwner owner() {
        return owner;
    }

    void owner(@Nullable SlotOwner taker) {
        owner = taker;
    }

    /** Makes a released buffer usable again, empty, with one reference and a capacity of up to the slot's size. */
    void revive(int newCapacity) {
        capacity = newCapacity;
        resetRefCnt();
        clear();
    }

    @Override
    public int capacity() {
        // The constructor of the base class asks before there is a slab.
        return moved || slab == null ? super.capacity() : capacity;
    }

    @Override
    public ByteBuf capacity(int newCapacity) {
        checkNewCapacity(newCapacity);
        if (newCapacity == capacity()) {
            return this;
        }
        if (!slab.isPooled()) {
            throw new UnsupportedOperationException("exposed memory has a fixed capacity: " + capacity());
        }
        if (!moved && newCapacity <= slab.slotBytes()) {
            capacity = newCapacity;
            trimIndicesToCapacity(newCapacity);
            return this;
        }
        RegisteredByteBuf larger = moved ? null : pool.takeIfPossible(newCapacity);
        if (larger == null) {
            super.capacity(newCapacity);
            moved = true;
        } else {
            moveTo(larger, newCapacity);
        }
        return this;
    }

    private void moveTo(RegisteredByteBuf larger, int newCapacity) {
        target = larger;
        super.capacity(newCapacity); // copies into what allocateDirectBuffer() returns
        target = null;
        RegisteredByteBuf left = pool.dead(slab, slot);
        left.owner = owner;
        left.outgrown = outgrown;
        outgrown = left;
        owner = null;
        slab = larger.slab;
        slot = larger.slot;
        capacity = newCapacity;
    }

    @Override
    protected CleanableDirectBuffer allocateDirectBuffer(int newCapacity) {
        RegisteredByteBuf larger = target;
        return larger == null ? super.allocateDirectBuffer(newCapacity) : new SlotMemory(larger.slab.slot(larger.slot));
    }

    /** Memory of a slab, which is freed with that and not with a buffer. */
    private record SlotMemory(ByteBuffer buffer) implements CleanableDirectBuffer {
        @Override
        public void clean() {
            // The pool gets the slot back.
        }
    }

    @Override
    protected void deallocate() {
        if (moved) {
            super.deallocate(); // frees the memory it moved to; the slot is not touched by that
        }
        pool.recycle(this);
    }
}
