// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.engine;

import io.netty.buffer.ByteBuf;
import io.netty.util.collection.IntObjectHashMap;
import io.netty.util.collection.IntObjectMap;
import io.nettyrdma.internal.Ranges;
import io.nettyrdma.rpc.engine.RequesterCall.State;
import io.nettyrdma.rpc.error.CallTimeoutException;
import io.nettyrdma.rpc.error.ConnectionLostException;
import io.nettyrdma.rpc.error.MalformedRpcMessageException;
import io.nettyrdma.rpc.error.MessageNotAcceptedException;
import io.nettyrdma.rpc.error.MessageNotAcceptedException.Reason;
import io.nettyrdma.rpc.error.RemoteErrorException;
import io.nettyrdma.rpc.error.RpcRdmaException;
import io.nettyrdma.rpc.wire.header.ChunkLists;
import io.nettyrdma.rpc.wire.header.RpcRdmaMessage;
import io.nettyrdma.rpc.wire.header.RpcRdmaMessage.VersionRange;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CancellationException;
import org.jspecify.annotations.Nullable;

/**
 * The requester's half of RPC-over-RDMA: which calls may be sent, and what a received message means for them (RFC 8166,
 * sections 3.3 and 4.5).
 *
 * <p>A call takes a {@linkplain CallCredits credit} when it is sent and gives it back when it is answered, by a reply
 * or an error. A call that times out, or is cancelled, after it was sent keeps its credit; its XID stays taken too, and
 * a late reply frees both. Once calls of that kind hold all credits no call can ever be sent again unless the responder
 * wakes up, so the connection is closed. Where only a part of such a call was sent, the connection gets the time of one
 * more call (C51).
 *
 * <p>Threading: confined to one thread. Ownership: the engine owns calls between {@link #submit} and their completion;
 * the replies that {@link #received} takes over are handed on or released.
 */
public final class RequesterEngine<C extends RequesterCall> {

    private final RequesterActions<C> actions;
    private CallCredits credits;
    private final int maxCallsWaiting;

    /** All calls whose XID is taken: waiting, in flight, abandoned; by {@link #key}. */
    private final IntObjectMap<C> calls = new IntObjectHashMap<>();

    private final Deque<C> waiting = new ArrayDeque<>();

    private boolean sending;
    private boolean closed;
    private @Nullable Throwable closeCause;

    /** No call has a deadline before this; not always the deadline of a call. Meaningless if there are no calls. */
    private long earliestDeadlineNanos;

    /**
     * @param credits       which calls may be sent
     * @param maxCallsWaiting calls accepted while none may, at least 0
     */
    public RequesterEngine(CallCredits credits, int maxCallsWaiting, RequesterActions<C> actions) {
        this.credits = credits;
        this.maxCallsWaiting = Ranges.require("calls waiting", maxCallsWaiting, 0, Integer.MAX_VALUE);
        this.actions = actions;
    }

    /**
     * Takes a call and sends it as soon as credits allow. A call that is not accepted leaves no trace.
     *
     * @return {@code null} if accepted, otherwise why not; in that case no action concerns this call
     */
    public @Nullable RpcRdmaException submit(C call) {
        assert call.state == State.NEW;
        int xid = call.xid();
        if (closed) {
            return new ConnectionLostException(xid, closeCause);
        }
        if (calls.containsKey(key(xid))) {
            return new MessageNotAcceptedException( // V1-001
                    xid, Reason.DUPLICATE_XID, "another call with this XID is outstanding");
        }
        if (!credits.mayCall() && waiting.size() >= maxCallsWaiting) {
            return MessageNotAcceptedException.ofFullQueue(xid, maxCallsWaiting);
        }
        if (!hasDeadline() || call.deadlineNanos() - earliestDeadlineNanos < 0) {
            earliestDeadlineNanos = call.deadlineNanos();
        }
        calls.put(key(xid), call);
        call.state = State.WAITING;
        call.stall = credits.stall();
        waiting.add(call);
        sendWaiting();
        return null;
    }

    /** Counts calls by another rule from now on, as the version is known. No call may be in flight. */
    public void useCredits(CallCredits credits) {
        assert this.credits.inFlight() == 0 : "calls in flight before the version is known";
        this.credits = credits;
    }

    /** Sends what waits, as far as credits allow: they may have changed otherwise than by an answer to a call. */
    public void sendWaiting() {
        if (sending) {
            return; // the loop below, of which this is a consequence, goes on
        }
        sending = true;
        try {
            sendWhileCreditsLast();
        } finally {
            sending = false;
        }
    }

    private void sendWhileCreditsLast() {
        while (credits.mayCall()) {
            C call = waiting.poll();
            if (call == null) {
                return;
            }
            call.state = State.IN_FLIGHT;
            credits.onCalled();
            actions.send(call, credits.requested()); // V1-010
        }
    }

    /** A call whose send was asked for could not be sent: it fails now, and its credit is free again. */
    public void onSendFailed(C call, Exception cause) {
        if (call.state == State.IN_FLIGHT) {
            forget(call);
            actions.onFailed(call, cause); // V1-119
            sendWaiting();
        } else if (call.state == State.ABANDONED) {
            forget(call);
            sendWaiting();
        }
    }

    /** The application gave up a call before it was sent: no action follows, its credit is free again. */
    public void withdraw(C call) {
        if (call.state == State.IN_FLIGHT) {
            forget(call);
            sendWaiting();
        }
    }

    /**
     * The application gave up a call. One that was sent fails with a {@link CancellationException}, while its credit
     * and its XID stay taken until the reply; one that waits is to be withdrawn when its turn comes.
     */
    public void cancel(C call) {
        if (call.state == State.IN_FLIGHT) {
            abandon(call);
            actions.onFailed(call, new CancellationException("cancelled")); // its reply may still come: no closeIfStuck
        }
    }

    /**
     * Takes a decoded message.
     *
     * @param reply the payload stream of an {@code RDMA_MSG}, otherwise {@code null}
     * @return whether the message concerned a transaction, and the reply was taken over; if not, it had no effect
     */
    public boolean received(RpcRdmaMessage message, @Nullable ByteBuf reply) {
        return message instanceof RpcRdmaMessage.ErrorMsg error
                ? receivedError(error)
                : receivedReply(message.xid(), message.credits(), message.chunks(), reply);
    }

    private boolean receivedError(RpcRdmaMessage.ErrorMsg error) {
        C call = sent(error.xid());
        return call != null && failed(call, error.credits(), failure(call, error)); // V1-109, BIS-004
    }

    /**
     * Takes an error of a version that says why.
     *
     * @return whether the message concerned a transaction; if not, it had no effect
     */
    public boolean receivedError(int xid, RpcRdmaException failure) {
        C call = sent(xid);
        return call != null && failed(call, 0, failure);
    }

    /**
     * Takes an error after which no call can be sent. The others end first, so that what they cause sends nothing.
     *
     * @param cause what the other calls, and later ones, hear
     */
    public void endWithError(int xid, RpcRdmaException failure, Throwable cause) {
        C call = sent(xid);
        if (call == null) {
            return;
        }
        boolean late = answered(call, 0);
        try {
            onConnectionLost(cause);
        } finally {
            if (!late) {
                actions.onFailed(call, failure);
            }
        }
    }

    private boolean failed(C call, long granted, RpcRdmaException failure) {
        boolean late = answered(call, granted);
        if (!late) {
            actions.onFailed(call, failure);
        }
        goOn();
        return true;
    }

    /**
     * Takes the parts of a decoded {@code RDMA_MSG} or {@code RDMA_NOMSG}.
     *
     * @param granted  its credits
     * @param returned its chunks
     * @param reply    the payload stream of an {@code RDMA_MSG}, otherwise {@code null}
     * @return whether the message concerned a transaction, and the reply was taken over; if not, it had no effect
     */
    public boolean receivedReply(int xid, long granted, ChunkLists returned, @Nullable ByteBuf reply) {
        C call = sent(xid);
        if (call == null) {
            return false;
        }
        final ReplyCheck.Verdict verdict =
                call.state == State.ABANDONED ? ReplyCheck.Verdict.MATCHES : ReplyCheck.check(call.offered(), returned);
        if (verdict == ReplyCheck.Verdict.DIFFERS) {
            return false; // V1-107
        }
        boolean late = answered(call, granted);
        if (late) {
            release(reply);
        } else if (verdict == ReplyCheck.Verdict.NOT_OFFERED) {
            release(reply);
            actions.onFailed( // V1-134
                    call, new MalformedRpcMessageException(call.xid(), "reply uses chunks the call did not offer"));
        } else {
            actions.onCompleted(call, returned, reply); // V1-099, BIS-009
        }
        goOn();
        return true;
    }

    /** The call with this XID that waits for its answer and was not given up, {@code null} if there is none. */
    public @Nullable C inFlight(int xid) {
        C call = sent(xid);
        return call == null || call.state == State.ABANDONED ? null : call;
    }

    /** The call with this XID that was sent and not answered, given up or not; {@code null} if there is none. */
    public @Nullable C unanswered(int xid) {
        return sent(xid);
    }

    /** A call in flight was answered by an error, and is sent again as soon as credits allow, before all that wait. */
    public void repeat(C call) {
        assert call.state == State.IN_FLIGHT;
        credits.onReturned(false);
        call.state = State.WAITING;
        waiting.addFirst(call);
        goOn();
    }

    /** Whether there is a call with this XID that waits for its answer, or was given up meanwhile. */
    public boolean expects(int xid) {
        return sent(xid) != null;
    }

    /** The call that waits for an answer; others are unknown, or would be answered before they were asked. V1-001 */
    private @Nullable C sent(int xid) {
        C call = calls.get(key(xid)); // V1-080
        return call == null || call.state == State.WAITING ? null : call;
    }

    /** Takes the credit of a call back; returns whether the call had been given up. */
    private boolean answered(C call, long granted) {
        boolean late = call.state == State.ABANDONED;
        forget(call);
        credits.onGranted(granted);
        return late;
    }

    private void goOn() {
        sendWaiting();
        closeIfStuck();
    }

    private static RpcRdmaException failure(RequesterCall call, RpcRdmaMessage.ErrorMsg error) {
        VersionRange supported = error.supported();
        return supported == null
                ? RemoteErrorException.ofChunk(error.xid(), call.limits())
                : RemoteErrorException.ofVersions(error.xid(), supported.low(), supported.high());
    }

    /** Whether {@link #nextDeadlineNanos} means anything. */
    public boolean hasDeadline() {
        return calls.size() > credits.abandoned();
    }

    /** When {@link #expire} is to be called, at the latest. */
    public long nextDeadlineNanos() {
        return earliestDeadlineNanos;
    }

    /** Fails the calls whose deadline has passed. */
    public void expire(long nowNanos) {
        if (!hasDeadline() || earliestDeadlineNanos - nowNanos > 0) {
            return;
        }
        // One walk over all calls per passed deadline is cheaper than keeping every call in order of deadline.
        List<C> expired = new ArrayList<>();
        boolean first = true;
        for (C call : calls.values()) {
            if (call.state == State.ABANDONED) {
                continue;
            }
            if (call.deadlineNanos() - nowNanos <= 0) {
                expired.add(call);
            } else if (first || call.deadlineNanos() - earliestDeadlineNanos < 0) {
                earliestDeadlineNanos = call.deadlineNanos();
                first = false;
            }
        }
        boolean inVain = false;
        for (C call : expired) {
            if (call.state == State.WAITING) {
                inVain |= call.stall != 0 && call.stall == credits.stall();
                waiting.remove(call);
                forget(call);
                actions.onFailed(call, timedOut(call, false));
            } else if (call.state == State.IN_FLIGHT) {
                abandon(call);
                actions.onFailed(call, timedOut(call, true)); // BIS-014
            }
        }
        if (inVain && !closed) {
            actions.close("the peer has granted no credit for the rest of a call that timed out or was cancelled, while"
                    + " a later call timed out, too"); // C51
        }
        closeIfStuck();
    }

    private CallTimeoutException timedOut(C call, boolean sent) {
        return new CallTimeoutException(call.xid(), sent, call.timeoutNanos(), actions.rejected());
    }

    private void closeIfStuck() {
        if (!closed && credits.areStuck()) {
            actions.close(credits.abandoned() + " calls that timed out or were cancelled hold all " + credits.window()
                    + " credits; RpcRdmaConfig.creditsRequested is " + credits.requested());
        }
    }

    /** Fails everything that is outstanding, and every later call. */
    public void onConnectionLost(@Nullable Throwable cause) {
        if (closed) {
            return;
        }
        closed = true;
        closeCause = cause;
        List<C> lost = new ArrayList<>(calls.values());
        // First those that may have been executed: of several failures, a program may look at the first alone.
        lost.sort(Comparator.comparing(call -> call.state != State.IN_FLIGHT));
        calls.clear();
        waiting.clear();
        credits.onConnectionLost();
        RuntimeException failure = null;
        for (C call : lost) {
            final boolean failed = call.state == State.ABANDONED;
            final boolean sent = call.state == State.IN_FLIGHT;
            call.state = State.DONE;
            if (!failed) {
                try {
                    actions.onFailed(call, new ConnectionLostException(call.xid(), cause, sent)); // V1-122, V2-076
                } catch (RuntimeException e) { // which keeps no other call from its end
                    failure = failure == null ? e : failure; // the first
                }
            }
        }
        if (failure != null) {
            throw failure;
        }
    }

    /** Calls sent and not answered, including those that have timed out. */
    public int inFlight() {
        return credits.inFlight();
    }

    /** Calls waiting for credits. */
    public int waiting() {
        return waiting.size();
    }

    /** Calls that may be in flight. */
    public int window() {
        return credits.window();
    }

    private void abandon(C call) {
        call.state = State.ABANDONED;
        credits.onAbandoned();
    }

    private void forget(C call) {
        calls.remove(key(call.xid()));
        if (call.state != State.WAITING) {
            credits.onReturned(call.state == State.ABANDONED);
        }
        call.state = State.DONE;
    }

    /**
     * Spreads XIDs, one to one: those that are consecutive and those that differ in their highest bits only, as where
     * several threads have a range of XIDs each. The map probes linearly from the lowest bits of the key itself, so
     * that a removal from a run of neighbours would walk the whole run. This is the last step of MurmurHash3.
     */
    public static int key(int xid) {
        int key = (xid ^ xid >>> 16) * 0x85eb_ca6b;
        key = (key ^ key >>> 13) * 0xc2b2_ae35;
        return key ^ key >>> 16;
    }

    private static void release(@Nullable ByteBuf reply) {
        if (reply != null) {
            reply.release();
        }
    }
}
