// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0

/*
 * The transport stream, V 6. What rpcgen made of the XDR encodes and decodes; before it decodes, the octets are walked
 * over, as its functions allocate what a count announces and take any word but 0 for "present".
 */
#include "peer.h"
#include <stdlib.h>
#include <string.h>

enum { WORD = 4, SEGMENT = 16, LEGACY_ERROR_WORD = 16, UINT32_PROPERTIES = RDMA2_PROPID_BRS };

uint32_t word(const unsigned char *octets) {
    return (uint32_t) octets[0] << 24 | (uint32_t) octets[1] << 16 | (uint32_t) octets[2] << 8 | octets[3];
}

void put_word(unsigned char *octets, uint32_t value) {
    for (int i = 0; i < WORD; i++) {
        octets[i] = (unsigned char) (value >> (24 - 8 * i));
    }
}

size_t xdr_size(size_t length) {
    return (length + WORD - 1) / WORD * WORD;
}

/* V 6.3.2: an RDMA2_NOMSG without lists and with XID 0 (C4). */
bool is_refresh(const unsigned char *octets, size_t length) {
    return length == NO_CHUNKS && word(octets + 4) == VERSION && word(octets) == 0 &&
           word(octets + 12) == RDMA2_NOMSG && word(octets + 24) == 0 && word(octets + 28) == 0 &&
           word(octets + 32) == 0;
}

/* The end of a call. What others continue holds nothing, or two that wait in the midst of one would wait for ever. */
bool is_call(const unsigned char *octets, size_t length) {
    return length >= NO_CHUNKS && word(octets + 4) == VERSION && word(octets + 12) <= RDMA2_NOMSG &&
           (word(octets + 16) & (RDMA2_F_RESPONSE | RDMA2_F_MORE)) == 0 && !is_refresh(octets, length);
}

/* The end of a reply, or an error. */
bool is_answer(const unsigned char *octets, size_t length) {
    return is_legacy_error(octets, length) ||
           (length >= PREFIX && word(octets + 4) == VERSION && word(octets + 12) != RDMA2_CONNPROP &&
            (word(octets + 16) & (RDMA2_F_RESPONSE | RDMA2_F_MORE)) == RDMA2_F_RESPONSE &&
            !is_refresh(octets, length));
}

/* ERR_VERS in the layout that RFC 8166 fixes for all versions, told from a version 2 error by its length (C5). */
bool is_legacy_error(const unsigned char *octets, size_t length) {
    if (length != LEGACY_ERR_VERS || word(octets + 12) != RDMA2_ERROR || word(octets + LEGACY_ERROR_WORD) != 1) {
        return false;
    }
    uint32_t code = word(octets + 20);
    return word(octets + 4) != VERSION || !(code == RDMA2_ERR_READ_CHUNKS || code == RDMA2_ERR_WRITE_CHUNKS ||
                                            code == RDMA2_ERR_SEGMENTS || code == RDMA2_ERR_REPLY_RESOURCE);
}

/* A position in octets that may run out. */
struct walk {
    const unsigned char *octets;
    size_t length, at;
    bool bad;
};

static uint32_t walk_word(struct walk *walk) {
    if (walk->bad || walk->length - walk->at < WORD) {
        walk->bad = true;
        return 0;
    }
    walk->at += WORD;
    return word(walk->octets + walk->at - WORD);
}

static void walk_over(struct walk *walk, uint64_t octets) {
    if (walk->bad || walk->length - walk->at < octets) {
        walk->bad = true;
    } else {
        walk->at += octets;
    }
}

static bool walk_present(struct walk *walk) {
    uint32_t present = walk_word(walk);
    walk->bad = walk->bad || present > 1;
    return !walk->bad && present == 1;
}

static void walk_chunk(struct walk *walk) {
    walk_over(walk, (uint64_t) walk_word(walk) * SEGMENT);
}

static void walk_lists(struct walk *walk) {
    walk_word(walk);
    while (walk_present(walk)) {
        walk_over(walk, WORD + SEGMENT);
    }
    while (walk_present(walk)) {
        walk_chunk(walk);
    }
    if (walk_present(walk)) {
        walk_chunk(walk);
    }
}

/* Returns 0 or the code of an error (C20). */
static uint32_t walk_props(struct walk *walk) {
    uint32_t count = walk_word(walk);
    for (uint32_t i = 0; i < count && !walk->bad; i++) {
        uint32_t which = walk_word(walk), length = walk_word(walk);
        if (walk->bad) {
            return RDMA2_ERR_BAD_XDR;
        }
        if (xdr_size(length) > walk->length - walk->at || length > walk->length) {
            return RDMA2_ERR_BAD_PROPVAL;
        }
        if (which >= 1 && which <= UINT32_PROPERTIES && length != 0 && length != WORD) {
            return RDMA2_ERR_BAD_PROPVAL;
        }
        if (which == RDMA2_PROPID_HOSTAUTH && length != 0 &&
            (length < WORD || word(walk->octets + walk->at) > length ||
             WORD + xdr_size(word(walk->octets + walk->at)) != length)) {
            return RDMA2_ERR_BAD_PROPVAL;
        }
        walk_over(walk, xdr_size(length));
    }
    return walk->bad || walk->at != walk->length ? RDMA2_ERR_BAD_XDR : 0;
}

uint32_t props_decode(const unsigned char *octets, size_t length, rpcrdma2_propset *props) {
    struct walk walk = {.octets = octets, .length = length};
    uint32_t error = walk_props(&walk);
    if (error != 0) {
        return error;
    }
    XDR xdr;
    xdrmem_create(&xdr, (char *) octets, (u_int) length, XDR_DECODE);
    return xdr_rpcrdma2_propset(&xdr, props) ? 0 : RDMA2_ERR_BAD_XDR;
}

static uint32_t walk_error(struct walk *walk) {
    switch (walk_word(walk)) {
    case RDMA2_ERR_VERS:
    case RDMA2_ERR_WRITE_RESOURCE:
        walk_over(walk, 2 * WORD);
        break;
    case RDMA2_ERR_READ_CHUNKS:
    case RDMA2_ERR_WRITE_CHUNKS:
    case RDMA2_ERR_SEGMENTS:
    case RDMA2_ERR_REPLY_RESOURCE:
        walk_over(walk, WORD);
        break;
    default:
        break;
    }
    return walk->bad ? RDMA2_ERR_BAD_XDR : 0;
}

/* Returns 0 or the code of the error that the shape of the message deserves. Properties are decoded by props_decode. */
uint32_t header_decode(const unsigned char *octets, size_t length, struct header *header) {
    struct walk walk = {.octets = octets, .length = length, .at = PREFIX};
    XDR xdr;
    memset(header, 0, sizeof *header);
    xdrmem_create(&xdr, (char *) octets, (u_int) length, XDR_DECODE);
    if (length < PREFIX || !xdr_rpcrdma2_hdr_prefix(&xdr, &header->prefix)) {
        return RDMA2_ERR_BAD_XDR;
    }
    uint32_t htype = header->prefix.rdma_start.rdma_htype;
    header->length = length;
    if (htype == RDMA2_MSG || htype == RDMA2_NOMSG) {
        walk_lists(&walk);
        header->length = walk.at;
        if (walk.bad || (htype == RDMA2_NOMSG) != (walk.at == length)) {
            return RDMA2_ERR_BAD_XDR; /* the one has octets behind its lists, the other has not */
        }
        return xdr_rpcrdma2_chunk_lists(&xdr, &header->lists) ? 0 : RDMA2_ERR_BAD_XDR;
    }
    if (htype == RDMA2_ERROR) {
        uint32_t error = walk_error(&walk);
        return error == 0 && !xdr_rpcrdma2_error(&xdr, &header->error) ? RDMA2_ERR_BAD_XDR : error;
    }
    return 0;
}

/* Returns the octets used, 0 if they are too few. */
size_t header_encode(struct header *header, unsigned char *octets, size_t size) {
    XDR xdr;
    xdrmem_create(&xdr, (char *) octets, (u_int) size, XDR_ENCODE);
    bool ok = xdr_rpcrdma2_hdr_prefix(&xdr, &header->prefix);
    switch (header->prefix.rdma_start.rdma_htype) {
    case RDMA2_MSG:
    case RDMA2_NOMSG:
        ok = ok && xdr_rpcrdma2_chunk_lists(&xdr, &header->lists);
        break;
    case RDMA2_ERROR:
        ok = ok && xdr_rpcrdma2_error(&xdr, &header->error);
        break;
    case RDMA2_CONNPROP:
        ok = ok && xdr_rpcrdma2_propset(&xdr, &header->props);
        break;
    default:
        break;
    }
    return ok ? xdr_getpos(&xdr) : 0;
}

void header_free(struct header *header) {
    lists_free(&header->lists);
    props_free(&header->props);
}

bool lists_empty(const struct rpcrdma2_chunk_lists *lists) {
    return lists->rdma_reads == NULL && lists->rdma_writes == NULL && lists->rdma_reply == NULL;
}

void lists_free(struct rpcrdma2_chunk_lists *lists) {
    xdr_free((xdrproc_t) xdr_rpcrdma2_chunk_lists, lists);
    memset(lists, 0, sizeof *lists);
}

/* Without memory for a few octets a test tool has nothing to go on with. */
static void *need(void *memory) {
    if (memory == NULL) {
        abort();
    }
    return memory;
}

void lists_add_read(struct rpcrdma2_chunk_lists *lists, uint32_t position, struct rpcrdma2_segment segment) {
    struct rpcrdma2_read_list **end = &lists->rdma_reads;
    while (*end != NULL) {
        end = &(*end)->rdma_next;
    }
    *end = need(calloc(1, sizeof **end));
    (*end)->rdma_entry = (struct rpcrdma2_read_segment){position, segment};
}

struct rpcrdma2_write_chunk *lists_add_write(struct rpcrdma2_chunk_lists *lists) {
    struct rpcrdma2_write_list **end = &lists->rdma_writes;
    while (*end != NULL) {
        end = &(*end)->rdma_next;
    }
    *end = need(calloc(1, sizeof **end));
    return &(*end)->rdma_entry;
}

struct rpcrdma2_write_chunk *lists_add_reply(struct rpcrdma2_chunk_lists *lists) {
    lists->rdma_reply = need(calloc(1, sizeof *lists->rdma_reply));
    return lists->rdma_reply;
}

void chunk_add(struct rpcrdma2_write_chunk *chunk, struct rpcrdma2_segment segment) {
    size_t count = chunk->rdma_target.rdma_target_len;
    struct rpcrdma2_segment *grown = realloc(chunk->rdma_target.rdma_target_val, (count + 1) * sizeof segment);
    chunk->rdma_target.rdma_target_val = need(grown);
    chunk->rdma_target.rdma_target_val[count] = segment;
    chunk->rdma_target.rdma_target_len++;
}

uint64_t chunk_length(const struct rpcrdma2_write_chunk *chunk) {
    uint64_t length = 0;
    for (u_int i = 0; i < chunk->rdma_target.rdma_target_len; i++) {
        length += chunk->rdma_target.rdma_target_val[i].rdma_length;
    }
    return length;
}
