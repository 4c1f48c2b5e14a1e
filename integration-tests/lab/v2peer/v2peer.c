// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0

/* The command line. */
#include "peer.h"
#include <getopt.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { OK = 0, FAILURE = 1, USAGE = 2, MIN_INLINE = 1024, MAX_INLINE = 1 << 20, MIN_SPLIT = 4, MAX_CREDITS = 1024 };

static const char usage[] =
    "Usage: v2peer --listen PORT [OPTIONS]\n"
    "       v2peer --connect HOST PORT [OPTIONS] TEST...\n"
    "\n"
    "A requester and responder of RPC-over-RDMA version 2 (draft -01) over rdma_cm. Prints \"v2peer: ok ...\" and\n"
    "\"v2peer: fail ...\"; exit status 0 if all went as required, 1 if not, 2 for a wrong command line.\n"
    "\n"
    "Both:\n"
    "  --credits-max N      credits the peer may have for its own calls and fragments (16)\n"
    "  --own-calls N        calls of this side in flight at most (8)\n"
    "  --inline N           SBSIZ and RBSIZ (4096)\n"
    "  --split N            payload octets of a fragment at most, and continue what is longer\n"
    "  --segments N         RCSIZ (16)\n"
    "  --segment-size N     RSSIZ (1048576)\n"
    "  --read-chunks N, --write-chunks N   taken in a call (4)\n"
    "  --max-continued N    octets of a continued message (1048576)\n"
    "  --props N            CONNPROP messages to send (1)\n"
    "  --hostauth N         octets of a HOSTAUTH property; above 512 the set is sent with MORE\n"
    "  --handshake N        host authentication in N tokens of each side, the client's first; calls come afterwards\n"
    "  --secret N           what the tokens prove (1)\n"
    "  --no-invalidate      answer with Send also when a handle is nominated\n"
    "  --no-reply-chunk     continue replies, whatever is offered\n"
    "  --seconds N          of every wait (30)\n"
    "  --verbose            every message, on stderr\n"
    "Server:\n"
    "  --address A          to listen at (any)\n"
    "  --connections N      end after so many (0: never)\n"
    "  --lifetime N         seconds until the listener, or an idle connection, ends (600)\n"
    "  --hold N             calls to be answered together, the last one first\n"
    "  --lower N            credits to go down to after the first call\n"
    "  --reverse KIND:OCTETS,...  calls to make after the first call: null, echo, continued, read-chunk, write-chunk,\n"
    "                       reply-chunk, special\n"
    "  --answer-with HOW    an error's name (err-vers, bad-xdr, bad-propval, inval-htype, inval-cont, read-chunks,\n"
    "                       write-chunks, segments, write-resource, reply-resource, system) or err-vers-v2-layout,\n"
    "                       unknown-error, error-then-reply, wrong-xid, wrong-direction, other-sequence,\n"
    "                       endless-sequence, unknown-htype, reserved-flags, refresh-then-reply, nothing, close\n"
    "  --times N            calls to be answered so on each connection (all)\n"
    "  --error-value N      the number in such an error (1)\n"
    "  --props-with HOW     what the first CONNPROP is answered with: an error's name, err-vers-v2-layout, err-chunk,\n"
    "                       err-chunk-version-1, nothing, close, endless\n"
    "Client:\n"
    "  --reverse-level none|simple|cont|genl   BRS (genl)\n"
    "  --expect-error HOW   what the test expect-error demands: an error's name, reply, timeout, end\n"
    "\n"
    "TEST: all, a group of tests or a test\n";

static void print_test(const char *name, const char *demands) {
    if (demands == NULL) {
        fprintf(stdout, "%s:\n", name);
    } else {
        fprintf(stdout, "  %-24s %s\n", name, demands);
    }
}

static void help(void) {
    fputs(usage, stdout);
    list_tests(print_test);
}

static int wrong(void) {
    fputs("v2peer: --listen PORT, or --connect HOST PORT TEST...; see --help\n", stderr);
    return USAGE;
}

static uint32_t number(const char *option, const char *text, uint32_t least, uint32_t most) {
    char *end;
    unsigned long value = strtoul(text, &end, 0);
    if (*text == '\0' || *end != '\0' || value < least || value > most) {
        fprintf(stderr, "v2peer: %s takes a number from %u to %u\n", option, least, most);
        exit(USAGE);
    }
    return (uint32_t) value;
}

static uint32_t level(const char *text) {
    static const char *const levels[] = {"none", "simple", "cont", "genl"};
    for (uint32_t i = 0; i < 4; i++) {
        if (strcmp(levels[i], text) == 0) {
            return i;
        }
    }
    fprintf(stderr, "v2peer: --reverse-level takes none, simple, cont or genl\n");
    exit(USAGE);
}

enum option_id {
    LISTEN = 256, CONNECT, CREDITS, OWN_CALLS, INLINE, SPLIT, SEGMENTS, SEGMENT_SIZE, READ_CHUNKS, WRITE_CHUNKS,
    MAX_CONTINUED, PROPS_MESSAGES, HOSTAUTH, HANDSHAKE, SECRET, NO_INVALIDATE, NO_REPLY_CHUNK, SECONDS, VERBOSE,
    ADDRESS, CONNECTIONS, LIFETIME, LOWER, HOLD, REVERSE, ANSWER_WITH, TIMES, ERROR_VALUE, PROPS_WITH,
    REVERSE_LEVEL, EXPECT_ERROR, HELP
};

static const struct option long_options[] = {
    {"listen", 1, NULL, LISTEN},
    {"connect", 1, NULL, CONNECT},
    {"credits-max", 1, NULL, CREDITS},
    {"own-calls", 1, NULL, OWN_CALLS},
    {"inline", 1, NULL, INLINE},
    {"split", 1, NULL, SPLIT},
    {"segments", 1, NULL, SEGMENTS},
    {"segment-size", 1, NULL, SEGMENT_SIZE},
    {"read-chunks", 1, NULL, READ_CHUNKS},
    {"write-chunks", 1, NULL, WRITE_CHUNKS},
    {"max-continued", 1, NULL, MAX_CONTINUED},
    {"props", 1, NULL, PROPS_MESSAGES},
    {"hostauth", 1, NULL, HOSTAUTH},
    {"handshake", 1, NULL, HANDSHAKE},
    {"secret", 1, NULL, SECRET},
    {"no-invalidate", 0, NULL, NO_INVALIDATE},
    {"no-reply-chunk", 0, NULL, NO_REPLY_CHUNK},
    {"seconds", 1, NULL, SECONDS},
    {"verbose", 0, NULL, VERBOSE},
    {"address", 1, NULL, ADDRESS},
    {"connections", 1, NULL, CONNECTIONS},
    {"lifetime", 1, NULL, LIFETIME},
    {"lower", 1, NULL, LOWER},
    {"hold", 1, NULL, HOLD},
    {"reverse", 1, NULL, REVERSE},
    {"answer-with", 1, NULL, ANSWER_WITH},
    {"times", 1, NULL, TIMES},
    {"error-value", 1, NULL, ERROR_VALUE},
    {"props-with", 1, NULL, PROPS_WITH},
    {"reverse-level", 1, NULL, REVERSE_LEVEL},
    {"expect-error", 1, NULL, EXPECT_ERROR},
    {"help", 0, NULL, HELP},
    {0},
};

static void common(struct options *options, int id, const char *name, const char *value) {
    switch (id) {
    case CREDITS: options->credits = number(name, value, 1, MAX_CREDITS); break;
    case OWN_CALLS: options->own_calls = number(name, value, 1, MAX_CREDITS); break;
    case INLINE: options->inline_octets = number(name, value, MIN_INLINE, MAX_INLINE); break;
    case SPLIT: options->split = number(name, value, MIN_SPLIT, MAX_INLINE); break;
    case SEGMENTS: options->segments = number(name, value, 0, MAX_CREDITS); break;
    case SEGMENT_SIZE: options->segment_size = number(name, value, 0, UINT_MAX); break;
    case READ_CHUNKS: options->read_chunks = number(name, value, 0, MAX_CREDITS); break;
    case WRITE_CHUNKS: options->write_chunks = number(name, value, 0, MAX_CREDITS); break;
    case MAX_CONTINUED: options->max_continued = number(name, value, MIN_INLINE, 1 << 23); break;
    case PROPS_MESSAGES: options->props_messages = (int) number(name, value, 1, 5); break;
    case HOSTAUTH: options->hostauth = number(name, value, 0, MAX_PROPERTIES / 2); break;
    case HANDSHAKE: options->handshake = number(name, value, 0, MAX_CONNPROPS - 2); break;
    case SECRET: options->secret = number(name, value, 0, UINT_MAX); break;
    case NO_INVALIDATE: options->no_invalidate = true; break;
    case NO_REPLY_CHUNK: options->no_reply_chunk = true; break;
    case SECONDS: options->seconds = (int) number(name, value, 1, 3600); break;
    default: notes = true; break;
    }
}

static void special(struct options *options, int id, const char *name, const char *value) {
    switch (id) {
    case ADDRESS: options->address = value; break;
    case CONNECTIONS: options->connections = (int) number(name, value, 0, MAX_CREDITS); break;
    case LIFETIME: options->lifetime = (int) number(name, value, 1, 86400); break;
    case LOWER: options->lower_to = number(name, value, 1, MAX_CREDITS); break;
    case HOLD: options->hold = number(name, value, 1, 64); break;
    case REVERSE: options->reverse_script = value; break;
    case ANSWER_WITH: options->answer_with = value; break;
    case TIMES: options->answer_times = number(name, value, 0, UINT_MAX); break;
    case ERROR_VALUE: options->error_value = number(name, value, 0, UINT_MAX); break;
    case PROPS_WITH: options->props_with = value; break;
    case REVERSE_LEVEL: options->reverse = level(value); break;
    default: options->expect_error = value; break;
    }
}

int main(int count, char **arguments) {
    struct options options = {.seconds = 30, .lifetime = 600, .credits = 16, .own_calls = 8, .segments = 16,
                              .inline_octets = DEFAULT_INLINE, .segment_size = 1 << 20, .read_chunks = 4,
                              .write_chunks = 4, .max_continued = 1 << 20, .reverse = RDMA2_RVRSDIR_GENL,
                              .props_messages = 1, .answer_times = UINT_MAX, .error_value = 1,
                              .secret = 1};
    int id, index = 0;
    bool connect = false;
    while ((id = getopt_long(count, arguments, "", long_options, &index)) != -1) {
        const char *name = id == '?' ? "" : long_options[index].name;
        switch (id) {
        case LISTEN:
            options.listen = true;
            options.port = (int) number(name, optarg, 1, UINT16_MAX);
            break;
        case CONNECT:
            if (optind >= count) {
                return wrong();
            }
            connect = true;
            options.address = optarg;
            options.port = (int) number("the port", arguments[optind++], 1, UINT16_MAX);
            break;
        case HELP:
            help();
            return OK;
        case '?':
            return USAGE;
        default:
            (id <= VERBOSE ? common : special)(&options, id, name, optarg);
        }
    }
    if (options.listen == connect || (connect && optind == count)) {
        return wrong();
    }
    if (options.listen) {
        return serve(&options) != 0 || failures() > 0 ? FAILURE : OK;
    }
    return run_tests(&options, arguments + optind, count - optind);
}
