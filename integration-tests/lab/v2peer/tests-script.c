// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0

/* The client's tests of a server that follows a script: each needs one that was started so. */
#include "peer.h"
#include <string.h>

enum { SERVE_MILLIS = 3000 };

static const char *outcome(const struct peer *peer, enum what what, uint32_t error) {
    return what == GOT_ERROR ? error_name(error) : what == GOT_REPLY ? "reply" : peer->link.over ? "end" : "timeout";
}

/* CONNPROP and NULL to a server that was told what to answer: --expect-error NAME. */
static bool run_expect_error(struct peer *peer) {
    const char *expected = peer->options->expect_error == NULL ? "reply" : peer->options->expect_error, *came;
    struct call call = {.proc = PROC_NULL};
    if (props_send(peer) && props_await(peer, peer_deadline(peer))) {
        call_perform(peer, &call);
        came = outcome(peer, call.what, call.error);
    } else {
        came = outcome(peer, peer->last_error != 0 ? GOT_ERROR : NOTHING, peer->last_error);
    }
    return demand(strcmp(came, expected) == 0, "%s and not %s", came, expected);
}

/* Serves what a server of its own accord calls in the reverse direction, until it has no more. */
static bool run_serve(struct peer *peer) {
    struct event event;
    enum what what = NOTHING;
    bool ok = goes_on(peer);
    while (ok && what != TIMEOUT && what != OVER) {
        what = peer_event(peer, &event, now_millis() + SERVE_MILLIS);
        ok = what != GOT_CALL || demand(serve_call(peer, &event), "a call could not be answered");
        event_free(&event);
    }
    return ok && demand(peer->served > 0, "no calls came");
}

/* Not among "all". */
const struct test script_tests[] = {
    {.name = "serve", .demands = "NULL, then at least one call in the reverse direction", .run = run_serve},
    {.name = "retry", .demands = "the first call is refused, the second is not", .run = run_retry},
    {.name = "expect-error", .demands = "what --expect-error says is the answer to CONNPROP or NULL",
     .run = run_expect_error, .own_start = true},
    {.name = NULL},
};
