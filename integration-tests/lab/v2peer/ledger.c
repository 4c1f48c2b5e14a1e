// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0

/*
 * The accounts of credits, V 4.2.1: what this side may send, and what it has allowed the peer to send. The low half of
 * the credit word is what is newly granted, so that both sides keep a balance (C1), beginning with 1 (C2).
 */
#include "peer.h"

enum { HALF = 16, LOW = 0xffff };

void ledger_open(struct ledger *ledger, uint32_t base, uint32_t own_limit) {
    *ledger = (struct ledger){.balance = 1, .outstanding = 1, .granted = 1, .base = base, .own_limit = own_limit};
}

/* Returns false if the peer had no credit for the message. A refresh needs none (C3). */
bool ledger_arrived(struct ledger *ledger, bool refresh) {
    if (refresh) {
        return true;
    }
    ledger->received++;
    if (ledger->outstanding == 0) {
        return false;
    }
    ledger->outstanding--;
    return true;
}

/* The credit word of a message that came. The cap is the largest maximum, as a lowered one does not take back (C1). */
void ledger_taken(struct ledger *ledger, uint32_t word) {
    uint32_t maximum = word >> HALF;
    ledger->balance += word & LOW;
    if (maximum > ledger->highest) {
        ledger->highest = maximum;
    }
    if (ledger->highest != 0 && ledger->balance > ledger->highest) {
        note("the peer granted %u credits in all, beyond its maximum of %u", ledger->balance, ledger->highest);
        ledger->balance = ledger->highest;
    }
}

/* What should be outstanding: less for calls that are held, more for answers to calls of this side (C44). */
static uint32_t wanted(const struct ledger *ledger) {
    uint32_t kept = ledger->held + ledger->waiting;
    return (ledger->base > kept ? ledger->base - kept : 0) + ledger->own;
}

static uint32_t missing(const struct ledger *ledger) {
    uint32_t want = wanted(ledger);
    return want > ledger->outstanding ? want - ledger->outstanding : 0;
}

/* The credit word of a message to send; what it grants counts as granted from now on. */
uint32_t ledger_word(struct ledger *ledger, bool more_to_come) {
    uint32_t grant = missing(ledger), maximum = ledger->base + ledger->own_limit;
    if (more_to_come && grant > 1) {
        grant = 1; /* a CONNPROP that others follow leaves the rest to the last (C44) */
    }
    grant = grant > LOW ? LOW : grant;
    ledger->outstanding += grant;
    ledger->granted += grant;
    return (maximum > LOW ? LOW : maximum) << HALF | grant;
}

/*
 * A refresh helps a peer that has nothing left or half of it (C45), and the one extra Receive takes one that is not
 * known to have arrived: the peer must have sent something since that it could not have sent without the last one (C3).
 */
bool ledger_refresh_due(const struct ledger *ledger) {
    uint32_t grant = missing(ledger);
    if (grant == 0 || (ledger->outstanding > 0 && grant * 2 < wanted(ledger))) {
        return false;
    }
    return !ledger->refreshed || ledger->received > ledger->granted_before_refresh;
}

void ledger_refreshing(struct ledger *ledger) {
    ledger->refreshed = true;
    ledger->granted_before_refresh = ledger->granted;
}

/* A call is about to be answered, and its credit goes back with the answer (C44). */
void ledger_release(struct ledger *ledger) {
    if (ledger->held > 0) {
        ledger->held--;
    }
}
