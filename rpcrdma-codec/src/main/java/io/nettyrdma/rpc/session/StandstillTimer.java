// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.session;

import io.netty.channel.ChannelHandlerContext;
import io.netty.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Notices that something stands still that must move. Only the first {@link #start} schedules a task, so that
 * starting again and stopping cost next to nothing.
 *
 * <p>Threading: confined to the executor of the handler.
 */
public final class StandstillTimer {

    private final long timeoutNanos;
    private final Consumer<ChannelHandlerContext> onStandstill;
    private boolean running;
    private boolean closed;
    private long sinceNanos;
    private @Nullable ScheduledFuture<?> task;

    /** @param onStandstill called once for each start that is followed by neither another one nor a stop in time */
    public StandstillTimer(long timeoutNanos, Consumer<ChannelHandlerContext> onStandstill) {
        this.timeoutNanos = timeoutNanos;
        this.onStandstill = onStandstill;
    }

    public boolean isRunning() {
        return running;
    }

    /** Counts from now on. */
    public void start(ChannelHandlerContext ctx) {
        if (closed) {
            return;
        }
        running = true;
        sinceNanos = ctx.executor().ticker().nanoTime();
        if (task == null) {
            schedule(ctx, timeoutNanos);
        }
    }

    /** Counts no more. */
    public void stop() {
        running = false;
    }

    private void schedule(ChannelHandlerContext ctx, long nanos) {
        task = ctx.executor().schedule(() -> look(ctx), nanos, TimeUnit.NANOSECONDS);
    }

    private void look(ChannelHandlerContext ctx) {
        task = null;
        if (!running) {
            return;
        }
        long left = sinceNanos + timeoutNanos - ctx.executor().ticker().nanoTime();
        if (left > 0) {
            schedule(ctx, left);
        } else {
            running = false;
            onStandstill.accept(ctx);
        }
    }

    /** Ends the task, too. Idempotent. */
    public void close() {
        closed = true;
        running = false;
        if (task != null) {
            task.cancel(false);
            task = null;
        }
    }
}
