// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.engine;

import com.ibm.disni.verbs.IbvMr;
import com.ibm.disni.verbs.IbvPd;
import com.ibm.disni.verbs.IbvQP;
import com.ibm.disni.verbs.IbvSendWR;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.nettyrdma.memory.MemoryRegions;
import io.nettyrdma.memory.RegisteredByteBuf;
import io.nettyrdma.memory.RegisteredMemoryPool;
import io.nettyrdma.verbs.spi.QueuePairInErrorException;
import io.nettyrdma.verbs.spi.VerbsConstants;
import io.nettyrdma.verbs.spi.VerbsExtensions;
import io.nettyrdma.verbs.spi.WorkRequest;
import io.nettyrdma.verbs.spi.WorkRequestBatch;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;

/**
 * The send queue of one queue pair: Sends, RDMA Writes and RDMA Reads in the order they were added, each with a tag
 * that its owner gets back when it is done. Every Read is signalled, and so are every {@link #SIGNAL_INTERVAL}th
 * request and the last of a batch. A signalled request is done by its own completion and nothing else: on iWARP a Send
 * may complete before an earlier Read (RFC 5040, section 5.5), whose data is not there yet. Sends and Writes complete
 * in order among themselves, so one that is not signalled is done with the next that completes. Slots are retired, and
 * promises told, in the order of the requests.
 *
 * <p>Octets reach the provider in one of three ways: a buffer in the loop's own registered memory is named as it is; up
 * to {@link #COPY_BYTES}, or {@link #CHEAP_COPY_BYTES}, are copied into a registered slot; a longer direct buffer is
 * registered for the time of the operation, anything else longer is copied.
 *
 * <p>Threading: the loop's. Ownership: each posted request holds a reference of its own to its buffer, until its
 * completion, also a flushed one.
 */
public final class SendQueue {

    /** Every how many requests one is signalled, at most. */
    static final int SIGNAL_INTERVAL = 16;

    private static final int FIRST_SLOTS = 4;

    /** Up to this many octets, copying is cheaper than a registration that is a call of the kernel. */
    static final int COPY_BYTES = 64 * 1024;

    /** The same where registrations are cheap. */
    static final int CHEAP_COPY_BYTES = 32 * 1024;

    // Always allowed, so it has no flag; what is only sent may be a read-only buffer.
    private static final int LOCAL_READ = 0;

    /** Buffers whose registration did not end: a device may still reach them, so that they are never used again. */
    private static final Queue<ByteBuf> KEPT = new ConcurrentLinkedQueue<>();

    private static final class Slot {
        @Nullable
        Object tag;

        /** What the request reads from; of an RDMA Read the target itself. */
        @Nullable
        ByteBuf held;

        /** Octets that an RDMA Read brings. */
        int readBytes;

        @Nullable
        IbvMr region;

        long address;
        int key;
        boolean signalled;
        boolean done;

        @Nullable
        Throwable cause;

        void finish(@Nullable Throwable why) {
            done = true;
            cause = why;
        }

        /** Counts what a Read has brought; where its target has no room any more, the Read has failed, and alone. */
        @Nullable
        Throwable place() {
            ByteBuf target = held;
            assert target != null;
            try {
                target.writerIndex(target.writerIndex() + readBytes);
                return null;
            } catch (RuntimeException e) {
                return e;
            }
        }

        void release() throws IOException {
            IbvMr registered = region;
            ByteBuf buffer = held;
            region = null;
            held = null;
            tag = null;
            readBytes = 0;
            cause = null;
            done = false;
            signalled = false;
            if (registered != null) {
                try {
                    MemoryRegions.deregister(registered);
                } catch (Throwable e) {
                    if (buffer != null) {
                        KEPT.add(buffer);
                    }
                    throw e;
                }
            }
            if (buffer != null) {
                buffer.release();
            }
        }
    }

    private final VerbsExtensions verbs;
    private final IbvQP qp;
    private final IbvPd pd;
    private final RegisteredMemoryPool pool;
    private final Posting posting;
    private final int registration;
    private final int copyBytes;
    private final int depth;
    private final int signalInterval;
    private final LoopTraffic traffic;
    /** Of the numbers that requests have: those of more positions than can be outstanding. */
    private final int mask;
    /** A ring that grows only as far as it is used, so that few cache lines serve a connection with little to do. */
    private Slot[] slots = new Slot[FIRST_SLOTS];

    private long head;
    private long tail;
    private long completions;
    private int sinceSignal;

    /** @param copyBytes {@link #COPY_BYTES} or {@link #CHEAP_COPY_BYTES} */
    SendQueue(
            VerbsExtensions verbs,
            IbvQP qp,
            IbvPd pd,
            RegisteredMemoryPool pool,
            Posting posting,
            int registration,
            int copyBytes,
            int depth,
            LoopTraffic traffic) {
        this.verbs = verbs;
        this.qp = qp;
        this.pd = pd;
        this.pool = pool;
        this.posting = posting;
        this.registration = registration;
        this.copyBytes = copyBytes;
        this.depth = depth;
        this.traffic = traffic;
        signalInterval = Math.max(1, Math.min(SIGNAL_INTERVAL, depth / 2));
        int size = Integer.highestOneBit(Math.max(1, depth - 1)) << 1;
        mask = size - 1;
    }

    /** Requests posted or in the batch at hand, and not completed. */
    public int outstanding() {
        return (int) (tail - head);
    }

    /** Requests added since the queue was made. */
    public long added() {
        return tail;
    }

    /** Completions since the queue was made, also of requests that wait for one before them. */
    long done() {
        return completions;
    }

    /** As {@link QueuePair#mayPost}. */
    public boolean mayPost() {
        return posting.mayPost();
    }

    public boolean isFull() {
        return tail - head == depth;
    }

    /** Requests that can be added. */
    public int room() {
        return depth - outstanding();
    }

    /** Octets up to which a buffer that is not in registered memory is copied. */
    public int copyBytes() {
        return copyBytes;
    }

    /**
     * Adds a Send of the readable octets of {@code content} to a batch.
     *
     * @param tag   given back when the request is done
     * @param flags {@code IbvSendWR.IBV_SEND_*}
     * @throws IOException if memory could not be registered; nothing was added
     */
    public void addSend(Object tag, ByteBuf content, int flags, WorkRequestBatch batch) throws IOException {
        add(tag, content, content.readerIndex(), content.readableBytes(), IbvSendWR.IBV_WR_SEND, flags, batch);
    }

    /** Adds a Send of {@code length} octets of {@code content} from {@code index}, as the other. */
    public void addSend(Object tag, ByteBuf content, int index, int length, WorkRequestBatch batch) throws IOException {
        add(tag, content, index, length, IbvSendWR.IBV_WR_SEND, 0, batch);
    }

    /**
     * Adds a Send with Invalidate of the readable octets of {@code content}, as {@link #addSend}.
     *
     * @param key the peer's key that ends
     */
    public void addSendWithInvalidate(Object tag, ByteBuf content, int key, WorkRequestBatch batch) throws IOException {
        add(tag, content, content.readerIndex(), content.readableBytes(), VerbsConstants.WR_SEND_WITH_INV, 0, batch)
                .remote(key, 0);
    }

    /** Adds an RDMA Write of {@code length} octets of {@code content} from {@code index}, as {@link #addSend}. */
    public void addWrite(
            Object tag, ByteBuf content, int index, int length, int key, long address, WorkRequestBatch batch)
            throws IOException {
        add(tag, content, index, length, IbvSendWR.IBV_WR_RDMA_WRITE, 0, batch).remote(key, address);
    }

    /**
     * Adds an RDMA Write without bytes that carries immediate data, as {@link #addSend}. It takes a receive of the
     * peer.
     *
     * @param data a number, whose octets go in network order
     */
    public void addImmediate(Object tag, int data, WorkRequestBatch batch) throws IOException {
        add(tag, Unpooled.EMPTY_BUFFER, 0, 0, VerbsConstants.WR_RDMA_WRITE_WITH_IMM, 0, batch)
                .immediate(inNetworkOrder(data));
    }

    /**
     * Converts between a number and immediate data of its octets in network order, which verbs have in the order of
     * this machine's memory. Each way is the same.
     */
    public static int inNetworkOrder(int immediate) {
        return ByteOrder.nativeOrder() == ByteOrder.BIG_ENDIAN ? immediate : Integer.reverseBytes(immediate);
    }

    /**
     * Adds an RDMA Read of {@code length} octets behind the writer index of {@code target}, which moves when the
     * request is done; else as {@link #addSend}.
     *
     * @param target one direct buffer with that many writable octets
     */
    public void addRead(Object tag, ByteBuf target, int length, int key, long address, WorkRequestBatch batch)
            throws IOException {
        add(tag, target, target.writerIndex(), length, IbvSendWR.IBV_WR_RDMA_READ, 0, batch)
                .remote(key, address);
    }

    private WorkRequest add(
            Object tag, ByteBuf content, int index, int length, int opcode, int flags, WorkRequestBatch batch)
            throws IOException {
        boolean read = opcode == IbvSendWR.IBV_WR_RDMA_READ;
        Slot slot = nextSlot();
        if (length > 0) {
            try {
                fill(slot, content, index, length, read);
            } catch (Throwable e) {
                slot.release();
                throw e;
            }
        }
        slot.tag = tag;
        if (read) {
            slot.readBytes = length;
            traffic.onRead(length);
        } else {
            traffic.onSend(length);
        }
        WorkRequest request = batch.add().send(nextId(), opcode, flags);
        if (length > 0) {
            request.local(slot.address, length, slot.key);
        }
        count(request, slot, read);
        return request;
    }

    /**
     * Adds a request that binds a memory window, as {@link #addSend}.
     *
     * @param binding its completion is not reported; post the message with the key after it
     */
    void addBinding(MemoryWindows.Binding binding, WorkRequestBatch batch) {
        Slot slot = nextSlot();
        slot.tag = binding;
        WorkRequest request = batch.add()
                .bind(
                        nextId(),
                        binding.window(),
                        binding.key(),
                        binding.region(),
                        binding.address(),
                        binding.lengthBytes(),
                        binding.access());
        count(request, slot, false);
    }

    private Slot nextSlot() {
        if (tail - head == slots.length) {
            grow();
        }
        int index = (int) tail & slots.length - 1;
        Slot slot = slots[index];
        if (slot == null) {
            slot = slots[index] = new Slot();
        }
        return slot;
    }

    private Slot slot(long position) {
        return slots[(int) position & slots.length - 1];
    }

    private void grow() {
        Slot[] more = new Slot[2 * slots.length];
        for (long position = head; position != tail; position++) {
            more[(int) position & more.length - 1] = slot(position);
        }
        slots = more;
    }

    private long nextId() {
        return WorkRequestId.of(registration, WorkRequestId.SEND, (int) tail & mask);
    }

    private void count(WorkRequest request, Slot slot, boolean alwaysSignalled) {
        tail++;
        if (++sinceSignal >= signalInterval || alwaysSignalled) {
            signal(request, slot);
        }
    }

    /** Brings {@code length} octets from {@code offset} into registered memory, or makes room there for a Read. */
    private void fill(Slot slot, ByteBuf content, int offset, int length, boolean read) throws IOException {
        RegisteredByteBuf registered = pool.find(content);
        if (registered != null && (!read || registered.allows(verbs.readTargetAccess(pd)))) {
            registered.ensureRegistered();
            slot.held = content.retain();
            slot.address = registered.address(RegisteredMemoryPool.offsetIn(registered, content, offset));
            slot.key = registered.localKey();
        } else if (!read
                && (length <= copyBytes || !isOneDirectBuffer(content))
                && length <= RegisteredMemoryPool.MAX_SLOT_BYTES) {
            RegisteredByteBuf copy = pool.allocate(length);
            slot.held = copy;
            copy.ensureRegistered();
            // By way of the cached NIO view: writeBytes would make views of the source for each message.
            content.getBytes(offset, copy.internalNioBuffer(0, length));
            copy.writerIndex(length);
            slot.address = copy.address(0);
            slot.key = copy.localKey();
        } else if (isOneDirectBuffer(content)) {
            slot.held = content.retain();
            register(slot, content.nioBuffer(offset, length), read ? verbs.readTargetAccess(pd) : LOCAL_READ);
        } else {
            ByteBuf copy = Unpooled.directBuffer(length);
            slot.held = copy;
            // By way of the cached NIO view: writeBytes would make views of the source for each message.
            content.getBytes(offset, copy.internalNioBuffer(0, length));
            copy.writerIndex(length);
            register(slot, copy.nioBuffer(0, length), LOCAL_READ);
        }
    }

    private void register(Slot slot, ByteBuffer memory, int access) throws IOException {
        IbvMr region = MemoryRegions.register(pd, memory, access);
        slot.region = region;
        slot.address = region.getAddr();
        slot.key = region.getLkey();
    }

    /** Whether a request can name the memory of {@code content}, as one piece. */
    public static boolean isOneDirectBuffer(ByteBuf content) {
        return content.isDirect() && content.nioBufferCount() == 1;
    }

    private void signal(WorkRequest request, Slot slot) {
        request.flags(request.flags() | IbvSendWR.IBV_SEND_SIGNALED);
        slot.signalled = true;
        sinceSignal = 0;
    }

    /**
     * Posts a batch filled by {@link #add}. A failure brings the queue pair to error. How much of the batch was posted
     * is then unknown, so it stays outstanding until {@link #abandon}.
     *
     * @throws QueuePairInErrorException if the queue pair is in error or about to be destroyed
     */
    public void post(WorkRequestBatch batch) throws IOException {
        if (batch.size() > 0) {
            if (posting.isDestroyed()) {
                throw new QueuePairInErrorException("the queue pair is being destroyed, its connection is over");
            }
            signal(batch.get(batch.size() - 1), slot(tail - 1));
            try {
                verbs.postBatch(qp, batch);
            } catch (Throwable e) {
                posting.fail();
                EndSteps.after(e).then(() -> verbs.toError(qp));
                throw e;
            }
        }
    }

    /** Lets go of what did not complete; the queue pair is destroyed, so nothing touches the memory any more. */
    void abandon() throws IOException {
        EndSteps steps = new EndSteps();
        while (head != tail) {
            steps.then(slot(head++)::release);
        }
        steps.end();
    }

    /**
     * A request completed, and with it the unsignalled ones right before it. Those that are at the head are told.
     *
     * @param status {@code IBV_WC_*}
     */
    void onCompletion(int index, int status, @Nullable Throwable cause, QueuePairOwner owner) throws IOException {
        int behindHead = (int) (index - head) & mask;
        if (behindHead >= tail - head || slot(head + behindHead).done) {
            throw new IllegalStateException("completion of request " + index + ", which is not outstanding");
        }
        completions++;
        slot(head + behindHead).finish(cause);
        // One that fails by itself ran after those before it. One that was flushed says nothing of them: siw reports
        // flushed requests only if they are signalled.
        Throwable implied = status == VerbsConstants.WC_WR_FLUSH_ERR ? cause : null;
        for (int i = behindHead - 1; i >= 0; i--) {
            Slot before = slot(head + i);
            if (before.done) {
                break; // and with it what is unsignalled before it
            }
            if (!before.signalled) {
                before.finish(implied);
            }
        }
        retire(owner);
    }

    private void retire(QueuePairOwner owner) throws IOException {
        EndSteps steps = null;
        while (head != tail && slot(head).done) {
            try {
                tell(slot(head), owner);
            } catch (Throwable e) {
                // What is done behind it is told all the same: nothing else would do it.
                steps = (steps == null ? new EndSteps() : steps).then(() -> {
                    throw e;
                });
            } finally {
                head++; // after its listeners: one that closes the channel lets this request end well
            }
        }
        if (steps != null) {
            steps.end();
        }
    }

    private static void tell(Slot slot, QueuePairOwner owner) throws IOException {
        Object tag = slot.tag;
        Throwable cause = slot.cause;
        assert tag != null;
        if (cause == null && slot.readBytes > 0) {
            cause = slot.place();
        }
        try {
            slot.release();
        } finally {
            if (!(tag instanceof MemoryWindows.Binding)) {
                owner.onSendCompleted(tag, cause);
            }
        }
    }
}
