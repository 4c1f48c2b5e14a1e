// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
/** Which numbered requirement is proven by which test, and the report made from it. */
@NullMarked
package io.nettyrdma.conformance;

import org.jspecify.annotations.NullMarked;
