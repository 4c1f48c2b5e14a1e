// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0

/** The choice of the verbs provider of this JVM, among those that {@link java.util.ServiceLoader} finds. */
@NullMarked
package io.nettyrdma.verbs.choice;

import org.jspecify.annotations.NullMarked;
