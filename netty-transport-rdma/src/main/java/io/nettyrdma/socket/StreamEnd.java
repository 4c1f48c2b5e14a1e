// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.socket;

import io.nettyrdma.engine.ChannelLifecycle;
import io.nettyrdma.engine.QueuePairOwner;
import io.nettyrdma.error.RdmaConnectionException;
import io.nettyrdma.stream.HalfCloseState;
import io.nettyrdma.stream.HalfCloseState.Action;
import io.nettyrdma.stream.StreamProtocolException;
import io.nettyrdma.verbs.spi.QueuePairInErrorException;
import java.io.IOException;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * How the two directions of a stream end, as a TCP socket's do: does what the {@link HalfCloseState} says, and knows
 * what the next write or read meets. Netty's own code closes the channel then, as it does over TCP.
 *
 * <table>
 * <caption>What a write and a read meet, when what was received is read</caption>
 * <tr><th>the peer</th><th>write</th><th>read</th></tr>
 * <tr><td>has shut its output down</td><td>bytes are taken</td><td>the end</td></tr>
 * <tr><td>has closed, and had taken all</td><td>the first succeeds and its bytes are dropped, then "Broken pipe"</td>
 * <td>the end</td></tr>
 * <tr><td>has closed, and bytes were under way</td><td>"Broken pipe"</td><td>the end</td></tr>
 * <tr><td>has reset the stream, or is lost</td><td>"Connection reset by peer" if no read has met it, then "Broken
 * pipe"</td><td>"Connection reset by peer" if no write has met it, then the end</td></tr>
 * </table>
 *
 * <p>An end of this side, {@link #shutdownOutput} or {@link #close}, goes out behind all bytes that the stream has
 * taken.
 *
 * <p>Threading: the loop's, but for {@link #isInputShutdown()} and {@link #isOutputShutdown()}.
 */
final class StreamEnd {

    /** What follows the bytes that the stream has taken. */
    private enum Following {
        NOTHING,
        SHUTDOWN,
        DISCONNECT
    }

    /** What becomes of bytes that the program writes. */
    private enum Writes {
        TAKEN,
        DROPPED_ONCE,
        REFUSED
    }

    private final RdmaSocketChannelConfig config;
    private final ChannelLifecycle lifecycle;
    private final StreamExchange stream;
    private final HalfCloseState state = new HalfCloseState();

    /** There with the queue pair. */
    private @Nullable StreamControl control;

    private @Nullable StreamInput input;

    private @Nullable StreamOutput output;

    private volatile boolean inputShutdown;
    private volatile boolean outputShutdown;
    private Following following = Following.NOTHING;
    private Writes writes = Writes.TAKEN;
    /** Reported once, by a write or a read. */
    private @Nullable IOException reset;

    StreamEnd(RdmaSocketChannelConfig config, ChannelLifecycle lifecycle, StreamExchange stream) {
        this.config = config;
        this.lifecycle = lifecycle;
        this.stream = stream;
    }

    /** There is a queue pair; it has its own words. */
    void onQueuePair(StreamControl words) {
        control = words;
    }

    void onEstablished(StreamInput in, StreamOutput out) {
        input = in;
        output = out;
    }

    /** Whether the program has ended the input, or Netty for it. */
    boolean isInputShutdown() {
        return inputShutdown;
    }

    /** Whether the program has ended the output, or Netty for it. */
    boolean isOutputShutdown() {
        return outputShutdown;
    }

    /** Whether nothing of any kind is sent any more. */
    boolean isDisconnected() {
        return state.hasEnded();
    }

    /** Whether the next write meets the peer's end. */
    boolean refusesWrites() {
        return writes != Writes.TAKEN;
    }

    /**
     * Asks for the fate of flushed bytes.
     *
     * @return whether the stream takes them; else they are dropped, and the write succeeds
     * @throws IOException as a socket's, which ends the channel
     */
    boolean takesWrites() throws IOException {
        throwReset();
        return switch (writes) {
            case TAKEN -> true;
            case DROPPED_ONCE -> {
                writes = Writes.REFUSED;
                yield false;
            }
            case REFUSED -> throw new IOException("Broken pipe");
        };
    }

    /** Whether a read meets a reset. */
    boolean isReset() {
        return reset != null;
    }

    /** Throws the reset, once; the end of the input is all that follows. */
    void throwReset() throws IOException {
        IOException met = reset;
        if (met != null) {
            reset = null;
            endInput();
            throw met;
        }
    }

    /**
     * Takes a word of the peer.
     *
     * @return whether it is for a window
     */
    boolean accepts(int word) throws StreamProtocolException {
        Set<Action> actions = state.receive(word);
        if (actions.contains(Action.TAKE) || actions.contains(Action.DROP)) {
            return true; // the input knows whether to drop it
        }
        act(actions, null);
        return false;
    }

    private void act(Set<Action> actions, @Nullable String reason) {
        for (Action action : actions) {
            switch (action) {
                case SEND_SHUTDOWN -> words().shutdown();
                case SEND_ABORT -> words().abort();
                case SEND_DISCONNECT -> words().disconnect();
                case REFUSE -> refuse();
                case END_INPUT -> endInput();
                case RESET -> {
                    writes = Writes.REFUSED;
                    reset = new RdmaConnectionException(
                            "Connection reset by peer" + (reason == null ? "" : ": " + reason));
                    stream.onReset();
                }
                default -> throw new AssertionError(action);
            }
        }
    }

    private void refuse() {
        StreamOutput out = output;
        boolean underWay = out != null && out.unsentBytes() > 0;
        writes = underWay ? Writes.REFUSED : Writes.DROPPED_ONCE;
        if (out != null) {
            out.drop();
        }
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

    /** The program ends the output, behind what the stream has taken. */
    void shutdownOutput() throws Exception {
        outputShutdown = true;
        if (following == Following.NOTHING) {
            following = Following.SHUTDOWN;
        }
        stream.postOwed();
    }

    void shutdownInput() throws Exception {
        inputShutdown = true;
        if (input != null) {
            input.endByProgram();
        }
        if (following != Following.DISCONNECT) {
            act(state.shutdownInput(), null);
        }
        stream.postOwed();
    }

    /**
     * The channel closes: tells the peer, behind all that is buffered and posted.
     *
     * @param connected whether the peer has accepted this side's request, even if nothing came of it
     */
    void close(boolean connected) {
        boolean fails = input != null && lifecycle.awaitsConnection(); // while it is being established
        if (control == null || !lifecycle.isConnected() && !connected && !fails) {
            return;
        }
        following = Following.DISCONNECT;
        inputShutdown = true;
        outputShutdown = true;
        try {
            if (input != null) {
                input.endByProgram();
            }
            if (isBuffered()) {
                state.shutdownInput(); // the peer can still say that it has room; what it sends is dropped
            }
            stream.postOwed();
            dropIfAborting();
        } catch (QueuePairInErrorException e) {
            // The peer has ended the connection: it does not need the word.
        } catch (Throwable e) {
            lifecycle.onFailure(e);
        }
    }

    /** Without lingering, what the peer had no room for is dropped, as soon as this side may send. */
    void dropIfAborting() throws Exception {
        if (following == Following.DISCONNECT && config.getSoLinger() == 0 && stream.maySend() && output != null) {
            output.drop();
            stream.postOwed();
        }
    }

    private boolean isBuffered() {
        return output != null && output.isBuffered();
    }

    /** Whether the end of a direction has not been said yet. */
    boolean isOwed() {
        return following != Following.NOTHING && !isBuffered();
    }

    /** The words that end the output, or the stream, follow the last byte. */
    void endIfPosted() {
        if (following == Following.NOTHING || isBuffered()) {
            return;
        }
        boolean aborts = config.getSoLinger() == 0 || output != null && output.hasLost();
        act(following == Following.SHUTDOWN ? state.shutdownOutput() : aborts ? state.abort() : state.close(), null);
        following = Following.NOTHING;
    }

    /** The connection is about to end: tells the peer that it does not get all bytes, if that is so. */
    void abort() {
        if (control != null && isBuffered() && output != null) {
            output.drop();
            following = Following.DISCONNECT;
            try {
                stream.postOwed();
            } catch (Throwable e) {
                lifecycle.onFailure(e);
            }
        }
    }

    /**
     * The connection is over; otherwise as {@link QueuePairOwner#endOfConnection}.
     *
     * @param knowsReasons whether the provider tells the reason of an end that is not in order
     * @param failed       a request that has failed before, which the end explains
     */
    void onConnectionGone(boolean knowsReasons, @Nullable String reason, @Nullable Throwable failed) {
        act(state.loseConnection(knowsReasons && reason == null && failed == null), reason);
        if (reset != null && failed != null) {
            reset.addSuppressed(failed);
        }
    }
}
