// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.lab;

/** Operations of NFS version 4.1 by their numbers (RFC 8881, sections 18 and 20). */
enum Nfs41Operation {
    CREATE(6),
    DELEGRETURN(8),
    GETFH(10),
    LOOKUP(15),
    OPEN(18),
    PUTFH(22),
    PUTROOTFH(24),
    READ(25),
    BIND_CONN_TO_SESSION(41),
    EXCHANGE_ID(42),
    CREATE_SESSION(43),
    SEQUENCE(53),
    RECLAIM_COMPLETE(58),
    CB_RECALL(4),
    CB_SEQUENCE(11);

    final int number;

    Nfs41Operation(int number) {
        this.number = number;
    }
}
