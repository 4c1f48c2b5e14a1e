// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
/** An RPC-over-RDMA client: one handler, and calls as futures. */
@NullMarked
package io.nettyrdma.examples.rpcping;

import org.jspecify.annotations.NullMarked;
