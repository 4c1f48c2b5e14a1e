// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.http;

import io.netty.channel.Channel;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.ServerChannel;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.nettyrdma.channel.Rdma;
import io.nettyrdma.channel.RdmaIoHandler;
import io.nettyrdma.socket.RdmaServerSocketChannel;
import io.nettyrdma.socket.RdmaSocketChannel;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Everything that differs between a program over RDMA and one over TCP. */
public enum Transport {
    /** A byte stream over RDMA; clients need it, too. */
    RDMA(RdmaIoHandler::newFactory, RdmaServerSocketChannel.class, RdmaSocketChannel.class, Rdma::unavailabilityCause),

    /** TCP by Linux's epoll. */
    EPOLL(
            EpollIoHandler::newFactory,
            EpollServerSocketChannel.class,
            EpollSocketChannel.class,
            Epoll::unavailabilityCause),

    /** TCP by the JDK. */
    NIO(NioIoHandler::newFactory, NioServerSocketChannel.class, NioSocketChannel.class, () -> null);

    private final Supplier<IoHandlerFactory> io;
    private final Class<? extends ServerChannel> listener;
    private final Class<? extends Channel> client;
    private final Supplier<@Nullable Throwable> unavailabilityCause;

    Transport(
            Supplier<IoHandlerFactory> io,
            Class<? extends ServerChannel> listener,
            Class<? extends Channel> client,
            Supplier<@Nullable Throwable> unavailabilityCause) {
        this.io = io;
        this.listener = listener;
        this.client = client;
        this.unavailabilityCause = unavailabilityCause;
    }

    /** Returns the factory for event loops of this transport. */
    public IoHandlerFactory newFactory() {
        return io.get();
    }

    /** Returns the channel class of servers. */
    public Class<? extends ServerChannel> listener() {
        return listener;
    }

    /** Returns the channel class of clients. */
    public Class<? extends Channel> client() {
        return client;
    }

    /** Returns why this machine lacks the transport, or null if it has it. */
    public @Nullable Throwable unavailabilityCause() {
        return unavailabilityCause.get();
    }
}
