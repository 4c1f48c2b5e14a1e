// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.cli;

/** A command that can also run without RDMA. The others always need a provider. */
interface ChoosesTransport {

    /** Whether its options make it use RDMA. */
    boolean usesRdma();
}
