// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
/** Messages back and forth, with nothing but the transport: the programs to copy first. */
@NullMarked
package io.nettyrdma.examples.echo;

import org.jspecify.annotations.NullMarked;
