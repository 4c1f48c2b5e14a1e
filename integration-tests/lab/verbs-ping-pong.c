// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0

/*
 * A ping-pong of 64 bytes in C verbs, both ends in one process, a thread each that waits when there is nothing to do.
 * Its Java twin is io.nettyrdma.bench.VerbsPingPong. Prints what integration-tests/instructions reads.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <fcntl.h>
#include <infiniband/verbs.h>
#include <poll.h>
#include <pthread.h>
#include <rdma/rdma_cma.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { OCTETS = 64, RECEIVES = 64, SENDS = 64, COMPLETIONS = 256, BATCH = 16, ACKNOWLEDGED_AT_ONCE = 256, SEND_ID = 99 };
enum { RESOLVE_MILLIS = 2000, PAGE = 4096, RETRIES = 7 };

/* One end of the connection. */
struct end {
    struct rdma_event_channel *events;
    struct rdma_cm_id *id;
    struct ibv_comp_channel *channel;
    struct ibv_cq *cq;
    struct ibv_mr *region;
    char *memory;
    struct ibv_wc wc[BATCH];
    int count, next;
    unsigned events_taken;
};

static void check(int ok, const char *what) {
    if (!ok) {
        perror(what);
        exit(1);
    }
}

static struct rdma_cm_id *expect(struct rdma_event_channel *events, enum rdma_cm_event_type type) {
    struct rdma_cm_event *event;
    check(rdma_get_cm_event(events, &event) == 0, "rdma_get_cm_event");
    if (event->event != type) {
        fprintf(stderr, "%s with status %d, not %s\n", rdma_event_str(event->event), event->status, rdma_event_str(type));
        exit(1);
    }
    struct rdma_cm_id *id = event->id;
    rdma_ack_cm_event(event);
    return id;
}

static void receive(struct end *end, uint64_t slot) {
    struct ibv_sge sge = {(uintptr_t) end->memory + PAGE + slot * OCTETS, OCTETS, end->region->lkey};
    struct ibv_recv_wr request = {.wr_id = slot, .sg_list = &sge, .num_sge = 1}, *bad;
    check(ibv_post_recv(end->id->qp, &request, &bad) == 0, "ibv_post_recv");
}

static void send_message(struct end *end) {
    struct ibv_sge sge = {(uintptr_t) end->memory, OCTETS, end->region->lkey};
    struct ibv_send_wr request = {.wr_id = SEND_ID,
                                  .sg_list = &sge,
                                  .num_sge = 1,
                                  .opcode = IBV_WR_SEND,
                                  .send_flags = IBV_SEND_SIGNALED},
                       *bad;
    check(ibv_post_send(end->id->qp, &request, &bad) == 0, "ibv_post_send");
}

/* Everything up to the queue pair with its receives, of the device of an id. */
static void prepare(struct end *end, struct rdma_cm_id *id) {
    end->id = id;
    struct ibv_pd *pd = ibv_alloc_pd(id->verbs);
    check(pd != NULL, "ibv_alloc_pd");
    end->channel = ibv_create_comp_channel(id->verbs);
    check(end->channel != NULL && fcntl(end->channel->fd, F_SETFL, O_NONBLOCK) == 0, "ibv_create_comp_channel");
    end->cq = ibv_create_cq(id->verbs, COMPLETIONS, NULL, end->channel, 0);
    check(end->cq != NULL, "ibv_create_cq");
    struct ibv_qp_init_attr attributes = {
        .send_cq = end->cq, .recv_cq = end->cq, .cap = {SENDS, RECEIVES, 1, 1, 0}, .qp_type = IBV_QPT_RC};
    check(rdma_create_qp(id, pd, &attributes) == 0, "rdma_create_qp");
    size_t octets = PAGE + RECEIVES * OCTETS;
    end->memory = aligned_alloc(PAGE, octets);
    memset(end->memory, 1, octets);
    end->region = ibv_reg_mr(pd, end->memory, octets, IBV_ACCESS_LOCAL_WRITE);
    check(end->region != NULL, "ibv_reg_mr");
    for (int slot = 0; slot < RECEIVES; slot++) {
        receive(end, slot);
    }
}

/* Returns 0 if the connection is over. */
static int wait_for_event(struct end *end) {
    struct pollfd descriptors[] = {{end->events->fd, POLLIN, 0}, {end->channel->fd, POLLIN, 0}};
    check(ppoll(descriptors, 2, NULL, NULL) >= 0, "ppoll");
    struct ibv_cq *cq;
    void *context;
    while (descriptors[1].revents && ibv_get_cq_event(end->channel, &cq, &context) == 0) {
        end->events_taken++;
    }
    if (end->events_taken >= ACKNOWLEDGED_AT_ONCE) {
        ibv_ack_cq_events(end->cq, end->events_taken);
        end->events_taken = 0;
    }
    return !descriptors[0].revents;
}

/* Returns NULL if the connection is over. */
static struct ibv_wc *next_completion(struct end *end) {
    int armed = 0;
    while (end->next == end->count) {
        end->next = 0;
        end->count = ibv_poll_cq(end->cq, BATCH, end->wc);
        check(end->count >= 0, "ibv_poll_cq");
        if (end->count > 0) {
            break;
        }
        if (!armed) {
            check(ibv_req_notify_cq(end->cq, 0) == 0, "ibv_req_notify_cq");
        } else if (!wait_for_event(end)) {
            return NULL;
        }
        armed = !armed; /* what came before it was armed raises no event: look once more */
    }
    return &end->wc[end->next++];
}

/* Waits for a message and posts its receive again; 0 if the connection is over. */
static int next_message(struct end *end) {
    for (;;) {
        struct ibv_wc *wc = next_completion(end);
        if (wc == NULL || wc->status != IBV_WC_SUCCESS) {
            return 0;
        }
        if (wc->opcode == IBV_WC_RECV) {
            receive(end, wc->wr_id);
            return 1;
        }
    }
}

static void *serve(void *argument) {
    struct end *end = argument;
    prepare(end, expect(end->events, RDMA_CM_EVENT_CONNECT_REQUEST));
    check(rdma_accept(end->id, NULL) == 0, "rdma_accept");
    expect(end->events, RDMA_CM_EVENT_ESTABLISHED); /* left there, it would end every wait */
    while (next_message(end)) {
        send_message(end);
    }
    return NULL;
}

static double seconds(clockid_t clock) {
    struct timespec time;
    clock_gettime(clock, &time);
    return time.tv_sec + time.tv_nsec * 1e-9;
}

int main(int count, char **arguments) {
    if (count != 6) {
        fprintf(stderr, "Usage: verbs-ping-pong ADDRESS LABEL MESSAGES WARM_UP_ROUNDS ROUNDS\n");
        return 2;
    }
    struct sockaddr_in address = {.sin_family = AF_INET};
    check(inet_pton(AF_INET, arguments[1], &address.sin_addr) == 1, "address");
    const char *label = arguments[2];
    int messages = atoi(arguments[3]), warm_up = atoi(arguments[4]), rounds = atoi(arguments[5]);

    struct end server = {.events = rdma_create_event_channel()}, client = {.events = rdma_create_event_channel()};
    struct rdma_cm_id *listener, *id;
    check(rdma_create_id(server.events, &listener, NULL, RDMA_PS_TCP) == 0, "rdma_create_id");
    check(rdma_bind_addr(listener, (struct sockaddr *) &address) == 0, "rdma_bind_addr");
    check(rdma_listen(listener, 1) == 0, "rdma_listen");
    address.sin_port = rdma_get_src_port(listener);
    pthread_t thread;
    check(pthread_create(&thread, NULL, serve, &server) == 0, "pthread_create");

    check(rdma_create_id(client.events, &id, NULL, RDMA_PS_TCP) == 0, "rdma_create_id");
    check(rdma_resolve_addr(id, NULL, (struct sockaddr *) &address, RESOLVE_MILLIS) == 0, "rdma_resolve_addr");
    expect(client.events, RDMA_CM_EVENT_ADDR_RESOLVED);
    check(rdma_resolve_route(id, RESOLVE_MILLIS) == 0, "rdma_resolve_route");
    expect(client.events, RDMA_CM_EVENT_ROUTE_RESOLVED);
    prepare(&client, id);
    struct rdma_conn_param parameters = {.retry_count = RETRIES, .rnr_retry_count = RETRIES};
    check(rdma_connect(id, &parameters) == 0, "rdma_connect");
    expect(client.events, RDMA_CM_EVENT_ESTABLISHED);

    clockid_t server_clock;
    pthread_getcpuclockid(thread, &server_clock);
    for (int round = -warm_up; round < rounds; round++) {
        double used = seconds(CLOCK_THREAD_CPUTIME_ID) + seconds(server_clock), began = seconds(CLOCK_MONOTONIC);
        for (int i = 0; i < messages; i++) {
            send_message(&client);
            check(next_message(&client), "the connection");
        }
        double elapsed = seconds(CLOCK_MONOTONIC) - began;
        used = seconds(CLOCK_THREAD_CPUTIME_ID) + seconds(server_clock) - used;
        printf("%s:64 bytes, 1 in flight\t%s\t%.1f\t%.4f\t0\n", round < 0 ? "warm-up" : "count", label,
               used * 1e9 / messages, used / elapsed);
        fflush(stdout);
    }
    rdma_disconnect(id);
    pthread_join(thread, NULL);
    return 0;
}
