// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.engine;

import com.ibm.disni.verbs.IbvContext;
import com.ibm.disni.verbs.IbvMr;
import com.ibm.disni.verbs.IbvPd;
import com.ibm.disni.verbs.RdmaEventChannel;
import io.nettyrdma.error.RdmaDeviceException;
import io.nettyrdma.error.RdmaResourceLimitException;
import io.nettyrdma.memory.LoopAllocator;
import io.nettyrdma.memory.RegisteredMemoryPool;
import io.nettyrdma.verbs.RdmaCapabilities;
import io.nettyrdma.verbs.spi.CompletionHandler;
import io.nettyrdma.verbs.spi.CompletionPoller;
import io.nettyrdma.verbs.spi.VerbsExtensions;
import io.nettyrdma.verbs.spi.WorkRequestBatch;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One event loop's resources of one device: protection domain, completion queues, registered memory. Made when the
 * first connection of the loop uses the device. When its completion queues are full, it makes another, twice as long as
 * the last, so that only the device limits the connections. A device that fails once is dead: the loop makes no more
 * calls to it, and closes the channels on it.
 *
 * <p>Threading: the loop's. Ownership: closed by the loop's end, after all queue pairs are gone.
 */
public final class LoopDevice {

    private static final int POST_BATCH = 128;
    /** Entries of the first completion queue. A provider without a device grows its queues as needed. */
    private static final int FIRST_DEPTH = 65_536;

    private final VerbsExtensions verbs;
    private final RdmaEventChannel events;
    private final IbvContext context;
    private final IbvPd pd;
    private final List<CompletionQueue> queues = new ArrayList<>(1);
    private final int maxCompletions;
    private final int maxQueueDepth;
    private final boolean memoryWindows;
    private final boolean cheapRegistration;
    private final RegisteredMemoryPool memory;
    private final WorkRequestBatch batch;
    private final LoopTraffic traffic = new LoopTraffic();
    private final Consumer<LoopDevice> failed;
    private @Nullable RdmaDeviceException failure;

    /**
     * @param wakeup wakes the loop for memory that other threads released
     * @param failed called once, when {@link #failure()} is set
     */
    LoopDevice(
            VerbsExtensions verbs,
            RdmaEventChannel events,
            IbvContext context,
            LoopAllocator allocator,
            Runnable wakeup,
            Consumer<LoopDevice> failed)
            throws IOException {
        this.verbs = verbs;
        this.events = events;
        this.context = context;
        RdmaCapabilities capabilities = verbs.capabilities(context);
        maxQueueDepth = capabilities.maxQueueDepth();
        maxCompletions = capabilities.maxCompletions();
        this.failed = failed;
        pd = context.allocPd();
        try {
            queues.add(newQueue(FIRST_DEPTH));
        } catch (Throwable e) {
            EndSteps.after(e).thenFree("protection domain", pd::deallocPd);
            throw e;
        }
        memoryWindows = capabilities.memoryWindows();
        cheapRegistration = capabilities.cheapRegistration();
        int pooledAccess = memoryWindows ? RegisteredMemoryPool.WINDOW_ACCESS : IbvMr.IBV_ACCESS_LOCAL_WRITE;
        memory = new RegisteredMemoryPool(pd, allocator, wakeup, pooledAccess);
        batch = new WorkRequestBatch(POST_BATCH);
    }

    private CompletionQueue newQueue(int depth) throws IOException {
        return new CompletionQueue(verbs, events, context, Math.min(depth, maxCompletions));
    }

    public VerbsExtensions verbs() {
        return verbs;
    }

    /** Whether {@code other} is the same device. libdisni makes an object for each id, with the same descriptor. */
    boolean isOf(IbvContext other) throws IOException {
        return context == other || context.getCmd_fd() >= 0 && context.getCmd_fd() == other.getCmd_fd();
    }

    IbvPd protectionDomain() {
        return pd;
    }

    /** Returns the completion queues. There are more when this returns more. */
    List<CompletionQueue> queues() {
        return queues;
    }

    /** Whether memory is exposed by {@link MemoryWindows}. */
    boolean hasMemoryWindows() {
        return memoryWindows;
    }

    /** Whether to register memory costs less than to copy 32 KiB. */
    public boolean hasCheapRegistration() {
        return cheapRegistration;
    }

    public RegisteredMemoryPool memory() {
        return memory;
    }

    public LoopTraffic traffic() {
        return traffic;
    }

    /** Returns the batch for all posts of this loop; its user clears it first. */
    WorkRequestBatch batch() {
        return batch;
    }

    /**
     * Refuses a queue that is longer than the device supports.
     *
     * @param option the setting of the length
     */
    void checkDepth(String queue, int depth, String option) throws RdmaResourceLimitException {
        if (depth > maxQueueDepth) {
            throw new RdmaResourceLimitException(
                    queue + " of " + depth + " requests (" + option + "): the device has at most " + maxQueueDepth,
                    depth,
                    maxQueueDepth);
        }
    }

    /**
     * Returns a completion queue in which {@code count} entries are reserved for the caller.
     *
     * @throws RdmaResourceLimitException if the device has no queue that is so long, or no other one
     */
    CompletionQueue reserve(int count) throws IOException {
        for (CompletionQueue queue : queues) {
            if (queue.reserve(count)) {
                return queue;
            }
        }
        CompletionQueue last = queues.get(queues.size() - 1);
        IOException refused = null;
        if (count <= maxCompletions) {
            try {
                CompletionQueue made = newQueue((int) Math.min(Integer.MAX_VALUE, Math.max(count, 2L * last.depth())));
                if (made.reserve(count)) {
                    queues.add(made);
                    return made;
                }
                EndSteps steps = new EndSteps();
                made.end(steps); // the device has given fewer entries
                steps.end();
            } catch (IOException e) {
                refused = e;
            }
        }
        RdmaResourceLimitException failed = new RdmaResourceLimitException(
                "completion queue of the event loop: " + last.reserved() + " of " + last.depth() + " entries in use, "
                        + count + " more needed; the device has no longer queue and no other one; use more event"
                        + " loops, or lower receive count and send depth",
                count,
                last.depth() - last.reserved());
        if (refused != null) {
            failed.initCause(refused);
        }
        throw failed;
    }

    /** Adds what the loop has of this device to a sample. */
    void addTo(LoopSample sample) {
        traffic.addTo(sample);
        sample.add(LoopMeter.MEMORY_BYTES, memory.capacityBytes());
        for (CompletionQueue queue : queues) {
            sample.add(LoopMeter.COMPLETIONS, queue.depth());
            sample.add(LoopMeter.RESERVED_COMPLETIONS, queue.reserved());
        }
    }

    /** Returns why the device has failed, or {@code null}. */
    @Nullable
    RdmaDeviceException failure() {
        return failure;
    }

    /** Passes completions of a queue on, as {@link CompletionPoller#poll}. */
    int poll(CompletionQueue queue, CompletionHandler handler) {
        if (failure == null) {
            try {
                return queue.poll(handler);
            } catch (Throwable e) {
                fail(e);
            }
        }
        return 0;
    }

    /** Requests an event with the next completion, and makes sure that the loop notices it. */
    void arm() {
        for (int i = 0; i < queues.size() && failure == null; i++) {
            try {
                queues.get(i).arm();
            } catch (Throwable e) {
                fail(e);
            }
        }
    }

    private void fail(Throwable cause) {
        failure = new RdmaDeviceException("the RDMA device has failed", cause);
        failed.accept(this);
    }

    /**
     * Frees all resources, even if a step fails.
     *
     * @throws IOException if a step failed
     */
    void close() throws IOException {
        EndSteps steps = new EndSteps().then(memory::close);
        for (CompletionQueue queue : queues) {
            queue.end(steps);
        }
        steps.thenFree("protection domain", pd::deallocPd).end();
    }
}
