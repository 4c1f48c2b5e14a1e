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
 *                    shutdownOutput  shutdownInput   SHUTDOWN          DISCONNECT, gone   close, ABORT, lost
 * OPEN               OUTPUT_SHUTDOWN INPUT_SHUTDOWN  PEER_SHUTDOWN     PEER_DISCONNECTED  CLOSED
 * OUTPUT_SHUTDOWN    .               CLOSED          CLOSED            PEER_DISCONNECTED  CLOSED
 * INPUT_SHUTDOWN     CLOSED          .               PEER_SHUTDOWN     PEER_DISCONNECTED  CLOSED
 * PEER_SHUTDOWN      CLOSED          .               .                 PEER_DISCONNECTED  CLOSED
 * PEER_DISCONNECTED  .               .               .                 .                  CLOSED; ABORT, lost: .
 * CLOSED             .               .               .                 .                  .
 * </pre>
 *
 * <p><i>Gone</i> is an end of the connection in order, without DISCONNECT: the system ends the connections of a process
 * that has ended. As over TCP, the reader gets what was sent and the end.
 *
 * <p>Every way to the end has a DISCONNECT, of this side or of the peer, unless the connection ends before: a program
 * in C that reads a connection which ends without one may wait for ever (rsockets of librdmacm 44). Nothing is sent
 * behind a DISCONNECT of this side. A peer in C may send entries, limits and data behind its own, and end the
 * connection by a Terminate message or a reset: nothing of that counts any more. Neither does anything that arrives
 * behind this side's DISCONNECT.
 *
 * <p>No state closes the channel: as over TCP, the program does, or Netty when a read or a write meets the end.
 *
 * <p>A change of state returns its actions in a set; the caller takes them in the order of {@link Action}.
 *
 * <p>Threading: confined to the event loop.
 */
public final class HalfCloseState {

    /** An act of the channel. */
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
        /** The peer takes no more bytes: drop those that are not posted; writes fail. */
        REFUSE,
        /** Nothing follows what was received. */
        END_INPUT,
        /** A reset follows what was received; the next write or read reports it. */
        RESET
    }

    /** State of the two directions. */
    enum State {
        /** Both directions are open. */
        OPEN,
        /** This side has sent SHUTDOWN. */
        OUTPUT_SHUTDOWN,
        /** This side reads no more; the peer does not know it. */
        INPUT_SHUTDOWN,
        PEER_SHUTDOWN,
        /** The peer has sent DISCONNECT, or is gone; what it sent before may be unread. */
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

    /** Whether nothing may be sent any more, of any kind. */
    public boolean hasEnded() {
        return state == State.PEER_DISCONNECTED || state == State.CLOSED;
    }

    /** The program ends its output, and all bytes that the stream has taken before are posted. */
    public Set<Action> shutdownOutput() {
        switch (state) {
            case OPEN:
                state = State.OUTPUT_SHUTDOWN;
                return actions(Action.SEND_SHUTDOWN);
            case INPUT_SHUTDOWN, PEER_SHUTDOWN:
                return end(Action.SEND_DISCONNECT);
            default:
                return NONE;
        }
    }

    /** The program ends its input. The peer is not told, and may go on until its words need no answer any more. */
    public Set<Action> shutdownInput() {
        switch (state) {
            case OPEN:
                state = State.INPUT_SHUTDOWN;
                return NONE;
            case OUTPUT_SHUTDOWN:
                return end(Action.SEND_DISCONNECT);
            default:
                return NONE;
        }
    }

    /** The program closes the channel, or something has failed, and all that goes out before the end is posted. */
    public Set<Action> close() {
        return hasEnded() ? over() : end(Action.SEND_DISCONNECT);
    }

    /** The program closes the channel without waiting for anything, and wants the peer to know. */
    public Set<Action> abort() {
        return hasEnded() ? over() : end(Action.SEND_ABORT, Action.SEND_DISCONNECT);
    }

    private Set<Action> over() {
        state = State.CLOSED;
        return NONE;
    }

    /**
     * The connection is over, and the peer has not said so.
     *
     * @param inOrder whether the peer, or the system for it, has ended the connection between two messages
     */
    public Set<Action> loseConnection(boolean inOrder) {
        if (hasEnded()) {
            return NONE;
        }
        return inOrder ? peerDisconnect() : end(Action.REFUSE, Action.RESET);
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
            case ABORT -> end(Action.REFUSE, Action.RESET);
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
            case OPEN, INPUT_SHUTDOWN:
                state = State.PEER_SHUTDOWN;
                return actions(Action.END_INPUT);
            case OUTPUT_SHUTDOWN:
                return end(Action.SEND_DISCONNECT, Action.END_INPUT);
            default:
                return NONE;
        }
    }

    private Set<Action> peerDisconnect() {
        state = State.PEER_DISCONNECTED;
        return actions(Action.REFUSE, Action.END_INPUT);
    }

    private Set<Action> end(Action first, Action... others) {
        state = State.CLOSED;
        return actions(first, others);
    }
}
