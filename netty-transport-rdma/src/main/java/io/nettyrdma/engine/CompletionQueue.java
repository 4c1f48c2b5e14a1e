// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.engine;

import com.ibm.disni.verbs.IbvCQ;
import com.ibm.disni.verbs.IbvCompChannel;
import com.ibm.disni.verbs.IbvContext;
import com.ibm.disni.verbs.RdmaEventChannel;
import com.ibm.disni.verbs.SVCReqNotify;
import io.nettyrdma.verbs.spi.CompletionHandler;
import io.nettyrdma.verbs.spi.CompletionPoller;
import io.nettyrdma.verbs.spi.VerbsExtensions;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * One completion queue of an event loop, with the channel for its events. Queue pairs reserve an entry for each request
 * that may be outstanding: an overrun queue loses connections.
 *
 * <p>Threading: the loop's. Ownership: of the {@link LoopDevice}.
 */
final class CompletionQueue {

    // No device is that small; one that refuses this refuses for another reason.
    private static final int LEAST_DEPTH = 63;

    private final VerbsExtensions verbs;
    private final RdmaEventChannel events;
    private final IbvCompChannel channel;
    private final IbvCQ queue;
    private final int depth;
    private final CompletionPoller poller;
    private final SVCReqNotify arm;
    private int reserved;

    /**
     * @param depth entries wanted; a device that refuses them gives fewer
     * @throws IOException if the device refuses a queue of {@value #LEAST_DEPTH} entries, too
     */
    CompletionQueue(VerbsExtensions verbs, RdmaEventChannel events, IbvContext context, int depth) throws IOException {
        this.verbs = verbs;
        this.events = events;
        channel = context.createCompChannel();
        IbvCQ made = null;
        try {
            int granted = depth;
            while ((made = create(context, channel, granted, depth)) == null) {
                granted = Integer.highestOneBit(granted) - 1; // what devices have is mostly a power of two less one
            }
            this.depth = granted;
            poller = verbs.poller(made);
            arm = made.reqNotification(false);
            verbs.attach(events, made);
        } catch (Throwable e) {
            EndSteps undo = EndSteps.after(e);
            if (made != null) {
                undo.thenFree("completion queue", made::destroyCQ);
            }
            undo.thenFree("completion channel", channel::destroyCompChannel);
            throw e;
        }
        queue = made;
    }

    /** A queue, or {@code null} if the device may have a shorter one. */
    private static @Nullable IbvCQ create(IbvContext context, IbvCompChannel channel, int entries, int wanted)
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
                    "the device refuses a completion queue of " + wanted + " entries and every shorter one down to "
                            + entries,
                    cause);
        }
        return null;
    }

    IbvCQ verbsQueue() {
        return queue;
    }

    /** Reserves entries; returns whether there are so many. */
    boolean reserve(int count) {
        if (depth - reserved < count) {
            return false;
        }
        reserved += count;
        return true;
    }

    void release(int count) {
        reserved -= count;
    }

    int depth() {
        return depth;
    }

    int reserved() {
        return reserved;
    }

    /** Passes completions on, as {@link CompletionPoller#poll}. */
    int poll(CompletionHandler handler) throws IOException {
        return poller.poll(handler);
    }

    /** Requests an event with the next completion, and makes sure that the loop notices it. */
    void arm() throws IOException {
        verbs.checkAttached(events, queue);
        arm.execute();
    }

    /** Adds the steps that free the queue. */
    void end(EndSteps steps) {
        steps.then(() -> verbs.detach(events, queue))
                .then(poller::free)
                .then(arm::free)
                .thenFree("completion queue", queue::destroyCQ)
                .thenFree("completion channel", channel::destroyCompChannel);
    }
}
