// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0

/*
 * Host authentication, V 5.2.6, whose mechanism the draft leaves open (C37): tokens in rounds, the client's first
 * (C56). A token is its round and a proof, made of a secret and the proof of the token before, so that each side knows
 * what it has to get. It shows the exchange and protects nothing.
 */
#include "peer.h"
#include <string.h>

enum { TOKEN = 8, LENGTH = 4, FACTOR = 31 };

static bool demanded(const struct peer *peer) {
    return peer->options->handshake > 0;
}

static uint32_t next_proof(const struct peer *peer) {
    return peer->options->secret + FACTOR * peer->handshake.proof;
}

/* Whether the next token is this side's: the client begins, and then each answers the other. */
static bool owes_token(const struct peer *peer) {
    const struct handshake *state = &peer->handshake;
    return demanded(peer) &&
           (peer->server ? state->sent < state->taken
                         : state->sent == state->taken && state->sent < peer->options->handshake);
}

/* Adds the token that is due, if one is. */
void handshake_add(struct peer *peer, rpcrdma2_propset *set) {
    struct handshake *state = &peer->handshake;
    unsigned char octets[LENGTH + TOKEN];
    if (owes_token(peer)) {
        state->proof = next_proof(peer);
        state->sent++;
        put_word(octets, TOKEN);
        put_word(octets + LENGTH, state->sent);
        put_word(octets + LENGTH + 4, state->proof);
        props_add(set, RDMA2_PROPID_HOSTAUTH, octets, sizeof octets);
    }
}

/* Whether this side's last set may go: it accepts its peer and has sent its last token, which may be in that set. */
bool handshake_done(const struct peer *peer) {
    return !demanded(peer) || (peer->handshake.accepted && peer->handshake.sent == peer->options->handshake);
}

/* Whether a further set is to be sent: with a token, or empty as the last one. */
bool handshake_due(const struct peer *peer) {
    return demanded(peer) && !peer->ours_final && (owes_token(peer) || handshake_done(peer));
}

/* There is no error for a refused peer: the connection ends (C56). */
static bool refuse(struct peer *peer, const char *why) {
    result_fail("handshake: %s", why);
    peer->link.over = true;
    return false;
}

static bool take(struct peer *peer, const unsigned char *token, uint32_t length) {
    struct handshake *state = &peer->handshake;
    uint32_t proof = next_proof(peer);
    if (length != TOKEN || word(token) != state->taken + 1 || word(token + 4) != proof) {
        return refuse(peer, "the peer's token is not the one due");
    }
    state->proof = proof;
    state->taken++;
    state->accepted = state->taken == peer->options->handshake;
    return true;
}

/* Looks at the token of a set, the last one if there are several, and at whether the set may be the peer's last. */
bool handshake_received(struct peer *peer, const rpcrdma2_propset *set, bool more) {
    const unsigned char *token = NULL;
    uint32_t length = 0;
    if (!demanded(peer)) {
        return true;
    }
    for (u_int i = 0; i < set->rpcrdma2_propset_len; i++) {
        const rpcrdma2_propval *value = &set->rpcrdma2_propset_val[i];
        const unsigned char *octets = (const unsigned char *) value->rdma_data.rdma_data_val;
        uint32_t octets_length = value->rdma_data.rdma_data_len;
        if (value->rdma_which == RDMA2_PROPID_HOSTAUTH && octets_length >= LENGTH) {
            length = word(octets);
            token = length <= octets_length - LENGTH ? octets + LENGTH : NULL;
        }
    }
    /* An empty token is none (C21); those behind the acceptance are ignored. */
    if (token != NULL && length > 0 && !peer->handshake.accepted && !take(peer, token, length)) {
        return false;
    }
    if (!more && !peer->handshake.accepted) {
        return refuse(peer, "the peer's last set came before its last token");
    }
    if (peer->handshake.accepted && !peer->handshake.told) {
        peer->handshake.told = true;
        result_ok("handshake: accepted after %u tokens", peer->handshake.taken);
    }
    return true;
}

/* A call before the properties of both sides is not answered, not even by an error (C55). */
bool handshake_allows_calls(struct peer *peer) {
    return handshake_done(peer) || refuse(peer, "a message of RPC came before the peer's last token");
}
