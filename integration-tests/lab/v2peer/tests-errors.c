// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0

/* The client's tests of errors: each sends what is wrong, demands the answer, and that calls go on afterwards. */
#include "peer.h"
#include <stdlib.h>
#include <string.h>

enum { UNKNOWN_HTYPE = 99, QUIET_MILLIS = 700, MANY_CHUNKS = 300, BIG = 2000000, SMALL = 64, PIECE = 4, READS = 12 };

bool goes_on(struct peer *peer) {
    struct call call = {.proc = PROC_NULL};
    return demand(call_perform(peer, &call) && call.what == GOT_REPLY, "no reply to the NULL that followed");
}

static struct header call_header(struct peer *peer, uint32_t htype, uint32_t flags) {
    return (struct header){
        .prefix = {.rdma_start = {peer->next_xid++, VERSION, 0, htype}, .rdma_flags = flags}};
}

static uint32_t xid_of(const struct header *header) {
    return header->prefix.rdma_start.rdma_xid;
}

static bool await_any_error(struct peer *peer, uint32_t xid, uint32_t code, uint32_t *value, bool behind_props) {
    struct event event;
    enum what what = peer_event(peer, &event, peer_deadline(peer));
    while (behind_props && what == GOT_PROPS) {
        event_free(&event);
        what = peer_event(peer, &event, peer_deadline(peer));
    }
    uint32_t came = what == GOT_ERROR ? event.header.error.rdma_err : 0, from = event.xid;
    if (value != NULL) {
        *value = came == 0 ? 0 : event.header.error.rpcrdma2_error_u.rdma_max_chunks;
    }
    event_free(&event);
    return demand(what == GOT_ERROR, "%s instead of %s", what == GOT_REPLY ? "a reply" : "nothing", error_name(code)) &&
           demand(came == code, "%s instead of %s", error_name(came), error_name(code)) &&
           demand(from == xid, "%s for xid %08x instead of %08x", error_name(came), from, xid);
}

static bool await_error(struct peer *peer, uint32_t xid, uint32_t code, uint32_t *value) {
    return await_any_error(peer, xid, code, value, false);
}

/* Nothing is to come for a while. */
static bool await_nothing(struct peer *peer) {
    struct event event;
    enum what what = peer_event(peer, &event, now_millis() + QUIET_MILLIS);
    event_free(&event);
    return demand(what == TIMEOUT, "something came, or the connection ended");
}

/* Sends a header with a NULL call behind it. */
static bool send_null(struct peer *peer, struct header *header) {
    unsigned char payload[CALL_HEADER];
    build_call(payload, xid_of(header), PROC_NULL);
    bool ok = peer_send_header(peer, header, payload, sizeof payload, 0);
    lists_free(&header->lists);
    return demand(ok, "it could not be sent");
}

static bool provoke(struct peer *peer, struct header *header, uint32_t code) {
    uint32_t xid = xid_of(header);
    return send_null(peer, header) && await_error(peer, xid, code, NULL) && goes_on(peer);
}

/* A message of words: the prefix, then what follows. */
static bool send_words(struct peer *peer, const uint32_t *words, size_t count, size_t octets) {
    unsigned char *message = calloc(count, 4);
    bool ok = message != NULL;
    for (size_t i = 0; ok && i < count; i++) {
        put_word(message + 4 * i, words[i]);
    }
    ok = ok && peer_send_octets(peer, message, octets, 0, false);
    free(message);
    return demand(ok, "it could not be sent");
}

static bool run_bad_xdr(struct peer *peer) {
    uint32_t xid = peer->next_xid++;
    uint32_t not_boolean[] = {xid, VERSION, 0, RDMA2_MSG, 0, 0, 2, 0, 0, xid, 0, 2, PROGRAM, 1, 0, 0, 0, 0, 0};
    return send_words(peer, not_boolean, 19, 76) && await_error(peer, xid, RDMA2_ERR_BAD_XDR, NULL) && goes_on(peer);
}

static bool run_bad_xdr_count(struct peer *peer) {
    uint32_t xid = peer->next_xid++; /* a write chunk that announces more segments than there can be */
    uint32_t words[] = {xid, VERSION, 0, RDMA2_MSG, 0, 0, 0, 1, 0x0fffffff, 0, 0, xid, 0, 2, PROGRAM, 1, 0, 0, 0, 0, 0};
    return send_words(peer, words, 21, 84) && await_error(peer, xid, RDMA2_ERR_BAD_XDR, NULL) && goes_on(peer);
}

static bool run_bad_xdr_short(struct peer *peer) {
    uint32_t xid = peer->next_xid++;
    uint32_t words[] = {xid, VERSION, 0, RDMA2_MSG, 0, 0, 0};
    return send_words(peer, words, 7, 28) && await_error(peer, xid, RDMA2_ERR_BAD_XDR, NULL) && goes_on(peer);
}

static bool run_bad_xdr_xid(struct peer *peer) {
    struct header header = call_header(peer, RDMA2_MSG, 0);
    unsigned char payload[CALL_HEADER];
    build_call(payload, xid_of(&header) + 1, PROC_NULL);
    return demand(peer_send_header(peer, &header, payload, sizeof payload, 0), "it could not be sent") &&
           await_error(peer, xid_of(&header), RDMA2_ERR_BAD_XDR, NULL) && goes_on(peer);
}

static bool run_bad_xdr_type(struct peer *peer) {
    struct header header = call_header(peer, RDMA2_MSG, 0);
    unsigned char payload[CALL_HEADER];
    build_call(payload, xid_of(&header), PROC_NULL);
    put_word(payload + 4, 1);
    return demand(peer_send_header(peer, &header, payload, sizeof payload, 0), "it could not be sent") &&
           await_error(peer, xid_of(&header), RDMA2_ERR_BAD_XDR, NULL) && goes_on(peer);
}

static bool run_bad_xdr_position(struct peer *peer) {
    struct region region;
    struct header header = call_header(peer, RDMA2_MSG, 0);
    if (!demand(region_open(&peer->link, &region, SMALL, IBV_ACCESS_REMOTE_READ), "no memory")) {
        return false;
    }
    lists_add_read(&header.lists, ECHO_POSITION - 2,
                   (struct rpcrdma2_segment){region.mr->rkey, PIECE, (uintptr_t) region.octets});
    bool ok = provoke(peer, &header, RDMA2_ERR_BAD_XDR);
    region_close(&region);
    return ok;
}

static bool run_bad_xdr_empty(struct peer *peer) {
    struct header header = call_header(peer, RDMA2_NOMSG, 0);
    return demand(peer_send_header(peer, &header, NULL, 0, 0), "it could not be sent") &&
           await_error(peer, xid_of(&header), RDMA2_ERR_BAD_XDR, NULL) && goes_on(peer);
}

static bool run_inval_htype(struct peer *peer) {
    struct header header = call_header(peer, UNKNOWN_HTYPE, 0);
    return provoke(peer, &header, RDMA2_ERR_INVAL_HTYPE);
}

static bool run_inval_htype_tpmore(struct peer *peer) {
    struct header header = call_header(peer, RDMA2_MSG, RDMA2_F_TPMORE);
    return provoke(peer, &header, RDMA2_ERR_INVAL_HTYPE);
}

static bool run_inval_htype_props(struct peer *peer) {
    struct header header = call_header(peer, RDMA2_CONNPROP, 0);
    props_add_word(&header.props, RDMA2_PROPID_SBSIZ, DEFAULT_INLINE);
    bool ok = demand(peer_send_header(peer, &header, NULL, 0, 0), "it could not be sent");
    props_free(&header.props);
    return ok && await_error(peer, xid_of(&header), RDMA2_ERR_INVAL_HTYPE, NULL) && goes_on(peer);
}

static bool run_inval_cont(struct peer *peer) {
    struct header header = call_header(peer, RDMA2_NOMSG, RDMA2_F_MORE);
    lists_add_read(&header.lists, 0, (struct rpcrdma2_segment){1, PIECE, 0});
    bool ok = demand(peer_send_header(peer, &header, NULL, 0, 0), "it could not be sent");
    lists_free(&header.lists);
    return ok && await_error(peer, xid_of(&header), RDMA2_ERR_INVAL_CONT, NULL) && goes_on(peer);
}

static bool run_inval_cont_chunks(struct peer *peer) {
    struct header header = call_header(peer, RDMA2_MSG, RDMA2_F_MORE), rest = header;
    lists_add_write(&header.lists);
    rest.prefix.rdma_flags = 0; /* the fragment that ends what is dropped */
    return send_null(peer, &header) && await_error(peer, xid_of(&rest), RDMA2_ERR_INVAL_CONT, NULL) &&
           send_null(peer, &rest) && await_nothing(peer) && goes_on(peer);
}

/* Another call in the midst of a continued one: an error for each (C15). */
static bool run_inval_cont_interleaved(struct peer *peer) {
    struct header first = call_header(peer, RDMA2_MSG, RDMA2_F_MORE), second = call_header(peer, RDMA2_MSG, 0);
    uint32_t one = xid_of(&first), other = xid_of(&second);
    struct event event;
    bool seen[2] = {false, false};
    if (!send_null(peer, &first) || !send_null(peer, &second)) {
        return false;
    }
    for (int i = 0; i < 2; i++) {
        enum what what = peer_event(peer, &event, peer_deadline(peer));
        bool ok = what == GOT_ERROR && event.header.error.rdma_err == RDMA2_ERR_INVAL_CONT;
        seen[0] = seen[0] || event.xid == one;
        seen[1] = seen[1] || event.xid == other;
        event_free(&event);
        if (!demand(ok, "no inval-cont")) {
            return false;
        }
    }
    return demand(seen[0] && seen[1], "not an error for each of the two") && goes_on(peer);
}

/* A refresh in the midst of a continued call does not break it (C16). */
static bool run_cont_refresh(struct peer *peer) {
    struct header first = call_header(peer, RDMA2_MSG, RDMA2_F_MORE), last = first;
    unsigned char payload[CALL_HEADER];
    struct event event;
    build_call(payload, xid_of(&first), PROC_NULL);
    last.prefix.rdma_flags = 0;
    bool ok = demand(peer_send_header(peer, &first, payload, 5, 0) && peer_refresh(peer) &&
                         peer_send_header(peer, &last, payload + 5, CALL_HEADER - 5, 0),
                     "it could not be sent");
    enum what what = ok ? peer_event(peer, &event, peer_deadline(peer)) : NOTHING;
    if (ok) {
        ok = demand(what == GOT_REPLY && event.xid == xid_of(&first), "no reply");
        event_free(&event);
    }
    return ok && goes_on(peer);
}

static bool run_segments(struct peer *peer) {
    struct header header = call_header(peer, RDMA2_MSG, 0);
    struct rpcrdma2_write_chunk *chunk = lists_add_write(&header.lists);
    uint32_t xid = xid_of(&header), value, limit = peer->theirs.rcsiz;
    if (!demand(limit < MANY_CHUNKS / 2, "its limit of %u segments is too high for this test", limit)) {
        return false;
    }
    for (uint32_t i = 0; i <= limit; i++) {
        chunk_add(chunk, (struct rpcrdma2_segment){1, PIECE, i});
    }
    return send_null(peer, &header) && await_error(peer, xid, RDMA2_ERR_SEGMENTS, &value) &&
           demand(value == limit, "%u segments in the error, %u in the property", value, limit) && goes_on(peer);
}

static bool run_read_chunks(struct peer *peer) {
    struct header header = call_header(peer, RDMA2_MSG, 0);
    uint32_t xid = xid_of(&header), value;
    for (uint32_t i = 0; i < READS && i < peer->theirs.rcsiz; i++) {
        lists_add_read(&header.lists, ECHO_POSITION + 8 * i, (struct rpcrdma2_segment){1, PIECE, 0});
    }
    return send_null(peer, &header) && await_error(peer, xid, RDMA2_ERR_READ_CHUNKS, &value) &&
           demand(value < READS, "a limit of %u is not exceeded", value) && goes_on(peer);
}

static bool run_write_chunks(struct peer *peer) {
    struct header header = call_header(peer, RDMA2_MSG, 0);
    uint32_t xid = xid_of(&header), value;
    for (uint32_t i = 0; i < MANY_CHUNKS; i++) {
        lists_add_write(&header.lists); /* without segments, so that SEGMENTS is no answer */
    }
    return send_null(peer, &header) && await_error(peer, xid, RDMA2_ERR_WRITE_CHUNKS, &value) &&
           demand(value < MANY_CHUNKS, "a limit of %u is not exceeded", value) && goes_on(peer);
}

static bool resource(struct peer *peer, struct call call, uint32_t code, uint32_t first, uint32_t second) {
    call.proc = PROC_ECHO;
    call_perform(peer, &call);
    return demand(call.what == GOT_ERROR && call.error == code, "not %s but %s", error_name(code),
                  call.what == GOT_ERROR ? error_name(call.error) : call.what == GOT_REPLY ? "a reply" : "nothing") &&
           demand(call.value == first && call.second == second, "it says %u, %u and not %u, %u", call.value,
                  call.second, first, second) &&
           goes_on(peer);
}

static bool run_write_resource(struct peer *peer) {
    return resource(peer, (struct call){.length = 3001, .write_chunk = SMALL}, RDMA2_ERR_WRITE_RESOURCE, 1, 3001);
}

static bool run_reply_resource(struct peer *peer) {
    struct call call = {.length = BIG, .argument = ARGUMENT_READ_CHUNK, .reply_chunk = SMALL};
    return resource(peer, call, RDMA2_ERR_REPLY_RESOURCE, REPLY_HEADER + 4 + BIG, 0);
}

static bool run_err_vers(struct peer *peer) {
    uint32_t xid = peer->next_xid++, words[] = {xid, 3, 1, RDMA2_MSG, 0, 0, 0, 0, 0, xid, 0};
    struct event event;
    if (!send_words(peer, words, 11, 44)) {
        return false;
    }
    enum what what = peer_event(peer, &event, peer_deadline(peer));
    struct rpcrdma2_err_vers range = event.header.error.rpcrdma2_error_u.rdma_vrange;
    bool ok = demand(what == GOT_ERROR && event.xid == xid && event.header.error.rdma_err == RDMA2_ERR_VERS,
                     "no err-vers") &&
              demand(range.rdma_vers_low == VERSION && range.rdma_vers_high == VERSION, "versions %u to %u, not 2 to 2",
                     range.rdma_vers_low, range.rdma_vers_high);
    event_free(&event);
    return ok && goes_on(peer);
}

static bool first_props(struct peer *peer, uint32_t xid, uint32_t length_word) {
    uint32_t words[] = {xid, VERSION, 0, RDMA2_CONNPROP, 0, 1, RDMA2_PROPID_RBSIZ, length_word, DEFAULT_INLINE};
    return send_words(peer, words, 9, 36);
}

/* The error that a set deserves; the server's own properties may come before. */
static bool await_props_error(struct peer *peer) {
    return await_any_error(peer, 0x0bad, RDMA2_ERR_BAD_PROPVAL, NULL, true);
}

/* A set that is wrong, and then one that is right (C20). */
static bool run_bad_propval(struct peer *peer) {
    return first_props(peer, 0x0bad, 3) && await_props_error(peer) &&
           first_props(peer, 0x600d, 4) &&
           demand(props_await(peer, peer_deadline(peer)), "no properties after the set was corrected") && goes_on(peer);
}

static bool run_bad_propval_length(struct peer *peer) {
    return first_props(peer, 0x0bad, 4000) && await_props_error(peer) &&
           first_props(peer, 0x600d, 4) &&
           demand(props_await(peer, peer_deadline(peer)), "no properties after the set was corrected") && goes_on(peer);
}

/* The first message is a call: all properties have their defaults (C55). */
static bool run_no_props(struct peer *peer) {
    struct call call = {.proc = PROC_NULL};
    bool ok = call_perform(peer, &call);
    return demand(ok && call.what == GOT_REPLY, "no reply");
}

/* What is not answered: too short, a reply to no call, an error (C18, V 7). */
static bool run_silence(struct peer *peer) {
    uint32_t xid = peer->next_xid++, words[] = {xid, VERSION, 0, RDMA2_MSG};
    struct header header = call_header(peer, RDMA2_MSG, RDMA2_F_RESPONSE);
    unsigned char payload[REPLY_HEADER] = {0};
    put_word(payload, xid_of(&header));
    put_word(payload + 4, 1);
    return send_words(peer, words, 3, 12) && send_words(peer, words, 4, 16) &&
           demand(peer_send_header(peer, &header, payload, sizeof payload, 0), "it could not be sent") &&
           demand(peer_send_error(peer, xid, RDMA2_ERR_BAD_XDR, 0, 0), "it could not be sent") && await_nothing(peer) &&
           goes_on(peer);
}

static bool run_reserved_flags(struct peer *peer) {
    struct header header = call_header(peer, RDMA2_MSG, 0xfffffff0); /* a receiver ignores them (V 6.2.2) */
    struct event event;
    if (!send_null(peer, &header)) {
        return false;
    }
    bool ok = demand(peer_event(peer, &event, peer_deadline(peer)) == GOT_REPLY, "no reply");
    event_free(&event);
    return ok && goes_on(peer);
}

static bool run_garbage_args(struct peer *peer) {
    struct header header = call_header(peer, RDMA2_MSG, 0);
    unsigned char payload[CALL_HEADER + 4];
    struct event event;
    build_call(payload, xid_of(&header), PROC_ECHO);
    put_word(payload + CALL_HEADER, SMALL); /* and nothing behind it (V 7.2) */
    if (!demand(peer_send_header(peer, &header, payload, sizeof payload, 0), "it could not be sent")) {
        return false;
    }
    enum what what = peer_event(peer, &event, peer_deadline(peer));
    bool ok = demand(what == GOT_REPLY && event.length == REPLY_HEADER && word(event.payload + 20) == 4,
                     "no GARBAGE_ARGS");
    event_free(&event);
    return ok && goes_on(peer);
}

const struct test error_tests[] = {
    {.name = "bad-xdr", .demands = "a list's presence is 2", .run = run_bad_xdr},
    {.name = "bad-xdr-count", .demands = "a segment count beyond the message", .run = run_bad_xdr_count},
    {.name = "bad-xdr-short", .demands = "the lists are cut off", .run = run_bad_xdr_short},
    {.name = "bad-xdr-xid", .demands = "the payload has another XID", .run = run_bad_xdr_xid},
    {.name = "bad-xdr-type", .demands = "the payload is a reply, RESPONSE is clear", .run = run_bad_xdr_type},
    {.name = "bad-xdr-position", .demands = "a position that is no multiple of 4", .run = run_bad_xdr_position},
    {.name = "bad-xdr-empty", .demands = "RDMA2_NOMSG without lists, but with an XID", .run = run_bad_xdr_empty},
    {.name = "inval-htype", .demands = "header type 99", .run = run_inval_htype},
    {.name = "inval-htype-tpmore", .demands = "TPMORE on RDMA2_MSG", .run = run_inval_htype_tpmore},
    {.name = "inval-htype-props", .demands = "CONNPROP after the final one", .run = run_inval_htype_props},
    {.name = "inval-cont", .demands = "MORE on RDMA2_NOMSG", .run = run_inval_cont},
    {.name = "inval-cont-chunks", .demands = "MORE with a write list; the rest is dropped",
     .run = run_inval_cont_chunks},
    {.name = "inval-cont-interleaved", .demands = "one error for each XID", .run = run_inval_cont_interleaved},
    {.name = "cont-refresh", .demands = "a refresh between fragments is no harm", .run = run_cont_refresh},
    {.name = "segments", .demands = "one more than RCSIZ", .run = run_segments},
    {.name = "read-chunks", .demands = "12 read chunks", .run = run_read_chunks},
    {.name = "write-chunks", .demands = "300 empty write chunks", .run = run_write_chunks},
    {.name = "write-resource", .demands = "a write chunk of 64 for 3001 octets", .run = run_write_resource},
    {.name = "reply-resource", .demands = "2000000 octets, too long to be continued", .run = run_reply_resource},
    {.name = "err-vers", .demands = "version 3, answered in 28 octets", .run = run_err_vers},
    {.name = "bad-propval", .demands = "RBSIZ of 3 octets, then a good one", .run = run_bad_propval, .own_start = true},
    {.name = "bad-propval-length", .demands = "a property longer than its message", .run = run_bad_propval_length,
     .own_start = true},
    {.name = "no-props", .demands = "a call as the first message", .run = run_no_props, .own_start = true},
    {.name = "silence", .demands = "no answer to what deserves none", .run = run_silence},
    {.name = "reserved-flags", .demands = "they are ignored", .run = run_reserved_flags},
    {.name = "garbage-args", .demands = "accept_stat 4", .run = run_garbage_args},
    {.name = "retry-write-resource", .demands = "and the call again, with what it takes",
     .run = run_retry_write_resource},
    {.name = "retry-reply-resource", .demands = "the same", .run = run_retry_reply_resource},
    {.name = "retry-segments", .demands = "the same, with one segment", .run = run_retry_segments},
    {.name = NULL},
};
