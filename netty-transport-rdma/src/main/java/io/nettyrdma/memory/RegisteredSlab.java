// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.memory;

import com.ibm.disni.verbs.IbvMr;
import com.ibm.disni.verbs.IbvPd;
import io.netty.buffer.ByteBuf;
import io.netty.util.internal.CleanableDirectBuffer;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/**
 * One block of direct memory, divided into slots of equal size and registered as a whole.
 *
 * <p>Threading: the loop's; after the loop has ended, guarded by the pool's lock. A kept one belongs to the
 * thread that wins {@link #reuse} or {@link #end}. Ownership: the memory lives
 * until the last slot is back, the registration until then or until the loop ends, whichever is first.
 */
final class RegisteredSlab {

    /** In unwritten memory that was handed out, if assertions are enabled. */
    static final long POISON = 0xdead_5ec2_e70f_0e25L;

    private static final LongAdder ALLOCATED = new LongAdder();

    private final CleanableDirectBuffer memory;
    private final int slotBytes;
    private final int access;
    private final boolean pooled;
    private @Nullable IbvMr region;
    /** Whether the region is another slab's, in which this memory begins {@link #offset} octets behind the first. */
    private boolean shared;

    private int offset;
    /** What the peer is shown instead of the region's own key. */
    private @Nullable Exposure exposure;
    /** Slots that are not in use, of those that were. */
    private final ArrayDeque<RegisteredByteBuf> free = new ArrayDeque<>(0);
    /** Slots that were in use: those before it. The others have no object yet. */
    private int fresh;
    /** Slots handed out and not yet returned. */
    private int live;

    /** Who may use or free the slab: for one that is idle, the thread that wins the next change. */
    private final AtomicReference<State> state = new AtomicReference<>(State.IN_USE);

    private enum State {
        /** The loop's. */
        IN_USE,
        /** Idle, and kept for the next use. */
        KEPT,
        /** Idle, and about to be freed by a thread that needs memory. */
        ENDING,
        /** Freed by it. */
        ENDED
    }

    private RegisteredSlab(CleanableDirectBuffer memory, int slotBytes, int access, boolean pooled) {
        this.memory = memory;
        this.slotBytes = slotBytes;
        this.access = access;
        this.pooled = pooled;
    }

    /** A slab for many uses, never reachable by a peer. */
    static RegisteredSlab pooled(int slotBytes, int slots, int access) {
        return new RegisteredSlab(allocate(Math.multiplyExact(slotBytes, slots)), slotBytes, access, true);
    }

    /** A slab for one use, which {@code access} may open to a peer. */
    static RegisteredSlab exposed(int lengthBytes, int access) {
        return new RegisteredSlab(allocate(lengthBytes), lengthBytes, access, false);
    }

    private static CleanableDirectBuffer allocate(int bytes) {
        CleanableDirectBuffer memory = DirectMemory.allocate(bytes);
        ALLOCATED.add(memory.buffer().capacity());
        return memory;
    }

    /** Bytes of the memory that was allocated for slabs of the process, and is not free. Any thread. */
    static long allocatedBytes() {
        return ALLOCATED.sum();
    }

    /** A slab for one use whose memory is that of a buffer, which is released instead of being freed. */
    static RegisteredSlab borrowed(ByteBuf buffer, int access) {
        ByteBuffer view = buffer.nioBuffer().slice();
        return new RegisteredSlab(new BorrowedMemory(buffer, view), view.capacity(), access, false);
    }

    /** As {@link #borrowed}, of a buffer whose memory is registered already, {@code offset} octets into its region. */
    static RegisteredSlab within(ByteBuf buffer, IbvMr region, int offset, int access) {
        RegisteredSlab slab = borrowed(buffer, access);
        slab.region = region;
        slab.shared = true;
        slab.offset = offset;
        return slab;
    }

    private record BorrowedMemory(ByteBuf owner, ByteBuffer buffer) implements CleanableDirectBuffer {
        @Override
        public void clean() {
            owner.release();
        }
    }

    /** Whether {@code rights} are among those that the memory is registered with. */
    boolean allows(int rights) {
        return (access & rights) == rights;
    }

    boolean isPooled() {
        return pooled;
    }

    /** Registers the memory, if it is not yet; lazily, because a slab may serve only as staging before it is sent. */
    void register(IbvPd pd) throws IOException {
        if (region == null) {
            region = MemoryRegions.register(pd, memory.buffer(), access);
        }
    }

    /** Exposes all of it by another key than the region's own, until the registration ends. */
    void exposeBy(Exposure shown) {
        exposure = shown;
    }

    /** Ends the registration: from now on no peer and no device can reach the memory. Idempotent. */
    void deregister() throws IOException {
        Exposure shown = exposure;
        if (shown != null) {
            shown.end();
            exposure = null;
        }
        IbvMr registered = region;
        if (registered != null) {
            if (!shared) {
                MemoryRegions.deregister(registered);
            }
            region = null; // only now: memory that is still reachable must not be freed
        }
    }

    /** Of the first octet, as scatter-gather entries and peers name it. */
    long address() {
        return region().getAddr() + offset;
    }

    /** What the peer is shown. */
    int remoteKey() {
        Exposure shown = exposure;
        return shown == null ? region().getRkey() : shown.key();
    }

    boolean isRegistered() {
        return region != null;
    }

    IbvMr region() {
        IbvMr registered = region;
        if (registered == null) {
            throw new IllegalStateException("memory is not registered");
        }
        return registered;
    }

    /** The memory of slot {@code index}. */
    ByteBuffer slot(int index) {
        return memory.buffer().slice(index * slotBytes, slotBytes);
    }

    int slotBytes() {
        return slotBytes;
    }

    int capacity() {
        return memory.buffer().capacity();
    }

    /**
     * Fills a slot that is handed out, so that tests recognize unwritten bytes. Only assertions call it.
     *
     * @return true
     */
    boolean poison(int slot) {
        ByteBuffer buffer = memory.buffer();
        int end = (slot + 1) * slotBytes;
        for (int i = slot * slotBytes; i < end; i += Long.BYTES) {
            buffer.putLong(i, POISON);
        }
        return true;
    }

    /** Makes an idle slab free for all to {@link #end}. The loop must win {@link #reuse} to touch it again. */
    void keep() {
        state.set(State.KEPT);
    }

    /** Whether the loop that keeps the idle slab may use it; else another thread frees it. */
    boolean reuse() {
        return state.compareAndSet(State.KEPT, State.IN_USE);
    }

    /** Whether this thread has to free the idle slab; {@link #onEnded} follows. */
    boolean end() {
        return state.compareAndSet(State.KEPT, State.ENDING);
    }

    void onEnded() {
        state.set(State.ENDED);
    }

    /** Whether another thread frees the slab, or has done so. */
    boolean isEnding() {
        State present = state.get();
        return present == State.ENDING || present == State.ENDED;
    }

    /** Waits until the thread that frees the slab has done so, which takes one call of the device. */
    void awaitEnd() {
        while (state.get() == State.ENDING) {
            Thread.onSpinWait();
        }
    }

    boolean hasFree() {
        return !free.isEmpty() || fresh < capacity() / slotBytes;
    }

    /** Takes a slot that is not in use. */
    RegisteredByteBuf take(RegisteredMemoryPool pool) {
        RegisteredByteBuf buffer = free.isEmpty() ? pool.dead(this, fresh++) : free.removeLast();
        onHandedOut();
        return buffer;
    }

    /** Takes a slot back; the object may be another than the one handed out. */
    void put(RegisteredByteBuf buffer) {
        free.addLast(buffer);
        onReturned();
    }

    void onHandedOut() {
        live++;
    }

    void onReturned() {
        live--;
    }

    /** Octets of the slots handed out; 0 of a buffer's memory, which belongs to the buffer's allocator. */
    long usedBytes() {
        return memory instanceof BorrowedMemory ? 0 : (long) live * slotBytes;
    }

    boolean isIdle() {
        return live == 0;
    }

    void free() {
        assert region == null : "memory freed while registered";
        if (!(memory instanceof BorrowedMemory)) {
            ALLOCATED.add(-capacity());
        }
        memory.clean();
    }
}
