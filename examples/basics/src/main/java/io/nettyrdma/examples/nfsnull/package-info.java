// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
/** An RPC-over-RDMA server: one handler for the transport, one for the program. */
@NullMarked
package io.nettyrdma.examples.nfsnull;

import org.jspecify.annotations.NullMarked;
