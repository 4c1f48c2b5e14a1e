// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.engine;

import io.netty.channel.ChannelPromise;
import io.nettyrdma.engine.AbstractRdmaChannel.ConnectionUnsafe;
import io.nettyrdma.error.RdmaWorkRequestException;
import io.nettyrdma.verbs.spi.QueuePairInErrorException;
import org.jspecify.annotations.Nullable;

/**
 * The end of a channel, in two steps. First, a channel of messages waits, for a bounded time, until what was posted has
 * completed, so that each promise tells the truth; if requests were flushed before the close, the reason may come. Then
 * the channel is closed as Netty knows it. A byte stream begins there, and so does a close that may not wait, as after
 * a failed write, at the end of the loop or without lingering.
 *
 * <p>In the second step nobody waits any more, and the connection still sends what was posted, and what a stream has
 * taken: as over TCP, bytes whose promise has succeeded reach a peer however long its program pauses. The connection
 * ends when all is sent, when the peer or its host is gone, or when {@link ClosedConnections} hold too much memory.
 *
 * <p>Every way to the end of a channel goes through here, so that the pipeline is told once why it ends, before it
 * becomes inactive.
 *
 * <p>Threading: the loop's.
 */
public final class OrderlyClose {

    /** How long close() waits for requests that were posted, and for those that are flushed after the end. */
    public static final long FLUSH_MILLIS = 1000;

    /** How long posted requests may take after the channel has closed, if no promise has succeeded for their bytes. */
    private static final long DRAIN_MILLIS = 10_000;

    private final AbstractRdmaChannel channel;
    private final ConnectionUnsafe unsafe;
    private final ChannelLifecycle lifecycle;
    private final VerbsConnection connection;

    /** Bounds the step that is under way. */
    private final LoopTimer timer = new LoopTimer();

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
        tellFailure();
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
            timer.start(channel.eventLoop(), FLUSH_MILLIS, this::stopWaiting);
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
        if (lifecycle.isConnected() && !timer.isRunning()) {
            timer.start(channel.eventLoop(), FLUSH_MILLIS, () -> {
                if (lifecycle.isConnected()) {
                    endNow(cause);
                }
            });
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
            connection.count(LoopMeter.ofConnection(cause));
            channel.pipeline().fireExceptionCaught(cause);
        }
    }

    private boolean nothingPosted() {
        QueuePair pair = connection.queuePair();
        return pair == null || !pair.mayPost() || pair.hasSent() && !lifecycle.awaitsReason();
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
        if (lifecycle.isSending()) {
            endConnection();
        } else {
            closeIfFlushed();
        }
    }

    /** Ends the connection of a channel that has closed, when what was posted has been sent. */
    private void endConnectionIfSent() {
        if (!lifecycle.isSending()) {
            return;
        }
        if (nothingPosted()) {
            endConnection();
        } else if (ClosedConnections.ALL.contains(channel)) {
            countUnsent();
        }
    }

    private void endConnection() {
        lifecycle.onSent();
        ClosedConnections.ALL.remove(channel);
        QueuePair pair = connection.queuePair();
        if (pair != null) {
            pair.abort();
        }
        connection.disconnect();
        startTimer(FLUSH_MILLIS);
    }

    /** Bounds what is left, unless the end of the loop does. */
    private void startTimer(long millis) {
        timer.stop();
        if (!channel.eventLoop().isShuttingDown() && connection.hasOutstanding()) {
            timer.start(channel.eventLoop(), millis, this::giveUp);
        }
    }

    private void giveUp() {
        connection.runOnItsLoop(lifecycle.isSending() ? this::endConnectionUnlessOwed : this::flushNow);
    }

    private void endConnectionUnlessOwed() {
        if (lifecycle.isSending()) {
            if (unsentNow() > 0) {
                countUnsent();
            } else {
                endConnection();
            }
        }
    }

    private void countUnsent() {
        ClosedConnections.ALL.add(channel, unsentNow(), connection.unlessEnded(() -> {
            if (lifecycle.isSending()) {
                endConnection();
            }
        }));
    }

    private long unsentNow() {
        QueuePair pair = connection.queuePair();
        return pair == null ? 0 : pair.unsentBytes();
    }

    /** The loop ends: gives up what is outstanding, unless the peer may still get it. */
    void flushUnlessEnding() {
        if (!lifecycle.isSending() && !lifecycle.isEndingConnection()) {
            flushNow();
        }
    }

    private void stopWaiting() {
        if (lifecycle.isClosing()) {
            closeNow(channel.voidPromise());
        }
    }

    /** The channel has closed, after waiting or without: ends the connection and sees to the rest. */
    void onClosed() {
        timer.stop();
        if (connection.queuePair() == null) {
            return;
        }
        if (lifecycle.isSending()) {
            endConnectionIfSent();
            if (lifecycle.isSending()) {
                startTimer(unsentNow() > 0 ? FLUSH_MILLIS : DRAIN_MILLIS);
            }
        } else if (lifecycle.isEndingConnection()) {
            endConnection();
        } else {
            connection.disconnect();
            if (!channel.eventLoop().isShuttingDown()) { // else what was never active is given up there
                channel.eventLoop().execute(this::giveUp); // once the channel has closed
            }
        }
    }

    /** Gives up what is outstanding: of a queue pair in error it completes soon or, on some devices, never. */
    void flushNow() {
        timer.stop();
        if (connection.hasOutstanding()) {
            connection.flush();
            connection.abandon();
        }
    }

    /** Nothing is outstanding any more. */
    void onUnregistered() {
        timer.stop();
        ClosedConnections.ALL.remove(channel);
    }
}
