// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0

/* What a requester does about an error: the call again, with the same XID, within what the error says (V 7.3, C59). */
#include "peer.h"

enum { LONG = 30000, BIG = 2000000, SMALL = 64, PIECES_MORE = 4 };

/* Changes a call that was refused; false if the error is a permanent one. */
static bool reconsider(struct call *call) {
    uint32_t pieces = call->value == 0 ? 0 : 1;
    switch (call->error) {
    case RDMA2_ERR_READ_CHUNKS:
        call->argument = ARGUMENT_INLINE; /* by continuation */
        return true;
    case RDMA2_ERR_WRITE_CHUNKS:
        call->write_chunk = 0;
        return true;
    case RDMA2_ERR_SEGMENTS:
        call->pieces = pieces;
        if (pieces == 0) {
            call->argument = ARGUMENT_INLINE;
            call->write_chunk = call->reply_chunk = 0;
        }
        return true;
    case RDMA2_ERR_WRITE_RESOURCE:
        call->write_chunk = call->value <= 1 ? call->second : 0;
        return call->write_chunk > 0 && call->write_chunk <= BIG;
    case RDMA2_ERR_REPLY_RESOURCE:
        call->reply_chunk = call->value;
        return call->reply_chunk > 0 && call->reply_chunk <= 2 * BIG;
    default:
        return false;
    }
}

/* The first attempt has to fail with the error, or with any if it is 0, and the second to succeed. */
static bool retry(struct peer *peer, struct call call, uint32_t code) {
    call.proc = PROC_ECHO;
    call.nominate = true;
    call_perform(peer, &call);
    return demand(call.what == GOT_ERROR, "the first call was not refused") &&
           demand(code == 0 || call.error == code, "%s and not %s", error_name(call.error), error_name(code)) &&
           demand(reconsider(&call), "%s %u %u: nothing to be done", error_name(call.error), call.value, call.second) &&
           succeed(peer, &call);
}

bool run_retry_write_resource(struct peer *peer) {
    return retry(peer, (struct call){.length = LONG + 1, .write_chunk = SMALL}, RDMA2_ERR_WRITE_RESOURCE);
}

bool run_retry_reply_resource(struct peer *peer) {
    struct call call = {.length = BIG, .argument = ARGUMENT_READ_CHUNK, .reply_chunk = SMALL};
    return retry(peer, call, RDMA2_ERR_REPLY_RESOURCE);
}

bool run_retry_segments(struct peer *peer) {
    struct call call = {.length = LONG, .write_chunk = LONG, .pieces = peer->theirs.rcsiz + PIECES_MORE};
    return demand(call.pieces < SMALL, "its limit of %u segments is too high for this test", peer->theirs.rcsiz) &&
           retry(peer, call, RDMA2_ERR_SEGMENTS);
}

/* With a server that answers so to the first call. */
bool run_retry(struct peer *peer) {
    struct call call = {.length = LONG, .argument = ARGUMENT_READ_CHUNK, .write_chunk = LONG, .pieces = 2};
    return retry(peer, call, 0);
}
