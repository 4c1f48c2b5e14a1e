// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.socket;

import io.netty.channel.Channel;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.ChannelPromise;
import io.netty.channel.socket.ChannelOutputShutdownException;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.PromiseNotifier;
import io.nettyrdma.engine.AbstractRdmaChannel.ConnectionUnsafe;
import io.nettyrdma.engine.ChannelLifecycle;
import io.nettyrdma.engine.OrderlyClose;
import io.nettyrdma.engine.QueuePairOwner;
import io.nettyrdma.error.RdmaConnectionException;
import io.nettyrdma.stream.HalfCloseState;
import io.nettyrdma.stream.HalfCloseState.Action;
import io.nettyrdma.stream.StreamProtocolException;
import io.nettyrdma.verbs.spi.QueuePairInErrorException;
import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * How the two directions of a stream end, and with them the stream: does what the {@link HalfCloseState} says. Every
 * way to the end of a connection that can still send goes through {@link #disconnect}.
 *
 * <p>Threading: the loop's, but for {@link #isInputShutdown()} and {@link #isOutputShutdown()}.
 */
final class StreamEnd {

    /** Posts words. */
    interface Poster {

        /** Posts what is owed to the peer, if there is a connection. */
        void postOwed() throws Exception;
    }

    private final Channel channel;
    private final ConnectionUnsafe unsafe;
    private final RdmaSocketChannelConfig config;
    private final ChannelLifecycle lifecycle;
    private final OrderlyClose orderlyClose;
    private final Poster poster;
    private final HalfCloseState state = new HalfCloseState();

    /** There with the queue pair. */
    private @Nullable StreamControl control;

    /** There with the connection. */
    private @Nullable StreamInput input;

    private @Nullable StreamOutput output;

    private volatile boolean inputShutdown;
    private volatile boolean outputShutdown;
    private boolean closeWhenRead;
    /** Whether there is no connection any more. */
    private boolean over;
    /** Whether the stream ends as soon as all that is buffered is posted. */
    private boolean draining;

    /** Completed when everything that was flushed is posted and done. */
    private @Nullable ChannelPromise shutdownPromise;

    /** Whether nothing is sent yet because the peer is to send first. */
    private boolean holdsBack;

    /** Runs while the channel is to close as soon as it can say so. */
    private @Nullable Future<?> closeTimer;

    StreamEnd(
            Channel channel,
            ConnectionUnsafe unsafe,
            RdmaSocketChannelConfig config,
            ChannelLifecycle lifecycle,
            OrderlyClose orderlyClose,
            Poster poster) {
        this.channel = channel;
        this.unsafe = unsafe;
        this.config = config;
        this.lifecycle = lifecycle;
        this.orderlyClose = orderlyClose;
        this.poster = poster;
    }

    /** There is a queue pair; it has its own words. */
    void onQueuePair(StreamControl words) {
        control = words;
    }

    /**
     * There is a connection.
     *
     * @param holding whether words may be sent only {@linkplain #onMaySend() later}
     */
    void onEstablished(StreamInput in, StreamOutput out, boolean holding) {
        input = in;
        output = out;
        holdsBack = holding;
        if (closeTimer != null) {
            channel.eventLoop().execute(orderlyClose::close);
        }
    }

    /** Whether words and bytes wait until the peer has sent something. */
    boolean holdsBack() {
        return holdsBack;
    }

    /** Whether the channel closes as soon as it may send. */
    boolean isClosing() {
        return closeTimer != null;
    }

    /** Words may be sent, and what was flushed is posted. */
    void onMaySend() {
        holdsBack = false;
        if (closeTimer != null) {
            orderlyClose.close();
        }
    }

    /** Whether the program or the peer has ended the input. */
    boolean isInputShutdown() {
        return inputShutdown;
    }

    /** Whether the output has ended, or ends when what was flushed is out. */
    boolean isOutputShutdown() {
        return outputShutdown;
    }

    /** Whether nothing that is flushed now goes out any more. */
    boolean isOutputOver() {
        return draining || state.isOutputShutdown();
    }

    /** Whether nothing of any kind is sent any more. */
    boolean isDisconnected() {
        return state.hasEnded();
    }

    /** Throws what every write fails with from now on, if there is such a thing. */
    void check() throws IOException {
        if (outputShutdown && lifecycle.isConnected() && !lifecycle.isClosing()) {
            throw new ChannelOutputShutdownException("the output is shut down");
        }
        if (!lifecycle.mayTakeOn() || outputShutdown || closeTimer != null) {
            throw new ClosedChannelException();
        }
    }

    /**
     * Takes a word of the peer.
     *
     * @return whether it is for a window
     */
    boolean takes(int word) throws StreamProtocolException {
        Set<Action> actions = state.receive(word);
        if (actions.contains(Action.TAKE) || actions.contains(Action.DROP)) {
            return true; // the input knows whether to drop it
        }
        act(actions);
        return false;
    }

    private void act(Set<Action> actions) {
        for (Action action : actions) {
            switch (action) {
                case SEND_SHUTDOWN -> words().shutdown();
                case SEND_ABORT -> words().abort();
                case SEND_DISCONNECT -> words().disconnect();
                case END_INPUT -> endInput();
                case RESET -> lifecycle.onFailure(new RdmaConnectionException("Connection reset by peer"));
                case CLOSE_WHEN_READ -> closeWhenRead = true;
                case CLOSE -> {
                    if (lifecycle.isOpen()) { // else the loop may have ended
                        channel.eventLoop().execute(orderlyClose::close);
                    }
                }
                default -> {
                    // END_OUTPUT is asked for. TAKE and DROP are for words.
                }
            }
        }
        inputShutdown = state.isInputShutdown();
        outputShutdown = state.isOutputShutdown() || shutdownPromise != null;
    }

    private StreamControl words() {
        StreamControl present = control;
        if (present == null) {
            throw new IllegalStateException("not connected; use a connected channel");
        }
        return present;
    }

    private void endInput() {
        if (input != null) {
            input.end();
        }
    }

    /** Closes the channel if nothing follows what was read. */
    void closeIfRead() {
        boolean unread = input != null && input.hasUnread();
        if ((lifecycle.isPeerGone() || closeWhenRead) && !unread) {
            orderlyClose.close();
        }
    }

    /** The program ends the output, behind what it has flushed. */
    void shutdownOutput(ChannelPromise promise) {
        ChannelPromise first = shutdownPromise;
        if (first != null) {
            first.addListener(new PromiseNotifier<>(promise));
            return;
        }
        outputShutdown = true;
        shutdownPromise = promise;
        endOutputIfFlushed();
    }

    /** Ends the output if that was asked for, and all that was flushed is done. */
    void endOutputIfFlushed() {
        ChannelPromise promise = shutdownPromise;
        ChannelOutboundBuffer out = unsafe.outboundBuffer();
        if (promise != null && (out == null || out.isEmpty()) && (output == null || output.unsentBytes() == 0)) {
            shutdownPromise = null;
            unsafe.shutdownOutput(promise);
        }
    }

    /** The output is over, as Netty knows it. */
    void endOutput() throws Exception {
        act(state.shutdownOutput());
        poster.postOwed();
    }

    /** The program ends the input. */
    void shutdownInput() throws Exception {
        if (input != null) {
            input.endByProgram();
        }
        act(state.shutdownInput());
        poster.postOwed();
    }

    /**
     * Whether a close waits, as long as any close may, because the channel has accepted its peer and cannot send yet. A
     * peer that has connected is to see an end, and no reset.
     */
    boolean closesWhenItMaySend(ChannelPromise promise) {
        boolean waits = input == null ? lifecycle.isAccepting() : holdsBack;
        if (!waits || over || channel.eventLoop().isShuttingDown()) {
            stopWaiting(); // the close that begins now has a limit of its own
            return false;
        }
        orderlyClose.completeAtClose(promise);
        if (closeTimer == null) {
            closeTimer = channel.eventLoop()
                    .schedule(
                            () -> orderlyClose.closeNow(channel.voidPromise()),
                            OrderlyClose.FLUSH_MILLIS,
                            TimeUnit.MILLISECONDS);
        }
        return true;
    }

    /**
     * The channel is about to close: tells the peer, behind all that is buffered and posted.
     *
     * @param connected whether the peer has accepted this side's request, even if nothing came of it
     */
    void disconnect(boolean connected) {
        boolean fails = input != null && lifecycle.awaitsConnection(); // while it is being established
        if (control == null || !lifecycle.isConnected() && !connected && !fails) {
            return;
        }
        if (config.getSoLinger() == 0 && output != null) {
            output.drop();
        }
        if (isBuffered()) {
            drain();
        } else {
            oweEnd();
        }
        try {
            poster.postOwed();
        } catch (QueuePairInErrorException e) {
            // The peer has ended the connection: it does not need the word.
        } catch (Throwable e) {
            lifecycle.onFailure(e);
        }
        inputShutdown = true;
        outputShutdown = true;
    }

    /** The peer still gets what is buffered, and can say that it has room; what it sends is dropped. */
    private void drain() {
        draining = true;
        state.shutdownInput();
        try {
            if (input != null) {
                input.endByProgram();
            }
        } catch (Throwable e) {
            lifecycle.onFailure(e);
        }
    }

    private boolean isBuffered() {
        return output != null && output.isBuffered();
    }

    private void oweEnd() {
        boolean aborts = config.getSoLinger() == 0 || output != null && output.hasLost();
        Set<Action> end = aborts ? state.abort() : state.close();
        if (end.contains(Action.SEND_ABORT)) {
            words().abort();
        }
        if (end.contains(Action.SEND_DISCONNECT)) {
            words().disconnect();
        }
    }

    /** The words that end the stream follow the last byte. */
    void endIfPosted() {
        if (draining && !isBuffered()) {
            oweEnd();
        }
    }

    /** The connection is about to end: tells the peer that it does not get all bytes, if that is so. */
    void abort() {
        StreamOutput out = output;
        if (control != null && out != null && out.isBuffered()) {
            out.drop();
            oweEnd();
            try {
                poster.postOwed();
            } catch (Throwable e) {
                lifecycle.onFailure(e);
            }
        }
    }

    /** As {@link QueuePairOwner#endOfConnection}. */
    @Nullable
    Throwable endOfConnection(@Nullable String reason) {
        over = true;
        if (input == null) {
            return reason == null ? null : new RdmaConnectionException(reason);
        }
        Set<Action> actions = state.loseConnection();
        if (!actions.contains(Action.RESET)) {
            return null; // the peer has said so, or this side
        }
        inputShutdown = true;
        outputShutdown = true;
        return new RdmaConnectionException("Connection reset by peer" + (reason == null ? "" : ": " + reason));
    }

    private void stopWaiting() {
        Future<?> timer = closeTimer;
        closeTimer = null;
        if (timer != null) {
            timer.cancel(false);
        }
    }

    /** The channel has closed. */
    void onClosed() {
        stopWaiting();
        ChannelPromise promise = shutdownPromise;
        shutdownPromise = null;
        if (promise != null) {
            promise.tryFailure(new ClosedChannelException());
        }
    }
}
