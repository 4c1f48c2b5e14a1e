// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0

/*
 * A gateway: accepts rsockets and connects each of them to a TCP server, for servers that cannot run over librspreload
 * because they wait by epoll. Passes on the end of each direction by a half close.
 *
 * Each connection has one thread, which waits by rpoll. With two threads, one in rrecv and one in rsend, librdmacm 44
 * can lose a wake-up: one thread takes the credit update that the other needs from the completion queue, and arms the
 * queue again. The other thread then waits for the next event without looking for its update.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <rdma/rsocket.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { BUFFER_BYTES = 65536, BACKLOG = 16, LAST_PORT = 65535 };

/* From the socket of one kind to that of the other. */
struct direction {
    const char *name;
    int from, to;
    ssize_t (*receive)(int, void *, size_t, int);
    ssize_t (*send)(int, const void *, size_t, int);
    int (*shutdown)(int, int);
    char buffer[BUFFER_BYTES];
    ssize_t start, end;
    long long bytes;
    int over;
};

/* One connection. */
struct pair {
    struct direction forth, back;
};

static void check(int ok, const char *what) {
    if (!ok) {
        fprintf(stderr, "rsgate: %s: %s\n", what, strerror(errno));
        exit(1);
    }
}

static short wanted(const struct direction *direction, int socket) {
    int full = direction->start < direction->end;
    if (direction->over || socket != (full ? direction->to : direction->from)) {
        return 0;
    }
    return full ? POLLOUT : POLLIN;
}

static int must_wait(ssize_t result) {
    return result < 0 && (errno == EAGAIN || errno == EWOULDBLOCK);
}

static void end(struct direction *direction, const char *why) {
    printf("rsgate: %s: %lld bytes, %s\n", direction->name, direction->bytes, why);
    direction->shutdown(direction->to, SHUT_WR);
    direction->over = 1;
}

/* Returns 0 if the connection has failed. */
static int move(struct direction *direction) {
    if (direction->over) {
        return 1;
    }
    ssize_t result;
    if (direction->start == direction->end) {
        result = direction->receive(direction->from, direction->buffer, BUFFER_BYTES, MSG_DONTWAIT);
        if (result == 0) {
            end(direction, "end");
        } else if (result > 0) {
            direction->start = 0;
            direction->end = result;
        }
    } else {
        const char *bytes = direction->buffer + direction->start;
        result = direction->send(direction->to, bytes, direction->end - direction->start, MSG_DONTWAIT);
        if (result > 0) {
            direction->start += result;
            direction->bytes += result;
        }
    }
    if (result >= 0 || must_wait(result)) {
        return 1;
    }
    end(direction, strerror(errno));
    return 0;
}

static void *pass_on(void *argument) {
    struct pair *pair = argument;
    int rs = pair->forth.from, tcp = pair->forth.to;
    while (!(pair->forth.over && pair->back.over)) {
        struct pollfd sockets[] = {{.fd = rs, .events = wanted(&pair->forth, rs) | wanted(&pair->back, rs)},
                                   {.fd = tcp, .events = wanted(&pair->forth, tcp) | wanted(&pair->back, tcp)}};
        if (rpoll(sockets, 2, -1) < 0 || !move(&pair->forth) || !move(&pair->back)) {
            break;
        }
        if (pair->forth.over && sockets[0].revents & (POLLHUP | POLLERR)) {
            break; /* the peer takes no more */
        }
    }
    rclose(rs);
    close(tcp);
    free(pair);
    return NULL;
}

static struct sockaddr_in address(const char *host, const char *port) {
    struct sockaddr_in address = {.sin_family = AF_INET};
    int number = atoi(port);
    errno = EINVAL;
    check(inet_pton(AF_INET, host, &address.sin_addr) == 1, host);
    check(number > 0 && number <= LAST_PORT, port);
    address.sin_port = htons(number);
    return address;
}

int main(int count, char **arguments) {
    if (count != 5) {
        fprintf(stderr, "Usage: rsgate ADDRESS PORT TCP_ADDRESS TCP_PORT\n");
        return 2;
    }
    struct sockaddr_in near = address(arguments[1], arguments[2]), far = address(arguments[3], arguments[4]);
    setvbuf(stdout, NULL, _IOLBF, 0);
    signal(SIGPIPE, SIG_IGN);
    int on = 1, listener = rsocket(AF_INET, SOCK_STREAM, 0);
    check(listener >= 0, "rsocket");
    check(rsetsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) == 0, "SO_REUSEADDR");
    check(rbind(listener, (struct sockaddr *) &near, sizeof near) == 0, "rbind");
    check(rlisten(listener, BACKLOG) == 0, "rlisten");
    printf("rsgate: listens on %s:%s\n", arguments[1], arguments[2]);
    for (;;) {
        int rs = raccept(listener, NULL, NULL);
        check(rs >= 0, "raccept");
        int tcp = socket(AF_INET, SOCK_STREAM, 0);
        check(tcp >= 0, "socket");
        if (connect(tcp, (struct sockaddr *) &far, sizeof far) < 0) {
            printf("rsgate: connect to %s:%s: %s\n", arguments[3], arguments[4], strerror(errno));
            close(tcp);
            rclose(rs);
            continue;
        }
        setsockopt(tcp, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
        struct pair *pair = malloc(sizeof *pair);
        check(pair != NULL, "malloc");
        *pair = (struct pair){
            .forth = {"to TCP", rs, tcp, .receive = rrecv, .send = send, .shutdown = shutdown},
            .back = {"to rsocket", tcp, rs, .receive = recv, .send = rsend, .shutdown = rshutdown}};
        pthread_t thread;
        errno = pthread_create(&thread, NULL, pass_on, pair);
        check(errno == 0, "pthread_create");
        pthread_detach(thread);
    }
}
