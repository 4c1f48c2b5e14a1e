// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0

/* Making calls of ECHO and NULL in every format, and judging their replies. */
#include "peer.h"
#include <stdlib.h>
#include <string.h>

enum { REMOTE = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_WRITE, MAX_CALLS = 64 };

/* Octets that are different for every seed and position, so that nothing can pass for something else. */
void fill(unsigned char *octets, size_t length, uint32_t seed) {
    uint32_t state = seed * 2654435761u + 1;
    for (size_t i = 0; i < length; i++) {
        state = state * 1664525u + 1013904223u;
        octets[i] = (unsigned char) (state >> 24);
    }
}

/* The RPC header, with AUTH_NONE. */
size_t build_call(unsigned char *octets, uint32_t xid, uint32_t proc) {
    memset(octets, 0, CALL_HEADER);
    put_word(octets, xid);
    put_word(octets + 8, 2);
    put_word(octets + 12, PROGRAM);
    put_word(octets + 16, PROGRAM_VERSION);
    put_word(octets + 20, proc);
    return CALL_HEADER;
}

static struct rpcrdma2_segment piece(const struct region *region, uint32_t at, uint32_t length) {
    return (struct rpcrdma2_segment){region->mr->rkey, length, (uintptr_t) region->octets + at};
}

/* The octets of a piece; segments are neither more than the caller wants nor longer than the peer takes (C60). */
static uint32_t piece_length(const struct peer *peer, const struct call *call, uint32_t length) {
    uint32_t pieces = call->pieces == 0 ? 1 : call->pieces, part = (length + pieces - 1) / pieces;
    if (part > peer->theirs.rssiz && peer->theirs.rssiz > 0) {
        part = peer->theirs.rssiz;
    }
    return part == 0 ? 1 : part;
}

static void add_pieces(const struct peer *peer, const struct call *call, struct rpcrdma2_write_chunk *chunk,
                       const struct region *region, uint32_t length) {
    uint32_t part = piece_length(peer, call, length);
    for (uint32_t at = 0; at < length; at += part) {
        chunk_add(chunk, piece(region, at, length - at < part ? length - at : part));
    }
}

static bool register_all(struct peer *peer, struct call *call, size_t payload_length) {
    struct link *link = &peer->link;
    struct rpcrdma2_chunk_lists *lists = &call->lists;
    uint32_t largest = 0, length = call->argument == ARGUMENT_SPECIAL ? (uint32_t) payload_length : call->length;
    if (call->argument != ARGUMENT_INLINE) {
        if (!region_open(link, &call->arguments, length, REMOTE)) {
            return false;
        }
        uint32_t part = piece_length(peer, call, length);
        uint32_t position = call->argument == ARGUMENT_SPECIAL ? 0 : ECHO_POSITION;
        for (uint32_t at = 0; at < length; at += part) {
            lists_add_read(lists, position, piece(&call->arguments, at, length - at < part ? length - at : part));
        }
        largest = length;
        lists->rdma_inv_handle = call->arguments.mr->rkey;
    }
    if (call->write_chunk > 0) {
        if (!region_open(link, &call->results, call->write_chunk, REMOTE)) {
            return false;
        }
        add_pieces(peer, call, lists_add_write(lists), &call->results, call->write_chunk);
        if (call->write_chunk > largest) {
            largest = call->write_chunk;
            lists->rdma_inv_handle = call->results.mr->rkey;
        }
    }
    if (call->reply_chunk > 0) {
        if (!region_open(link, &call->reply, call->reply_chunk, REMOTE)) {
            return false;
        }
        add_pieces(peer, call, lists_add_reply(lists), &call->reply, call->reply_chunk);
        if (call->reply_chunk > largest) {
            lists->rdma_inv_handle = call->reply.mr->rkey;
        }
    }
    if (!call->nominate) {
        lists->rdma_inv_handle = 0;
    }
    return true;
}

/* Sends the call. call_finish and call_free follow. */
bool call_start(struct peer *peer, struct call *call) {
    size_t padded = call->proc == PROC_ECHO ? 4 + xdr_size(call->length) : call->proc == PROC_REVERSE ? 8 : 0;
    call->xid = call->xid == 0 ? peer->next_xid++ : call->xid;
    call->payload = calloc(1, CALL_HEADER + padded);
    call->what = NOTHING;
    if (call->payload == NULL) {
        return false;
    }
    size_t whole = build_call(call->payload, call->xid, call->proc) + padded, length = whole;
    if (call->proc == PROC_ECHO) {
        put_word(call->payload + CALL_HEADER, call->length);
        fill(call->payload + ECHO_POSITION, call->length, call->xid);
    } else if (call->proc == PROC_REVERSE) {
        put_word(call->payload + CALL_HEADER, call->words[0]);
        put_word(call->payload + CALL_HEADER + 4, call->words[1]);
    }
    if (!register_all(peer, call, whole)) {
        return false;
    }
    if (call->argument == ARGUMENT_SPECIAL) {
        memcpy(call->arguments.octets, call->payload, whole);
    } else if (call->argument == ARGUMENT_READ_CHUNK) {
        memcpy(call->arguments.octets, call->payload + ECHO_POSITION, call->length);
        length = ECHO_POSITION; /* the argument is the last item, and its padding goes with it (V 4.3.4.4) */
    }
    /* A new call leaves the credits alone that calls of the peer came with (C46). */
    if (!peer_await_credits(peer, peer->ledger.held + 1)) {
        return false;
    }
    peer->ledger.own++;
    return peer_send_rpc(peer, call->xid, false, &call->lists,
                         call->argument == ARGUMENT_SPECIAL ? NULL : call->payload, length, 0);
}

void call_free(struct call *call) {
    region_close(&call->arguments);
    region_close(&call->results);
    region_close(&call->reply);
    lists_free(&call->lists);
    free(call->payload);
    call->payload = NULL;
}

/* A returned chunk: the segments of the call with lengths that were used (V 4.3.6). Returns the sum, or UINT64_MAX. */
static uint64_t returned(const struct rpcrdma2_write_chunk *offered, const struct rpcrdma2_write_chunk *chunk) {
    uint64_t sum = 0;
    bool partly = false;
    if (chunk->rdma_target.rdma_target_len != offered->rdma_target.rdma_target_len) {
        return UINT64_MAX;
    }
    for (u_int i = 0; i < chunk->rdma_target.rdma_target_len; i++) {
        const struct rpcrdma2_segment *was = &offered->rdma_target.rdma_target_val[i];
        const struct rpcrdma2_segment *is = &chunk->rdma_target.rdma_target_val[i];
        if (was->rdma_handle != is->rdma_handle || was->rdma_offset != is->rdma_offset ||
            is->rdma_length > was->rdma_length || (partly && is->rdma_length > 0)) {
            return UINT64_MAX; /* not contiguous, too */
        }
        partly = partly || is->rdma_length < was->rdma_length;
        sum += is->rdma_length;
    }
    return sum;
}

static bool bad_reply(struct peer *peer, struct call *call, const char *what) {
    note("reply to %08x: %s", call->xid, what);
    peer_violation(peer, what);
    return false;
}

static bool judge_results(struct peer *peer, struct call *call, const struct rpcrdma2_chunk_lists *lists,
                          const unsigned char *octets, size_t length) {
    if (length < REPLY_HEADER || word(octets) != call->xid || word(octets + 4) != 1 || word(octets + 8) != 0 ||
        word(octets + 16) != 0) {
        return bad_reply(peer, call, "not an accepted reply");
    }
    call->accept = word(octets + 20);
    if (call->accept != 0) {
        return true;
    }
    if (call->proc == PROC_REVERSE && length == REPLY_HEADER + 8) {
        call->words[0] = word(octets + REPLY_HEADER);
        call->words[1] = word(octets + REPLY_HEADER + 4);
        return true;
    }
    if (call->proc != PROC_ECHO) {
        return length == REPLY_HEADER || bad_reply(peer, call, "NULL has no results");
    }
    const unsigned char *expected = call->payload + ECHO_POSITION, *results = octets + REPLY_HEADER + 4;
    size_t inlined = length - REPLY_HEADER - 4;
    if (length < REPLY_HEADER + 4 || word(octets + REPLY_HEADER) != call->length) {
        return bad_reply(peer, call, "another count than that of the argument");
    }
    if (call->write_chunk > 0) {
        if (lists->rdma_writes == NULL || lists->rdma_writes->rdma_next != NULL ||
            returned(&call->lists.rdma_writes->rdma_entry, &lists->rdma_writes->rdma_entry) != call->length) {
            return bad_reply(peer, call, "the write chunk that was returned does not fit");
        }
        results = call->results.octets;
        inlined += xdr_size(call->length);
    } else if (lists->rdma_writes != NULL) {
        return bad_reply(peer, call, "a write chunk that was not offered");
    }
    if (inlined != xdr_size(call->length) || memcmp(results, expected, call->length) != 0) {
        return bad_reply(peer, call, "other octets than those of the argument");
    }
    return true;
}

static bool judge(struct peer *peer, struct call *call, const struct event *event) {
    const struct rpcrdma2_chunk_lists *lists = &event->header.lists;
    const unsigned char *octets = event->payload;
    size_t length = event->length;
    call->special_reply = event->header.prefix.rdma_start.rdma_htype == RDMA2_NOMSG;
    if (lists->rdma_reads != NULL) {
        return bad_reply(peer, call, "a reply with a read list");
    }
    if (call->special_reply) {
        uint64_t used = lists->rdma_reply == NULL || call->lists.rdma_reply == NULL
                            ? UINT64_MAX
                            : returned(call->lists.rdma_reply, lists->rdma_reply);
        if (used > call->reply_chunk) {
            return bad_reply(peer, call, "the reply chunk that was returned does not fit");
        }
        octets = call->reply.octets;
        length = used;
    }
    return judge_results(peer, call, lists, octets, length);
}

/* What came for the call; false if it is not for it, or defective. */
bool call_finish(struct peer *peer, struct call *call, struct event *event) {
    call->what = event->what;
    if (event->what == GOT_ERROR) {
        const struct rpcrdma2_error *error = &event->header.error;
        call->error = error->rdma_err;
        if (call->error == RDMA2_ERR_WRITE_RESOURCE || call->error == RDMA2_ERR_VERS) {
            call->value = error->rpcrdma2_error_u.rdma_writeres.rdma_chunk_index;
            call->second = error->rpcrdma2_error_u.rdma_writeres.rdma_length_needed;
        } else {
            call->value = error->rpcrdma2_error_u.rdma_max_chunks;
        }
        return true;
    }
    return judge(peer, call, event);
}

/* Until all calls are answered, serving the peer's calls meanwhile. */
bool call_await(struct peer *peer, struct call *calls, unsigned count) {
    int64_t deadline = peer_deadline(peer);
    bool ok = true;
    for (unsigned left = count; left > 0;) {
        struct event event;
        enum what what = peer_event(peer, &event, deadline);
        if (what == OVER || what == TIMEOUT) {
            for (unsigned i = 0; i < count; i++) {
                calls[i].what = calls[i].what == NOTHING ? what : calls[i].what;
            }
            return false;
        }
        bool known = what == GOT_CALL || what == GOT_PROPS;
        if (what == GOT_CALL) {
            ok = serve_call(peer, &event) && ok;
        }
        for (unsigned i = 0; i < count && !known; i++) {
            if (calls[i].xid == event.xid && calls[i].what == NOTHING) {
                known = true;
                ok = call_finish(peer, &calls[i], &event) && ok;
                left--;
            }
        }
        if (!known) {
            note("an answer for no call, xid %08x", event.xid);
        }
        event_free(&event);
    }
    return ok;
}

/* One call from beginning to end. The outcome is in it. */
bool call_perform(struct peer *peer, struct call *call) {
    bool ok = call_start(peer, call) && call_await(peer, call, 1);
    if (call->what == NOTHING) {
        call->what = peer->link.over ? OVER : TIMEOUT;
    }
    struct call outcome = *call;
    call_free(&outcome);
    call->arguments = call->results = call->reply = (struct region){0};
    call->lists = (struct rpcrdma2_chunk_lists){0};
    call->payload = NULL;
    return ok;
}
