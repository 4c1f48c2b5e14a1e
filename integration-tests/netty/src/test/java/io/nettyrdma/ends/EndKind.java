// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.ends;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.ServerChannel;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.nettyrdma.channel.RdmaIoHandler;
import io.nettyrdma.socket.RdmaServerSocketChannel;
import io.nettyrdma.socket.RdmaSocketChannel;
import java.util.ArrayList;
import java.util.List;

/** The transports that are asked. The first two are the references. */
enum EndKind {
    NIO(NioServerSocketChannel.class, NioSocketChannel.class),
    EPOLL(EpollServerSocketChannel.class, EpollSocketChannel.class),
    STREAM(RdmaServerSocketChannel.class, RdmaSocketChannel.class);

    private final Class<? extends ServerChannel> listener;
    private final Class<? extends Channel> channel;

    EndKind(Class<? extends ServerChannel> listener, Class<? extends Channel> channel) {
        this.listener = listener;
        this.channel = channel;
    }

    /** Those that this machine has. */
    static List<EndKind> available() {
        List<EndKind> kinds = new ArrayList<>(List.of(values()));
        if (!Epoll.isAvailable()) {
            kinds.remove(EPOLL);
        }
        return kinds;
    }

    boolean isReference() {
        return this != STREAM;
    }

    EventLoopGroup newGroup(int threads) {
        IoHandlerFactory factory =
                switch (this) {
                    case NIO -> NioIoHandler.newFactory();
                    case EPOLL -> EpollIoHandler.newFactory();
                    case STREAM -> RdmaIoHandler.newFactory();
                };
        return new MultiThreadIoEventLoopGroup(threads, new DefaultThreadFactory("ends-" + this, true), factory);
    }

    ServerBootstrap newServer(EventLoopGroup listeners, EventLoopGroup channels) {
        return new ServerBootstrap().group(listeners, channels).channel(listener);
    }

    Bootstrap newClient(EventLoopGroup channels) {
        return new Bootstrap().group(channels).channel(channel);
    }
}
