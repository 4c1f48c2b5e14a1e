// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0

/* The client's tests of the reverse direction: procedure 2 asks the server for a call, and what came of it. */
#include "peer.h"

enum { LONG = 20000 };
enum { REVERSE_NULL, REVERSE_ECHO, REVERSE_CONTINUED, REVERSE_READ, REVERSE_WRITE, REVERSE_REPLY, REVERSE_SPECIAL };
enum { BEYOND_LEVEL = 0x100, SHORT_ECHO = 100 };

/* The server makes a call in the reverse direction before it answers. */
static bool reverse(struct peer *peer, uint32_t kind, uint32_t length, uint32_t status, uint32_t error) {
    struct call call = {.proc = PROC_REVERSE, .words = {kind, length}};
    return succeed(peer, &call) &&
           demand(call.words[0] == status && call.words[1] == error, "the server saw status %u, error %u (%s)",
                  call.words[0], call.words[1], error_name(call.words[1]));
}

static bool run_reverse_null(struct peer *peer) {
    return reverse(peer, REVERSE_NULL, 0, 0, 0);
}

static bool run_reverse_echo(struct peer *peer) {
    return reverse(peer, REVERSE_ECHO, SHORT_ECHO + 1, 0, 0);
}

static bool run_reverse_continued(struct peer *peer) {
    return reverse(peer, REVERSE_CONTINUED, LONG, 0, 0);
}

static bool run_reverse_chunks(struct peer *peer) {
    return reverse(peer, REVERSE_READ, LONG + 1, 0, 0) && reverse(peer, REVERSE_WRITE, 3001, 0, 0) &&
           reverse(peer, REVERSE_REPLY, LONG, 0, 0) && reverse(peer, REVERSE_SPECIAL, LONG, 0, 0);
}

/* What this side answers to what its level excludes (C33, C62). */
static bool run_reverse_beyond_simple(struct peer *peer) {
    return reverse(peer, REVERSE_CONTINUED | BEYOND_LEVEL, LONG, 1, RDMA2_ERR_INVAL_CONT) &&
           reverse(peer, REVERSE_READ | BEYOND_LEVEL, LONG, 1, RDMA2_ERR_READ_CHUNKS) &&
           reverse(peer, REVERSE_NULL, 0, 0, 0);
}

static bool run_reverse_beyond_cont(struct peer *peer) {
    return reverse(peer, REVERSE_CONTINUED, LONG, 0, 0) &&
           reverse(peer, REVERSE_READ | BEYOND_LEVEL, LONG, 1, RDMA2_ERR_READ_CHUNKS) &&
           reverse(peer, REVERSE_WRITE | BEYOND_LEVEL, SHORT_ECHO, 1, RDMA2_ERR_WRITE_CHUNKS) &&
           reverse(peer, REVERSE_REPLY | BEYOND_LEVEL, SHORT_ECHO, 1, RDMA2_ERR_REPLY_RESOURCE);
}

static bool run_reverse_none(struct peer *peer) {
    return reverse(peer, REVERSE_NULL, 0, 2, 0);
}

static void simple(struct options *options) {
    options->reverse = RDMA2_RVRSDIR_SIMPLE;
}

static void cont(struct options *options) {
    options->reverse = RDMA2_RVRSDIR_CONT;
}

static void none(struct options *options) {
    options->reverse = RDMA2_RVRSDIR_NONE;
}

const struct test reverse_tests[] = {
    {.name = "reverse-null", .demands = "REVERSE makes the server call NULL", .run = run_reverse_null},
    {.name = "reverse-echo", .demands = "101 octets", .run = run_reverse_echo},
    {.name = "reverse-echo-simple", .demands = "the same at level SIMPLE", .run = run_reverse_echo, .prepare = simple},
    {.name = "reverse-continued", .demands = "20000 octets", .run = run_reverse_continued},
    {.name = "reverse-continued-cont", .demands = "the same at level CONT", .run = run_reverse_continued,
     .prepare = cont},
    {.name = "reverse-chunks", .demands = "with every kind of chunk, at level GENL", .run = run_reverse_chunks},
    {.name = "reverse-none", .demands = "no reverse calls without a level", .run = run_reverse_none, .prepare = none},
    {.name = NULL},
};

/* In these the server does what the level excludes. */
const struct test level_tests[] = {
    {.name = "reverse-beyond-simple", .demands = "answers to what SIMPLE excludes", .run = run_reverse_beyond_simple,
     .prepare = simple},
    {.name = "reverse-beyond-cont", .demands = "answers to what CONT excludes", .run = run_reverse_beyond_cont,
     .prepare = cont},
    {.name = NULL},
};
