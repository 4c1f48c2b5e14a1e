// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.flow;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.util.concurrent.Future;
import java.nio.channels.ClosedChannelException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A {@code close()} of a channel with flow control. It goes on to the channel when the peer has taken all messages that
 * were flushed before it, or too few bytes in {@value #TAKE_MILLIS} ms: the number of bytes bounds the wait.
 *
 * <p>Threading: the loop's.
 */
final class FlowClose {

    /**
     * How long the peer may take for the next {@link #TAKE_BYTES}, or for all that is left; the channel gives it as
     * long for what is posted.
     */
    private static final long TAKE_MILLIS = 10_000;

    private static final long TAKE_BYTES = 64 * 1024;

    private final ChannelHandlerContext context;
    private final FlowOutput output;
    /** There while a close waits; a timer left behind would keep the channel in memory. */
    private @Nullable Future<?> timer;
    /** What the peer had taken when the timer was started. */
    private long takenBytes;

    FlowClose(ChannelHandlerContext context, FlowOutput output) {
        this.context = context;
        this.output = output;
    }

    /** Whether a close waits: nothing more may be written or flushed. */
    boolean isWaiting() {
        return timer != null;
    }

    /** Closes the channel behind what was flushed. */
    void close(ChannelPromise promise) {
        if (!promise.setUncancellable()) {
            return;
        }
        Channel channel = context.channel();
        if (output.isDone() || !channel.isActive() || channel.eventLoop().isShuttingDown()) {
            stop();
            context.close(promise);
            return;
        }
        if (!promise.isVoid()) {
            channel.closeFuture().addListener(closed -> promise.trySuccess());
        }
        if (timer == null) {
            startTimer();
        }
    }

    /** The peer has taken messages: perhaps they were the last ones that a close waits for. */
    void closeIfDone() {
        if (timer != null && output.isDone()) {
            finish();
        }
    }

    /** Fails what still waits. A close that waits does so no more, and the caller closes the channel. */
    void stop() {
        Future<?> present = timer;
        timer = null;
        if (present != null) {
            present.cancel(false);
        }
        output.fail(new ClosedChannelException());
    }

    private void finish() {
        stop();
        context.close();
    }

    private void startTimer() {
        takenBytes = output.takenBytes();
        timer = context.executor().schedule(this::checkProgress, TAKE_MILLIS, TimeUnit.MILLISECONDS);
    }

    private void checkProgress() {
        if (timer == null) {
            return; // the last message was taken as the timer ended
        }
        if (output.takenBytes() - takenBytes >= TAKE_BYTES) {
            startTimer();
        } else {
            finish();
        }
    }
}
