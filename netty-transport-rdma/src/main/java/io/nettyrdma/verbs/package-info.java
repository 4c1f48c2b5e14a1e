// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0

/** The verbs provider of a JVM as programs see it: its kind, and the abilities of its devices. */
@NullMarked
package io.nettyrdma.verbs;

import org.jspecify.annotations.NullMarked;
