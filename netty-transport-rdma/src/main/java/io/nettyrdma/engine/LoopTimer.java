// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.engine;

import io.netty.channel.EventLoop;
import io.netty.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A task that a loop runs later, at most one at a time. One that is left behind would keep its channel in memory.
 *
 * <p>Threading: the loop's.
 */
public final class LoopTimer {

    private @Nullable Future<?> present;

    public boolean isRunning() {
        return present != null;
    }

    /** Runs {@code task} after {@code millis}, in place of the one that is due. */
    public void start(EventLoop loop, long millis, Runnable task) {
        stop();
        present = loop.schedule(
                () -> {
                    present = null; // first, as the task may start it again
                    task.run();
                },
                millis,
                TimeUnit.MILLISECONDS);
    }

    /** Cancels the task; returns whether it was due. */
    public boolean stop() {
        Future<?> due = present;
        present = null;
        if (due != null) {
            try {
                due.cancel(false);
            } catch (RejectedExecutionException e) {
                // Of a loop that has ended, and its timers with it.
            }
        }
        return due != null;
    }
}
