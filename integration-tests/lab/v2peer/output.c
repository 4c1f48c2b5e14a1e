// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0

/* Lines for machines on stdout, notes for people on stderr. */
#include "peer.h"
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

bool notes;
static atomic_int failed;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void line(FILE *file, const char *prefix, const char *format, va_list arguments) {
    pthread_mutex_lock(&lock);
    fputs(prefix, file);
    vfprintf(file, format, arguments);
    fputc('\n', file);
    fflush(file);
    pthread_mutex_unlock(&lock);
}

void result_ok(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    line(stdout, "v2peer: ok ", format, arguments);
    va_end(arguments);
}

void result_fail(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    line(stdout, "v2peer: fail ", format, arguments);
    va_end(arguments);
    atomic_fetch_add(&failed, 1);
}

void note(const char *format, ...) {
    if (notes) {
        va_list arguments;
        va_start(arguments, format);
        line(stderr, "", format, arguments);
        va_end(arguments);
    }
}

int failures(void) {
    return atomic_load(&failed);
}

int64_t now_millis(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (int64_t) time.tv_sec * 1000 + time.tv_nsec / 1000000;
}

static const struct {
    uint32_t code;
    const char *name;
} names[] = {
    {RDMA2_ERR_VERS, "err-vers"},
    {RDMA2_ERR_BAD_XDR, "bad-xdr"},
    {RDMA2_ERR_BAD_PROPVAL, "bad-propval"},
    {RDMA2_ERR_INVAL_HTYPE, "inval-htype"},
    {RDMA2_ERR_INVAL_CONT, "inval-cont"},
    {RDMA2_ERR_READ_CHUNKS, "read-chunks"},
    {RDMA2_ERR_WRITE_CHUNKS, "write-chunks"},
    {RDMA2_ERR_SEGMENTS, "segments"},
    {RDMA2_ERR_WRITE_RESOURCE, "write-resource"},
    {RDMA2_ERR_REPLY_RESOURCE, "reply-resource"},
    {RDMA2_ERR_SYSTEM, "system"},
};

const char *error_name(uint32_t code) {
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (names[i].code == code) {
            return names[i].name;
        }
    }
    return "unknown";
}

bool error_code(const char *name, uint32_t *code) {
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (strcmp(names[i].name, name) == 0) {
            *code = names[i].code;
            return true;
        }
    }
    return false;
}
