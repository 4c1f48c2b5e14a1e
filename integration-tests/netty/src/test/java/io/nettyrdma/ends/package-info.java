// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
/**
 * How connections end, asked of NIO, epoll and byte streams with the same questions. {@code mvn verify -Pdropin} asks
 * all, {@link io.nettyrdma.ends.EndsTest} the quick ones, and {@link io.nettyrdma.ends.EndMatrix} is a program that
 * asks those whose names match a regular expression and prints what differs.
 */
package io.nettyrdma.ends;
