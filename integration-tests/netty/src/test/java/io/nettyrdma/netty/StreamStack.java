// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.netty;

import io.netty.channel.Channel;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.ServerChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.nettyrdma.channel.RdmaIoHandler;
import io.nettyrdma.socket.RdmaServerSocketChannel;
import io.nettyrdma.socket.RdmaSocketChannel;
import java.util.function.Supplier;

/** All that a program for byte streams changes to run over RDMA, with NIO as the control. */
enum StreamStack {
    NIO(NioIoHandler::newFactory, NioServerSocketChannel.class, NioSocketChannel.class),
    RDMA(RdmaIoHandler::newFactory, RdmaServerSocketChannel.class, RdmaSocketChannel.class);

    private final Supplier<IoHandlerFactory> io;
    private final Class<? extends ServerChannel> server;
    private final Class<? extends Channel> client;

    StreamStack(Supplier<IoHandlerFactory> io, Class<? extends ServerChannel> server, Class<? extends Channel> client) {
        this.io = io;
        this.server = server;
        this.client = client;
    }

    IoHandlerFactory io() {
        return io.get();
    }

    Class<? extends ServerChannel> server() {
        return server;
    }

    Class<? extends Channel> client() {
        return client;
    }
}
