// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.requester;

import io.netty.util.concurrent.EventExecutor;
import io.nettyrdma.rpc.engine.RequesterEngine;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The one timer of all calls of a connection. It fires at the earliest deadline there was when it was armed, and looks
 * again then.
 *
 * <p>Threading: the executor's.
 */
final class CallTimer {

    private final EventExecutor executor;
    private final RequesterEngine<?> engine;
    private final Runnable expired;
    private @Nullable ScheduledFuture<?> timer;
    private long timerDeadlineNanos;

    /**
     * @param expired called after calls may have expired
     */
    CallTimer(EventExecutor executor, RequesterEngine<?> engine, Runnable expired) {
        this.executor = executor;
        this.engine = engine;
        this.expired = expired;
    }

    /** Has to be called when there may be an earlier deadline than before. */
    void arm() {
        if (!engine.hasDeadline()) {
            return;
        }
        long deadline = engine.nextDeadlineNanos();
        if (timer != null) {
            if (timerDeadlineNanos - deadline <= 0) {
                return; // it looks again when it fires
            }
            timer.cancel(false);
        }
        timerDeadlineNanos = deadline;
        long delay = Math.max(0, deadline - executor.ticker().nanoTime());
        timer = executor.schedule(this::fire, delay, TimeUnit.NANOSECONDS);
    }

    private void fire() {
        timer = null;
        engine.expire(executor.ticker().nanoTime());
        arm();
        expired.run();
    }

    void stop() {
        if (timer != null) {
            timer.cancel(false);
            timer = null;
        }
    }
}
