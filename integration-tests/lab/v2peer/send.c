// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0

/* Sending: one message, an RPC message in as many as it takes (V 4.4), errors (V 7) and refreshes (V 4.2.1.2). */
#include "peer.h"
#include <stdlib.h>
#include <string.h>

enum { MIN_FRAGMENT = 4 };

/* The longest message the peer takes (V 4.2.2, C24), 4096 octets until properties say otherwise. */
size_t peer_threshold(const struct peer *peer) {
    if (!peer->sent_anything && !peer->server) {
        return FIRST_MESSAGE;
    }
    size_t own = peer->options->inline_octets < DEFAULT_INLINE && !peer->ours_final ? DEFAULT_INLINE
                                                                                   : peer->options->inline_octets;
    return own < peer->theirs.rbsiz ? own : peer->theirs.rbsiz;
}

/* Waits for credits while messages come; they are processed later, so that nothing is sent in between. */
bool peer_await_credits(struct peer *peer, uint32_t needed) {
    int64_t deadline = peer_deadline(peer);
    while (peer->ledger.balance < needed) {
        if (peer->link.over) {
            return false;
        }
        if (peer_refresh_due(peer)) {
            if (!peer_refresh(peer)) {
                return false;
            }
            continue; /* credits may have come meanwhile */
        }
        if (!link_pump(&peer->link, deadline)) {
            note("no credits came");
            return false;
        }
    }
    return true;
}

/* Sends what is encoded but for its credit word, as soon as there is a credit for it. */
bool peer_send_octets(struct peer *peer, unsigned char *octets, size_t length, uint32_t invalidate, bool more_props) {
    bool refresh = is_refresh(octets, length);
    if (!refresh) {
        if (!peer_await_credits(peer, 1)) {
            return false;
        }
        peer->ledger.balance--;
    }
    if (length >= PREFIX && word(octets + 4) == VERSION) {
        if (refresh) {
            ledger_refreshing(&peer->ledger);
        }
        put_word(octets + 8, ledger_word(&peer->ledger, more_props));
        note("> xid %08x htype %u flags %u, %zu octets, credit %08x: balance %u, outstanding %u", word(octets),
             word(octets + 12), word(octets + 16), length, word(octets + 8), peer->ledger.balance,
             peer->ledger.outstanding);
    }
    peer->sent_anything = true;
    return link_send(&peer->link, octets, length, invalidate);
}

bool peer_send_header(struct peer *peer, struct header *header, const unsigned char *payload, size_t length,
                      uint32_t invalidate) {
    size_t size = peer->link.slot;
    unsigned char *octets = malloc(size);
    size_t used = octets == NULL ? 0 : header_encode(header, octets, size);
    bool ok = used != 0 && length <= size - used;
    if (ok) {
        if (length > 0) {
            memcpy(octets + used, payload, length);
        }
        ok = peer_send_octets(peer, octets, used + length, invalidate,
                              (header->prefix.rdma_flags & RDMA2_F_TPMORE) != 0);
    }
    free(octets);
    return ok;
}

static struct header start(uint32_t xid, uint32_t htype, uint32_t flags) {
    return (struct header){.prefix = {.rdma_start = {xid, VERSION, 0, htype}, .rdma_flags = flags}};
}

/*
 * Sends an RPC message, in fragments if it has to. Chunks are in the last one only (V 6.2.2.2), and so is remote
 * invalidation (C26). Without payload it is a Special Format message.
 */
bool peer_send_rpc(struct peer *peer, uint32_t xid, bool response, struct rpcrdma2_chunk_lists *lists,
                   const unsigned char *payload, size_t length, uint32_t invalidate) {
    struct rpcrdma2_chunk_lists none = {0};
    struct header last = start(xid, payload == NULL ? RDMA2_NOMSG : RDMA2_MSG, response ? RDMA2_F_RESPONSE : 0);
    last.lists = lists == NULL ? none : *lists;
    if (payload == NULL) {
        return peer_send_header(peer, &last, NULL, 0, invalidate);
    }
    size_t size = peer->link.slot, threshold = peer_threshold(peer);
    unsigned char *octets = malloc(size);
    size_t used = octets == NULL ? 0 : header_encode(&last, octets, size);
    free(octets);
    if (used == 0 || used + MIN_FRAGMENT > threshold) {
        note("the header leaves no room for a payload");
        return false;
    }
    size_t split = peer->options->split == 0 ? threshold : peer->options->split;
    size_t room = threshold - NO_CHUNKS < split ? threshold - NO_CHUNKS : split;
    size_t last_room = threshold - used < split ? threshold - used : split;
    room -= room % MIN_FRAGMENT;
    while (length > last_room) {
        size_t part = length - MIN_FRAGMENT < room ? (length - 1) / MIN_FRAGMENT * MIN_FRAGMENT : room;
        struct header more = start(xid, RDMA2_MSG, RDMA2_F_MORE | (response ? RDMA2_F_RESPONSE : 0));
        if (!peer_send_header(peer, &more, payload, part, 0)) {
            return false;
        }
        payload += part;
        length -= part;
        peer->fragments_sent++;
    }
    return peer_send_header(peer, &last, payload, length, invalidate);
}

bool peer_send_error(struct peer *peer, uint32_t xid, uint32_t code, uint32_t first, uint32_t second) {
    struct header header = start(xid, RDMA2_ERROR, RDMA2_F_RESPONSE);
    header.error.rdma_err = code;
    switch (code) {
    case RDMA2_ERR_VERS:
        header.error.rpcrdma2_error_u.rdma_vrange = (struct rpcrdma2_err_vers){first, second};
        break;
    case RDMA2_ERR_READ_CHUNKS:
    case RDMA2_ERR_WRITE_CHUNKS:
    case RDMA2_ERR_SEGMENTS:
    case RDMA2_ERR_REPLY_RESOURCE:
        header.error.rpcrdma2_error_u.rdma_max_chunks = first; /* all these arms are one word */
        break;
    case RDMA2_ERR_WRITE_RESOURCE:
        header.error.rpcrdma2_error_u.rdma_writeres = (struct rpcrdma2_err_write){first, second};
        break;
    default:
        break;
    }
    return peer_send_header(peer, &header, NULL, 0, 0);
}

/* In the layout that RFC 8166 fixes for all versions, and with a version 1 grant, which enters no account (C5, C43). */
bool peer_send_err_vers(struct peer *peer, uint32_t xid, uint32_t version, uint32_t low, uint32_t high) {
    uint32_t words[] = {xid, version, peer->options->credits, RDMA2_ERROR, RDMA2_ERR_VERS, low, high};
    unsigned char octets[LEGACY_ERR_VERS];
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        put_word(octets + 4 * i, words[i]);
    }
    if (!peer_await_credits(peer, 1)) {
        return false;
    }
    peer->ledger.balance--;
    peer->sent_anything = true;
    return link_send(&peer->link, octets, sizeof octets, 0);
}

/* Not among this side's CONNPROPs, and not as the second message before the peer's first (V 4.2.3). */
bool peer_refresh_due(const struct peer *peer) {
    return peer->heard && peer->sent_anything && peer->ours_final == peer->sent_props &&
           ledger_refresh_due(&peer->ledger);
}

bool peer_refresh(struct peer *peer) {
    struct header header = start(0, RDMA2_NOMSG, 0);
    return peer_send_header(peer, &header, NULL, 0, 0);
}
