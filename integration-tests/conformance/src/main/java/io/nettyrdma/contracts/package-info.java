// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
/**
 * Contracts: abstract classes of tests, whose names end with {@code Contract}, that hold over every provider. Keeps the
 * list of what does not apply to one, and why.
 */
@NullMarked
package io.nettyrdma.contracts;

import org.jspecify.annotations.NullMarked;
