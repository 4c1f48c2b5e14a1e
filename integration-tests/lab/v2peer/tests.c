// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0

/* The client's tests of formats and properties, and what runs them. */
#include "peer.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { LONG = 20000, LARGE = 300000, BOTH = 48, CALLS = 8, MANY = 40, REASON = 200 };

static char reason[REASON];

/* Keeps the first reason for a failure. */
bool demand(bool ok, const char *format, ...) {
    if (!ok && reason[0] == '\0') {
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(reason, sizeof reason, format, arguments);
        va_end(arguments);
    }
    return ok;
}

static const char *what_name(const struct call *call) {
    return call->what == GOT_ERROR    ? error_name(call->error)
           : call->what == GOT_REPLY   ? "a reply"
           : call->what == OVER    ? "the end of the connection"
           : call->what == TIMEOUT ? "nothing in time"
                                   : "nothing";
}

bool succeed(struct peer *peer, struct call *call) {
    bool ok = call_perform(peer, call);
    return demand(call->what == GOT_REPLY, "%s instead of a reply", what_name(call)) &&
           demand(ok, "a defective reply") &&
           demand(call->accept == 0, "accept_stat %u", call->accept);
}

static bool echo(struct peer *peer, struct call call) {
    call.proc = PROC_ECHO;
    call.nominate = true;
    return succeed(peer, &call);
}

static bool run_null(struct peer *peer) {
    struct call call = {.proc = PROC_NULL};
    return succeed(peer, &call);
}

static bool run_inline(struct peer *peer) {
    struct call empty = {.proc = PROC_ECHO};
    return echo(peer, (struct call){.length = 500}) && echo(peer, (struct call){.length = 7}) && succeed(peer, &empty);
}

static bool run_continued(struct peer *peer) {
    uint32_t sent = peer->fragments_sent, received = peer->fragments_received;
    return echo(peer, (struct call){.length = LONG + 1}) &&
           demand(peer->fragments_sent > sent, "the call was not continued") &&
           demand(peer->fragments_received > received, "the reply was not continued");
}

static bool run_continued_many(struct peer *peer) {
    for (int i = 0; i < CALLS; i++) {
        if (!echo(peer, (struct call){.length = (uint32_t) (LONG * (i + 1))})) {
            return false;
        }
    }
    return true;
}

static bool run_special(struct peer *peer) {
    return echo(peer, (struct call){.length = LONG, .argument = ARGUMENT_SPECIAL, .pieces = 3}) &&
           echo(peer, (struct call){.length = 10, .argument = ARGUMENT_SPECIAL});
}

static bool run_special_both(struct peer *peer) {
    struct call call = {.proc = PROC_ECHO, .length = LARGE, .argument = ARGUMENT_SPECIAL, .nominate = true};
    call.reply_chunk = LARGE + BOTH;
    return succeed(peer, &call) && demand(call.special_reply, "the reply chunk was not used");
}

static bool run_read_chunk(struct peer *peer) {
    return echo(peer, (struct call){.length = LONG + 3, .argument = ARGUMENT_READ_CHUNK}) &&
           echo(peer, (struct call){.length = 5, .argument = ARGUMENT_READ_CHUNK}) &&
           echo(peer, (struct call){.length = 3001, .argument = ARGUMENT_READ_CHUNK, .pieces = 4});
}

static bool run_write_chunk(struct peer *peer) {
    return echo(peer, (struct call){.length = 3000, .write_chunk = 3000}) &&
           echo(peer, (struct call){.length = 9, .write_chunk = LONG, .pieces = 4}) &&
           echo(peer, (struct call){.length = 3001, .write_chunk = LONG, .pieces = 11});
}

static bool run_both_chunks(struct peer *peer) {
    struct call call = {.length = LARGE + 2, .argument = ARGUMENT_READ_CHUNK, .write_chunk = LARGE + 2, .pieces = 3};
    return echo(peer, call);
}

static bool run_reply_chunk(struct peer *peer) {
    struct call call = {.proc = PROC_ECHO, .length = LONG, .argument = ARGUMENT_READ_CHUNK, .nominate = true};
    call.reply_chunk = LONG + BOTH;
    call.pieces = 3;
    return succeed(peer, &call) && demand(call.special_reply, "the reply chunk was not used (V 4.4.3)") &&
           echo(peer, (struct call){.length = 20, .reply_chunk = LONG});
}

static bool run_continued_chunks(struct peer *peer) {
    return echo(peer, (struct call){.length = LONG, .write_chunk = LONG});
}

static bool run_pipelined(struct peer *peer) {
    struct call calls[CALLS];
    memset(calls, 0, sizeof calls);
    bool ok = true;
    unsigned started = 0;
    uint32_t window = peer->ledger.highest == 0 ? 1 : peer->ledger.highest; /* calls in flight at most (C47) */
    for (int round = 0; ok && round < 3; round++) {
        for (started = 0; ok && started < CALLS && started < window && started < peer->options->own_calls; started++) {
            calls[started] = (struct call){.proc = PROC_ECHO, .length = 50 + 900 * started};
            ok = demand(call_start(peer, &calls[started]), "call %u could not be sent", started);
        }
        ok = ok && demand(call_await(peer, calls, started), "not all of %u calls were answered", started);
        for (unsigned i = 0; i < started; i++) {
            ok = ok && demand(calls[i].what == GOT_REPLY, "%s instead of a reply", what_name(&calls[i]));
            call_free(&calls[i]);
        }
    }
    return ok;
}

static bool run_many(struct peer *peer) {
    for (int i = 0; i < MANY; i++) {
        if (!run_null(peer)) {
            return false;
        }
    }
    return true;
}

static void three(struct options *options) {
    options->props_messages = 3;
}

static void large(struct options *options) {
    options->hostauth = 5000;
}

static void one_credit(struct options *options) {
    options->credits = 2;
    options->own_calls = 1;
}

static void tiny(struct options *options) {
    options->inline_octets = 1024;
}

static void small_pieces(struct options *options) {
    options->split = 100;
}

const struct test format_tests[] = {
    {.name = "null", .demands = "NULL is answered", .run = run_null},
    {.name = "many", .demands = "40 calls one after the other", .run = run_many},
    {.name = "pipelined", .demands = "up to 8 calls in flight", .run = run_pipelined},
    {.name = "echo-inline", .demands = "0, 7 and 500 octets, nothing but one Send each", .run = run_inline},
    {.name = "echo-continued", .demands = "20001 octets both ways by continuation", .run = run_continued},
    {.name = "echo-continued-split", .demands = "the same in fragments of 100", .run = run_continued,
     .prepare = small_pieces},
    {.name = "echo-continued-few", .demands = "the same with 2 credits granted", .run = run_continued,
     .prepare = one_credit},
    {.name = "echo-continued-small", .demands = "the same with an inline threshold of 1024", .run = run_continued,
     .prepare = tiny},
    {.name = "echo-continued-many", .demands = "20000 to 160000 octets by continuation", .run = run_continued_many},
    {.name = "echo-special", .demands = "position zero read chunk", .run = run_special},
    {.name = "echo-special-both", .demands = "and a reply chunk, which must be used", .run = run_special_both},
    {.name = "echo-read-chunk", .demands = "the argument in a read chunk of 1 and 4 segments", .run = run_read_chunk},
    {.name = "echo-write-chunk", .demands = "the result in a write chunk of 1, 4 and 11", .run = run_write_chunk},
    {.name = "echo-both-chunks", .demands = "300002 octets through both", .run = run_both_chunks},
    {.name = "echo-continued-chunk", .demands = "continued call, the result in a write chunk",
     .run = run_continued_chunks},
    {.name = "echo-reply-chunk", .demands = "a reply that needs the reply chunk is in it", .run = run_reply_chunk},
    {.name = "props-1", .demands = "properties in one message", .run = run_null},
    {.name = "props-3", .demands = "in three, by TPMORE", .run = run_null, .prepare = three},
    {.name = "props-more", .demands = "in one of 5000 octets, by MORE", .run = run_null, .prepare = large},
    {.name = NULL},
};

static void run_one(const struct options *common, const struct test *test) {
    struct options options = *common;
    struct peer peer;
    if (test->prepare != NULL) {
        test->prepare(&options);
    }
    int before = failures();
    reason[0] = '\0';
    peer_open(&peer, &options, false);
    int64_t deadline = peer_deadline(&peer);
    size_t slot = options.inline_octets > DEFAULT_INLINE ? options.inline_octets : DEFAULT_INLINE;
    bool ok = demand(link_connect(&peer.link, options.address, options.port, slot,
                                  options.credits + options.own_calls + 2, deadline),
                     "no connection");
    if (ok && !test->own_start) {
        ok = demand(props_send(&peer), "the properties could not be sent") &&
             demand(props_await(&peer, deadline), "no properties came");
    }
    ok = ok && demand(test->run(&peer), "failed");
    ok = demand(failures() == before, "see above") && ok;
    peer_close(&peer);
    if (ok) {
        result_ok("%s", test->name);
    } else {
        result_fail("%s: %s", test->name, reason);
    }
}

static const struct {
    const char *name;
    const struct test *tests;
} groups[] = {{"formats", format_tests}, {"reverse", reverse_tests}, {"levels", level_tests}, {"errors", error_tests},
              {"scripted", script_tests}};

enum { GROUPS = sizeof groups / sizeof *groups };

void list_tests(void (*print)(const char *name, const char *demands)) {
    for (int i = 0; i < GROUPS; i++) {
        print(groups[i].name, NULL);
        for (const struct test *test = groups[i].tests; test->name != NULL; test++) {
            print(test->name, test->demands);
        }
    }
}

/* Runs what a name stands for: a test, a group of tests, or "all". */
static bool run_named(const struct options *options, const char *name) {
    bool found = false, all = strcmp(name, "all") == 0;
    for (int i = 0; i < GROUPS; i++) {
        bool group = (all && groups[i].tests != script_tests) || strcmp(groups[i].name, name) == 0;
        found = found || group;
        for (const struct test *test = groups[i].tests; test->name != NULL; test++) {
            if (strcmp(test->name, name) == 0 || group) {
                found = true;
                run_one(options, test);
            }
        }
    }
    return found;
}

/* Each test has a connection of its own. */
int run_tests(const struct options *options, char **names, int count) {
    for (int i = 0; i < count; i++) {
        if (!run_named(options, names[i])) {
            result_fail("%s: no such test", names[i]);
        }
    }
    return failures() > 0;
}
