/*
 * Copyright 2026 The Netty RDMA authors
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
 * with the License. You may obtain a copy of the License at
 *
 *     https://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software distributed under the License is distributed
 * on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for
 * the specific language governing permissions and limitations under the License.
 */
package io.nettyrdma.netty;

import io.netty.channel.Channel;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.ServerChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.nettyrdma.channel.RdmaIoHandler;
import io.nettyrdma.channel.RdmaServerSocketChannel;
import io.nettyrdma.channel.RdmaSocketChannel;
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
