/*
 * Reads messages of version 2 as lines of hexadecimal digits, decodes and encodes them by the code that rpcgen makes of
 * rpcrdma2.x, and writes what became of them: the same line, if both agree. A message that cannot be decoded is a "-".
 */
#include "rpcrdma2.h"
#include <stdio.h>
#include <string.h>

#define MAX_OCTETS 65536

static char line[2 * MAX_OCTETS + 2];
static char in[MAX_OCTETS];
static char out[MAX_OCTETS];

/* Decodes and encodes one part of a message. */
static int copy(xdrproc_t type, void *value, size_t size, XDR *from, XDR *to)
{
    memset(value, 0, size);
    int done = type(from, value, 0) && type(to, value, 0);
    xdr_free(type, value);
    return done;
}

#define COPY(type, value) copy((xdrproc_t) xdr_##type, &(value), sizeof(value), &from, &to)

/* Octets that were encoded, -1 if something cannot be decoded or is left. */
static int message(u_int length)
{
    XDR from, to;
    struct rpcrdma2_hdr_prefix prefix;
    struct rpcrdma2_msg msg;
    struct rpcrdma2_nomsg nomsg;
    struct rpcrdma2_connprop connprop;
    struct rpcrdma2_error error;
    int done;

    xdrmem_create(&from, in, length, XDR_DECODE);
    xdrmem_create(&to, out, MAX_OCTETS, XDR_ENCODE);
    memset(&prefix, 0, sizeof prefix);
    if (!xdr_rpcrdma2_hdr_prefix(&from, &prefix) || !xdr_rpcrdma2_hdr_prefix(&to, &prefix))
        return -1;
    switch (prefix.rdma_start.rdma_htype) {
    case RDMA2_MSG: done = COPY(rpcrdma2_msg, msg); break;
    case RDMA2_NOMSG: done = COPY(rpcrdma2_nomsg, nomsg); break;
    case RDMA2_ERROR: done = COPY(rpcrdma2_error, error); break;
    case RDMA2_CONNPROP: done = COPY(rpcrdma2_connprop, connprop); break;
    default: done = 0;
    }
    u_int read = xdr_getpos(&from);
    u_int written = xdr_getpos(&to);
    if (!done || read != written || (prefix.rdma_start.rdma_htype != RDMA2_MSG && read != length))
        return -1;
    memcpy(out + written, in + read, length - read);
    return length;
}

int main(void)
{
    while (fgets(line, sizeof line, stdin)) {
        u_int length = strcspn(line, "\n") / 2;
        for (u_int i = 0; i < length; i++) {
            unsigned int octet;
            sscanf(line + 2 * i, "%2x", &octet);
            in[i] = octet;
        }
        int written = message(length);
        if (written < 0)
            printf("-");
        for (int i = 0; i < written; i++)
            printf("%02x", (unsigned char) out[i]);
        printf("\n");
    }
    return 0;
}
