// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.version2;

import io.nettyrdma.rpc.engine.CountedCalls;

/**
 * The credits of a requester, by the rule of version 2: a call is sent when the {@link CreditLedger} has a credit for
 * it and nothing else waits for one, so that a call that is handed out can be sent at once (C46).
 *
 * <p>Threading: confined to one thread.
 */
final class LedgerCredits extends CountedCalls {

    private final CreditLedger ledger;
    private final OutboundQueue<?> queue;
    private final int requested;

    /**
     * @param queue     what goes first
     * @param requested calls this side may have unanswered, as the ledger knows
     */
    LedgerCredits(CreditLedger ledger, OutboundQueue<?> queue, int requested) {
        this.ledger = ledger;
        this.queue = queue;
        this.requested = requested;
    }

    @Override
    public int requested() {
        return requested;
    }

    @Override
    public int window() {
        return ledger.mostCalls(); // V2-175
    }

    @Override
    public boolean mayCall() {
        return queue.isEmpty() && ledger.mayCall(); // V2-016
    }

    /** A peer may tell of more credits than it ever grants: so also if it has granted none for another call. */
    @Override
    public boolean areStuck() {
        return stall() == 0 && (super.areStuck() || haveNoCredits());
    }

    private boolean haveNoCredits() {
        return abandoned() != 0 && abandoned() == inFlight() && !ledger.maySend();
    }

    /** The peer has only a part of the call, so that it owes no answer: a grant is enough to go on. */
    @Override
    public int stall() {
        return haveNoCredits() && queue.isWithinCall() ? queue.messagesSent() : 0; // C51
    }

    /** Has happened when the message was received, whatever it was (C43). */
    @Override
    public void onGranted(long granted) {}
}
