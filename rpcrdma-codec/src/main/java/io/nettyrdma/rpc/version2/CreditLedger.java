// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.version2;

import io.netty.util.collection.IntObjectHashMap;
import io.netty.util.collection.IntObjectMap;
import io.nettyrdma.internal.Ranges;
import io.nettyrdma.rpc.engine.OwedAnswer;
import io.nettyrdma.rpc.engine.RequesterEngine;

/**
 * The credits of one side of a connection, for both directions of RPC, by the rule of the -01 wire format of version 2:
 * a credit is one message that may be sent, whatever its type, and each message grants some more (draft -01, section
 * 4.2.1). Low 16 bits of a credit word are credits newly granted, high 16 bits how many can be outstanding at most.
 *
 * <p>What this side grants follows from what it should have promised: <i>base</i>, for calls of the peer and for
 * fragments, less the answers it owes, plus one for each call of its own that is unanswered (C44). So a call brings the
 * credit for its reply, and a reply gives back the one of its call. A base that is lowered takes nothing back: it sinks
 * as promises are used up (C1).
 *
 * <p>A refresh consumes no credit; one Receive is posted beyond what is promised, so at most one refresh may be under
 * way (C3).
 *
 * <p>All that peers can move is bounded: the balance by 65,535, the promise by {@link #maximum}.
 *
 * <p>Threading: confined to one thread. It is not final, so that a test can replace one rule at a time.
 */
class CreditLedger {

    /** Largest value of a half of a credit word. */
    static final int MAX_CREDITS = 0xffff;

    private final int maxOwnCalls;
    private int base;

    /** The value of {@link #base} or, while it is being lowered, the rest of an earlier one. */
    private int promisedBase;

    private int balance = 1; // V2-021 (C2)
    private int outstanding = 1; // C2
    private int owed;
    private boolean arriving;
    /** The unanswered calls of this side, by the {@linkplain RequesterEngine#key key} of their XID. */
    private final IntObjectMap<Boolean> calls = new IntObjectHashMap<>();

    /** Largest high half of the peer, 0 if it has not told any. */
    private int peerMaximum;

    /** Credits that were ever granted, with the presumed first one. */
    private long granted = 1;

    /** Messages that were ever received and used one. */
    private long received;

    /** 0 at first: nothing is refreshed before the peer has said something. */
    private long grantedBeforeRefresh;

    /**
     * @param base        credits for calls of the peer, and for fragments, at least 1; a client that sends n messages
     *                    of properties needs n + 1, so that each of them can grant one
     * @param maxOwnCalls most unanswered calls of this side, at least 1; with {@code base} at most 65,535
     * @throws IllegalArgumentException if one is out of its range
     */
    CreditLedger(int base, int maxOwnCalls) {
        this.maxOwnCalls = Ranges.require("maxOwnCalls", maxOwnCalls, 1, MAX_CREDITS - 1);
        changeBase(base);
    }

    /**
     * Changes what the peer's calls and fragments get. More is granted from the next message on; less comes about as
     * the peer uses what it has, and until then messages may grant nothing. V2-174
     *
     * @param credits 1 to 65,535 less the calls of this side
     * @throws IllegalArgumentException if it is out of its range
     */
    final void changeBase(int credits) {
        base = Ranges.require("base", credits, 1, MAX_CREDITS - maxOwnCalls);
        promisedBase = Math.max(promisedBase, credits);
    }

    /**
     * A promise of an earlier base holds for calls that are held, and for credits that are more than the own calls
     * account for. It is never raised here, so the peer gains nothing by using its credits in another way. Only when
     * something is to be granted, since a call that has come is first received and then owed an answer.
     */
    private void sinkToBase() {
        int kept = owedOrArriving() + Math.max(0, outstanding - ownCalls());
        promisedBase = Math.max(base, Math.min(promisedBase, kept)); // V2-174 (C1)
    }

    /**
     * A message of version 2 has come, of any kind and also one that is going to be rejected (C43).
     *
     * @param creditWord word 2 of its header
     */
    final void onGranted(int creditWord) {
        peerMaximum = Math.max(peerMaximum, creditWord >>> 16); // V2-014
        balance = Math.min(balance + (creditWord & MAX_CREDITS), cap(creditWord >>> 16)); // V2-014, V2-015
    }

    /** The most credits of the peer that are believed: 65,535, or the largest maximum it has told so far (C1). */
    int cap(int latestMaximum) {
        return peerMaximum == 0 ? MAX_CREDITS : peerMaximum;
    }

    /** A message has come that is no refresh, whatever becomes of it: it has used a Receive. V2-012 */
    void onReceived() {
        outstanding = Math.max(0, outstanding - 1); // 0 already if the peer has sent more than it may
        received++;
    }

    /**
     * The first fragment of a call has come. The credit for its reply was in there; before the call is whole it counts
     * as owed for {@link #mayCall}, but not for what is granted, or the other fragments would have no credits.
     */
    final void onCallArriving() {
        arriving = true;
    }

    /** The call that was arriving never will be whole, and is not answered. */
    final void onCallDropped() {
        arriving = false;
    }

    /** A call has come whole, or a message that must be answered by an error. */
    final Answer owe() {
        arriving = false;
        owed++;
        return new Answer();
    }

    /** One of the answers that are counted. */
    final class Answer implements OwedAnswer {

        private boolean ended;

        private Answer() {}

        @Override
        public void drop() {
            assert !ended;
            ended = true;
            owed--;
        }
    }

    /**
     * A reply or error has come, perhaps in answer to a call of this side. To give a call up is not enough, since the
     * peer may still answer it; and it may do so after the handler is gone that has made it.
     */
    final void onAnswered(int xid) {
        calls.remove(RequesterEngine.key(xid));
    }

    /** Whether a message may be sent that is neither a refresh nor the beginning of a call. */
    final boolean maySend() {
        return balance >= 1; // V2-016, V2-111
    }

    /**
     * Whether a call may be begun. Credits for as many answers as this side owes stay untouched (C46). The first call
     * may have the last credit, though: each peer has promised at least one for calls, so what it takes is granted
     * again, and answers may wait for that call.
     */
    boolean mayCall() {
        return ownCalls() < mostCalls() && (balance > owedOrArriving() || balance >= 1 && ownCalls() == 0);
    }

    private int owedOrArriving() {
        return arriving ? owed + 1 : owed;
    }

    /** Calls of this side that may be unanswered at a time, at least 1. V2-175 (C47) */
    final int mostCalls() {
        return Math.min(maxOwnCalls, Math.max(1, peerMaximum)); // V2-175
    }

    /** Takes a credit for a call that is about to be sent, its first fragment, and returns the credit word for it. */
    final int sendCall(int xid) {
        assert ownCalls() < maxOwnCalls;
        sinkToBase(); // before the credit for the reply is among what should be outstanding: it is granted in any case
        calls.put(RequesterEngine.key(xid), Boolean.TRUE);
        return spend(MAX_CREDITS);
    }

    /** Takes a credit for an answer that is about to be sent, its last fragment, and returns the credit word for it. */
    final int sendAnswer(Answer answer) {
        answer.drop(); // no longer owed
        return send();
    }

    /** Takes a credit for another message that is about to be sent, and returns the credit word for its header. */
    final int send() {
        return send(MAX_CREDITS);
    }

    /**
     * As {@link #send()}, with a limit to what is granted: 1 in a message of properties that more are to follow, so
     * that something is left for these (C44).
     */
    final int send(int maxGranted) {
        sinkToBase();
        return spend(maxGranted);
    }

    private int spend(int maxGranted) {
        assert maySend();
        balance--; // V2-012
        return grant(maxGranted);
    }

    private int grant(int maxGranted) {
        int grant = Math.min(maxGranted, missing()); // V2-013, V2-015
        outstanding += grant;
        granted += grant;
        return maximum() << 16 | grant; // V2-014
    }

    /** Credits that should be promised now, and are not. */
    private int missing() {
        return Math.max(0, wanted() - outstanding);
    }

    private int wanted() {
        return creditsForCalls() + ownShare();
    }

    /**
     * Not below 0: a peer that keeps no credits for its replies (C46) may spend those on calls, which then wait for its
     * replies. It gets them again, so that the replies can come. C44
     */
    int creditsForCalls() {
        return Math.max(0, promisedBase - owed);
    }

    /** Credits for the replies to calls of this side. */
    int ownShare() {
        return ownCalls();
    }

    /**
     * Whether a refresh should be sent: at the end of a batch of messages, unless one that was sent behind them has
     * granted all (C45), or when the base was raised. Some are missing, and what the peer has left is only for its
     * replies, or less than half of what it should have. And the last refresh has arrived: the peer has used a credit
     * that it can have from there only, or from a message behind it (C3).
     */
    boolean mayRefresh() {
        sinkToBase();
        return isRefreshDue() && received > grantedBeforeRefresh; // V2-018
    }

    /** Whether enough is missing for a refresh (C45). */
    final boolean isRefreshDue() {
        int missing = missing();
        return missing > 0 && (outstanding <= ownCalls() || missing >= wanted() - missing); // V2-112
    }

    /** The credit word of a refresh that is about to be sent. It takes no credit. V2-017 */
    int refresh() {
        sinkToBase();
        grantedBeforeRefresh = granted;
        return grant(MAX_CREDITS);
    }

    /** The most credits that can be outstanding at this side, 1 to 65,535; lowered as slowly as the base is. */
    int maximum() {
        return promisedBase + maxOwnCalls;
    }

    /** Messages that may be sent. */
    final int balance() {
        return balance;
    }

    /** Messages that the peer may send, or has sent and this side has not received. */
    final int outstanding() {
        return outstanding;
    }

    /** Calls of this side that are unanswered. */
    final int ownCalls() {
        return calls.size();
    }

    /** Calls of the peer that are unanswered, and errors that are not sent yet. */
    final int answersOwed() {
        return owed;
    }

    /** Returns the credits aimed at for the peer's calls and fragments. */
    final int base() {
        return base;
    }

    /** Whether an earlier base is not yet used up, so that messages may grant nothing. */
    final boolean isLowering() {
        return promisedBase > base;
    }

    /** Whether the peer has spent credits for replies on calls, so that answers to these may grant nothing. */
    final boolean isOverdrawn() {
        return owed > promisedBase;
    }
}
