// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
/**
 * Netty channels over RDMA queue pairs. Start with {@link io.nettyrdma.channel.RdmaIoHandler},
 * {@link io.nettyrdma.channel.RdmaServerChannel} and {@link io.nettyrdma.channel.RdmaChannel}.
 */
@NullMarked
package io.nettyrdma.channel;

import org.jspecify.annotations.NullMarked;
