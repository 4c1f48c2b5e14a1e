// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.ffm;

/**
 * Where the fields of C's structs lie, in octets, on 64-bit Linux: {@code <infiniband/verbs.h>}, {@code
 * <rdma/rdma_cma.h>} and the few of the C library. Each constant is named after its field; {@code _BYTES} is the size
 * of a struct, or what is needed of it where releases or processors differ behind that.
 *
 * <p>These offsets are compiled into every program that uses verbs. Tests compare them with print-outs of rdma-core 33,
 * 44, 56 and 65 on x86-64 and aarch64, and with the installed headers; {@link LayoutCheck} compares them with structs
 * that the library has made. Headers of older releases, back to 13, showed the same offsets, but no test keeps that.
 */
final class VerbsLayout {

    // struct ibv_context
    static final int IBV_CONTEXT_BYTES = 276; // as far as it is the same everywhere
    static final int IBV_CONTEXT_DEVICE = 0;
    static final int IBV_CONTEXT_OPS_ALLOC_MW = 8 + 56;
    static final int IBV_CONTEXT_OPS_BIND_MW = 8 + 64;
    static final int IBV_CONTEXT_OPS_DEALLOC_MW = 8 + 72;
    static final int IBV_CONTEXT_OPS_POLL_CQ = 8 + 88;
    static final int IBV_CONTEXT_OPS_REQ_NOTIFY_CQ = 8 + 96;
    static final int IBV_CONTEXT_OPS_POST_SEND = 8 + 200;
    static final int IBV_CONTEXT_OPS_POST_RECV = 8 + 208;
    static final int IBV_CONTEXT_CMD_FD = 264;
    static final int IBV_CONTEXT_ASYNC_FD = 268;
    static final int IBV_CONTEXT_NUM_COMP_VECTORS = 272;

    // struct ibv_device
    static final int IBV_DEVICE_NODE_TYPE = 16;
    static final int IBV_DEVICE_TRANSPORT_TYPE = 20;
    static final int IBV_DEVICE_NAME = 24;
    static final int IBV_DEVICE_NAME_BYTES = 64;
    static final int IBV_DEVICE_BYTES = IBV_DEVICE_NAME + IBV_DEVICE_NAME_BYTES;

    // struct ibv_send_wr
    static final int IBV_SEND_WR_BYTES = 128;
    static final int IBV_SEND_WR_WR_ID = 0;
    static final int IBV_SEND_WR_NEXT = 8;
    static final int IBV_SEND_WR_SG_LIST = 16;
    static final int IBV_SEND_WR_NUM_SGE = 24;
    static final int IBV_SEND_WR_OPCODE = 28;
    static final int IBV_SEND_WR_SEND_FLAGS = 32;
    static final int IBV_SEND_WR_INVALIDATE_RKEY = 36;
    static final int IBV_SEND_WR_WR_RDMA_REMOTE_ADDR = 40;
    static final int IBV_SEND_WR_WR_RDMA_RKEY = 48;
    static final int IBV_SEND_WR_BIND_MW_MW = 80;
    static final int IBV_SEND_WR_BIND_MW_RKEY = 88;
    static final int IBV_SEND_WR_BIND_MW_BIND_INFO_MR = 96;
    static final int IBV_SEND_WR_BIND_MW_BIND_INFO_ADDR = 104;
    static final int IBV_SEND_WR_BIND_MW_BIND_INFO_LENGTH = 112;
    static final int IBV_SEND_WR_BIND_MW_BIND_INFO_MW_ACCESS_FLAGS = 120;

    // struct ibv_recv_wr
    static final int IBV_RECV_WR_BYTES = 32;
    static final int IBV_RECV_WR_WR_ID = 0;
    static final int IBV_RECV_WR_NEXT = 8;
    static final int IBV_RECV_WR_SG_LIST = 16;
    static final int IBV_RECV_WR_NUM_SGE = 24;

    // struct ibv_sge
    static final int IBV_SGE_BYTES = 16;
    static final int IBV_SGE_ADDR = 0;
    static final int IBV_SGE_LENGTH = 8;
    static final int IBV_SGE_LKEY = 12;

    // struct ibv_wc
    static final int IBV_WC_BYTES = 48;
    static final int IBV_WC_WR_ID = 0;
    static final int IBV_WC_STATUS = 8;
    static final int IBV_WC_OPCODE = 12;
    static final int IBV_WC_VENDOR_ERR = 16;
    static final int IBV_WC_BYTE_LEN = 20;
    static final int IBV_WC_INVALIDATED_RKEY = 24;
    static final int IBV_WC_QP_NUM = 28;
    static final int IBV_WC_SRC_QP = 32;
    static final int IBV_WC_WC_FLAGS = 36;

    // struct ibv_qp_init_attr
    static final int IBV_QP_INIT_ATTR_BYTES = 64;
    static final int IBV_QP_INIT_ATTR_SEND_CQ = 8;
    static final int IBV_QP_INIT_ATTR_RECV_CQ = 16;
    static final int IBV_QP_INIT_ATTR_SRQ = 24;
    static final int IBV_QP_INIT_ATTR_CAP_MAX_SEND_WR = 32;
    static final int IBV_QP_INIT_ATTR_CAP_MAX_RECV_WR = 36;
    static final int IBV_QP_INIT_ATTR_CAP_MAX_SEND_SGE = 40;
    static final int IBV_QP_INIT_ATTR_CAP_MAX_RECV_SGE = 44;
    static final int IBV_QP_INIT_ATTR_CAP_MAX_INLINE_DATA = 48;
    static final int IBV_QP_INIT_ATTR_QP_TYPE = 52;
    static final int IBV_QP_INIT_ATTR_SQ_SIG_ALL = 56;

    // struct ibv_qp
    static final int IBV_QP_BYTES = 60; // as far as it is the same everywhere
    static final int IBV_QP_CONTEXT = 0;
    static final int IBV_QP_PD = 16;
    static final int IBV_QP_SEND_CQ = 24;
    static final int IBV_QP_RECV_CQ = 32;
    static final int IBV_QP_QP_NUM = 52;
    static final int IBV_QP_STATE = 56;

    // struct ibv_qp_attr
    static final int IBV_QP_ATTR_BYTES = 144;
    static final int IBV_QP_ATTR_QP_STATE = 0;

    // struct ibv_cq
    static final int IBV_CQ_BYTES = 32; // as far as it is the same everywhere
    static final int IBV_CQ_CONTEXT = 0;
    static final int IBV_CQ_CHANNEL = 8;
    static final int IBV_CQ_CQE = 28;

    // struct ibv_pd
    static final int IBV_PD_BYTES = 16;
    static final int IBV_PD_CONTEXT = 0;

    // struct ibv_mr
    static final int IBV_MR_BYTES = 48;
    static final int IBV_MR_ADDR = 16;
    static final int IBV_MR_LENGTH = 24;
    static final int IBV_MR_LKEY = 36;
    static final int IBV_MR_RKEY = 40;

    // struct ibv_mw
    static final int IBV_MW_BYTES = 32;
    static final int IBV_MW_CONTEXT = 0;
    static final int IBV_MW_PD = 8;
    static final int IBV_MW_RKEY = 16;
    static final int IBV_MW_TYPE = 24;

    // struct ibv_comp_channel
    static final int IBV_COMP_CHANNEL_BYTES = 16;
    static final int IBV_COMP_CHANNEL_CONTEXT = 0;
    static final int IBV_COMP_CHANNEL_FD = 8;

    // struct ibv_async_event
    static final int IBV_ASYNC_EVENT_BYTES = 16;
    static final int IBV_ASYNC_EVENT_ELEMENT = 0;
    static final int IBV_ASYNC_EVENT_EVENT_TYPE = 8;

    // struct ibv_device_attr
    static final int IBV_DEVICE_ATTR_BYTES = 232;
    static final int IBV_DEVICE_ATTR_MAX_MR_SIZE = 80;
    static final int IBV_DEVICE_ATTR_VENDOR_ID = 96;
    static final int IBV_DEVICE_ATTR_MAX_QP = 108;
    static final int IBV_DEVICE_ATTR_MAX_QP_WR = 112;
    static final int IBV_DEVICE_ATTR_DEVICE_CAP_FLAGS = 116;
    static final int IBV_DEVICE_ATTR_MAX_SGE = 120;
    static final int IBV_DEVICE_ATTR_MAX_SGE_RD = 124;
    static final int IBV_DEVICE_ATTR_MAX_CQ = 128;
    static final int IBV_DEVICE_ATTR_MAX_CQE = 132;
    static final int IBV_DEVICE_ATTR_MAX_MR = 136;
    static final int IBV_DEVICE_ATTR_MAX_PD = 140;
    static final int IBV_DEVICE_ATTR_MAX_QP_RD_ATOM = 144;
    static final int IBV_DEVICE_ATTR_MAX_QP_INIT_RD_ATOM = 156;
    static final int IBV_DEVICE_ATTR_MAX_MW = 176;

    // struct rdma_event_channel
    static final int RDMA_EVENT_CHANNEL_BYTES = 4;
    static final int RDMA_EVENT_CHANNEL_FD = 0;

    // struct rdma_cm_id
    static final int RDMA_CM_ID_BYTES = 416;
    static final int RDMA_CM_ID_VERBS = 0;
    static final int RDMA_CM_ID_CHANNEL = 8;
    static final int RDMA_CM_ID_CONTEXT = 16;
    static final int RDMA_CM_ID_QP = 24;
    static final int RDMA_CM_ID_ROUTE_ADDR_SRC_ADDR = 32;
    static final int RDMA_CM_ID_ROUTE_ADDR_DST_ADDR = 160;
    static final int RDMA_CM_ID_PS = 344;
    static final int RDMA_CM_ID_PORT_NUM = 348;

    // struct rdma_cm_event
    static final int RDMA_CM_EVENT_BYTES = 80;
    static final int RDMA_CM_EVENT_ID = 0;
    static final int RDMA_CM_EVENT_LISTEN_ID = 8;
    static final int RDMA_CM_EVENT_EVENT = 16;
    static final int RDMA_CM_EVENT_STATUS = 20;
    static final int RDMA_CM_EVENT_PARAM_CONN_PRIVATE_DATA = 24;
    static final int RDMA_CM_EVENT_PARAM_CONN_PRIVATE_DATA_LEN = 32;
    static final int RDMA_CM_EVENT_PARAM_CONN_RESPONDER_RESOURCES = 33;
    static final int RDMA_CM_EVENT_PARAM_CONN_INITIATOR_DEPTH = 34;
    static final int RDMA_CM_EVENT_PARAM_CONN_QP_NUM = 40;

    // struct rdma_conn_param
    static final int RDMA_CONN_PARAM_BYTES = 24;
    static final int RDMA_CONN_PARAM_PRIVATE_DATA = 0;
    static final int RDMA_CONN_PARAM_PRIVATE_DATA_LEN = 8;
    static final int RDMA_CONN_PARAM_RESPONDER_RESOURCES = 9;
    static final int RDMA_CONN_PARAM_INITIATOR_DEPTH = 10;
    static final int RDMA_CONN_PARAM_FLOW_CONTROL = 11;
    static final int RDMA_CONN_PARAM_RETRY_COUNT = 12;
    static final int RDMA_CONN_PARAM_RNR_RETRY_COUNT = 13;
    static final int RDMA_CONN_PARAM_SRQ = 14;
    static final int RDMA_CONN_PARAM_QP_NUM = 16;

    // struct sockaddr_in and sockaddr_in6
    static final int SOCKADDR_IN_BYTES = 16;
    static final int SOCKADDR_IN_SIN_FAMILY = 0;
    static final int SOCKADDR_IN_SIN_PORT = 2;
    static final int SOCKADDR_IN_SIN_ADDR = 4;
    static final int SOCKADDR_IN6_BYTES = 28;
    static final int SOCKADDR_IN6_SIN6_FAMILY = 0;
    static final int SOCKADDR_IN6_SIN6_PORT = 2;
    static final int SOCKADDR_IN6_SIN6_ADDR = 8;
    static final int SOCKADDR_IN6_SIN6_SCOPE_ID = 24;

    // struct pollfd
    static final int POLLFD_BYTES = 8;
    static final int POLLFD_FD = 0;
    static final int POLLFD_EVENTS = 4;
    static final int POLLFD_REVENTS = 6;

    private VerbsLayout() {}
}
