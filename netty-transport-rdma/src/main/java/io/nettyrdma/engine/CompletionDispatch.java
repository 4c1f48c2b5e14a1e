// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.engine;

import io.netty.util.internal.logging.InternalLogger;
import io.netty.util.internal.logging.InternalLoggerFactory;
import io.nettyrdma.verbs.spi.CompletionHandler;
import io.nettyrdma.verbs.spi.CompletionPoller;
import java.util.ArrayList;
import java.util.List;

/**
 * Takes completions off the queues of one loop's devices and passes them to their queue pairs. Each queue pair with
 * completions is notified once at the end of the batch.
 *
 * <p>Threading: the loop's.
 */
final class CompletionDispatch implements CompletionHandler {

    private static final InternalLogger logger = InternalLoggerFactory.getInstance(CompletionDispatch.class);

    private final List<LoopDevice> devices;
    private final Registrations registrations;
    private final int maxPerRun;
    private final Runnable afterBatch;
    private final ArrayList<RdmaRegistration> touched = new ArrayList<>();

    /**
     * @param devices    those of the loop, which adds to them
     * @param maxPerRun  completions handled before the loop turns to its tasks
     * @param afterBatch run before more completions are looked for: a peer that is answered by another way than a
     *                   message of this side sends the next, and finds the receives that are posted by then
     */
    CompletionDispatch(List<LoopDevice> devices, Registrations registrations, int maxPerRun, Runnable afterBatch) {
        this.devices = devices;
        this.registrations = registrations;
        this.maxPerRun = maxPerRun;
        this.afterBatch = afterBatch;
    }

    /** Handles pending completions and those that follow from them; returns their number. */
    int pollAll() {
        int handled = 0;
        int before;
        do {
            before = handled;
            for (int i = 0; i < devices.size(); i++) {
                LoopDevice device = devices.get(i);
                device.memory().drainReturned();
                for (int j = 0; j < device.queues().size(); j++) {
                    handled += poll(device, device.queues().get(j));
                }
            }
            endBatch();
            afterBatch.run();
            // Again, because what a software provider is given to send has mostly completed when the post returns.
        } while (handled > before && handled < maxPerRun);
        return handled;
    }

    private int poll(LoopDevice device, CompletionQueue queue) {
        int handled = 0;
        int count;
        do {
            count = device.poll(queue, this);
            handled += count;
        } while (count == CompletionPoller.BATCH && handled < maxPerRun);
        return handled;
    }

    /**
     * Handles the completions that are there, for who finds something later that they have to be handled before: a
     * peer's last messages go before its disconnect. No more than can have been queued, so that others' traffic does
     * not keep the event for ever.
     */
    void pollQueue() {
        for (int i = 0; i < devices.size(); i++) {
            LoopDevice device = devices.get(i);
            for (int j = 0; j < device.queues().size(); j++) {
                pollQueue(device, device.queues().get(j));
            }
        }
        endBatch();
    }

    private void pollQueue(LoopDevice device, CompletionQueue queue) {
        int most = queue.reserved();
        int count;
        do {
            count = device.poll(queue, this);
            most -= count;
        } while (count == CompletionPoller.BATCH && most > 0);
    }

    @Override
    public void onCompletion(long id, int status, int opcode, int bytes, int immediate, int queuePair, int flags) {
        int number = WorkRequestId.registration(id);
        RdmaRegistration registration = registrations.get(number);
        if (registration == null) {
            if (registrations.wasIssued(number)) {
                return; // its queue pair was destroyed while requests were outstanding, and flushed them then
            }
            logger.error("completion 0x{} belongs to no channel", Long.toHexString(id));
            return;
        }
        if (registration.touch()) {
            touched.add(registration);
        }
        try {
            registration.onCompletion(id, status, bytes, immediate, flags);
            registrations.removeIfDone(registration);
        } catch (Throwable e) {
            registration.onFailure(e);
        }
    }

    private void endBatch() {
        for (int i = 0; i < touched.size(); i++) {
            RdmaRegistration registration = touched.get(i);
            registration.untouch();
            try {
                registration.onBatchEnd();
            } catch (Throwable e) {
                registration.onFailure(e);
            }
        }
        touched.clear();
    }
}
