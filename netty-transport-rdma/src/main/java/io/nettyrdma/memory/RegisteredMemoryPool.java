// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.memory;

import com.ibm.disni.verbs.IbvMr;
import com.ibm.disni.verbs.IbvPd;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.util.internal.PlatformDependent;
import io.netty.util.internal.logging.InternalLogger;
import io.netty.util.internal.logging.InternalLoggerFactory;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * The registered memory of one event loop and one protection domain: receive slots, send staging, and buffers that the
 * application allocates. Slots come in powers of two; each size has slabs of its own, which are given back when they
 * are idle, but for some that stay for the next use.
 *
 * <p>Threading: confined to the loop, but for {@link #recycle}, which any thread may reach by releasing a buffer. Such
 * releases go through one queue with one wake-up. Ownership: buffers outlive the loop; the release of the last one of
 * a slab after that frees its memory.
 */
public final class RegisteredMemoryPool {

    /** Largest slot; anything longer is registered by itself. */
    public static final int MAX_SLOT_BYTES = 16 * 1024 * 1024;

    private static final InternalLogger logger = InternalLoggerFactory.getInstance(RegisteredMemoryPool.class);
    private static final int MIN_SLOT_BYTES = 256;

    /** Of memory that windows are bound to, which alone say what the peer may do there. */
    public static final int WINDOW_ACCESS = IbvMr.IBV_ACCESS_LOCAL_WRITE | IbvMr.IBV_ACCESS_MW_BIND;

    /** Of memory that the peer may write. */
    public static final int REMOTE_WRITE_ACCESS = IbvMr.IBV_ACCESS_LOCAL_WRITE | IbvMr.IBV_ACCESS_REMOTE_WRITE;

    /** Bytes of a slab, which divides them into slots; a longer slot is a slab of its own. */
    public static final int SLAB_BYTES = 1024 * 1024;

    private static final int MIN_SHIFT = Integer.numberOfTrailingZeros(MIN_SLOT_BYTES);
    private static final int SIZES = Integer.numberOfTrailingZeros(MAX_SLOT_BYTES) - MIN_SHIFT + 1;

    private final IbvPd pd;
    private final ByteBufAllocator allocator;
    private final Runnable wakeup;
    private final int pooledAccess;
    private final List<SlabList> sizes = new ArrayList<>(SIZES);
    private final List<RegisteredSlab> slabs = new ArrayList<>();
    /** Registrations of single slots, by identity. */
    private final Set<IbvMr> shown = Collections.newSetFromMap(new IdentityHashMap<>());

    private final Queue<RegisteredByteBuf> returned = PlatformDependent.newMpscQueue();
    private final AtomicBoolean returnSignalled = new AtomicBoolean();
    /** The thread that runs the loop; it changes when a suspended loop resumes. */
    private volatile @Nullable Thread owner;

    private volatile boolean closed;

    public RegisteredMemoryPool(IbvPd pd, ByteBufAllocator allocator, Runnable wakeup) {
        this(pd, allocator, wakeup, IbvMr.IBV_ACCESS_LOCAL_WRITE);
    }

    /** @param pooledAccess what slots are registered for, {@code IbvMr.IBV_ACCESS_*} */
    public RegisteredMemoryPool(IbvPd pd, ByteBufAllocator allocator, Runnable wakeup, int pooledAccess) {
        this.pooledAccess = pooledAccess;
        this.pd = pd;
        this.allocator = allocator;
        this.wakeup = wakeup;
        owner = Thread.currentThread();
        for (int i = 0; i < SIZES; i++) {
            sizes.add(new SlabList());
        }
    }

    IbvPd protectionDomain() {
        return pd;
    }

    public void owner(Thread thread) {
        owner = thread;
    }

    /** An empty buffer of at least {@code lengthBytes}, in memory that is registered for local use when needed. */
    public RegisteredByteBuf allocate(int lengthBytes) {
        RegisteredByteBuf buffer = take(lengthBytes);
        buffer.revive(lengthBytes);
        return buffer;
    }

    /** As {@link #allocate}, but without a reference, to be returned by {@link #giveBack} while it has none. */
    public RegisteredByteBuf take(int lengthBytes) {
        int slotBytes = slotBytes(lengthBytes);
        SlabList list = slabsOf(slotBytes);
        RegisteredByteBuf buffer = list.take(this);
        while (buffer == null) {
            list.add(grow(slotBytes));
            buffer = list.take(this);
        }
        assert buffer.slab().poison(buffer.slot());
        return buffer;
    }

    /** As {@link #take}, or {@code null} where that is not possible: on another thread, or for too many octets. */
    @Nullable
    RegisteredByteBuf takeIfPossible(int lengthBytes) {
        boolean possible = !closed && Thread.currentThread() == owner && lengthBytes <= MAX_SLOT_BYTES;
        return possible ? take(lengthBytes) : null;
    }

    /** Returns the bytes of a slot for {@code lengthBytes}. */
    public static int slotBytes(int lengthBytes) {
        if (lengthBytes > MAX_SLOT_BYTES) {
            throw new IllegalArgumentException(
                    "lengthBytes: " + lengthBytes + " (expected: 0 to " + MAX_SLOT_BYTES + ')');
        }
        int slotBytes = Math.max(MIN_SLOT_BYTES, lengthBytes);
        return Integer.bitCount(slotBytes) == 1 ? slotBytes : Integer.highestOneBit(slotBytes) << 1;
    }

    /**
     * Returns how many bytes there are for more slots of {@code lengthBytes}: in slabs, and in the direct memory that
     * the JVM has left. It may have less, as Netty does not count all of it.
     */
    public long availableBytes(int lengthBytes) {
        return DirectMemory.leftBytes() + slabsOf(slotBytes(lengthBytes)).freeBytes();
    }

    private SlabList slabsOf(int slotBytes) {
        return sizes.get(Integer.numberOfTrailingZeros(slotBytes) - MIN_SHIFT);
    }

    private RegisteredSlab grow(int slotBytes) {
        int slots = Math.max(1, SLAB_BYTES / slotBytes);
        RegisteredSlab slab = RegisteredSlab.pooled(slotBytes, slots, pooledAccess);
        slabs.removeIf(RegisteredSlab::isEnding);
        slabs.add(slab);
        return slab;
    }

    /** Returns a buffer object for a slot, without a reference; its caller revives it. */
    RegisteredByteBuf dead(RegisteredSlab slab, int slot) {
        return new RegisteredByteBuf(this, allocator, slab, slot, slab.slot(slot));
    }

    /**
     * A buffer with memory and a registration of its own, zeroed, because a peer may read it. Releasing it ends the
     * registration before the memory is freed.
     *
     * @param access {@code IbvMr.IBV_ACCESS_*}
     */
    public RegisteredByteBuf allocateExposed(int lengthBytes, int access) throws IOException {
        RegisteredByteBuf buffer = expose(RegisteredSlab.exposed(lengthBytes, access));
        buffer.zero(lengthBytes); // before a peer knows the key
        return buffer;
    }

    /**
     * A view of a buffer's readable octets, with a registration of its own. Releasing it ends the registration before
     * the buffer is released.
     *
     * @param access {@code IbvMr.IBV_ACCESS_*}
     * @param buffer direct and of one component; its reference is taken over, also by a failure
     */
    public RegisteredByteBuf expose(ByteBuf buffer, int access) throws IOException {
        return readable(expose(RegisteredSlab.borrowed(buffer, access)));
    }

    /**
     * As {@link #expose}, for a window that is to be bound to it: memory of this pool is registered already.
     *
     * @param buffer as there
     */
    public RegisteredByteBuf exposeForWindow(ByteBuf buffer) throws IOException {
        RegisteredByteBuf known = find(buffer);
        if (known == null) {
            return expose(buffer, WINDOW_ACCESS);
        }
        RegisteredSlab slab;
        try {
            known.ensureRegistered();
            int offset = Math.toIntExact(known.address(offsetIn(known, buffer, buffer.readerIndex()))
                    - known.slab().address());
            slab = RegisteredSlab.within(buffer, known.slab().region(), offset, WINDOW_ACCESS);
        } catch (Throwable e) {
            buffer.release();
            throw e;
        }
        return readable(expose(slab));
    }

    private static RegisteredByteBuf readable(RegisteredByteBuf view) {
        view.writerIndex(view.capacity());
        return view;
    }

    /**
     * The buffer of this pool's memory behind {@code content}, if its position in it can be told. Memory of another
     * event loop or device is like any other: its keys mean nothing in this protection domain.
     */
    public @Nullable RegisteredByteBuf find(ByteBuf content) {
        ByteBuf buffer = content;
        while (!(buffer instanceof RegisteredByteBuf)) {
            buffer = buffer.unwrap();
            if (buffer == null) {
                return null;
            }
        }
        RegisteredByteBuf registered = (RegisteredByteBuf) buffer;
        boolean located = buffer == content || content.hasMemoryAddress() && registered.hasMemoryAddress();
        return located && registered.isOf(this) && !registered.isMoved() ? registered : null;
    }

    /** Where octet {@code index} of {@code content} is in the buffer behind it. */
    public static int offsetIn(RegisteredByteBuf registered, ByteBuf content, int index) {
        return content == registered
                ? index
                : Math.toIntExact(content.memoryAddress() - registered.memoryAddress()) + index;
    }

    private RegisteredByteBuf expose(RegisteredSlab slab) throws IOException {
        try {
            slab.register(pd);
        } catch (Throwable e) {
            slab.free();
            throw e;
        }
        slabs.add(slab);
        slab.onHandedOut();
        RegisteredByteBuf buffer = dead(slab, 0);
        buffer.revive(slab.capacity());
        return buffer;
    }

    /**
     * Registers the first octets of a slot a second time, for a peer, until {@link #withdraw} or the end of the pool.
     *
     * @param slot   of this pool, with a reference
     * @param access {@code IbvMr.IBV_ACCESS_*}
     */
    public IbvMr show(RegisteredByteBuf slot, int lengthBytes, int access) throws IOException {
        slot.ensureRegistered();
        IbvMr region = MemoryRegions.register(pd, slot.nioBuffer(0, lengthBytes), access);
        shown.add(region);
        return region;
    }

    /** Ends what {@link #show} has begun, unless the pool has done so. */
    public void withdraw(IbvMr region) throws IOException {
        if (shown.remove(region)) {
            MemoryRegions.deregister(region);
        }
    }

    /** Ends the registration of exposed memory. Idempotent; on the loop, or after it has ended and done so itself. */
    void invalidate(RegisteredSlab slab) throws IOException {
        if (!closed && Thread.currentThread() != owner) {
            throw new IllegalStateException("not on the channel's event loop; invalidate memory there");
        }
        slab.deregister();
    }

    /** Takes a released buffer back. Any thread. */
    void recycle(RegisteredByteBuf buffer) {
        if (!closed && Thread.currentThread() == owner) {
            takeBack(buffer);
            return;
        }
        returned.add(buffer);
        if (closed) {
            drainAfterClose();
        } else if (returnSignalled.compareAndSet(false, true)) {
            wakeup.run();
        }
    }

    /** Takes back what other threads released; called by the loop in every turn. */
    public void drainReturned() {
        if (returnSignalled.get()) {
            returnSignalled.set(false);
            RegisteredByteBuf buffer;
            while ((buffer = returned.poll()) != null) {
                try {
                    takeBack(buffer);
                } catch (Throwable e) {
                    logger.error("memory of {} bytes is lost", buffer.capacity(), e);
                }
            }
        }
    }

    private void takeBack(RegisteredByteBuf buffer) {
        RegisteredByteBuf left = buffer.takeOutgrown();
        if (left != null) {
            takeBack(left);
        }
        RegisteredByteBuf usable = buffer;
        if (buffer.isMoved()) {
            usable = dead(buffer.slab(), buffer.slot());
            usable.owner(buffer.owner());
        }
        RegisteredByteBuf.SlotOwner taker = usable.owner();
        if (taker != null && taker.takeBack(usable)) {
            return; // posted again; the slot stays with the queue pair
        }
        giveBack(usable);
    }

    /** Makes a slot without references free, or ends it if it had a slab of its own. */
    public void giveBack(RegisteredByteBuf buffer) {
        buffer.owner(null);
        RegisteredSlab slab = buffer.slab();
        boolean superfluous;
        if (slab.isPooled()) {
            superfluous = slabsOf(slab.slotBytes()).giveBack(buffer);
        } else {
            slab.onReturned();
            superfluous = true;
        }
        if (superfluous) {
            slabs.remove(slab);
            KeptSlabs.remove(slab);
            deregisterAndFree(slab);
        }
    }

    /** Ends what is not used elsewhere; returns whether its memory is free. */
    static boolean deregisterAndFree(RegisteredSlab slab) {
        try {
            slab.deregister();
        } catch (Throwable e) {
            // The memory may still be reachable by a device: leaking it is the only safe answer.
            logger.error("memory of {} bytes stays registered and is not freed", slab.capacity(), e);
            return false;
        }
        slab.free();
        return true;
    }

    /**
     * Frees the slabs that the loops of the process keep although none of their slots is in use. Any thread.
     *
     * @return whether there was one
     */
    public static boolean freeKept() {
        return KeptSlabs.free();
    }

    /** Ends all registrations and frees what is not in use. The last release of a buffer frees the rest. */
    public void close() {
        closed = true;
        owner = null;
        for (IbvMr region : shown) {
            try {
                MemoryRegions.deregister(region);
            } catch (Throwable e) {
                logger.error("memory exposed to a peer stays registered", e);
            }
        }
        shown.clear();
        for (RegisteredSlab slab : slabs) {
            KeptSlabs.remove(slab);
            slab.reuse();
            slab.awaitEnd(); // a thread that needs memory may be about to free it
        }
        slabs.removeIf(RegisteredSlab::isEnding);
        for (RegisteredSlab slab : slabs) {
            try {
                slab.deregister();
            } catch (Throwable e) {
                logger.error("memory of {} bytes stays registered", slab.capacity(), e);
            }
        }
        drainAfterClose();
    }

    // The loop, the single writer until now, is gone: any thread may release the last buffer of a slab, so the lock.
    private synchronized void drainAfterClose() {
        RegisteredByteBuf buffer;
        while ((buffer = returned.poll()) != null) {
            for (RegisteredByteBuf slot = buffer; slot != null; slot = slot.takeOutgrown()) {
                slot.slab().onReturned();
            }
        }
        slabs.removeIf(slab -> {
            if (slab.isIdle() && !slab.isRegistered()) {
                slab.free();
                return true;
            }
            return false;
        });
    }

    /** Bytes of all slabs, used or kept. */
    public long capacityBytes() {
        long sum = 0;
        slabs.removeIf(RegisteredSlab::isEnding);
        for (RegisteredSlab slab : slabs) {
            sum += slab.capacity();
        }
        return sum;
    }

    /** Octets in use of the memory that was allocated here, posted receives among them. For tests and metrics. */
    public long usedBytes() {
        long sum = 0;
        for (RegisteredSlab slab : slabs) {
            sum += slab.usedBytes();
        }
        return sum;
    }
}
