// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0

/* Serving calls: arguments out of read chunks, results into write and reply chunks (V 4.3 to 4.4.3, 6.4). */
#include "peer.h"
#include <stdlib.h>
#include <string.h>

enum { RPC_VERSION = 2, MAX_AUTH = 400 };
static const uint32_t MAX_MESSAGE = 1 << 23;

/* An error to answer with, if it is not 0. */
struct trouble {
    uint32_t code, first, second;
};

/* The call as it was before its reduction, and what is to be answered. */
struct serving {
    struct peer *peer;
    struct event *event;
    unsigned char *call;
    size_t length;
    uint32_t chunk_position, chunk_length, chunks;   /* of the read chunks with a position other than 0 */
    unsigned char *results;                          /* of ECHO, in the call */
    uint32_t result_length;
    unsigned char reply[64];
    size_t reply_length;
    bool echo, over;
};

static uint64_t position_length(const struct rpcrdma2_chunk_lists *lists, uint32_t position) {
    uint64_t length = 0;
    for (struct rpcrdma2_read_list *read = lists->rdma_reads; read != NULL; read = read->rdma_next) {
        length += read->rdma_entry.rdma_position == position ? read->rdma_entry.rdma_target.rdma_length : 0;
    }
    return length;
}

/* Reads all segments with a position, in the order of the list. */
static bool read_position(struct serving *serving, uint32_t position, unsigned char *to, uint64_t length) {
    struct link *link = &serving->peer->link;
    struct region region;
    /* On iWARP the sink of a Read is addressed by the peer, as that of a Write. */
    if (!region_open(link, &region, length, IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE)) {
        return false;
    }
    size_t at = 0;
    bool ok = true;
    for (struct rpcrdma2_read_list *read = serving->event->header.lists.rdma_reads; ok && read != NULL;
         read = read->rdma_next) {
        if (read->rdma_entry.rdma_position == position) {
            ok = link_read(link, &region, at, &read->rdma_entry.rdma_target);
            at += read->rdma_entry.rdma_target.rdma_length;
        }
    }
    if (ok) {
        memcpy(to, region.octets, length);
    }
    region_close(&region);
    return ok;
}

/* The smallest position above one; 0 if there is none. */
static uint32_t next_position(const struct rpcrdma2_chunk_lists *lists, uint32_t above) {
    uint32_t next = 0;
    for (struct rpcrdma2_read_list *read = lists->rdma_reads; read != NULL; read = read->rdma_next) {
        uint32_t position = read->rdma_entry.rdma_position;
        if (position > above && (next == 0 || position < next)) {
            next = position;
        }
    }
    return next;
}

/* Puts the chunks back where they were taken from (V 4.3.5). */
static struct trouble gather(struct serving *serving) {
    const struct rpcrdma2_chunk_lists *lists = &serving->event->header.lists;
    uint64_t total = serving->event->length, special = position_length(lists, 0);
    bool nomsg = serving->event->header.prefix.rdma_start.rdma_htype == RDMA2_NOMSG;
    if (nomsg != (special > 0)) {
        return (struct trouble){.code = RDMA2_ERR_BAD_XDR};
    }
    for (struct rpcrdma2_read_list *read = lists->rdma_reads; read != NULL; read = read->rdma_next) {
        total += (uint64_t) read->rdma_entry.rdma_target.rdma_length + 4;
        if (read->rdma_entry.rdma_position % 4 != 0) {
            return (struct trouble){.code = RDMA2_ERR_BAD_XDR};
        }
    }
    if (total > MAX_MESSAGE) {
        return (struct trouble){.code = RDMA2_ERR_SYSTEM};
    }
    unsigned char *payload = nomsg ? malloc(special) : serving->event->payload;
    size_t length = nomsg ? special : serving->event->length, at = 0, taken = 0;
    serving->call = calloc(1, total + 4);
    struct trouble trouble = {0};
    if (payload == NULL || serving->call == NULL || (nomsg && !read_position(serving, 0, payload, special))) {
        serving->over = true;
    }
    for (uint32_t position = 0; !serving->over && (position = next_position(lists, position)) != 0;) {
        if (position < at || position - at > length - taken) {
            trouble.code = RDMA2_ERR_BAD_XDR;
            break;
        }
        memcpy(serving->call + at, payload + taken, position - at);
        taken += position - at;
        at = position;
        serving->chunks++;
        serving->chunk_position = position;
        serving->chunk_length = (uint32_t) position_length(lists, position);
        serving->over = !read_position(serving, position, serving->call + at, serving->chunk_length);
        at += xdr_size(serving->chunk_length);
    }
    if (trouble.code == 0 && !serving->over) {
        memcpy(serving->call + at, payload + taken, length - taken);
        serving->length = at + length - taken;
    }
    if (nomsg) {
        free(payload);
    }
    return trouble;
}

static void answer(struct serving *serving, uint32_t status) {
    unsigned char *reply = serving->reply;
    memset(reply, 0, REPLY_HEADER);
    put_word(reply, serving->event->xid);
    put_word(reply + 4, 1);
    put_word(reply + 20, status);
    serving->reply_length = REPLY_HEADER;
    if (status == PROG_MISMATCH) {
        put_word(reply + 24, PROGRAM_VERSION);
        put_word(reply + 28, PROGRAM_VERSION);
        serving->reply_length += 8;
    }
}

/* Skips credentials or a verifier; 0 if it does not fit. */
static size_t skip_auth(const struct serving *serving, size_t at) {
    if (at == 0 || serving->length - at < 8) {
        return 0;
    }
    uint32_t length = word(serving->call + at + 4);
    at += 8;
    return length > MAX_AUTH || serving->length - at < xdr_size(length) ? 0 : at + xdr_size(length);
}

/* Executes the call. A chunk may be nothing but the argument of ECHO, to the octet (C34, C58). */
static struct trouble execute(struct serving *serving) {
    const unsigned char *call = serving->call;
    struct trouble bad = {.code = RDMA2_ERR_BAD_XDR}, none = {0};
    if (serving->length < 24 || word(call) != serving->event->xid || word(call + 4) != 0) {
        return bad;
    }
    size_t at = skip_auth(serving, skip_auth(serving, 24));
    uint32_t proc = word(call + 20);
    if (word(call + 8) != RPC_VERSION || at == 0) {
        answer(serving, GARBAGE_ARGS);
    } else if (word(call + 12) != PROGRAM) {
        answer(serving, PROG_UNAVAIL);
    } else if (word(call + 16) != PROGRAM_VERSION) {
        answer(serving, PROG_MISMATCH);
    } else if (proc == PROC_NULL) {
        answer(serving, 0);
    } else if (proc == PROC_ECHO) {
        if (serving->length - at < 4 || xdr_size(word(call + at)) != serving->length - at - 4) {
            answer(serving, GARBAGE_ARGS);
            return none;
        }
        uint32_t count = word(call + at);
        if (serving->chunks > 1 || (serving->chunks == 1 && (serving->chunk_position != at + 4 ||
                                                             serving->chunk_length != count))) {
            return bad;
        }
        answer(serving, 0);
        put_word(serving->reply + serving->reply_length, count);
        serving->reply_length += 4;
        serving->echo = true;
        serving->results = serving->call + at + 4;
        serving->result_length = count;
        return none;
    } else if (proc == PROC_REVERSE && serving->peer->server && serving->length - at == 8) {
        uint32_t status, error;
        serving->over = !reverse_call(serving->peer, word(call + at), word(call + at + 4), &status, &error);
        answer(serving, 0);
        put_word(serving->reply + 24, status);
        put_word(serving->reply + 28, error);
        serving->reply_length += 8;
    } else {
        answer(serving, proc == PROC_REVERSE && serving->peer->server ? GARBAGE_ARGS : PROC_UNAVAIL);
    }
    return serving->chunks > 0 ? bad : none;
}

/* Writes octets into a chunk, which becomes what was written: the same segments with the lengths used (V 4.3.6). */
static bool write_chunk(struct serving *serving, struct rpcrdma2_write_chunk *chunk, const unsigned char *octets,
                        uint32_t length) {
    struct link *link = &serving->peer->link;
    struct region region;
    if (!region_open(link, &region, length, IBV_ACCESS_LOCAL_WRITE)) {
        return false;
    }
    memcpy(region.octets, octets, length);
    size_t at = 0;
    bool ok = true;
    for (u_int i = 0; ok && i < chunk->rdma_target.rdma_target_len; i++) {
        struct rpcrdma2_segment *segment = &chunk->rdma_target.rdma_target_val[i];
        uint32_t part = length - at < segment->rdma_length ? (uint32_t) (length - at) : segment->rdma_length;
        ok = link_write(link, &region, at, segment, part);
        segment->rdma_length = part;
        at += part;
    }
    region_close(&region);
    return ok;
}

/* Sends the reply in the format that the chunks of the call leave to choose (V 4.4.3, C13, C14). */
static struct trouble reply(struct serving *serving) {
    struct peer *peer = serving->peer;
    struct rpcrdma2_chunk_lists *offered = &serving->event->header.lists, lists = {0}, only_reply = {0};
    uint32_t invalidate = peer->options->no_invalidate ? 0 : offered->rdma_inv_handle;
    size_t inlined = serving->echo ? xdr_size(serving->result_length) : 0;
    struct trouble trouble = {0};
    lists.rdma_writes = offered->rdma_writes;
    bool reduced = false;
    for (struct rpcrdma2_write_list *write = offered->rdma_writes; write != NULL; write = write->rdma_next) {
        bool use = serving->echo && !reduced && write->rdma_entry.rdma_target.rdma_target_len > 0;
        if (use && chunk_length(&write->rdma_entry) < serving->result_length) {
            return (struct trouble){RDMA2_ERR_WRITE_RESOURCE, 1, serving->result_length};
        }
        if (!write_chunk(serving, &write->rdma_entry, serving->results, use ? serving->result_length : 0)) {
            serving->over = true;
            return trouble;
        }
        reduced = reduced || use;
        inlined = reduced ? 0 : inlined;
    }
    size_t length = serving->reply_length + inlined;
    unsigned char *whole = malloc(length);
    if (whole == NULL) {
        serving->over = true;
        return trouble;
    }
    memcpy(whole, serving->reply, serving->reply_length);
    if (inlined > 0) {
        memset(whole + length - 4, 0, 4);
        memcpy(whole + serving->reply_length, serving->results, serving->result_length);
    }
    struct header header = {.prefix.rdma_start.rdma_htype = RDMA2_MSG, .lists = lists};
    unsigned char *scratch = malloc(peer->link.slot);
    size_t used = scratch == NULL ? 0 : header_encode(&header, scratch, peer->link.slot);
    free(scratch);
    bool fits = used != 0 && used + length <= peer_threshold(peer);
    bool simple_only = !peer->server && peer->options->reverse == RDMA2_RVRSDIR_SIMPLE;
    uint64_t room = offered->rdma_reply == NULL ? 0 : chunk_length(offered->rdma_reply);
    ledger_release(&peer->ledger);
    if (!fits && offered->rdma_reply != NULL && room >= length && !peer->options->no_reply_chunk) {
        only_reply.rdma_writes = offered->rdma_writes;
        only_reply.rdma_reply = offered->rdma_reply;
        serving->over = !write_chunk(serving, only_reply.rdma_reply, whole, (uint32_t) length) ||
                        !peer_send_rpc(peer, serving->event->xid, true, &only_reply, NULL, 0, invalidate);
    } else if (!fits && (simple_only || length > peer->options->max_continued)) {
        trouble = (struct trouble){.code = RDMA2_ERR_REPLY_RESOURCE, .first = (uint32_t) length};
    } else {
        serving->over = !peer_send_rpc(peer, serving->event->xid, true, &lists, whole, length, invalidate);
    }
    free(whole);
    return trouble;
}

/* Answers a call that is held; returns false if the connection is of no use any more. */
bool answer_call(struct peer *peer, struct event *event) {
    struct serving serving = {.peer = peer, .event = event};
    bool held = true;
    if (peer->server && misbehave(peer, event)) {
        ledger_release(&peer->ledger);
        return !peer->link.over;
    }
    struct trouble trouble = gather(&serving);
    if (trouble.code == 0 && !serving.over) {
        trouble = execute(&serving);
    }
    if (trouble.code == 0 && !serving.over) {
        uint32_t before = peer->ledger.held;
        trouble = reply(&serving);
        held = peer->ledger.held == before;
    }
    if (held) {
        ledger_release(&peer->ledger);
    }
    if (trouble.code != 0 && !serving.over) {
        note("answering xid %08x with %s", event->xid, error_name(trouble.code));
        serving.over = !peer_send_error(peer, event->xid, trouble.code, trouble.first, trouble.second);
    }
    free(serving.call);
    peer->served++;
    if (peer->options->lower_to > 0) {
        peer->ledger.base = peer->options->lower_to; /* what is outstanding goes first (C1) */
    }
    return !serving.over && !peer->link.over;
}

/* Answers a call at once. */
bool serve_call(struct peer *peer, struct event *event) {
    peer->ledger.held++;
    return answer_call(peer, event);
}
