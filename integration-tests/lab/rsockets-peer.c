// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0


/*
 * One end of a byte stream over rsockets, for the ends of connections. It makes or accepts connections one after the
 * other, and does the same steps on each:
 *
 *     rsockets-peer connect|listen ADDRESS PORT CONNECTIONS STEP...
 *
 *     send=BYTES       sends that many bytes
 *     receive=BYTES    waits in rrecv for that many bytes
 *     shutdown         ends its direction
 *     end              waits in rrecv until the other side has ended its direction; prints how long behind the last
 *                      bytes that was, and for how much of this time the program could not run
 *     say=TEXT         prints "LAB: TEXT"
 *     await=FILE       waits until there is a file, outside of rsockets
 *
 * The bytes of each direction count from 0 to 255 again and again. A connection is closed behind its last step. The
 * exit status is 0 if all steps succeeded; SIGALRM ends a program that has run for a minute.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <pthread.h>
#include <rdma/rsocket.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { BUFFER_BYTES = 16384, LIMIT_SECONDS = 60, PAUSE_NANOS = 20000000 };

struct connection {
    int socket;
    unsigned long sent, received;
};

static void check(int ok, const char *what) {
    if (!ok) {
        printf("LAB: fail %s: %s\n", what, strerror(errno));
        exit(1);
    }
}

static double milliseconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return 1e3 * now.tv_sec + now.tv_nsec / 1e6;
}

/*
 * A thread that sleeps again and again measures how long this program could not run. Where a machine is busy, this
 * program sees the end of a connection that much later.
 */
static pthread_mutex_t watched = PTHREAD_MUTEX_INITIALIZER;
static double overslept, due;

static void *watch(void *unused) {
    struct timespec pause = {0, PAUSE_NANOS};
    for (;;) {
        nanosleep(&pause, NULL);
        pthread_mutex_lock(&watched);
        double now = milliseconds();
        if (now > due)
            overslept += now - due;
        due = now + PAUSE_NANOS / 1e6;
        pthread_mutex_unlock(&watched);
    }
    return unused;
}

/* Returns the milliseconds without a processor since the start, up to now. */
static double starved(void) {
    pthread_mutex_lock(&watched);
    double now = milliseconds();
    double result = overslept + (now > due ? now - due : 0);
    pthread_mutex_unlock(&watched);
    return result;
}

static void send_bytes(struct connection *c, unsigned long bytes) {
    unsigned char buffer[BUFFER_BYTES];
    while (bytes > 0) {
        size_t size = bytes < sizeof buffer ? bytes : sizeof buffer;
        for (size_t i = 0; i < size; i++)
            buffer[i] = (unsigned char) (c->sent + i);
        ssize_t sent = rsend(c->socket, buffer, size, 0);
        check(sent > 0, "rsend");
        c->sent += sent;
        bytes -= sent;
    }
}

/* Returns the bytes received, at most the limit; 0 is the end. */
static unsigned long receive_some(struct connection *c, unsigned long limit) {
    unsigned char buffer[BUFFER_BYTES];
    ssize_t received = rrecv(c->socket, buffer, limit < sizeof buffer ? limit : sizeof buffer, 0);
    check(received >= 0, "rrecv");
    for (ssize_t i = 0; i < received; i++) {
        if (buffer[i] != (unsigned char) (c->received + i)) {
            printf("LAB: fail byte %lu is %d\n", c->received + i, buffer[i]);
            exit(1);
        }
    }
    c->received += received;
    return received;
}

static void receive_bytes(struct connection *c, unsigned long bytes) {
    while (bytes > 0) {
        unsigned long received = receive_some(c, bytes);
        if (received == 0) {
            printf("LAB: fail the end after %lu bytes, %lu before it was due\n", c->received, bytes);
            exit(1);
        }
        bytes -= received;
    }
}

static void receive_end(struct connection *c) {
    puts("LAB: waits for the end");
    double begin = milliseconds(), starved_before = starved();
    while (receive_some(c, BUFFER_BYTES) > 0) {
        begin = milliseconds();
        starved_before = starved();
    }
    printf("LAB: end after %lu bytes, %.1f ms behind the last, %.1f ms of them starved\n", c->received,
           milliseconds() - begin, starved() - starved_before);
}

static void await_file(const char *file) {
    struct timespec pause = {0, PAUSE_NANOS};
    while (access(file, F_OK) != 0)
        nanosleep(&pause, NULL);
}

static const char *argument(const char *step, const char *name) {
    size_t length = strlen(name);
    return strncmp(step, name, length) == 0 && step[length] == '=' ? step + length + 1 : NULL;
}

static void run(struct connection *c, const char *step) {
    const char *value;
    if ((value = argument(step, "send")))
        send_bytes(c, strtoul(value, NULL, 10));
    else if ((value = argument(step, "receive")))
        receive_bytes(c, strtoul(value, NULL, 10));
    else if ((value = argument(step, "say")))
        printf("LAB: %s\n", value);
    else if ((value = argument(step, "await")))
        await_file(value);
    else if (strcmp(step, "shutdown") == 0)
        check(rshutdown(c->socket, SHUT_WR) == 0, "rshutdown");
    else if (strcmp(step, "end") == 0)
        receive_end(c);
    else {
        printf("LAB: fail unknown step %s\n", step);
        exit(1);
    }
}

/* The kernel's rdma_cm takes a local port at random, without a look at those that TCP keeps for connections of before
 * (TIME_WAIT). With a hundred connections to one address that happens now and then, and is no fault of the peer. */
static int connect_to(struct sockaddr_in *address) {
    for (int attempt = 1;; attempt++) {
        int socket = rsocket(AF_INET, SOCK_STREAM, 0);
        check(socket >= 0, "rsocket");
        if (rconnect(socket, (struct sockaddr *) address, sizeof *address) == 0)
            return socket;
        check(errno == EADDRNOTAVAIL && attempt < 5, "rconnect");
        printf("LAB: port in use, attempt %d\n", attempt);
        check(rclose(socket) == 0, "rclose");
    }
}

int main(int count, char **arguments) {
    setvbuf(stdout, NULL, _IOLBF, 0);
    alarm(LIMIT_SECONDS);
    printf("LAB: process %d\n", (int) getpid());
    due = milliseconds() + PAUSE_NANOS / 1e6;
    pthread_t watcher;
    errno = pthread_create(&watcher, NULL, watch, NULL);
    check(errno == 0, "pthread_create");
    if (count < 5) {
        puts("LAB: fail usage: rsockets-peer connect|listen ADDRESS PORT CONNECTIONS STEP...");
        return 1;
    }
    int listens = strcmp(arguments[1], "listen") == 0;
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(atoi(arguments[3]))};
    check(inet_pton(AF_INET, arguments[2], &address.sin_addr) == 1, "inet_pton");
    int listener = -1;
    if (listens) {
        listener = rsocket(AF_INET, SOCK_STREAM, 0);
        check(listener >= 0, "rsocket");
        check(rbind(listener, (struct sockaddr *) &address, sizeof address) == 0, "rbind");
        check(rlisten(listener, 8) == 0, "rlisten");
        puts("LAB: listens");
    }
    for (int i = 0; i < atoi(arguments[4]); i++) {
        struct connection c = {-1, 0, 0};
        if (listens) {
            c.socket = raccept(listener, NULL, NULL);
            check(c.socket >= 0, "raccept");
        } else {
            c.socket = connect_to(&address);
        }
        for (int step = 5; step < count; step++)
            run(&c, arguments[step]);
        check(rclose(c.socket) == 0, "rclose");
    }
    puts("LAB: ok rsockets-peer");
    return 0;
}
