// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
/**
 * Byte streams over RDMA, as Netty's {@code SocketChannel} and {@code ServerSocketChannel}: start with {@link
 * io.nettyrdma.socket.RdmaSocketChannel} and {@link io.nettyrdma.socket.RdmaServerSocketChannel}, on event loops of
 * {@code RdmaIoHandler}. The protocol, that of rsockets, is in {@code io.nettyrdma.stream}.
 *
 * <p>Threading: as for Netty's channels.
 */
@NullMarked
package io.nettyrdma.socket;

import org.jspecify.annotations.NullMarked;
