// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0

/** A program of another project. */
module depend {
    requires io.nettyrdma.transport;
}
