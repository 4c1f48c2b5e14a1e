// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.ffm;

import com.ibm.disni.verbs.IbvCQ;
import java.io.IOException;
import java.lang.ref.Reference;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * A completion queue, polled in user space by {@link NativePoll}.
 *
 * <p>Threading: any.
 */
class NativeCq extends IbvCQ {

    /** Events acknowledged at once: each acknowledgement takes a lock in C. */
    private static final int ACKNOWLEDGED_AT_ONCE = 256;

    private final long pointer;
    private final NativeContext device;
    private final @Nullable NativeCompChannel completions;
    private final SiwQuirks.FirstMessages firstMessages = new SiwQuirks.FirstMessages();

    private final AtomicInteger unacknowledged = new AtomicInteger();
    /** Why it does not work any more. */
    private volatile @Nullable String failure;
    /** Set before the first is posted, so a thread that sees its completion sees this. */
    private volatile boolean announcements;

    NativeCq(NativeContext device, @Nullable NativeCompChannel completions, long pointer) throws IOException {
        super(device, completions, 0);
        this.pointer = pointer;
        this.device = device;
        this.completions = completions;
        cqe = Foreign.get().at(pointer, VerbsLayout.IBV_CQ_BYTES).getInt(VerbsLayout.IBV_CQ_CQE);
    }

    /** @param vector of the device's interrupts */
    static NativeCq create(NativeContext device, @Nullable NativeCompChannel completions, int entries, int vector)
            throws IOException {
        int max = device.limits().maxCompletions();
        if (entries < 1 || entries > max) {
            throw new IOException(
                    "completion queue entries: " + entries + " (expected: 1 to " + max + " on " + device + ')');
        }
        long channel = completions == null ? 0 : completions.pointer();
        long pointer;
        try {
            pointer = VerbsLibrary.pointer("ibv_create_cq of " + entries + " entries", () ->
                    (long) VerbsLibrary.IBV_CREATE_CQ.invokeExact(device.pointer(), entries, 0L, channel, vector));
        } catch (NativeFailure e) {
            throw LockedMemory.explained(e);
        }
        LayoutCheck.orUndo(
                () -> LayoutCheck.completionQueue(
                        Foreign.get().at(pointer, VerbsLayout.IBV_CQ_BYTES), device.pointer(), channel),
                () -> destroy(pointer));
        NativeCq queue = new NativeCq(device, completions, pointer);
        if (completions != null) {
            completions.add(queue);
        }
        device.asyncEvents().watch(pointer, queue::fail);
        return queue;
    }

    long pointer() {
        return pointer;
    }

    NativeContext device() {
        return device;
    }

    @Nullable
    NativeCompChannel completions() {
        return completions;
    }

    /** Marks the queue as failed; the next poll throws. Any thread. */
    void fail(String reason) {
        if (failure == null) {
            failure = reason;
        }
        if (completions != null) {
            completions.wakeup();
        }
    }

    /** @throws IOException if it does not work any more */
    void checkFailure() throws IOException {
        String reason = failure;
        if (reason != null) {
            throw new IOException(reason);
        }
    }

    /**
     * Lets C write completions ({@code ops.poll_cq}).
     *
     * @param asked how many at most
     * @return how many there were
     */
    int poll(int asked, NativeMemory out) throws IOException {
        int count;
        try {
            count = (int) VerbsLibrary.POLL_CQ.invokeExact(device.pollCq(), pointer, asked, out.address());
        } catch (Throwable e) {
            throw VerbsLibrary.unexpected(e);
        } finally {
            Reference.reachabilityFence(out);
        }
        if (count < 0) {
            throw VerbsLibrary.failure("ibv_poll_cq", count);
        }
        return count;
    }

    /** From now on there may be completions of {@link NativeQp#announce announcements}, which are not reported. */
    void onAnnouncement() {
        announcements = true;
    }

    /** Whether an id may be that of an announcement, and not of a program, which may give any to its requests. */
    boolean hasAnnouncements() {
        return announcements;
    }

    /** Those of its queue pairs that receive here. */
    SiwQuirks.FirstMessages firstMessages() {
        return firstMessages;
    }

    /** Asks for one event at the next completion. */
    void arm() throws IOException {
        int result;
        try {
            result = (int) VerbsLibrary.REQ_NOTIFY_CQ.invokeExact(device.reqNotifyCq(), pointer, 0);
        } catch (Throwable e) {
            throw VerbsLibrary.unexpected(e);
        }
        if (result != 0) {
            throw VerbsLibrary.failure("ibv_req_notify_cq", result);
        }
    }

    /** An event was taken, and has to be acknowledged before the queue can be destroyed. */
    void onEvent() {
        if (unacknowledged.incrementAndGet() >= ACKNOWLEDGED_AT_ONCE) {
            acknowledge();
        }
    }

    private void acknowledge() {
        int events = unacknowledged.getAndSet(0);
        if (events > 0) {
            VerbsLibrary.call(() -> {
                VerbsLibrary.IBV_ACK_CQ_EVENTS.invokeExact(pointer, events);
            });
        }
    }

    /** Idempotent. */
    void destroy() throws IOException {
        if (isOpen()) {
            acknowledge();
            device.asyncEvents().unwatch(pointer);
            destroy(pointer);
            if (completions != null) {
                completions.remove(this);
            }
            close();
        }
    }

    private static void destroy(long pointer) throws IOException {
        VerbsLibrary.succeed("ibv_destroy_cq", () -> (int) VerbsLibrary.IBV_DESTROY_CQ.invokeExact(pointer));
    }
}
