// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0

/*
 * A requester and responder of RPC-over-RDMA version 2 (draft -01) over verbs. "V 4.2.1" cites a section of the draft,
 * "C48" a decision about what the draft leaves open; README.md says what each of them means here.
 */
#ifndef PEER_H
#define PEER_H

#include "rpcrdma2.h"
#include <infiniband/verbs.h>
#include <rdma/rdma_cma.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { VERSION = 2, PREFIX = 20, DEFAULT_INLINE = 4096, FIRST_MESSAGE = 1024, NO_CHUNKS = 36 };
enum { LEGACY_ERR_VERS = 28, LEGACY_ERR_CHUNK = 20, MAX_PROPERTIES = 65536, MAX_CONNPROPS = 16 };
enum { PROGRAM = 0x20049999, PROGRAM_VERSION = 1, PROC_NULL = 0, PROC_ECHO = 1, PROC_REVERSE = 2 };
enum { CALL_HEADER = 40, REPLY_HEADER = 24, ECHO_POSITION = CALL_HEADER + 4 };

/* What the command line says, the same for all connections. */
struct options {
    const char *address;
    int port;
    bool listen;
    int seconds, lifetime;   /* of every wait for the peer; of a server, or of a connection without traffic */
    int connections;         /* a server ends after so many; 0 is never */
    uint32_t credits;        /* what the peer may have outstanding for its own calls */
    uint32_t own_calls;      /* calls of this side in flight at most */
    uint32_t lower_to;       /* credits after the first call that was served; 0 changes nothing */
    uint32_t inline_octets;  /* RBSIZ and SBSIZ */
    uint32_t split;          /* payload octets of a fragment at most; 0 is what fits */
    uint32_t segments;       /* RCSIZ */
    uint32_t segment_size;   /* RSSIZ */
    uint32_t read_chunks, write_chunks;
    uint32_t max_continued;  /* octets of a continued message */
    uint32_t reverse;        /* BRS */
    uint32_t hold;           /* calls to be answered together */
    bool no_invalidate, no_reply_chunk;
    int props_messages;      /* CONNPROP messages to send */
    uint32_t hostauth;       /* octets of a HOSTAUTH property to send */
    uint32_t handshake;      /* tokens that each side sends and demands; 0 is none */
    uint32_t secret;         /* what they prove */
    const char *answer_with; /* scripted misbehaviour of a server */
    const char *props_with;
    uint32_t answer_times;
    uint32_t error_value;
    const char *reverse_script;
    const char *expect_error;
};

/* ---- output.c ---- */

void result_ok(const char *format, ...) __attribute__((format(printf, 1, 2)));
void result_fail(const char *format, ...) __attribute__((format(printf, 1, 2)));
void note(const char *format, ...) __attribute__((format(printf, 1, 2)));
extern bool notes;
int failures(void);
int64_t now_millis(void);
const char *error_name(uint32_t code);
bool error_code(const char *name, uint32_t *code);

/* ---- link.c: a connection and its memory ---- */

struct region {
    unsigned char *octets;
    size_t length;
    struct ibv_mr *mr;
};

/* A message as it has come. */
struct message {
    struct message *next;
    size_t length;
    unsigned char octets[];
};

struct link {
    struct rdma_event_channel *events;
    struct rdma_cm_id *id;
    struct ibv_pd *pd;
    struct ibv_comp_channel *channel;
    struct ibv_cq *cq;
    struct region receives, sends;
    size_t slot;                        /* octets of one receive, and of the longest send */
    struct message *arrived, **end;
    unsigned waiting;
    bool busy, over;                    /* a request of the send queue is under way; the connection has ended */
    void (*received)(void *context, const unsigned char *octets, size_t length);
    void *context;
    int64_t patience;
};

bool link_open(struct link *link, struct rdma_cm_id *id, size_t slot, unsigned receives);
bool link_connect(struct link *link, const char *address, int port, size_t slot, unsigned receives, int64_t deadline);
bool link_accept(struct link *link, struct rdma_cm_id *id, size_t slot, unsigned receives, int64_t deadline);
void link_close(struct link *link);
bool link_pump(struct link *link, int64_t deadline);
bool link_send(struct link *link, const void *octets, size_t length, uint32_t invalidate);
bool link_read(struct link *link, const struct region *to, size_t at, const struct rpcrdma2_segment *from);
bool link_write(struct link *link, const struct region *from, size_t at, const struct rpcrdma2_segment *to,
                uint32_t length);
bool region_open(struct link *link, struct region *region, size_t length, int access);
void region_close(struct region *region);
bool await_cm_event(struct rdma_event_channel *events, enum rdma_cm_event_type type, int64_t deadline,
                    struct rdma_cm_id **id);

/* ---- ledger.c: credits of both directions ---- */

struct ledger {
    uint32_t balance, highest;          /* what this side may send, and the largest maximum it was told */
    uint32_t outstanding;               /* what the peer may still send */
    uint32_t base, held, own, own_limit;
    uint32_t waiting;                   /* calls that have come and are not looked at yet */
    uint64_t granted, received, granted_before_refresh;
    bool refreshed;
};

void ledger_open(struct ledger *ledger, uint32_t base, uint32_t own_limit);
bool ledger_arrived(struct ledger *ledger, bool refresh);
void ledger_taken(struct ledger *ledger, uint32_t word);
uint32_t ledger_word(struct ledger *ledger, bool more_to_come);
bool ledger_refresh_due(const struct ledger *ledger);
void ledger_refreshing(struct ledger *ledger);
void ledger_release(struct ledger *ledger);

/* ---- header.c: the transport stream ---- */

struct header {
    struct rpcrdma2_hdr_prefix prefix;
    struct rpcrdma2_chunk_lists lists;
    struct rpcrdma2_error error;
    rpcrdma2_propset props;
    size_t length;                      /* of the transport stream, that is, where the payload begins */
};

uint32_t word(const unsigned char *octets);
void put_word(unsigned char *octets, uint32_t value);
size_t xdr_size(size_t length);
bool is_refresh(const unsigned char *octets, size_t length);
bool is_call(const unsigned char *octets, size_t length);
bool is_answer(const unsigned char *octets, size_t length);
bool is_legacy_error(const unsigned char *octets, size_t length);
size_t header_encode(struct header *header, unsigned char *octets, size_t size);
uint32_t header_decode(const unsigned char *octets, size_t length, struct header *header);
uint32_t props_decode(const unsigned char *octets, size_t length, rpcrdma2_propset *props);
void header_free(struct header *header);
bool lists_empty(const struct rpcrdma2_chunk_lists *lists);
void lists_free(struct rpcrdma2_chunk_lists *lists);
void lists_add_read(struct rpcrdma2_chunk_lists *lists, uint32_t position, struct rpcrdma2_segment segment);
struct rpcrdma2_write_chunk *lists_add_write(struct rpcrdma2_chunk_lists *lists);
struct rpcrdma2_write_chunk *lists_add_reply(struct rpcrdma2_chunk_lists *lists);
void chunk_add(struct rpcrdma2_write_chunk *chunk, struct rpcrdma2_segment segment);
uint64_t chunk_length(const struct rpcrdma2_write_chunk *chunk);

/* ---- peer.c, send.c, props.c: one end of the protocol ---- */

enum what { NOTHING, GOT_PROPS, GOT_CALL, GOT_REPLY, GOT_ERROR, OVER, TIMEOUT };

/* Something that has come whole. The receiver of it frees it. */
struct event {
    enum what what;
    uint32_t xid;
    struct header header;
    unsigned char *payload;
    size_t length;
};

struct sequence {
    bool open, response;
    uint32_t xid, htype;
    bool dropping[2];                   /* further fragments of these XIDs (C15) */
    uint32_t dropped[2];
    unsigned char *octets;
    size_t length;
};

struct properties {
    uint32_t sbsiz, rbsiz, rssiz, rcsiz, brs, hostauth;
};

struct handshake {
    uint32_t sent, taken, proof;        /* tokens of each side, and the proof of the last one of either */
    bool accepted, told;
};

struct peer {
    const struct options *options;
    bool server;
    struct link link;
    struct ledger ledger;
    struct properties theirs;
    struct sequence sequence;
    struct handshake handshake;
    bool heard, final, sent_props, ours_final, sent_anything;
    uint32_t props_xid, connprops, next_xid, served, misbehaved;
    uint32_t last_error;
    uint32_t fragments_received, fragments_sent;
};

bool peer_open(struct peer *peer, const struct options *options, bool server);
void peer_close(struct peer *peer);
enum what peer_event(struct peer *peer, struct event *event, int64_t deadline);
void event_free(struct event *event);
int64_t peer_deadline(const struct peer *peer);
void peer_violation(struct peer *peer, const char *what);

size_t peer_threshold(const struct peer *peer);
bool peer_await_credits(struct peer *peer, uint32_t needed);
bool peer_send_octets(struct peer *peer, unsigned char *octets, size_t length, uint32_t invalidate, bool more_props);
bool peer_send_header(struct peer *peer, struct header *header, const unsigned char *payload, size_t length,
                      uint32_t invalidate);
bool peer_send_rpc(struct peer *peer, uint32_t xid, bool response, struct rpcrdma2_chunk_lists *lists,
                   const unsigned char *payload, size_t length, uint32_t invalidate);
bool peer_send_error(struct peer *peer, uint32_t xid, uint32_t code, uint32_t first, uint32_t second);
bool peer_send_err_vers(struct peer *peer, uint32_t xid, uint32_t version, uint32_t low, uint32_t high);
bool peer_refresh(struct peer *peer);
bool peer_refresh_due(const struct peer *peer);

bool props_send(struct peer *peer);
bool props_go_on(struct peer *peer);
bool props_add(rpcrdma2_propset *set, uint32_t which, const void *octets, uint32_t length);
bool props_add_word(rpcrdma2_propset *set, uint32_t which, uint32_t value);
void props_free(rpcrdma2_propset *set);
bool props_received(struct peer *peer, const rpcrdma2_propset *set, bool more);
bool props_await(struct peer *peer, int64_t deadline);

/* ---- handshake.c ---- */

void handshake_add(struct peer *peer, rpcrdma2_propset *set);
bool handshake_done(const struct peer *peer);
bool handshake_due(const struct peer *peer);
bool handshake_received(struct peer *peer, const rpcrdma2_propset *set, bool more);
bool handshake_allows_calls(struct peer *peer);

/* ---- responder.c, server.c ---- */

bool serve_call(struct peer *peer, struct event *event);
bool answer_call(struct peer *peer, struct event *event);
int serve(const struct options *options);
bool misbehave(struct peer *peer, const struct event *event);
bool misbehave_props(struct peer *peer, uint32_t xid);
bool reverse_call(struct peer *peer, uint32_t kind, uint32_t length, uint32_t *status, uint32_t *error);

/* ---- requester.c ---- */

enum argument { ARGUMENT_INLINE, ARGUMENT_READ_CHUNK, ARGUMENT_SPECIAL };

/* How to make a call of ECHO or NULL, and what came of it. */
struct call {
    uint32_t xid, proc, length;
    enum argument argument;
    uint32_t write_chunk, reply_chunk;  /* octets offered; 0 is none */
    uint32_t pieces;                    /* segments per chunk */
    bool nominate, expect_special;
    /* The outcome. */
    enum what what;
    uint32_t error, value, second, accept;
    bool special_reply;
    uint32_t words[2];                  /* result of REVERSE */
    /* Held while the call is in flight. */
    struct region arguments, results, reply;
    struct rpcrdma2_chunk_lists lists;
    unsigned char *payload;
    size_t payload_length;
};

bool call_start(struct peer *peer, struct call *call);
bool call_finish(struct peer *peer, struct call *call, struct event *event);
void call_free(struct call *call);
bool call_await(struct peer *peer, struct call *calls, unsigned count);
bool call_perform(struct peer *peer, struct call *call);
void fill(unsigned char *octets, size_t length, uint32_t seed);
size_t build_call(unsigned char *octets, uint32_t xid, uint32_t proc);

/* ---- tests.c, tests-reverse.c, tests-errors.c, tests-retry.c, tests-script.c ---- */

struct test {
    const char *name, *demands;
    bool (*run)(struct peer *peer);
    void (*prepare)(struct options *options);
    bool own_start;                     /* it sends the first message itself */
};

extern const struct test format_tests[], reverse_tests[], level_tests[], error_tests[], script_tests[];
void list_tests(void (*print)(const char *name, const char *demands));
bool succeed(struct peer *peer, struct call *call);
bool goes_on(struct peer *peer);
bool run_retry(struct peer *peer);
bool run_retry_segments(struct peer *peer);
bool run_retry_write_resource(struct peer *peer);
bool run_retry_reply_resource(struct peer *peer);
int run_tests(const struct options *options, char **names, int count);
bool demand(bool ok, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
