// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0

/* A reliable connection of rdma_cm with its queue pair, receives and memory. One request is sent at a time. */
#define _GNU_SOURCE
#include "peer.h"
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PAGE = 4096, SENDS = 16, BATCH = 16, RESOLVE_MILLIS = 5000, RETRIES = 7, READS = 16 };
enum { MAX_WAITING = 1 << 16, LOOK_AGAIN = 250, FIRST_MILLIS = 50 };
static const uint64_t WORK = UINT64_MAX;

bool region_open(struct link *link, struct region *region, size_t length, int access) {
    size_t octets = (length + PAGE - 1) / PAGE * PAGE + (length == 0 ? PAGE : 0);
    *region = (struct region){.octets = aligned_alloc(PAGE, octets), .length = length};
    if (region->octets == NULL) {
        return false;
    }
    memset(region->octets, 0, octets);
    region->mr = ibv_reg_mr(link->pd, region->octets, octets, access);
    if (region->mr == NULL) {
        note("ibv_reg_mr of %zu octets: %s", octets, strerror(errno));
        region_close(region);
        return false;
    }
    return true;
}

void region_close(struct region *region) {
    if (region->mr != NULL) {
        ibv_dereg_mr(region->mr);
    }
    free(region->octets);
    *region = (struct region){0};
}

static bool post_receive(struct link *link, uint64_t slot) {
    struct ibv_sge sge = {(uintptr_t) link->receives.octets + slot * link->slot, link->slot, link->receives.mr->lkey};
    struct ibv_recv_wr request = {.wr_id = slot, .sg_list = &sge, .num_sge = 1}, *bad;
    return ibv_post_recv(link->id->qp, &request, &bad) == 0;
}

/* Waits for an event of any type but the one that is wanted to be an error. The id is that of the event. */
bool await_cm_event(struct rdma_event_channel *events, enum rdma_cm_event_type type, int64_t deadline,
                    struct rdma_cm_id **id) {
    struct pollfd descriptor = {events->fd, POLLIN, 0};
    int64_t left = deadline - now_millis();
    struct rdma_cm_event *event;
    if (left <= 0 || poll(&descriptor, 1, (int) left) != 1 || rdma_get_cm_event(events, &event) != 0) {
        return false;
    }
    bool ok = event->event == type;
    if (!ok) {
        note("%s with status %d, not %s", rdma_event_str(event->event), event->status, rdma_event_str(type));
    }
    if (id != NULL) {
        *id = event->id;
    }
    rdma_ack_cm_event(event);
    return ok;
}

/* Everything up to the queue pair with its receives, of the device of an id. */
bool link_open(struct link *link, struct rdma_cm_id *id, size_t slot, unsigned receives) {
    link->id = id;
    link->slot = slot;
    link->end = &link->arrived;
    link->pd = ibv_alloc_pd(id->verbs);
    link->channel = ibv_create_comp_channel(id->verbs);
    if (link->pd == NULL || link->channel == NULL || fcntl(link->channel->fd, F_SETFL, O_NONBLOCK) != 0) {
        return false;
    }
    link->cq = ibv_create_cq(id->verbs, (int) receives + SENDS, NULL, link->channel, 0);
    struct ibv_qp_init_attr attributes = {.send_cq = link->cq,
                                          .recv_cq = link->cq,
                                          .cap = {SENDS, receives, 1, 1, 0},
                                          .qp_type = IBV_QPT_RC};
    if (link->cq == NULL || rdma_create_qp(id, link->pd, &attributes) != 0 ||
        !region_open(link, &link->receives, receives * slot, IBV_ACCESS_LOCAL_WRITE) ||
        !region_open(link, &link->sends, slot, IBV_ACCESS_LOCAL_WRITE)) {
        note("queue pair: %s", strerror(errno));
        return false;
    }
    for (unsigned i = 0; i < receives; i++) {
        if (!post_receive(link, i)) {
            return false;
        }
    }
    return true;
}

static struct rdma_conn_param parameters(void) {
    return (struct rdma_conn_param){.retry_count = RETRIES,
                                    .rnr_retry_count = RETRIES,
                                    .responder_resources = READS,
                                    .initiator_depth = READS};
}

/*
 * siw may leave a message unread until the next packet if it comes while the connection is still being accepted, and
 * here there is no next packet: V 4.2.3 has the client wait.
 */
static bool pause_before_first(void) {
    poll(NULL, 0, FIRST_MILLIS);
    return true;
}

bool link_connect(struct link *link, const char *address, int port, size_t slot, unsigned receives, int64_t deadline) {
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons((uint16_t) port)};
    struct rdma_conn_param param = parameters();
    if (inet_pton(AF_INET, address, &to.sin_addr) != 1) {
        note("not an IPv4 address: %s", address);
        return false;
    }
    link->events = rdma_create_event_channel();
    return link->events != NULL && rdma_create_id(link->events, &link->id, NULL, RDMA_PS_TCP) == 0 &&
           rdma_resolve_addr(link->id, NULL, (struct sockaddr *) &to, RESOLVE_MILLIS) == 0 &&
           await_cm_event(link->events, RDMA_CM_EVENT_ADDR_RESOLVED, deadline, NULL) &&
           rdma_resolve_route(link->id, RESOLVE_MILLIS) == 0 &&
           await_cm_event(link->events, RDMA_CM_EVENT_ROUTE_RESOLVED, deadline, NULL) &&
           link_open(link, link->id, slot, receives) && rdma_connect(link->id, &param) == 0 &&
           await_cm_event(link->events, RDMA_CM_EVENT_ESTABLISHED, deadline, NULL) && pause_before_first();
}

/* The id gets an event channel of its own, so that the listener's tells of new connections only. */
bool link_accept(struct link *link, struct rdma_cm_id *id, size_t slot, unsigned receives, int64_t deadline) {
    struct rdma_conn_param param = parameters();
    link->id = id;
    link->events = rdma_create_event_channel();
    return link->events != NULL && rdma_migrate_id(id, link->events) == 0 && link_open(link, id, slot, receives) &&
           rdma_accept(id, &param) == 0 && await_cm_event(link->events, RDMA_CM_EVENT_ESTABLISHED, deadline, NULL);
}

void link_close(struct link *link) {
    if (link->id != NULL) {
        if (link->id->qp != NULL) {
            rdma_disconnect(link->id);
            rdma_destroy_qp(link->id);
        }
        rdma_destroy_id(link->id);
    }
    region_close(&link->receives);
    region_close(&link->sends);
    if (link->cq != NULL) {
        ibv_destroy_cq(link->cq);
    }
    if (link->channel != NULL) {
        ibv_destroy_comp_channel(link->channel);
    }
    if (link->pd != NULL) {
        ibv_dealloc_pd(link->pd);
    }
    if (link->events != NULL) {
        rdma_destroy_event_channel(link->events);
    }
    for (struct message *message = link->arrived, *next; message != NULL; message = next) {
        next = message->next;
        free(message);
    }
    *link = (struct link){0};
}

/* Copies a message and posts its receive again at once, so that receives are never fewer than what was granted. */
static void take_message(struct link *link, const struct ibv_wc *wc) {
    const unsigned char *octets = link->receives.octets + wc->wr_id * link->slot;
    struct message *message = malloc(sizeof *message + wc->byte_len);
    if (message == NULL || link->waiting >= MAX_WAITING) {
        free(message);
        link->over = true;
        return;
    }
    message->next = NULL;
    message->length = wc->byte_len;
    memcpy(message->octets, octets, wc->byte_len);
    *link->end = message;
    link->end = &message->next;
    link->waiting++;
    if (link->received != NULL) {
        link->received(link->context, message->octets, message->length);
    }
    if (!post_receive(link, wc->wr_id)) {
        link->over = true;
    }
}

static int take_completions(struct link *link) {
    struct ibv_wc wc[BATCH];
    int count = ibv_poll_cq(link->cq, BATCH, wc);
    for (int i = 0; i < count; i++) {
        if (wc[i].status != IBV_WC_SUCCESS) {
            if (wc[i].status != IBV_WC_WR_FLUSH_ERR) {
                note("completion: %s", ibv_wc_status_str(wc[i].status));
            }
            link->over = true;
        } else if (wc[i].wr_id == WORK) {
            link->busy = false;
        } else {
            take_message(link, &wc[i]);
        }
    }
    return count;
}

/* Waits until something has completed or the connection has ended; false if neither happened before the deadline. */
bool link_pump(struct link *link, int64_t deadline) {
    for (bool armed = false;; armed = true) {
        int count = take_completions(link);
        if (count != 0 || link->over) {
            link->over = link->over || count < 0;
            return true;
        }
        if (!armed) {
            if (ibv_req_notify_cq(link->cq, 0) != 0) {
                link->over = true;
            }
            continue; /* what came before it was armed raises no event: look once more */
        }
        struct pollfd descriptors[] = {{link->events->fd, POLLIN, 0}, {link->channel->fd, POLLIN, 0}};
        int64_t left = deadline - now_millis();
        if (left <= 0) {
            return false;
        }
        poll(descriptors, 2, left < LOOK_AGAIN ? (int) left : LOOK_AGAIN);
        struct ibv_cq *cq;
        void *context;
        while (descriptors[1].revents != 0 && ibv_get_cq_event(link->channel, &cq, &context) == 0) {
            ibv_ack_cq_events(cq, 1);
            if (ibv_req_notify_cq(link->cq, 0) != 0) {
                link->over = true;
            }
        }
        if (descriptors[0].revents != 0) {
            struct rdma_cm_event *event;
            if (rdma_get_cm_event(link->events, &event) == 0) {
                note("connection: %s", rdma_event_str(event->event));
                rdma_ack_cm_event(event);
            }
            /* What came before the end is still to be had. */
            while (take_completions(link) > 0) {
            }
            link->over = true;
        }
    }
}

static bool work(struct link *link, struct ibv_send_wr *request) {
    struct ibv_send_wr *bad;
    if (link->over) {
        return false;
    }
    request->wr_id = WORK;
    request->send_flags = IBV_SEND_SIGNALED;
    int error = ibv_post_send(link->id->qp, request, &bad);
    if (error != 0) {
        note("ibv_post_send: %s", strerror(error < 0 ? -error : error));
        return false;
    }
    link->busy = true;
    int64_t deadline = now_millis() + link->patience;
    while (link->busy && !link->over && now_millis() < deadline) {
        link_pump(link, deadline);
    }
    return !link->busy;
}

/* Remote invalidation of a handle, if it is not 0 (V 6.2.4). */
bool link_send(struct link *link, const void *octets, size_t length, uint32_t invalidate) {
    if (length > link->slot) {
        note("a message of %zu octets is longer than %zu", length, link->slot);
        return false;
    }
    memcpy(link->sends.octets, octets, length);
    struct ibv_sge sge = {(uintptr_t) link->sends.octets, (uint32_t) length, link->sends.mr->lkey};
    struct ibv_send_wr request = {.sg_list = &sge,
                                  .num_sge = 1,
                                  .opcode = invalidate != 0 ? IBV_WR_SEND_WITH_INV : IBV_WR_SEND,
                                  .invalidate_rkey = invalidate};
    request.wr.rdma.rkey = invalidate; /* libsiw takes the handle from here, where a Send has nothing else */
    return work(link, &request);
}

static bool move(struct link *link, enum ibv_wr_opcode opcode, const struct region *region, size_t at, uint32_t length,
                 const struct rpcrdma2_segment *there) {
    if (length == 0) {
        return true; /* siw's Read of nothing may return stale octets */
    }
    if (at > region->length || length > region->length - at) {
        return false;
    }
    struct ibv_sge sge = {(uintptr_t) region->octets + at, length, region->mr->lkey};
    struct ibv_send_wr request = {.sg_list = &sge, .num_sge = 1, .opcode = opcode};
    request.wr.rdma.remote_addr = there->rdma_offset;
    request.wr.rdma.rkey = there->rdma_handle;
    return work(link, &request);
}

bool link_read(struct link *link, const struct region *to, size_t at, const struct rpcrdma2_segment *from) {
    return move(link, IBV_WR_RDMA_READ, to, at, from->rdma_length, from);
}

bool link_write(struct link *link, const struct region *from, size_t at, const struct rpcrdma2_segment *to,
                uint32_t length) {
    return move(link, IBV_WR_RDMA_WRITE, from, at, length, to);
}
