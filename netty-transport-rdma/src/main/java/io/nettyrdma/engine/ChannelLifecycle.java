// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.engine;

import io.nettyrdma.error.RdmaWorkRequestException;
import org.jspecify.annotations.Nullable;

/**
 * State of a connected channel of any kind between its creation and its end, and the known reason for its end. It only
 * keeps this state: callers report events to it, and query it before they act.
 *
 * <p><b>Which events change it?</b> Seven, each reported once it is certain. A dot is an event that changes nothing,
 * because it comes too late or cannot come.
 *
 * <pre>
 *                connect     accept     established  peer gone      closing  closed   sent
 * OPEN           CONNECTING  .          .            .              .        CLOSED   .
 * CONNECTING     .           .          ACTIVE       .              .        CLOSED   .
 * REQUESTED      .           ACCEPTING  .            .              .        CLOSED   .
 * ACCEPTING      .           .          ACTIVE       .              .        CLOSED   .
 * ACTIVE         .           .          .            PEER_GONE      CLOSING  SENDING  .
 * PEER_GONE      .           .          .            .              .        ENDING   .
 * CLOSING        .           .          .            CLOSING_ALONE  .        SENDING  .
 * CLOSING_ALONE  .           .          .            .              .        ENDING   .
 * SENDING        .           .          .            ENDING         .        .        ENDING
 * ENDING         .           .          .            .              .        .        .
 * CLOSED         .           .          .            .              .        .        .
 * </pre>
 *
 * A peer that goes before the connection was established leaves nothing to deliver or to wait for, so that {@code
 * closed} follows at once and needs no state before it. The same is true of this side's close: only an {@code ACTIVE}
 * channel has something posted that it waits for.
 *
 * <p><b>Why does it end?</b> That is a second, smaller machine beside the first, because a reason may come before,
 * after or between the events above. Devices tell in any order what was flushed and why it was; a request that was
 * flushed while neither side has begun to end says that a reason is still to come.
 *
 * <pre>
 *                      NONE       AWAITED    KNOWN
 * request flushed      AWAITED *  .          .
 * failure              KNOWN **   KNOWN      .  (the first one counts)
 * peer gone, reason    KNOWN **   KNOWN      KNOWN, in place of a failed request, which it explains
 * fatal failure        KNOWN **   KNOWN      KNOWN, in place of any other
 * failure is told      .          .          NONE
 * closed               NONE       NONE       NONE
 *
 * *  only before either side has begun to end      ** unless this side closes: then it needs no reason
 * </pre>
 *
 * The caller of {@link #takeFailure()} reports a failure to the pipeline, once.
 *
 * <p><b>Who may post?</b> What the application flushes is posted while the channel {@link #isActive()}, as Netty has
 * it, also while the channel closes: it was written before. What waits for room in the send queue goes on while {@link
 * #mayPost()}. The queue pair answers what is posted in vain.
 *
 * <p><b>Who gets messages?</b> What is received is kept while {@link #mayTakeOn()}, also before the connection is
 * established, and delivered while {@link #mayDeliver()}: a close of this side stops the former, the peer's end
 * neither.
 *
 * <p><b>When is it over?</b> When it is no longer {@link #isOpen()}. A channel whose {@linkplain #isPeerGone() peer has
 * gone} is closed when the program has read all that it has received; one that {@linkplain #isClosing() closes} when
 * all it has posted is done, or after a time. Its connection may go on for a while: see {@link OrderlyClose}.
 *
 * <p>Threading: told by the loop only; {@link #isOpen()}, {@link #isActive()} and what else depends on the state alone
 * may be asked by any thread.
 */
public final class ChannelLifecycle {

    enum State {
        /** Made by a bootstrap, not connected. */
        OPEN,
        CONNECTING,
        /** Made for a peer's request, which is neither accepted nor rejected. */
        REQUESTED,
        /** Accepted, not yet established. */
        ACCEPTING,
        /** Established, and neither side has begun to end. */
        ACTIVE,
        /** The connection is over, but what was received is not delivered yet. */
        PEER_GONE,
        /** This side has begun to close and waits for what it has posted. */
        CLOSING,
        /** As CLOSING, but the connection is over: what was posted is flushed. */
        CLOSING_ALONE,
        /** Closed, as far as the pipeline sees it; the connection still sends what was posted or taken before. */
        SENDING,
        /** All is sent, or cannot be: the connection ends. */
        ENDING,
        /** Closed without a connection. */
        CLOSED
    }

    /** Knowledge of the reason for the channel's end. */
    enum Reason {
        /** No reason, and none is expected. */
        NONE,
        /** Requests were flushed; the reason is not reported yet. */
        AWAITED,
        /** A failure that the pipeline has not received yet. */
        KNOWN
    }

    private volatile State state;
    private boolean awaited;
    private @Nullable Throwable failure;

    private ChannelLifecycle(State first) {
        state = first;
    }

    /** Returns the lifecycle of a channel that will connect. */
    public static ChannelLifecycle open() {
        return new ChannelLifecycle(State.OPEN);
    }

    /** Returns the lifecycle of a channel for a peer's request. */
    public static ChannelLifecycle requested() {
        return new ChannelLifecycle(State.REQUESTED);
    }

    State state() {
        return state;
    }

    Reason reason() {
        return failure != null ? Reason.KNOWN : awaited ? Reason.AWAITED : Reason.NONE;
    }

    /** Connect was called; returns whether the channel connects now. */
    boolean connect() {
        return move(State.OPEN, State.CONNECTING);
    }

    /** The request is about to be accepted; returns whether it may be. */
    boolean accept() {
        return move(State.REQUESTED, State.ACCEPTING);
    }

    /** The connection is established; returns whether the channel waited for it. */
    boolean establish() {
        return move(State.CONNECTING, State.ACTIVE) || move(State.ACCEPTING, State.ACTIVE);
    }

    /** The connection is over, for {@code why} if it was not in an orderly way. */
    void onPeerGone(@Nullable Throwable why) {
        if (why != null && (failure == null || failure instanceof RdmaWorkRequestException) && hearsReasons()) {
            if (failure != null) {
                why.addSuppressed(failure);
            }
            failure = why;
        }
        losePeer();
    }

    private void losePeer() {
        if (!move(State.ACTIVE, State.PEER_GONE) && !move(State.CLOSING, State.CLOSING_ALONE)) {
            move(State.SENDING, State.ENDING);
        }
    }

    /** This side closes and waits for what it has posted; returns whether it did not do so before. */
    boolean startClosing() {
        return move(State.ACTIVE, State.CLOSING);
    }

    /** The channel has closed; returns whether it was open. */
    boolean close() {
        boolean open = isOpen();
        if (open) {
            state = isConnected() ? State.SENDING : isPeerGone() ? State.ENDING : State.CLOSED;
        }
        failure = null;
        awaited = false;
        return open;
    }

    /** What was posted or taken is sent, or is given up. */
    void onSent() {
        move(State.SENDING, State.ENDING);
    }

    private boolean move(State from, State to) {
        if (state != from) {
            return false;
        }
        state = to;
        return true;
    }

    /** A request was flushed. */
    public void onFlushed() {
        if (!isEnding()) {
            awaited = true;
        }
    }

    /** A failure ends the channel. */
    public void onFailure(Throwable cause) {
        if (failure == null && hearsReasons()) {
            failure = cause;
        }
    }

    /** A failure ends the channel, and no request completes after it. */
    void onFatalFailure(Throwable cause) {
        if (hearsReasons()) {
            failure = cause;
        }
        losePeer();
    }

    /** Whether a reason is of interest: not to a channel that is being closed for none. */
    private boolean hearsReasons() {
        return isOpen() && (!isClosing() || reason() != Reason.NONE);
    }

    /** Returns the failure to fire through the pipeline, if any, and marks it as fired. */
    @Nullable
    Throwable takeFailure() {
        Throwable taken = failure;
        if (taken != null) {
            failure = null;
            awaited = false;
        }
        return taken;
    }

    /** Returns the failure if it is a request's, which the end of the connection explains, and forgets it. */
    public @Nullable Throwable takeFailedRequest() {
        return failure instanceof RdmaWorkRequestException ? takeFailure() : null;
    }

    /** Returns the failure that waits to be fired, if any. It ends the channel behind the batch of completions. */
    @Nullable
    Throwable failure() {
        return failure;
    }

    /** Whether a reason is still to come; the end of the connection was the last chance for one. */
    boolean awaitsReason() {
        return reason() == Reason.AWAITED && !isPeerGone();
    }

    /** Whether the channel has not ended. */
    public boolean isOpen() {
        return state.compareTo(State.SENDING) < 0;
    }

    /** Whether the channel has closed, and its connection still sends. */
    boolean isSending() {
        return state == State.SENDING;
    }

    /** Whether the channel has closed, and its connection ends. */
    boolean isEndingConnection() {
        return state == State.ENDING;
    }

    boolean mayConnect() {
        return state == State.OPEN;
    }

    /** Whether an attempt to connect is under way. */
    boolean isConnecting() {
        return state == State.CONNECTING;
    }

    /** Whether the connection is on its way to be established. */
    public boolean awaitsConnection() {
        State present = state;
        return present == State.CONNECTING || present == State.ACCEPTING;
    }

    /** Whether the channel was made for a peer's request, and its connection is not there yet. */
    boolean isBeingAccepted() {
        State present = state;
        return present == State.REQUESTED || present == State.ACCEPTING;
    }

    /** Whether the peer's request is accepted, and its connection is not there yet. */
    public boolean isAccepting() {
        return state == State.ACCEPTING;
    }

    /** Whether a peer waits for its request to be answered. */
    boolean mayAccept() {
        return state == State.REQUESTED;
    }

    /** Whether the channel is active, as Netty means it: it was established, and has not been closed. */
    public boolean isActive() {
        State present = state;
        return present == State.ACTIVE
                || present == State.PEER_GONE
                || present == State.CLOSING
                || present == State.CLOSING_ALONE;
    }

    /** Whether requests can still complete: there is a connection, as far as this side knows. */
    public boolean isConnected() {
        State present = state;
        return present == State.ACTIVE || present == State.CLOSING;
    }

    /** Whether an established connection is over. */
    public boolean isPeerGone() {
        State present = state;
        return present == State.PEER_GONE || present == State.CLOSING_ALONE;
    }

    /** Whether this side waits for what it has posted, to close then. */
    public boolean isClosing() {
        State present = state;
        return present == State.CLOSING || present == State.CLOSING_ALONE;
    }

    /** Whether either side has begun to end: a request that is flushed from then on has not failed by itself. */
    public boolean isEnding() {
        State present = state;
        return present == State.PEER_GONE || present == State.CLOSING || present == State.CLOSING_ALONE || !isOpen();
    }

    /** Whether the channel accepts new messages, written or received. */
    public boolean mayTakeOn() {
        State present = state;
        return present.compareTo(State.CLOSING) < 0;
    }

    /** Whether flushed messages that wait for room in the send queue may be posted. */
    public boolean mayPost() {
        State present = state;
        return (present == State.ACTIVE || present == State.PEER_GONE) && failure == null;
    }

    /** Whether the pipeline gets received messages. */
    public boolean mayDeliver() {
        return isActive();
    }

    @Override
    public String toString() {
        return state + (reason() == Reason.NONE ? "" : ", reason " + reason());
    }
}
