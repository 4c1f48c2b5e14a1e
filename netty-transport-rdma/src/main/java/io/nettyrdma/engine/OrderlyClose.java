// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.engine;

import io.netty.channel.ChannelPromise;
import io.netty.util.concurrent.Future;
import io.nettyrdma.channel.RdmaIoHandler;
import io.nettyrdma.engine.AbstractRdmaChannel.ConnectionUnsafe;
import io.nettyrdma.error.RdmaWorkRequestException;
import io.nettyrdma.verbs.spi.QueuePairInErrorException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The end of a channel, in two steps with a bound each. First what was posted may complete, so that a message written
 * before a close reaches the peer and its promise tells the truth, and if requests were flushed before the close, the
 * reason may come; only then the channel is closed as Netty knows it. A close that may not wait, as after a failed
 * write, at the end of the loop or without lingering, begins with the second step.
 * There the connection ends when everything posted, and what a stream has buffered, has been sent. The peer gets it,
 * and what says that it was all. What is outstanding after that is abandoned together with the queue pair. At the end
 * of the loop, {@link RdmaIoHandler#destroy} bounds this step.
 *
 * <p>Whatever ends a channel goes through here, so that the pipeline is told once why it ends, before it becomes
 * inactive.
 *
 * <p>Threading: the loop's.
 */
public final class OrderlyClose {

    /** How long close() waits for requests that were posted, and for those that are flushed after the end. */
    public static final long FLUSH_MILLIS = 1000;

    /**
     * How long the peer may take for the next {@link #DRAIN_BYTES}, or for all that is left, after the channel has
     * closed; no caller waits for it any more.
     */
    static final long DRAIN_MILLIS = 10_000;

    private static final long DRAIN_BYTES = 64 * 1024;

    private final AbstractRdmaChannel channel;
    private final ConnectionUnsafe unsafe;
    private final ChannelLifecycle lifecycle;
    private final VerbsConnection connection;

    /** Bounds the step that is under way; a timer left behind would keep the channel in memory. */
    private @Nullable Future<?> timer;

    /** Whether the channel was closed while its connection was established. */
    private boolean draining;
    /** Whether the connection ends when everything posted has been sent. */
    private boolean sending;
    /** Bytes that were not sent when {@link #DRAIN_MILLIS} began. */
    private long unsentBytes;
    /** Whether nothing that is posted can reach the peer any more. */
    private boolean over;
    /** What the writes that are not posted fail with, if one of them is the reason of the close. */
    private @Nullable Throwable writeFailure;

    OrderlyClose(AbstractRdmaChannel channel) {
        this.channel = channel;
        unsafe = channel.connectionUnsafe();
        lifecycle = channel.lifecycle;
        connection = channel.connection;
    }

    /** Closes without a promise. */
    public void close() {
        unsafe.close(channel.voidPromise());
    }

    /** Closes the channel when what was posted has completed, or at once if there is nothing to wait for. */
    public void close(ChannelPromise promise) {
        if (!promise.setUncancellable()) {
            return;
        }
        tellFailure(); // the close may be the answer of a listener to a request that has failed
        if (!lifecycle.isConnected() || nothingPosted() || channel.eventLoop().isShuttingDown()) {
            closeNow(promise);
            return;
        }
        completeAtClose(promise);
        if (lifecycle.startClosing()) {
            stopTimer(); // of a wait for the end of the connection
            timer = channel.eventLoop().schedule(this::stopWaiting, channel.closeMillis(), TimeUnit.MILLISECONDS);
        }
    }

    /** Completes the promise of a close that waits. */
    public void completeAtClose(ChannelPromise promise) {
        if (!promise.isVoid()) { // as each batch of completions may close again
            channel.closeFuture().addListener(closed -> promise.trySuccess());
        }
    }

    /** Closes because of {@code cause}. */
    public void fail(Throwable cause) {
        if (cause instanceof QueuePairInErrorException refused) {
            awaitEnd(refused);
        } else {
            lifecycle.onFailure(cause);
            close();
        }
    }

    /**
     * A message could not be posted: closes when those before it have completed, which says of each whether the peer
     * gets it. Those that are not posted fail with {@code cause}.
     */
    public void failBehindPosted(Throwable cause) {
        writeFailure = cause;
        close();
    }

    /**
     * The device refuses requests because the connection is over, which is no failure by itself: the device is about to
     * say so, and perhaps why. Until then, received messages stay to be delivered.
     */
    private void awaitEnd(QueuePairInErrorException refused) {
        lifecycle.onFlushed();
        if (!lifecycle.isActive()) {
            close();
        } else {
            awaitEndOfConnection(refused);
        }
    }

    private void awaitEndOfConnection(Throwable cause) {
        if (lifecycle.isConnected() && timer == null) {
            timer = channel.eventLoop()
                    .schedule(
                            () -> {
                                if (lifecycle.isConnected()) {
                                    endNow(cause);
                                }
                            },
                            FLUSH_MILLIS,
                            TimeUnit.MILLISECONDS);
        }
    }

    /**
     * Closes if a request has failed, when the connection has ended: a device may report the failure before messages
     * that came earlier. If the peer has gone, its messages are delivered first.
     */
    void closeIfFailing() {
        Throwable cause = lifecycle.failure();
        if (cause == null || !lifecycle.isConnected()) {
            return;
        }
        if (cause instanceof RdmaWorkRequestException && !lifecycle.isClosing()) {
            awaitEndOfConnection(cause);
        } else {
            close();
        }
    }

    /** Closes at once, because nothing completes any more; what was not yet done fails with the same cause. */
    public void failNow(Throwable cause) {
        if (cause instanceof QueuePairInErrorException refused) {
            awaitEnd(refused);
        } else if (lifecycle.isOpen()) {
            endNow(cause);
        }
    }

    private void endNow(Throwable cause) {
        over = true;
        lifecycle.onFatalFailure(cause);
        tellFailure();
        unsafe.closeNow(cause);
    }

    /** Closes as Netty knows it, whatever is posted. */
    public void closeNow(ChannelPromise promise) {
        tellFailure();
        Throwable cause = writeFailure;
        if (cause == null) {
            unsafe.closeNow(promise);
        } else {
            completeAtClose(promise);
            unsafe.closeNow(cause);
        }
    }

    private void tellFailure() {
        Throwable cause = lifecycle.takeFailure();
        if (cause != null) {
            channel.pipeline().fireExceptionCaught(cause);
        }
    }

    private boolean nothingPosted() {
        QueuePair pair = connection.queuePair();
        return pair == null || pair.hasFailedPost() || pair.hasSent() && !lifecycle.awaitsReason();
    }

    /** Requests have completed: perhaps they were what the close waits for. */
    void closeIfFlushed() {
        if (nothingPosted()) {
            stopWaiting();
        }
        endConnectionIfSent();
    }

    /** The peer has gone: there is no reason to wait for, and no peer to send to. */
    void onPeerGone() {
        over = true;
        closeIfFlushed();
    }

    /** Ends the connection of a channel that has closed, when what was posted has been sent. */
    private void endConnectionIfSent() {
        if (sending && (over || nothingPosted())) {
            endConnection();
        }
    }

    private void endConnection() {
        sending = false;
        QueuePair pair = connection.queuePair();
        if (pair != null) {
            pair.abort();
        }
        connection.disconnect();
        startTimer(FLUSH_MILLIS);
    }

    /** Bounds what is left, unless the end of the loop does. */
    private void startTimer(long millis) {
        stopTimer();
        if (!channel.eventLoop().isShuttingDown() && connection.hasOutstanding()) {
            timer = channel.eventLoop().schedule(this::giveUp, millis, TimeUnit.MILLISECONDS);
        }
    }

    private void giveUp() {
        connection.runOnItsLoop(sending ? this::endConnectionIfStuck : this::flushNow);
    }

    private void drain() {
        unsentBytes = unsentNow();
        startTimer(DRAIN_MILLIS);
    }

    private void endConnectionIfStuck() {
        if (!sending) {
            return; // the connection has ended meanwhile
        }
        if (unsentBytes - unsentNow() >= DRAIN_BYTES) {
            drain();
        } else {
            endConnection();
        }
    }

    private long unsentNow() {
        QueuePair pair = connection.queuePair();
        return pair == null ? 0 : pair.unsentBytes();
    }

    /** The loop ends: gives up what is outstanding, unless it may still reach the peer before the loop has ended. */
    void flushUnlessDraining() {
        if (!draining) {
            flushNow();
        }
    }

    private void stopWaiting() {
        if (lifecycle.isClosing()) {
            closeNow(channel.voidPromise());
        }
    }

    /** The channel has closed, after waiting or without: ends the connection and sees to the rest. */
    void onClosed(boolean wasActive) {
        stopTimer();
        if (connection.queuePair() == null) {
            return;
        }
        draining = wasActive;
        if (wasActive) {
            sending = true;
            endConnectionIfSent();
            if (sending) {
                drain();
            }
            return;
        }
        connection.disconnect();
        if (!channel.eventLoop().isShuttingDown()) { // else what was never active is given up at the end of the loop
            channel.eventLoop().execute(this::giveUp); // once the channel has closed
        }
    }

    /** Gives up what is outstanding: of a queue pair in error it completes soon or, on some devices, never. */
    void flushNow() {
        stopTimer();
        if (connection.hasOutstanding()) {
            connection.flush();
            connection.abandon();
        }
    }

    /** Nothing is outstanding any more, or the close does not wait for it. */
    void stopTimer() {
        Future<?> present = timer;
        timer = null;
        if (present != null) {
            try {
                present.cancel(false);
            } catch (RejectedExecutionException e) {
                // Of a loop that has ended, where the channel was to be registered in vain: the timer has ended, too.
            }
        }
    }
}
