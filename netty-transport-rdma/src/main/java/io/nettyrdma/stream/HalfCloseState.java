// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.stream;

import java.util.Collections;
import java.util.EnumSet;
import java.util.Set;

/**
 * Which directions of an established stream are open, which word ends them, and what becomes of the peer's words.
 *
 * <pre>
 *                    shutdownOutput  shutdownInput   SHUTDOWN          DISCONNECT         close, ABORT, lost
 * OPEN               OUTPUT_SHUTDOWN INPUT_SHUTDOWN  PEER_SHUTDOWN     PEER_DISCONNECTED  CLOSED
 * OUTPUT_SHUTDOWN    .               CLOSED          CLOSED            PEER_DISCONNECTED  CLOSED
 * INPUT_SHUTDOWN     CLOSED          .               PEER_SHUTDOWN     PEER_DISCONNECTED  CLOSED
 * PEER_SHUTDOWN      CLOSED          .               .                 PEER_DISCONNECTED  CLOSED
 * PEER_DISCONNECTED  .               CLOSED          .                 .                  CLOSED; ABORT, lost: .
 * CLOSED             .               .               .                 .                  .
 * </pre>
 *
 * <p>Every way to the end has a DISCONNECT, of this side or of the peer, unless the connection is lost or the peer
 * aborts: a program in C that reads a connection which ends without one may wait for ever (rsockets of librdmacm 44).
 * Nothing is sent behind a DISCONNECT of this side. A peer in C may send entries, limits and data behind its own, and
 * end the connection by a Terminate message or a reset: nothing of that counts any more. Neither does anything that
 * arrives behind this side's DISCONNECT.
 *
 * <p>A change of state returns its actions in a set; the caller takes them in the order of {@link Action}.
 *
 * <p>Threading: confined to the event loop.
 */
public final class HalfCloseState {

    /** What the channel has to do. */
    public enum Action {
        /** Give the word to the window it belongs to. */
        TAKE,
        /** The same, but do not deliver the bytes. */
        DROP,
        /** Send {@link StreamWord#SHUTDOWN}. */
        SEND_SHUTDOWN,
        /** Send {@link StreamWord#ABORT}. */
        SEND_ABORT,
        /** Send {@link StreamWord#DISCONNECT}, and nothing behind it. */
        SEND_DISCONNECT,
        /** Fail all writes that are not posted, and those to come. */
        END_OUTPUT,
        /** Deliver what was received, then tell the pipeline that the input has ended. */
        END_INPUT,
        /** Report that the peer has reset the connection. */
        RESET,
        /** Close the channel when all that was received is delivered. */
        CLOSE_WHEN_READ,
        /** Close the channel; drop what was received and not delivered. */
        CLOSE
    }

    /** Where the stream stands. */
    enum State {
        /** Both directions are open. */
        OPEN,
        /** This side has sent SHUTDOWN. */
        OUTPUT_SHUTDOWN,
        /** This side reads no more; the peer does not know it. */
        INPUT_SHUTDOWN,
        /** The peer has sent SHUTDOWN. */
        PEER_SHUTDOWN,
        /** The peer has sent DISCONNECT; what it sent before may be unread. */
        PEER_DISCONNECTED,
        /** This side has sent DISCONNECT, or can send nothing any more. */
        CLOSED
    }

    private static final Set<Action> NONE = Set.of();
    private static final Set<Action> TAKE = actions(Action.TAKE);
    private static final Set<Action> DROP = actions(Action.DROP);

    private State state = State.OPEN;

    private static Set<Action> actions(Action first, Action... others) {
        return Collections.unmodifiableSet(EnumSet.of(first, others));
    }

    State state() {
        return state;
    }

    /** Whether this side may not send data any more. */
    public boolean isOutputShutdown() {
        return state == State.OUTPUT_SHUTDOWN || hasEnded();
    }

    /** Whether no more data is delivered, apart from what came before the peer ended its direction. */
    public boolean isInputShutdown() {
        return state == State.INPUT_SHUTDOWN || state == State.PEER_SHUTDOWN || hasEnded();
    }

    /** Whether nothing may be sent any more, of whatever kind. */
    public boolean hasEnded() {
        return state == State.PEER_DISCONNECTED || state == State.CLOSED;
    }

    /** The program ends its output, and all that it has flushed before is posted. */
    public Set<Action> shutdownOutput() {
        switch (state) {
            case OPEN:
                state = State.OUTPUT_SHUTDOWN;
                return actions(Action.SEND_SHUTDOWN, Action.END_OUTPUT);
            case INPUT_SHUTDOWN:
                return end(Action.SEND_DISCONNECT, Action.END_OUTPUT, Action.CLOSE);
            case PEER_SHUTDOWN:
                return end(Action.SEND_DISCONNECT, Action.END_OUTPUT, Action.CLOSE_WHEN_READ);
            default:
                return NONE;
        }
    }

    /** The program ends its input. The peer is not told, and may go on until its words need no answer any more. */
    public Set<Action> shutdownInput() {
        switch (state) {
            case OPEN:
                state = State.INPUT_SHUTDOWN;
                return actions(Action.END_INPUT);
            case OUTPUT_SHUTDOWN:
                return end(Action.SEND_DISCONNECT, Action.END_INPUT, Action.CLOSE);
            case PEER_DISCONNECTED:
                return end(Action.CLOSE);
            default:
                return NONE;
        }
    }

    /** The program closes the channel, or something has failed, and all that goes out before the end is posted. */
    public Set<Action> close() {
        return switch (state) {
            case CLOSED -> NONE;
            case PEER_DISCONNECTED -> end(Action.CLOSE);
            default -> end(Action.SEND_DISCONNECT, Action.END_OUTPUT, Action.CLOSE);
        };
    }

    /** The program closes the channel without waiting for anything, and wants the peer to know. */
    public Set<Action> abort() {
        return switch (state) {
            case CLOSED -> NONE;
            case PEER_DISCONNECTED -> end(Action.CLOSE);
            default -> end(Action.SEND_ABORT, Action.SEND_DISCONNECT, Action.END_OUTPUT, Action.CLOSE);
        };
    }

    /** The connection is over, and the peer may not have said so. */
    public Set<Action> loseConnection() {
        return hasEnded() ? NONE : end(Action.END_OUTPUT, Action.RESET, Action.CLOSE_WHEN_READ);
    }

    /**
     * Takes a word of the peer.
     *
     * @throws StreamProtocolException if it is no word, or DATA behind SHUTDOWN; the caller has to {@link #close()}
     */
    public Set<Action> receive(int word) throws StreamProtocolException {
        if (hasEnded()) {
            return NONE;
        }
        return switch (StreamWord.kind(word)) {
            case DATA -> data(word);
            case LIMIT, IOMAP -> TAKE;
            case SHUTDOWN -> peerShutdown();
            case DISCONNECT -> peerDisconnect();
            case ABORT -> end(Action.END_OUTPUT, Action.RESET, Action.CLOSE);
            case INVALID ->
                throw new StreamProtocolException("word of the peer: 0x" + Integer.toHexString(word)
                        + " (expected: DATA of 1 byte or more, LIMIT, IOMAP, SHUTDOWN, DISCONNECT or ABORT)");
        };
    }

    private Set<Action> data(int word) throws StreamProtocolException {
        if (state == State.PEER_SHUTDOWN) {
            throw new StreamProtocolException(
                    "DATA of the peer: " + StreamWord.value(word) + " bytes (expected: none behind SHUTDOWN)");
        }
        return state == State.INPUT_SHUTDOWN ? DROP : TAKE;
    }

    private Set<Action> peerShutdown() {
        switch (state) {
            case OPEN:
                state = State.PEER_SHUTDOWN;
                return actions(Action.END_INPUT);
            case OUTPUT_SHUTDOWN:
                return end(Action.SEND_DISCONNECT, Action.END_INPUT, Action.CLOSE_WHEN_READ);
            default:
                state = State.PEER_SHUTDOWN;
                return NONE;
        }
    }

    private Set<Action> peerDisconnect() {
        EnumSet<Action> actions = EnumSet.of(Action.CLOSE_WHEN_READ);
        if (!isOutputShutdown()) {
            actions.add(Action.END_OUTPUT);
        }
        if (!isInputShutdown()) {
            actions.add(Action.END_INPUT);
        }
        state = State.PEER_DISCONNECTED;
        return Collections.unmodifiableSet(actions);
    }

    private Set<Action> end(Action first, Action... others) {
        state = State.CLOSED;
        return actions(first, others);
    }
}
