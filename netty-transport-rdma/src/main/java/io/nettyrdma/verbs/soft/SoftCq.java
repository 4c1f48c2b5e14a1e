// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.soft;

import com.ibm.disni.verbs.IbvCQ;
import com.ibm.disni.verbs.IbvCompChannel;
import io.nettyrdma.verbs.soft.rdmap.CompletionRing;
import io.nettyrdma.verbs.soft.rdmap.CompletionSink;
import io.nettyrdma.verbs.spi.CompletionHandler;
import io.nettyrdma.verbs.spi.CompletionPoller;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * Completion queue: a {@link CompletionRing}, grown to its depth only as far as it is used.
 *
 * <p>An overrun is fatal for the queue pair whose completion no longer fits: it goes to error. That completion and
 * those of its flush are delivered all the same, the ring growing beyond its depth for them, so that every posted
 * request still completes exactly once; other queue pairs are not affected (RFC 5040, section 8.1.1, rule 10).
 *
 * <p>Threading: confined to the thread of the event channel of its queue pairs.
 */
final class SoftCq extends IbvCQ implements CompletionSink, CompletionPoller {

    private final SoftDevice device;
    private final int depth;
    private final CompletionRing ring = new CompletionRing();

    private boolean armed;
    private int queuePairs;
    private @Nullable SoftEventChannel events;
    private @Nullable SoftEventChannel attachedTo;
    private boolean fired;

    SoftCq(SoftContext context, @Nullable IbvCompChannel completions, int depth) throws IOException {
        super(context, completions, context.device().nextHandle());
        device = context.device();
        this.depth = depth;
        cqe = depth;
    }

    SoftDevice device() {
        return device;
    }

    /** Adds a queue pair that {@code channel} drives. */
    void addQueuePair(SoftEventChannel channel) throws IOException {
        if (queuePairs > 0 && events != channel) {
            // Two event channels would mean two threads, and this ring has no lock.
            throw new IOException("the queue pairs of a completion queue must share one event channel");
        }
        events = channel;
        queuePairs++;
    }

    void removeQueuePair() {
        queuePairs--;
    }

    /** Ends its use; false if that was done before. */
    boolean destroy() throws IOException {
        if (queuePairs > 0) {
            throw new IOException("completion queue is in use by queue pairs");
        }
        if (!isOpen()) {
            return false;
        }
        close();
        return true;
    }

    /** Lets completion events end the waits of {@code channel}. */
    void attachTo(@Nullable SoftEventChannel channel) {
        attachedTo = channel;
        fired = false;
    }

    @Nullable
    SoftEventChannel attachedTo() {
        return attachedTo;
    }

    /** Takes the events since the last time. */
    boolean acknowledgeEvents() {
        boolean any = fired;
        fired = false;
        return any;
    }

    /** The next completion is an event. */
    void arm() {
        armed = true;
    }

    @Override
    public boolean push(long wrId, int wcStatus, int wcOpcode, int byteCount, int immData, int qpNum, int wcFlags) {
        ring.add(wrId, wcStatus, wcOpcode, byteCount, immData, qpNum, wcFlags);
        fired |= armed;
        armed = false;
        return ring.size() <= depth;
    }

    boolean isEmpty() {
        return ring.isEmpty();
    }

    @Override
    public int poll(CompletionHandler handler) {
        int count = 0;
        while (count < BATCH && !ring.isEmpty()) {
            long id = ring.id();
            int status = ring.status();
            int opcode = ring.opcode();
            int bytes = ring.bytes();
            int immediate = ring.immediate();
            int queuePair = ring.queuePair();
            int flags = ring.flags();
            ring.removeHead(); // before the handler, whose posts may complete at once
            handler.onCompletion(id, status, opcode, bytes, immediate, queuePair, flags);
            count++;
        }
        return count;
    }
}
