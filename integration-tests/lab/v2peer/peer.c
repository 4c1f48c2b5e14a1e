// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0

/* What becomes of a message that has come: the checks in the order of C48, then sequences (V 6.2.2.2). */
#include "peer.h"
#include <stdlib.h>
#include <string.h>

enum { MIN_ANY_VERSION = 16, MILLIS = 1000 };

int64_t peer_deadline(const struct peer *peer) {
    return now_millis() + (int64_t) peer->options->seconds * MILLIS;
}

/* Something no conforming peer does. */
void peer_violation(struct peer *peer, const char *what) {
    peer->misbehaved++;
    result_fail("violation: %s", what);
}

/* Credits are looked at as soon as a message is there, before all else and whatever becomes of it (C43). */
static void received(void *context, const unsigned char *octets, size_t length) {
    struct peer *peer = context;
    bool refresh = is_refresh(octets, length);
    if (!ledger_arrived(&peer->ledger, refresh)) {
        peer_violation(peer, "a message without a credit for it");
    }
    if (length >= PREFIX && word(octets + 4) == VERSION && !is_legacy_error(octets, length)) {
        ledger_taken(&peer->ledger, word(octets + 8));
        note("< xid %08x htype %u flags %u, %zu octets, credit %08x: balance %u, outstanding %u", word(octets),
             word(octets + 12), word(octets + 16), length, word(octets + 8), peer->ledger.balance,
             peer->ledger.outstanding);
    }
    peer->ledger.waiting += is_call(octets, length);
    if (peer->ledger.own > 0 && is_answer(octets, length)) {
        peer->ledger.own--; /* its credit is used, also if it is looked at later */
    }
}

bool peer_open(struct peer *peer, const struct options *options, bool server) {
    *peer = (struct peer){.options = options, .server = server, .next_xid = server ? 0x5e000001 : 0xc1000001};
    peer->theirs = (struct properties){DEFAULT_INLINE, DEFAULT_INLINE, 1 << 20, 16, RDMA2_RVRSDIR_NONE, 0};
    ledger_open(&peer->ledger, options->credits, options->own_calls);
    peer->link.received = received;
    peer->link.context = peer;
    peer->link.patience = (int64_t) options->seconds * MILLIS;
    return true;
}

void peer_close(struct peer *peer) {
    link_close(&peer->link);
    free(peer->sequence.octets);
    peer->sequence = (struct sequence){0};
}

void event_free(struct event *event) {
    header_free(&event->header);
    free(event->payload);
    *event = (struct event){0};
}

static void sequence_end(struct sequence *sequence) {
    free(sequence->octets);
    sequence->octets = NULL;
    sequence->length = 0;
    sequence->open = false;
}

static void sequence_drop(struct sequence *sequence, int which, uint32_t xid, bool more) {
    sequence->dropping[which] = more;
    sequence->dropped[which] = xid;
}

/* Whether the message is a further fragment of something that was rejected; the last of them ends that. */
static bool is_dropped(struct sequence *sequence, uint32_t xid, bool more) {
    for (int i = 0; i < 2; i++) {
        if (sequence->dropping[i] && sequence->dropped[i] == xid) {
            sequence->dropping[i] = more;
            return true;
        }
    }
    sequence->dropping[0] = sequence->dropping[1] = false;
    return false;
}

static enum what reject(struct peer *peer, const struct header *header, uint32_t code, uint32_t value) {
    const struct rpcrdma_common *start = &header->prefix.rdma_start;
    uint32_t flags = header->prefix.rdma_flags;
    note("rejecting xid %08x htype %u flags %u: %s", start->rdma_xid, start->rdma_htype, flags, error_name(code));
    if ((flags & RDMA2_F_RESPONSE) != 0 || start->rdma_htype == RDMA2_ERROR) {
        peer_violation(peer, error_name(code)); /* defective replies and errors are not answered (C18) */
    } else {
        peer_send_error(peer, start->rdma_xid, code, value, 0);
    }
    return NOTHING;
}

/* Adds the payload to what is there of the sequence; returns 0 or the code of an error. */
static uint32_t append(struct peer *peer, const unsigned char *octets, size_t length, size_t limit) {
    struct sequence *sequence = &peer->sequence;
    if (length > limit || sequence->length > limit - length) {
        return RDMA2_ERR_INVAL_CONT; /* C50 */
    }
    unsigned char *grown = realloc(sequence->octets, sequence->length + length + 1);
    if (grown == NULL) {
        return RDMA2_ERR_SYSTEM;
    }
    memcpy(grown + sequence->length, octets, length);
    sequence->octets = grown;
    sequence->length += length;
    return 0;
}

/* Sequence rules (C15, C49). Returns true if the message may go on; it is the last one if MORE is clear. */
static bool join(struct peer *peer, const struct header *header, const unsigned char *octets, size_t length,
                 size_t limit) {
    struct sequence *sequence = &peer->sequence;
    uint32_t xid = header->prefix.rdma_start.rdma_xid, htype = header->prefix.rdma_start.rdma_htype;
    bool more = (header->prefix.rdma_flags & RDMA2_F_MORE) != 0;
    bool response = (header->prefix.rdma_flags & RDMA2_F_RESPONSE) != 0;
    if (!sequence->open && is_dropped(sequence, xid, more)) {
        return false;
    }
    if (sequence->open && (sequence->xid != xid || sequence->htype != htype || sequence->response != response)) {
        uint32_t other = sequence->xid;
        bool answer = !sequence->response && other != xid;
        sequence_end(sequence);
        sequence_drop(sequence, 0, other, true);
        sequence_drop(sequence, 1, xid, more);
        reject(peer, header, RDMA2_ERR_INVAL_CONT, 0);
        if (answer) {
            peer_send_error(peer, other, RDMA2_ERR_INVAL_CONT, 0, 0);
        }
        return false;
    }
    if (!sequence->open) {
        *sequence = (struct sequence){.open = true, .xid = xid, .htype = htype, .response = response};
    }
    peer->fragments_received += more;
    uint32_t error = append(peer, octets, length, limit);
    if (error != 0) {
        sequence_end(sequence);
        sequence_drop(sequence, 0, xid, more);
        reject(peer, header, error, 0);
        return false;
    }
    return true;
}

static enum what connprop(struct peer *peer, const unsigned char *octets, size_t length, struct header *header) {
    bool more = (header->prefix.rdma_flags & RDMA2_F_MORE) != 0;
    if (peer->final) {
        return reject(peer, header, RDMA2_ERR_INVAL_HTYPE, 0); /* V 6.2.2.3 */
    }
    if (++peer->connprops > MAX_CONNPROPS) {
        note("too many CONNPROPs");
        peer->link.over = true;
        return OVER;
    }
    if (!join(peer, header, octets + PREFIX, length - PREFIX, MAX_PROPERTIES)) {
        return NOTHING;
    }
    peer->heard = true;
    bool accepted = true;
    if (!more) {
        struct sequence *sequence = &peer->sequence;
        rpcrdma2_propset set = {0};
        uint32_t error = props_decode(sequence->octets, sequence->length, &set);
        sequence_end(sequence);
        if (error == 0) {
            accepted = props_received(peer, &set, (header->prefix.rdma_flags & RDMA2_F_TPMORE) != 0);
        }
        props_free(&set);
        if (error != 0) {
            return reject(peer, header, error, 0); /* ignored as a whole (C20) */
        }
    }
    if (!accepted) {
        return OVER;
    }
    if (peer->server && !peer->sent_props && !misbehave_props(peer, header->prefix.rdma_start.rdma_xid)) {
        props_send(peer);
    } else if (!more) {
        props_go_on(peer);
    }
    return peer->final ? GOT_PROPS : NOTHING;
}

static uint32_t count_segments(const struct rpcrdma2_chunk_lists *lists, uint32_t *reads, uint32_t *writes) {
    uint32_t segments = 0, last = 0;
    *reads = *writes = 0;
    for (struct rpcrdma2_read_list *read = lists->rdma_reads; read != NULL; read = read->rdma_next) {
        uint32_t position = read->rdma_entry.rdma_position;
        segments++;
        *reads += position != 0 && position != last;
        last = position;
    }
    for (struct rpcrdma2_write_list *write = lists->rdma_writes; write != NULL; write = write->rdma_next) {
        segments += write->rdma_entry.rdma_target.rdma_target_len;
        (*writes)++;
    }
    return segments + (lists->rdma_reply == NULL ? 0 : lists->rdma_reply->rdma_target.rdma_target_len);
}

/* What a call may bring: the level of the reverse direction (C33, C62), then the limits (C48). */
static uint32_t check_call(const struct peer *peer, const struct header *header, uint32_t *value) {
    const struct options *options = peer->options;
    const struct rpcrdma2_chunk_lists *lists = &header->lists;
    uint32_t reads, writes, segments = count_segments(lists, &reads, &writes);
    *value = 0;
    if (!peer->server && options->reverse == RDMA2_RVRSDIR_NONE) {
        return RDMA2_ERR_SYSTEM;
    }
    if (!peer->server && options->reverse < RDMA2_RVRSDIR_GENL && !lists_empty(lists)) {
        return lists->rdma_reads != NULL    ? RDMA2_ERR_READ_CHUNKS
               : lists->rdma_writes != NULL ? RDMA2_ERR_WRITE_CHUNKS
                                            : RDMA2_ERR_REPLY_RESOURCE;
    }
    if (segments > options->segments) {
        *value = options->segments;
        return RDMA2_ERR_SEGMENTS;
    }
    if (reads > options->read_chunks) {
        *value = options->read_chunks;
        return RDMA2_ERR_READ_CHUNKS;
    }
    *value = options->write_chunks;
    return writes > options->write_chunks ? RDMA2_ERR_WRITE_CHUNKS : 0;
}

static enum what rpc(struct peer *peer, const unsigned char *octets, size_t length, struct event *event) {
    struct header *header = &event->header;
    struct sequence *sequence = &peer->sequence;
    uint32_t flags = header->prefix.rdma_flags, xid = header->prefix.rdma_start.rdma_xid, value;
    bool response = (flags & RDMA2_F_RESPONSE) != 0, more = (flags & RDMA2_F_MORE) != 0;
    bool special = header->prefix.rdma_start.rdma_htype == RDMA2_NOMSG;
    if (special && lists_empty(&header->lists)) {
        return reject(peer, header, RDMA2_ERR_BAD_XDR, 0); /* V 7.2, as its XID is not 0 (C4) */
    }
    if (more && !lists_empty(&header->lists)) {
        if (sequence->open) {
            sequence_drop(sequence, 1, sequence->xid, true);
            sequence_end(sequence);
        }
        sequence_drop(sequence, 0, xid, true);
        return reject(peer, header, RDMA2_ERR_INVAL_CONT, 0);
    }
    bool reverse_call = !peer->server && !response;
    if (reverse_call && more && peer->options->reverse < RDMA2_RVRSDIR_CONT) {
        if (!is_dropped(sequence, xid, true)) {
            sequence_drop(sequence, 0, xid, true);
            return reject(peer, header, RDMA2_ERR_INVAL_CONT, 0);
        }
        return NOTHING;
    }
    if (!join(peer, header, octets + header->length, length - header->length, peer->options->max_continued) || more) {
        return NOTHING;
    }
    event->payload = sequence->octets;
    event->length = sequence->length;
    sequence->octets = NULL;
    sequence_end(sequence);
    event->xid = xid;
    if (!special && (event->length < 8 || word(event->payload) != xid || word(event->payload + 4) != response)) {
        return reject(peer, header, RDMA2_ERR_BAD_XDR, 0);
    }
    if (response) {
        return GOT_REPLY;
    }
    uint32_t error = check_call(peer, header, &value);
    return error != 0 ? reject(peer, header, error, value) : GOT_CALL;
}

static enum what transport_error(struct peer *peer, uint32_t xid, struct event *event) {
    event->xid = xid;
    peer->last_error = event->header.error.rdma_err;
    note("error %s for xid %08x", error_name(peer->last_error), xid);
    /* Codes that are not known are discarded (V 7). */
    return strcmp(error_name(peer->last_error), "unknown") == 0 ? NOTHING : GOT_ERROR;
}

static enum what other_version(struct peer *peer, const unsigned char *octets, size_t length, struct event *event) {
    uint32_t version = word(octets + 4), htype = word(octets + 12);
    if (is_legacy_error(octets, length)) {
        event->header.error.rdma_err = RDMA2_ERR_VERS;
        struct rpcrdma2_err_vers range = {word(octets + 20), word(octets + 24)};
        event->header.error.rpcrdma2_error_u.rdma_vrange = range;
        return transport_error(peer, word(octets), event);
    }
    if (length == LEGACY_ERR_CHUNK && htype == RDMA2_ERROR) {
        event->header.error.rdma_err = RDMA2_ERR_VERS; /* ERR_CHUNK of RFC 8166: the peer knows version 1 only (C57) */
        return transport_error(peer, word(octets), event);
    }
    if (htype != RDMA2_ERROR) {
        peer_send_err_vers(peer, word(octets), version, VERSION, VERSION);
    }
    return NOTHING;
}

static enum what process(struct peer *peer, const unsigned char *octets, size_t length, struct event *event) {
    struct header *header = &event->header;
    if (length < MIN_ANY_VERSION) {
        return NOTHING;
    }
    bool legacy = is_legacy_error(octets, length) || (length == LEGACY_ERR_CHUNK && word(octets + 12) == RDMA2_ERROR);
    if (word(octets + 4) != VERSION || legacy) {
        return other_version(peer, octets, length, event);
    }
    if (length < PREFIX || is_refresh(octets, length)) {
        return NOTHING;
    }
    uint32_t htype = word(octets + 12), flags = word(octets + 16);
    uint32_t shape = header_decode(octets, length, header);
    if (htype != RDMA2_MSG && htype != RDMA2_NOMSG && htype != RDMA2_ERROR && htype != RDMA2_CONNPROP) {
        return reject(peer, header, RDMA2_ERR_INVAL_HTYPE, 0);
    }
    if ((flags & RDMA2_F_TPMORE) != 0 && htype != RDMA2_CONNPROP) {
        return reject(peer, header, RDMA2_ERR_INVAL_HTYPE, 0);
    }
    if ((flags & RDMA2_F_MORE) != 0 && (htype == RDMA2_NOMSG || htype == RDMA2_ERROR)) {
        return reject(peer, header, RDMA2_ERR_INVAL_CONT, 0);
    }
    if (shape != 0) {
        if (peer->sequence.open && htype == peer->sequence.htype && word(octets) == peer->sequence.xid) {
            sequence_end(&peer->sequence);
            sequence_drop(&peer->sequence, 0, word(octets), (flags & RDMA2_F_MORE) != 0);
        }
        return reject(peer, header, shape, 0);
    }
    if (htype == RDMA2_ERROR) {
        return transport_error(peer, word(octets), event);
    }
    if (htype == RDMA2_CONNPROP) {
        return connprop(peer, octets, length, header);
    }
    if (!handshake_allows_calls(peer)) {
        return OVER;
    }
    if (!peer->heard) {
        peer->final = true; /* a peer that begins with RPC has the default properties (C55) */
        if (peer->server && !peer->sent_props) {
            peer->ledger.waiting++; /* the call's credit goes back with its reply */
            props_send(peer);
            peer->ledger.waiting--;
        }
    }
    peer->heard = true;
    return rpc(peer, octets, length, event);
}

/* The next thing that is whole; refreshes credits before it waits. */
enum what peer_event(struct peer *peer, struct event *event, int64_t deadline) {
    struct link *link = &peer->link;
    for (;;) {
        memset(event, 0, sizeof *event);
        struct message *message = link->arrived;
        if (message != NULL) {
            link->arrived = message->next;
            link->end = link->arrived == NULL ? &link->arrived : link->end;
            link->waiting--;
            peer->ledger.waiting -= is_call(message->octets, message->length);
            event->what = process(peer, message->octets, message->length, event);
            free(message);
            if (event->what != NOTHING) {
                return event->what;
            }
            event_free(event);
        } else if (link->over) {
            return event->what = OVER;
        } else {
            if (peer_refresh_due(peer)) {
                if (!peer_refresh(peer)) {
                    return event->what = OVER;
                }
                continue; /* something may have come meanwhile */
            }
            if (!link_pump(link, deadline)) {
                return event->what = TIMEOUT;
            }
        }
    }
}
