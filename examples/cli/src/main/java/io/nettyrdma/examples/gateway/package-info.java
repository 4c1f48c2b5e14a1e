// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
/** A relay between byte streams over RDMA and TCP, in one class. */
@NullMarked
package io.nettyrdma.examples.gateway;

import org.jspecify.annotations.NullMarked;
