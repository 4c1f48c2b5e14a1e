// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0

/* A server: a thread for each connection, calls in the reverse direction, and misbehaviour by script. */
#include "peer.h"
#include <arpa/inet.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { KIND_NULL, KIND_ECHO, KIND_CONTINUED, KIND_READ_CHUNK, KIND_WRITE_CHUNK, KIND_REPLY_CHUNK, KIND_SPECIAL, KINDS };
enum { IGNORE_LEVEL = 0x100, STATUS_OK = 0, STATUS_FAILED = 1, STATUS_LEVEL = 2 };
enum { UNKNOWN_ERROR = 77, UNKNOWN_HTYPE = 99, MAX_HELD = 64, HOLD_MILLIS = 300 };
static const char *const kinds[] = {"null", "echo", "continued", "read-chunk", "write-chunk", "reply-chunk", "special"};

/* A call of the reverse direction, if the client's level allows it (V 5.2.5) or the kind says not to care. */
bool reverse_call(struct peer *peer, uint32_t kind, uint32_t length, uint32_t *status, uint32_t *error) {
    bool ignore = (kind & IGNORE_LEVEL) != 0;
    kind &= ~(uint32_t) IGNORE_LEVEL;
    uint32_t level = kind <= KIND_ECHO ? RDMA2_RVRSDIR_SIMPLE
                     : kind == KIND_CONTINUED ? RDMA2_RVRSDIR_CONT
                                              : RDMA2_RVRSDIR_GENL;
    *error = 0;
    *status = STATUS_LEVEL;
    if (kind >= KINDS || length > peer->options->max_continued || (!ignore && peer->theirs.brs < level)) {
        return true;
    }
    struct call call = {.proc = kind == KIND_NULL ? PROC_NULL : PROC_ECHO, .length = length, .nominate = true};
    call.argument = kind == KIND_READ_CHUNK ? ARGUMENT_READ_CHUNK
                    : kind == KIND_SPECIAL  ? ARGUMENT_SPECIAL
                                            : ARGUMENT_INLINE;
    call.write_chunk = kind == KIND_WRITE_CHUNK ? length : 0;
    call.reply_chunk = kind == KIND_REPLY_CHUNK ? length + REPLY_HEADER + 8 : 0;
    bool ok = call_perform(peer, &call) && call.what == GOT_REPLY && call.accept == 0;
    *status = ok ? STATUS_OK : STATUS_FAILED;
    *error = call.what == GOT_ERROR ? call.error : 0;
    note("reverse %s of %u octets: %s, error %u", kinds[kind], length, ok ? "ok" : "failed", *error);
    return call.what == GOT_REPLY || call.what == GOT_ERROR;
}

/* "KIND:OCTETS,KIND:OCTETS": the reverse calls to make after the first call. */
static bool run_script(struct peer *peer) {
    char *script = strdup(peer->options->reverse_script), *state = NULL;
    bool ok = script != NULL;
    char *rest = script;
    for (char *part; ok && (part = strtok_r(rest, ",", &state)) != NULL; rest = NULL) {
        char *colon = strchr(part, ':');
        uint32_t kind = 0, length = colon == NULL ? 100 : (uint32_t) strtoul(colon + 1, NULL, 10), status, error;
        if (colon != NULL) {
            *colon = '\0';
        }
        while (kind < KINDS && strcmp(kinds[kind], part) != 0) {
            kind++;
        }
        ok = reverse_call(peer, kind, length, &status, &error);
        if (ok && status == STATUS_OK) {
            result_ok("reverse %s", part);
        } else {
            result_fail("reverse %s: status %u, error %s", part, status, error == 0 ? "none" : error_name(error));
        }
    }
    free(script);
    return ok;
}

static bool raw(struct peer *peer, uint32_t xid, uint32_t htype, uint32_t flags, const unsigned char *payload,
                size_t length) {
    struct header header = {.prefix = {.rdma_start = {xid, VERSION, 0, htype}, .rdma_flags = flags}};
    return peer_send_header(peer, &header, payload, length, 0);
}

static void null_reply(unsigned char *octets, uint32_t xid, uint32_t type) {
    memset(octets, 0, REPLY_HEADER);
    put_word(octets, xid);
    put_word(octets + 4, type);
}

/* Answers a call as the script says; returns false if it says nothing about this one. */
bool misbehave(struct peer *peer, const struct event *event) {
    const struct options *options = peer->options;
    const char *how = options->answer_with;
    uint32_t code, xid = event->xid, value = options->error_value;
    unsigned char reply[REPLY_HEADER];
    if (how == NULL || peer->served >= options->answer_times) {
        return false;
    }
    peer->served++;
    null_reply(reply, xid, 1);
    note("answering xid %08x with %s", xid, how);
    if (strcmp(how, "err-vers") == 0) {
        peer_send_err_vers(peer, xid, VERSION, 1, 1);
    } else if (error_code(how, &code)) {
        peer_send_error(peer, xid, code, code == RDMA2_ERR_WRITE_RESOURCE ? 1 : value, value);
    } else if (strcmp(how, "err-vers-v2-layout") == 0) {
        peer_send_error(peer, xid, RDMA2_ERR_VERS, 1, 1);
    } else if (strcmp(how, "unknown-error") == 0) {
        peer_send_error(peer, xid, UNKNOWN_ERROR, 0, 0);
    } else if (strcmp(how, "error-then-reply") == 0) {
        peer_send_error(peer, xid ^ 0xffff, RDMA2_ERR_BAD_XDR, 0, 0); /* for a call that is not in flight */
        raw(peer, xid, RDMA2_MSG, RDMA2_F_RESPONSE, reply, sizeof reply);
    } else if (strcmp(how, "wrong-xid") == 0) {
        null_reply(reply, xid + 1, 1);
        raw(peer, xid, RDMA2_MSG, RDMA2_F_RESPONSE, reply, sizeof reply);
    } else if (strcmp(how, "wrong-direction") == 0) {
        raw(peer, xid, RDMA2_MSG, 0, reply, sizeof reply);
    } else if (strcmp(how, "other-sequence") == 0) {
        raw(peer, xid, RDMA2_MSG, RDMA2_F_RESPONSE | RDMA2_F_MORE, reply, 8);
        null_reply(reply, xid + 1, 1);
        raw(peer, xid + 1, RDMA2_MSG, RDMA2_F_RESPONSE, reply, sizeof reply);
    } else if (strcmp(how, "endless-sequence") == 0) {
        while (!peer->link.over && raw(peer, xid, RDMA2_MSG, RDMA2_F_RESPONSE | RDMA2_F_MORE, reply, sizeof reply)) {
        }
    } else if (strcmp(how, "unknown-htype") == 0) {
        raw(peer, xid, UNKNOWN_HTYPE, RDMA2_F_RESPONSE, reply, sizeof reply);
    } else if (strcmp(how, "reserved-flags") == 0) {
        raw(peer, xid, RDMA2_MSG, RDMA2_F_RESPONSE | 0xfffffff0, reply, sizeof reply); /* to be ignored (V 6.2.2) */
    } else if (strcmp(how, "refresh-then-reply") == 0) {
        peer_refresh(peer);
        raw(peer, xid, RDMA2_MSG, RDMA2_F_RESPONSE, reply, sizeof reply);
    } else if (strcmp(how, "nothing") == 0) {
    } else if (strcmp(how, "close") == 0) {
        peer->link.over = true;
    } else {
        result_fail("--answer-with=%s is not known", how);
    }
    return true;
}

/* Answers the first CONNPROP as the script says. */
bool misbehave_props(struct peer *peer, uint32_t xid) {
    const char *how = peer->options->props_with;
    uint32_t code;
    if (how == NULL) {
        return false;
    }
    note("answering CONNPROP with %s", how);
    peer->sent_props = true;
    if (strcmp(how, "err-vers") == 0) {
        peer_send_err_vers(peer, xid, VERSION, 1, 1); /* what a server of version 1 does */
    } else if (strcmp(how, "err-vers-v2-layout") == 0) {
        peer_send_error(peer, xid, RDMA2_ERR_VERS, 1, 1);
    } else if (strcmp(how, "err-chunk") == 0 || strcmp(how, "err-chunk-version-1") == 0) {
        unsigned char octets[LEGACY_ERR_CHUNK];
        uint32_t words[] = {xid, strcmp(how, "err-chunk") == 0 ? VERSION : 1, peer->options->credits, RDMA2_ERROR, 2};
        for (int i = 0; i < 5; i++) {
            put_word(octets + 4 * i, words[i]);
        }
        peer->sent_anything = true;
        link_send(&peer->link, octets, sizeof octets, 0);
    } else if (error_code(how, &code)) {
        peer_send_error(peer, xid, code, 0, 0);
    } else if (strcmp(how, "close") == 0) {
        peer->link.over = true;
    } else if (strcmp(how, "endless") == 0) {
        while (!peer->link.over && raw(peer, 0, RDMA2_CONNPROP, RDMA2_F_TPMORE, NULL, 0)) {
        }
    } else if (strcmp(how, "nothing") != 0) {
        result_fail("--props-with=%s is not known", how);
    }
    return true;
}

struct accepted {
    struct rdma_cm_id *id;
    const struct options *options;
    int number;
};

/* Holds calls until there are enough, or no more come, and answers the last one first. */
static bool hold_call(struct peer *peer, struct event *event) {
    struct event held[MAX_HELD];
    uint32_t count = 1, wanted = peer->options->hold < MAX_HELD ? peer->options->hold : MAX_HELD;
    bool going = true;
    held[0] = *event;
    *event = (struct event){0};
    peer->ledger.held++;
    while (count < wanted) {
        enum what what = peer_event(peer, &held[count], now_millis() + HOLD_MILLIS);
        if (what == GOT_CALL) {
            peer->ledger.held++;
            count++;
        } else {
            event_free(&held[count]);
            if (what == OVER || what == TIMEOUT) {
                break;
            }
        }
    }
    note("answering %u calls", count);
    while (count-- > 0) {
        going = going && answer_call(peer, &held[count]);
        event_free(&held[count]);
    }
    return going;
}

static void serve_connection(struct peer *peer, int number) {
    bool scripted = false, going = true;
    while (going) {
        struct event event;
        switch (peer_event(peer, &event, now_millis() + 1000 * (int64_t) peer->options->lifetime)) {
        case GOT_CALL:
            going = peer->options->hold > 1 ? hold_call(peer, &event) : serve_call(peer, &event);
            if (going && peer->options->reverse_script != NULL && !scripted) {
                scripted = true;
                going = run_script(peer);
            }
            break;
        case OVER:
        case TIMEOUT:
            going = false;
            break;
        default:
            break;
        }
        event_free(&event);
    }
    if (peer->misbehaved == 0) {
        result_ok("connection %d ended, %u calls served, %u fragments sent, %u received", number, peer->served,
                  peer->fragments_sent, peer->fragments_received);
    }
}

static void *serve_thread(void *argument) {
    struct accepted *accepted = argument;
    const struct options *options = accepted->options;
    struct peer peer;
    peer_open(&peer, options, true);
    size_t slot = options->inline_octets > DEFAULT_INLINE ? options->inline_octets : DEFAULT_INLINE;
    if (link_accept(&peer.link, accepted->id, slot, options->credits + options->own_calls + 2, peer_deadline(&peer))) {
        serve_connection(&peer, accepted->number);
    } else {
        result_fail("connection %d was not established", accepted->number);
    }
    peer_close(&peer);
    free(accepted);
    return NULL;
}

/* Accepts connections until there were enough of them; returns 0 if the listener did all it was to do. */
int serve(const struct options *options) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t) options->port)};
    struct rdma_event_channel *events = rdma_create_event_channel();
    struct rdma_cm_id *listener = NULL, *id;
    enum { BACKLOG = 8, MAX_THREADS = 1024 };
    pthread_t threads[MAX_THREADS];
    int count = 0, wanted = options->connections == 0 ? MAX_THREADS : options->connections;
    if (options->address != NULL && inet_pton(AF_INET, options->address, &address.sin_addr) != 1) {
        result_fail("not an IPv4 address: %s", options->address);
        return 1;
    }
    if (events == NULL || rdma_create_id(events, &listener, NULL, RDMA_PS_TCP) != 0 ||
        rdma_bind_addr(listener, (struct sockaddr *) &address) != 0 || rdma_listen(listener, BACKLOG) != 0) {
        perror("rdma_listen");
        result_fail("no listener");
        return 1;
    }
    result_ok("listening on port %d", ntohs(rdma_get_src_port(listener)));
    int64_t end = now_millis() + 1000 * (int64_t) options->lifetime;
    while (count < wanted && count < MAX_THREADS &&
           await_cm_event(events, RDMA_CM_EVENT_CONNECT_REQUEST, end, &id)) {
        struct accepted *accepted = malloc(sizeof *accepted);
        if (accepted == NULL) {
            break;
        }
        *accepted = (struct accepted){id, options, count + 1};
        if (pthread_create(&threads[count], NULL, serve_thread, accepted) != 0) {
            free(accepted);
            break;
        }
        count++;
    }
    for (int i = 0; i < count; i++) {
        pthread_join(threads[i], NULL);
    }
    rdma_destroy_id(listener);
    rdma_destroy_event_channel(events);
    return 0;
}
