// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.memory;

import com.ibm.disni.verbs.IbvMr;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.UnpooledDirectByteBuf;
import io.netty.util.internal.CleanableDirectBuffer;
import io.netty.util.internal.PlatformDependent;
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
public final class RegisteredByteBuf extends UnpooledDirectByteBuf {

    /** Takes a released slot back instead of the pool. */
    public interface SlotOwner {

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

    /** Whether the peer has invalidated {@link #invalidatedKey} by sending the message in this slot. */
    private boolean hasInvalidated;

    private int invalidatedKey;

    /** Returned by {@link #alloc} until the next use of the slot, if another than the pool's is set. */
    private @Nullable ByteBufAllocator named;

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

    /** Ends the registration of memory that is exposed to a peer. Idempotent. */
    public void invalidate() throws IOException {
        pool.invalidate(slab);
    }

    RegisteredSlab slab() {
        return slab;
    }

    int slot() {
        return slot;
    }

    /** Makes {@link #alloc} return the allocator of the channel that has read into this buffer. */
    public void nameAllocator(ByteBufAllocator allocator) {
        named = allocator;
    }

    @Override
    public ByteBufAllocator alloc() {
        ByteBufAllocator present = named;
        return present == null ? super.alloc() : present;
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
    public boolean allows(int access) {
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
    public long address(int index) {
        return slab.address() + (long) slot * slab.slotBytes() + index;
    }

    public int localKey() {
        return slab.region().getLkey();
    }

    public int remoteKey() {
        return slab.remoteKey();
    }

    /** The registration of the memory, which a window can be bound to. */
    public IbvMr region() {
        return slab.region();
    }

    /**
     * Exposes the memory by another key than its registration's own, which is ended before the registration is.
     *
     * @param exposure of the whole capacity
     */
    public void exposeBy(Exposure exposure) {
        slab.exposeBy(exposure);
    }

    /** Registers pooled memory on its first use. Memory that was invalidated stays so: its exposure has ended. */
    public void ensureRegistered() throws IOException {
        if (!slab.isPooled() && !slab.isRegistered()) {
            throw new IOException("the memory is invalidated; register it again");
        }
        slab.register(pool.protectionDomain());
    }

    /** Whether the peer has invalidated a key by sending this message. */
    public boolean hasInvalidated() {
        return hasInvalidated;
    }

    /** The key that the peer has invalidated, if {@link #hasInvalidated()}. */
    public int invalidatedKey() {
        return invalidatedKey;
    }

    /** The peer has invalidated a key by sending this message. Forgotten by the next use of the slot. */
    public void onKeyInvalidated(int key) {
        hasInvalidated = true;
        invalidatedKey = key;
    }

    @Nullable
    SlotOwner owner() {
        return owner;
    }

    public void owner(@Nullable SlotOwner taker) {
        owner = taker;
    }

    /** Makes a released buffer usable again, empty, with one reference and a capacity of up to the slot's size. */
    public void revive(int newCapacity) {
        capacity = newCapacity;
        hasInvalidated = false;
        named = null;
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

    /**
     * Appends octets of this buffer to another. By addresses where there are any: a write to a buffer of Netty's
     * adaptive allocator makes a view of it.
     */
    public void copyTo(ByteBuf to, int index, int lengthBytes) {
        checkIndex(index, lengthBytes);
        to.ensureWritable(lengthBytes);
        if (PlatformDependent.hasUnsafe() && hasMemoryAddress() && to.hasMemoryAddress() && !to.isReadOnly()) {
            int end = to.writerIndex();
            PlatformDependent.copyMemory(memoryAddress() + index, to.memoryAddress() + end, lengthBytes);
            to.writerIndex(end + lengthBytes);
        } else {
            // By way of the cached NIO view: writeBytes of a ByteBuf would make views for each message.
            to.writeBytes(internalNioBuffer(index, lengthBytes));
        }
    }

    /** Zeroes the first octets: they may be those of another connection, and are about to be shown to a peer. */
    public void zero(int lengthBytes) {
        checkIndex(0, lengthBytes);
        if (PlatformDependent.hasUnsafe() && hasMemoryAddress()) {
            PlatformDependent.setMemory(memoryAddress(), lengthBytes, (byte) 0);
        } else {
            setZero(0, lengthBytes);
        }
    }

    /** The rest of the slot takes octets without a move. */
    @Override
    public int maxFastWritableBytes() {
        return (moved || !slab.isPooled() ? capacity() : slab.slotBytes()) - writerIndex();
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
