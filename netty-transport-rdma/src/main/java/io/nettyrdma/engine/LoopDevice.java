// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.engine;

import com.ibm.disni.verbs.IbvCQ;
import com.ibm.disni.verbs.IbvCompChannel;
import com.ibm.disni.verbs.IbvContext;
import com.ibm.disni.verbs.IbvMr;
import com.ibm.disni.verbs.IbvPd;
import com.ibm.disni.verbs.IbvWC;
import com.ibm.disni.verbs.RdmaEventChannel;
import com.ibm.disni.verbs.SVCPollCq;
import com.ibm.disni.verbs.SVCReqNotify;
import io.nettyrdma.error.RdmaDeviceException;
import io.nettyrdma.error.RdmaResourceLimitException;
import io.nettyrdma.memory.LoopAllocator;
import io.nettyrdma.memory.RegisteredMemoryPool;
import io.nettyrdma.verbs.RdmaCapabilities;
import io.nettyrdma.verbs.spi.VerbsExtensions;
import io.nettyrdma.verbs.spi.WorkRequestBatch;
import java.io.IOException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One event loop's resources of one device: protection domain, completion queue with its channel, registered memory.
 * Made when the first connection of the loop uses the device. A device that fails once is dead: the loop makes no more
 * calls to it, and closes the channels on it.
 *
 * <p>Threading: the loop's. Ownership: closed by the loop's end, after all queue pairs are gone.
 */
public final class LoopDevice {

    private static final int POLL_BATCH = 64;
    private static final int POST_BATCH = 128;
    // No device is that small; one that refuses this refuses for another reason.
    private static final int LEAST_DEPTH = 63;

    private final VerbsExtensions verbs;
    private final RdmaEventChannel events;
    private final IbvContext context;
    private final IbvPd pd;
    private final IbvCompChannel completionChannel;
    private final IbvCQ completionQueue;
    private final int wantedDepth;
    private final int depth;
    private final int maxQueueDepth;
    private final boolean memoryWindows;
    private final boolean cheapRegistration;
    private final RegisteredMemoryPool memory;
    private final IbvWC[] completions = new IbvWC[POLL_BATCH];
    private final SVCPollCq poll;
    private final SVCReqNotify arm;
    private final WorkRequestBatch batch;
    private final Consumer<LoopDevice> failed;
    private int reservedCompletions;
    private @Nullable RdmaDeviceException failure;

    /**
     * @param depth  entries wanted in the completion queue; a device with a lower limit gives a shorter one
     * @param wakeup wakes the loop for memory that other threads released
     * @param failed called once, when {@link #failure()} is set
     */
    LoopDevice(
            VerbsExtensions verbs,
            RdmaEventChannel events,
            IbvContext context,
            LoopAllocator allocator,
            int depth,
            Runnable wakeup,
            Consumer<LoopDevice> failed)
            throws IOException {
        this.verbs = verbs;
        this.events = events;
        this.context = context;
        wantedDepth = depth;
        RdmaCapabilities capabilities = verbs.capabilities(context);
        maxQueueDepth = capabilities.maxQueueDepth();
        this.failed = failed;
        for (int i = 0; i < completions.length; i++) {
            completions[i] = new IbvWC();
        }
        pd = context.allocPd();
        IbvCompChannel channel = null;
        IbvCQ queue = null;
        try {
            channel = context.createCompChannel();
            int granted = Math.min(depth, capabilities.maxCompletions());
            while ((queue = createQueue(context, channel, granted, depth)) == null) {
                granted = Integer.highestOneBit(granted) - 1; // what devices have is mostly a power of two less one
            }
            this.depth = granted;
            poll = queue.poll(completions, completions.length);
            arm = queue.reqNotification(false);
            verbs.attach(events, queue);
        } catch (Throwable e) {
            EndSteps undo = EndSteps.after(e);
            if (queue != null) {
                undo.thenFree("completion queue", queue::destroyCQ);
            }
            if (channel != null) {
                undo.thenFree("completion channel", channel::destroyCompChannel);
            }
            undo.thenFree("protection domain", pd::deallocPd);
            throw e;
        }
        completionChannel = channel;
        completionQueue = queue;
        memoryWindows = capabilities.memoryWindows();
        cheapRegistration = capabilities.cheapRegistration();
        int pooledAccess = memoryWindows ? RegisteredMemoryPool.WINDOW_ACCESS : IbvMr.IBV_ACCESS_LOCAL_WRITE;
        memory = new RegisteredMemoryPool(pd, allocator, wakeup, pooledAccess);
        batch = new WorkRequestBatch(POST_BATCH, 1);
    }

    /** A queue, or {@code null} if the device may have a shorter one. */
    private static @Nullable IbvCQ createQueue(IbvContext context, IbvCompChannel channel, int entries, int wanted)
            throws IOException {
        IOException cause = null;
        try {
            IbvCQ made = context.createCQ(channel, entries, 0);
            if (made != null) {
                return made;
            }
        } catch (IOException e) {
            cause = e;
        }
        if (entries <= LEAST_DEPTH) {
            throw new IOException(
                    "the device refuses a completion queue of " + wanted + " entries"
                            + " (RdmaIoHandlerConfig.completionQueueDepth) and every shorter one down to " + entries,
                    cause);
        }
        return null;
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

    IbvCQ completionQueue() {
        return completionQueue;
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

    /** Makes sure that {@code count} more completions fit into the queue: an overrun queue loses connections. */
    void reserveCompletions(int count) throws IOException {
        if (depth - reservedCompletions < count) {
            throw new RdmaResourceLimitException(
                    "completion queue of the event loop: " + reservedCompletions + " of " + depth
                            + " entries in use, " + count + " more needed; " + remedy()
                            + "use more event loops, or lower receive count and send depth",
                    count,
                    depth - reservedCompletions);
        }
        reservedCompletions += count;
    }

    private String remedy() {
        return depth < wantedDepth
                ? "the device supports no more, although RdmaIoHandlerConfig.completionQueueDepth is " + wantedDepth
                        + "; "
                : "raise RdmaIoHandlerConfig.completionQueueDepth, ";
    }

    /** Returns how many entries the queue pairs of the loop have reserved in the queue. */
    int reservedCompletions() {
        return reservedCompletions;
    }

    void releaseCompletions(int count) {
        reservedCompletions -= count;
    }

    /** Returns why the device has failed, or {@code null}. */
    @Nullable
    RdmaDeviceException failure() {
        return failure;
    }

    /** Takes completions off the queue; {@link #completion} gives them. */
    int poll() {
        if (failure == null) {
            try {
                return poll.execute().getPolls();
            } catch (Throwable e) {
                fail(e);
            }
        }
        return 0;
    }

    int pollBatch() {
        return completions.length;
    }

    IbvWC completion(int index) {
        return completions[index];
    }

    /** Requests an event with the next completion, and makes sure that the loop notices it. */
    void arm() {
        if (failure == null) {
            try {
                verbs.checkAttached(events, completionQueue);
                arm.execute();
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
        new EndSteps()
                .then(() -> verbs.detach(events, completionQueue))
                .then(memory::close)
                .then(poll::free)
                .then(arm::free)
                .thenFree("completion queue", completionQueue::destroyCQ)
                .thenFree("completion channel", completionChannel::destroyCompChannel)
                .thenFree("protection domain", pd::deallocPd)
                .end();
    }
}
