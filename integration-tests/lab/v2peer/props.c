// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0

/* The exchange of transport properties, V 5 and 6.3.4. */
#include "peer.h"
#include <stdlib.h>
#include <string.h>

enum { MAX_SET = 8, UNKNOWN_PROPERTY = 0x7fff0001, MIN_INLINE = 1024 };

bool props_add(rpcrdma2_propset *set, uint32_t which, const void *octets, uint32_t length) {
    rpcrdma2_propval *grown =
        realloc(set->rpcrdma2_propset_val, (set->rpcrdma2_propset_len + 1) * sizeof *set->rpcrdma2_propset_val);
    char *copy = malloc(length + 1);
    if (grown != NULL) {
        set->rpcrdma2_propset_val = grown;
    }
    if (grown == NULL || copy == NULL) {
        free(copy);
        return false;
    }
    memcpy(copy, octets, length);
    rpcrdma2_propval *value = &grown[set->rpcrdma2_propset_len++];
    value->rdma_which = which;
    value->rdma_data.rdma_data_len = length;
    value->rdma_data.rdma_data_val = copy;
    return true;
}

bool props_add_word(rpcrdma2_propset *set, uint32_t which, uint32_t value) {
    unsigned char octets[4];
    put_word(octets, value);
    return props_add(set, which, octets, sizeof octets);
}

void props_free(rpcrdma2_propset *set) {
    xdr_free((xdrproc_t) xdr_rpcrdma2_propset, set);
    memset(set, 0, sizeof *set);
}

static void add_hostauth(rpcrdma2_propset *set, uint32_t length) {
    uint32_t size = (uint32_t) xdr_size(length) + 4;
    unsigned char *octets = calloc(1, size);
    if (octets != NULL) {
        put_word(octets, length);
        fill(octets + 4, length, RDMA2_PROPID_HOSTAUTH);
        props_add(set, RDMA2_PROPID_HOSTAUTH, octets, size);
        free(octets);
    }
}

/* One that nobody knows is among them: a receiver must not mind (V 5.1). */
static void all_properties(const struct peer *peer, rpcrdma2_propset *set) {
    const struct options *options = peer->options;
    props_add_word(set, RDMA2_PROPID_SBSIZ, options->inline_octets);
    props_add_word(set, RDMA2_PROPID_RBSIZ, options->inline_octets);
    props_add_word(set, RDMA2_PROPID_RSSIZ, options->segment_size);
    props_add_word(set, RDMA2_PROPID_RCSIZ, options->segments);
    props_add(set, UNKNOWN_PROPERTY, "unknown", 7);
    if (!peer->server) {
        props_add_word(set, RDMA2_PROPID_BRS, options->reverse);
    }
    if (options->hostauth > 0) {
        add_hostauth(set, options->hostauth);
    }
}

/* TPMORE, until this side needs no further set. */
static uint32_t last_flags(const struct peer *peer) {
    return handshake_done(peer) ? 0 : RDMA2_F_TPMORE;
}

/* A set that exceeds a message, by MORE: the octets behind the prefixes are joined (C7). */
static bool send_continued(struct peer *peer, const rpcrdma2_propset *set, uint32_t flags) {
    size_t size = PREFIX + 64 * MAX_SET + xdr_size(peer->options->hostauth);
    unsigned char *all = malloc(size), *part = malloc(peer->link.slot);
    struct header header = {.prefix = {.rdma_start = {peer->props_xid, VERSION, 0, RDMA2_CONNPROP}}, .props = *set};
    size_t length = all == NULL || part == NULL ? 0 : header_encode(&header, all, size), at = PREFIX;
    bool ok = length != 0;
    while (ok && at < length) {
        size_t threshold = peer_threshold(peer);
        threshold = threshold > FIRST_MESSAGE ? FIRST_MESSAGE : threshold;
        size_t octets = length - at < threshold - PREFIX ? length - at : threshold - PREFIX;
        memcpy(part, all, PREFIX);
        put_word(part + 16, at + octets < length ? RDMA2_F_MORE : flags);
        memcpy(part + PREFIX, all + at, octets);
        ok = peer_send_octets(peer, part, PREFIX + octets, 0, false);
        at += octets;
    }
    free(all);
    free(part);
    return ok;
}

/* Sends this side's properties in as many messages as the options say. */
bool props_send(struct peer *peer) {
    rpcrdma2_propset set = {0};
    all_properties(peer, &set);
    handshake_add(peer, &set);
    peer->sent_props = true;
    peer->props_xid = peer->server ? 0 : peer->next_xid++;
    uint32_t count = set.rpcrdma2_propset_len, from = 0;
    int messages = peer->options->props_messages;
    bool ok = true;
    if (peer->options->hostauth + MIN_INLINE / 2 > MIN_INLINE) {
        ok = send_continued(peer, &set, last_flags(peer));
    } else {
        for (int i = 0; i < messages && ok; i++) {
            uint32_t to = i == messages - 1 ? count : (uint32_t) (count * (i + 1) / messages);
            struct header header = {.prefix = {.rdma_start = {peer->props_xid, VERSION, 0, RDMA2_CONNPROP},
                                               .rdma_flags = i == messages - 1 ? last_flags(peer)
                                                                               : RDMA2_F_TPMORE}};
            header.props.rpcrdma2_propset_len = to - from;
            header.props.rpcrdma2_propset_val = set.rpcrdma2_propset_val + from;
            ok = peer_send_header(peer, &header, NULL, 0, 0);
            from = to;
        }
    }
    peer->ours_final = ok && handshake_done(peer);
    props_free(&set);
    return ok;
}

/* Sends the next set of the handshake, if one is due. */
bool props_go_on(struct peer *peer) {
    if (!handshake_due(peer)) {
        return true;
    }
    struct header header = {.prefix = {.rdma_start = {peer->props_xid, VERSION, 0, RDMA2_CONNPROP}}};
    handshake_add(peer, &header.props);
    header.prefix.rdma_flags = last_flags(peer);
    bool ok = peer_send_header(peer, &header, NULL, 0, 0);
    peer->ours_final = ok && handshake_done(peer);
    props_free(&header.props);
    return ok;
}

static uint32_t at_least(uint32_t value, uint32_t least) {
    return value < least ? least : value;
}

/* Values out of range are not errors but the nearest that makes sense (C21). A length of 0 is the default. */
static void apply(struct peer *peer, const rpcrdma2_propval *value) {
    static const struct properties defaults = {DEFAULT_INLINE, DEFAULT_INLINE, 1 << 20, 16, RDMA2_RVRSDIR_NONE, 0};
    struct properties *theirs = &peer->theirs;
    bool usual = value->rdma_data.rdma_data_len == 0;
    const unsigned char *octets = (const unsigned char *) value->rdma_data.rdma_data_val;
    uint32_t number = usual ? 0 : word(octets);
    switch (value->rdma_which) {
    case RDMA2_PROPID_SBSIZ:
        theirs->sbsiz = usual ? defaults.sbsiz : at_least(number, MIN_INLINE);
        break;
    case RDMA2_PROPID_RBSIZ:
        theirs->rbsiz = usual ? defaults.rbsiz : at_least(number, MIN_INLINE);
        break;
    case RDMA2_PROPID_RSSIZ:
        theirs->rssiz = usual ? defaults.rssiz : number;
        break;
    case RDMA2_PROPID_RCSIZ:
        theirs->rcsiz = usual ? defaults.rcsiz : number;
        break;
    case RDMA2_PROPID_BRS:
        theirs->brs = number > RDMA2_RVRSDIR_GENL ? RDMA2_RVRSDIR_NONE : number;
        break;
    case RDMA2_PROPID_HOSTAUTH:
        theirs->hostauth = number;
        break;
    default:
        break;
    }
}

bool props_received(struct peer *peer, const rpcrdma2_propset *set, bool more) {
    for (u_int i = 0; i < set->rpcrdma2_propset_len; i++) {
        const rpcrdma2_propval *value = &set->rpcrdma2_propset_val[i];
        if (value->rdma_which >= RDMA2_PROPID_SBSIZ && value->rdma_which <= RDMA2_PROPID_HOSTAUTH &&
            (value->rdma_data.rdma_data_len == 0 || value->rdma_data.rdma_data_len >= 4)) {
            apply(peer, value);
        }
    }
    peer->heard = true;
    peer->final = !more;
    const struct properties *theirs = &peer->theirs;
    note("properties%s: sbsiz %u rbsiz %u rssiz %u rcsiz %u brs %u hostauth %u", more ? ", more to come" : "",
         theirs->sbsiz, theirs->rbsiz, theirs->rssiz, theirs->rcsiz, theirs->brs, theirs->hostauth);
    return handshake_received(peer, set, more);
}

/* Until the peer has sent its last CONNPROP; false if something else came or nothing. */
bool props_await(struct peer *peer, int64_t deadline) {
    struct event event;
    while (!peer->final) {
        enum what what = peer_event(peer, &event, deadline);
        event_free(&event);
        if (what == OVER || what == GOT_ERROR || what == GOT_CALL || what == TIMEOUT) {
            return false;
        }
    }
    return true;
}
