// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.channel;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.ServerChannel;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.nettyrdma.socket.RdmaServerSocketChannel;
import io.nettyrdma.socket.RdmaSocketChannel;

/**
 * The transport for byte streams that suites and stacks of other projects run on. It is combined only with itself: a
 * TCP peer does not speak RDMA.
 *
 * <p>Threading: any. The event loops are daemon threads and run until the JVM ends.
 */
public record StreamTransport(
        String name,
        IoHandlerFactory io,
        EventLoopGroup group,
        Class<? extends ServerChannel> server,
        Class<? extends Channel> client) {

    private static final String EPOLL = "epoll";
    private static final String RDMA = "rdma";

    private static final int THREADS = 4;

    /**
     * Chosen by the system property {@code dropin.transport}: nio, epoll, rdma or guests, which are channels of NIO on
     * loops of RDMA; nio by default.
     */
    public static final StreamTransport UNDER_TEST = named(System.getProperty("dropin.transport", "nio"));

    public boolean isEpoll() {
        return name.equals(EPOLL);
    }

    public boolean isRdma() {
        return name.equals(RDMA);
    }

    public ServerBootstrap newServer() {
        return new ServerBootstrap().group(group).channel(server);
    }

    public Bootstrap newClient() {
        return new Bootstrap().group(group).channel(client);
    }

    private static StreamTransport named(String name) {
        return switch (name) {
            case "nio" -> of(name, NioIoHandler.newFactory(), NioServerSocketChannel.class, NioSocketChannel.class);
            case EPOLL ->
                of(name, EpollIoHandler.newFactory(), EpollServerSocketChannel.class, EpollSocketChannel.class);
            case RDMA -> of(name, RdmaIoHandler.newFactory(), RdmaServerSocketChannel.class, RdmaSocketChannel.class);
            case "guests" -> of(name, RdmaIoHandler.newFactory(), NioServerSocketChannel.class, NioSocketChannel.class);
            default ->
                throw new IllegalArgumentException(
                        "dropin.transport: " + name + " (expected: nio, epoll, rdma or guests)");
        };
    }

    private static StreamTransport of(
            String name, IoHandlerFactory io, Class<? extends ServerChannel> server, Class<? extends Channel> client) {
        return new StreamTransport(
                name,
                io,
                new MultiThreadIoEventLoopGroup(THREADS, new DefaultThreadFactory("dropin-" + name, true), io),
                server,
                client);
    }
}
