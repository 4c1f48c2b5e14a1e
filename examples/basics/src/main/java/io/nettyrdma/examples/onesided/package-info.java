// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
/** One-sided operations: a client writes and reads memory of a server, which runs no code for it. */
@NullMarked
package io.nettyrdma.examples.onesided;

import org.jspecify.annotations.NullMarked;
