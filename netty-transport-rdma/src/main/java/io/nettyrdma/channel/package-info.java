// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
/**
 * Event loops over RDMA, and channels that keep message boundaries. Start with {@link
 * io.nettyrdma.channel.RdmaIoHandler}, {@link io.nettyrdma.channel.RdmaServerChannel} and {@link
 * io.nettyrdma.channel.RdmaChannel}. Byte streams are in {@code io.nettyrdma.socket}.
 *
 * <p>Threading: as for Netty's channels.
 */
@NullMarked
package io.nettyrdma.channel;

import org.jspecify.annotations.NullMarked;
