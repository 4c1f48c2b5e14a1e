// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.spi;

/**
 * The numbers of libibverbs and rdma_cm that DiSNI's API passes on unchanged: statuses, opcodes, flags and rights of
 * {@code <infiniband/verbs.h>}, events of {@code <rdma/rdma_cma.h>}, and the Linux error numbers of events.
 */
public final class VerbsConstants {

    /** Status of a work completion: done. */
    public static final int WC_SUCCESS = 0;
    /** The message does not fit the receive, or the data of a Read does not fit its target. */
    public static final int WC_LOC_LEN_ERR = 1;
    /** The request is invalid for this queue pair. */
    public static final int WC_LOC_QP_OP_ERR = 2;
    /** Local memory is not registered, or not with the needed rights. */
    public static final int WC_LOC_PROT_ERR = 4;
    /** The request was not executed, because the queue pair is in error. */
    public static final int WC_WR_FLUSH_ERR = 5;
    /** The peer's answer is invalid. */
    public static final int WC_BAD_RESP_ERR = 7;
    /** InfiniBand and RoCE only: the peer refuses the request, mostly because it does not fit the receive. */
    public static final int WC_REM_INV_REQ_ERR = 9;
    /** The peer does not allow the access to its memory. */
    public static final int WC_REM_ACCESS_ERR = 10;
    /** {@code IBV_WC_REM_OP_ERR}: the peer cannot perform the request. */
    public static final int WC_REM_OP_ERR = 11;
    /** InfiniBand and RoCE only: the peer had no receive for too long. */
    public static final int WC_RNR_RETRY_EXC_ERR = 13;

    /** Opcode of a work completion: a Send. */
    public static final int WC_SEND = 0;
    /** An RDMA Write. */
    public static final int WC_RDMA_WRITE = 1;
    /** An RDMA Read. */
    public static final int WC_RDMA_READ = 2;
    /** A receive. */
    public static final int WC_RECV = 128;

    /** Flag of a work completion: it has immediate data. */
    public static final int WC_WITH_IMM = 2;
    /** Flag of a work completion: the peer has invalidated the key in the field of the immediate data. */
    public static final int WC_WITH_INV = 8;

    /** Opcode of a work request: RDMA Write. */
    public static final int WR_RDMA_WRITE = 0;
    /** RDMA Write with immediate data, which takes a receive of the peer. */
    public static final int WR_RDMA_WRITE_WITH_IMM = 1;
    /** Send. */
    public static final int WR_SEND = 2;
    /** RDMA Read. */
    public static final int WR_RDMA_READ = 4;
    /** {@code IBV_WR_BIND_MW}, which DiSNI has no name for. */
    public static final int WR_BIND_MW = 8;
    /** {@code IBV_WR_SEND_WITH_INV}, which DiSNI has no name for; the key to invalidate is the request's remote key. */
    public static final int WR_SEND_WITH_INV = 9;

    /** Flag of a work request: it waits until the RDMA Reads before it are done. */
    public static final int SEND_FENCE = 1;
    /** It completes visibly even if it succeeds. */
    public static final int SEND_SIGNALED = 2;
    /** Its completion at the peer is a solicited event. */
    public static final int SEND_SOLICITED = 4;

    /** Right of a memory region: this side's receives and RDMA Reads may write to it. */
    public static final int ACCESS_LOCAL_WRITE = 1;
    /** The peer may write to it. */
    public static final int ACCESS_REMOTE_WRITE = 2;
    /** The peer may read from it. */
    public static final int ACCESS_REMOTE_READ = 4;

    /** Connection event: an address has a device. */
    public static final int CM_ADDR_RESOLVED = 0;
    /** No device for an address. */
    public static final int CM_ADDR_ERROR = 1;
    /** A route exists. */
    public static final int CM_ROUTE_RESOLVED = 2;
    /** No route. */
    public static final int CM_ROUTE_ERROR = 3;
    /** A peer wants to connect. */
    public static final int CM_CONNECT_REQUEST = 4;
    /** Connecting has failed. */
    public static final int CM_CONNECT_ERROR = 6;
    /** The peer is unreachable. */
    public static final int CM_UNREACHABLE = 7;
    /** The peer rejects the connection, or no program listens. */
    public static final int CM_REJECTED = 8;
    /** The connection is established. */
    public static final int CM_ESTABLISHED = 9;
    /** The connection is over. */
    public static final int CM_DISCONNECTED = 10;
    /** The device is being removed. */
    public static final int CM_DEVICE_REMOVAL = 11;

    /** Status of an event, a negative error number of Linux: invalid. */
    public static final int EINVAL = -22;
    /** Network unreachable. */
    public static final int ENETUNREACH = -101;
    /** Reset by the peer. */
    public static final int ECONNRESET = -104;
    /** Timed out. */
    public static final int ETIMEDOUT = -110;
    /** No program listens. */
    public static final int ECONNREFUSED = -111;
    /** Host unreachable. */
    public static final int EHOSTUNREACH = -113;

    /**
     * Bytes of private data that every provider with private data carries: the 255 that Linux can send less RFC 6581's
     * enhanced data.
     */
    public static final int MAX_PRIVATE_DATA_BYTES = 251;

    private VerbsConstants() {}
}
