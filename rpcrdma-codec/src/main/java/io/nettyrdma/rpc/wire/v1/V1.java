// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.wire.v1;

import io.nettyrdma.rpc.wire.header.ChunkLists;

/** Numbers of version 1 (RFC 8166, sections 4.1.2 and 4.2). */
final class V1 {

    static final int VERSION = 1; // V1-081

    // Offsets of words 0 to 4. The first four hold in every version (section 7). V1-078
    static final int XID = 0;
    static final int VERS = 4;
    static final int CREDIT = 8;
    static final int PROC = 12;
    static final int ERR = 16;

    static final int FIXED_BYTES = 16;
    /** A header without chunks, and the least a receiver looks at (section 4.5). */
    static final int MIN_HEADER_BYTES = FIXED_BYTES + ChunkLists.ABSENT_BYTES;

    static final int ERR_CHUNK_BYTES = 20;

    // V1-076
    static final int RDMA_MSG = 0;
    static final int RDMA_NOMSG = 1;
    static final int RDMA_MSGP = 2;
    static final int RDMA_DONE = 3;
    static final int RDMA_ERROR = 4;

    // V1-077
    static final int ERR_CHUNK = 2;

    private V1() {}
}
