// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.bench;

import io.netty.channel.Channel;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SelectStrategy;
import io.netty.channel.SelectStrategyFactory;
import io.netty.channel.ServerChannel;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollDomainSocketChannel;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerDomainSocketChannel;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.channel.unix.DomainSocketAddress;
import io.netty.util.IntSupplier;
import io.nettyrdma.channel.RdmaChannel;
import io.nettyrdma.channel.RdmaIoHandler;
import io.nettyrdma.channel.RdmaIoHandlerConfig;
import io.nettyrdma.channel.RdmaServerChannel;
import io.nettyrdma.socket.RdmaServerSocketChannel;
import io.nettyrdma.socket.RdmaSocketChannel;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.channels.spi.SelectorProvider;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ThreadFactory;

/** A transport with a way of waiting, as one competitor of a benchmark. */
enum Stack {
    NIO("NIO"),
    NIO_SPINNING("NIO, spinning"),
    EPOLL("epoll"),
    EPOLL_SPINNING("epoll, spinning"),
    /** What programs of one host have without RDMA. */
    EPOLL_UNIX("epoll, Unix sockets"),
    /** epoll with messages cut out of the stream as protocols do it. */
    EPOLL_FRAMED("epoll, length-field framing"),
    EPOLL_FRAMED_SPINNING("epoll, length-field framing, spinning"),
    RDMA("RDMA, blocking"),
    RDMA_SPINNING("RDMA, spinning"),
    RDMA_DEFAULT("RDMA, default options"),
    /** {@link #RDMA} with a handler that keeps each side within the receives of the other. */
    RDMA_FLOW_CONTROL("RDMA, blocking, flow control"),
    /** {@link #RDMA} with version 2 of RPC-over-RDMA in place of version 1. */
    RDMA_VERSION_2("RDMA, blocking, version 2"),
    /** Byte streams over RDMA, with the handlers that TCP has. */
    RDMA_STREAM("RDMA stream, blocking"),
    RDMA_STREAM_SPINNING("RDMA stream, spinning"),
    /** With the defaults but for the completion queue, as a loop with a thousand streams needs a larger one. */
    RDMA_STREAM_DEFAULT("RDMA stream, default options"),
    /** Both ends on one host: memory that they share in place of TCP, as without the option. */
    RDMA_SHARED("RDMA, blocking, shared memory"),
    RDMA_SHARED_SPINNING("RDMA, spinning, shared memory"),
    RDMA_STREAM_SHARED("RDMA stream, blocking, shared memory"),
    RDMA_STREAM_SHARED_SPINNING("RDMA stream, spinning, shared memory");

    // "Always selects now": the loop never blocks.
    private static final SelectStrategyFactory SELECT_NOW = () -> new SelectStrategy() {
        @Override
        public int calculateStrategy(IntSupplier selectNow, boolean hasTasks) throws Exception {
            return selectNow.get();
        }
    };

    private final String label;

    Stack(String label) {
        this.label = label;
    }

    String label() {
        return label;
    }

    boolean isAvailable() {
        return !name().startsWith("EPOLL") || Epoll.isAvailable();
    }

    /** Whether its channels keep the boundaries of messages, as those of RDMA do but for streams. */
    boolean keepsMessages() {
        return name().startsWith("RDMA") && !isStream();
    }

    boolean isStream() {
        return name().startsWith("RDMA_STREAM");
    }

    /** Options of its JVM. */
    List<String> options() {
        return List.of("-Dio.nettyrdma.soft.sameHost=" + (name().contains("SHARED") ? "auto" : "never"));
    }

    boolean isVersionTwo() {
        return this == RDMA_VERSION_2;
    }

    boolean hasFlowControl() {
        return this == RDMA_FLOW_CONTROL;
    }

    boolean isFramed() {
        return this == EPOLL_FRAMED || this == EPOLL_FRAMED_SPINNING;
    }

    EventLoopGroup group(int threads, ThreadFactory factory) {
        return new MultiThreadIoEventLoopGroup(threads, factory, handlers());
    }

    private IoHandlerFactory handlers() {
        return switch (this) {
            case NIO -> NioIoHandler.newFactory();
            case NIO_SPINNING -> NioIoHandler.newFactory(SelectorProvider.provider(), SELECT_NOW);
            case EPOLL, EPOLL_FRAMED, EPOLL_UNIX -> EpollIoHandler.newFactory();
            case EPOLL_SPINNING, EPOLL_FRAMED_SPINNING -> EpollIoHandler.newFactory(0, SELECT_NOW);
            case RDMA, RDMA_FLOW_CONTROL, RDMA_VERSION_2, RDMA_SHARED -> rdma(Duration.ZERO);
            case RDMA_SPINNING, RDMA_SHARED_SPINNING -> rdma(Duration.ofSeconds(1));
            case RDMA_STREAM, RDMA_STREAM_SHARED -> rdma(Duration.ZERO);
            case RDMA_STREAM_SPINNING, RDMA_STREAM_SHARED_SPINNING -> rdma(Duration.ofSeconds(1));
            case RDMA_DEFAULT -> RdmaIoHandler.newFactory();
            case RDMA_STREAM_DEFAULT -> rdma(RdmaIoHandlerConfig.defaults().spin());
        };
    }

    private static IoHandlerFactory rdma(Duration spin) {
        return RdmaIoHandler.newFactory(RdmaIoHandlerConfig.builder().spin(spin).build());
    }

    /** Where a server may listen: at any port, or at a name that no file has and no other process. */
    SocketAddress address() {
        return this == EPOLL_UNIX
                ? new DomainSocketAddress(
                        "\0netty-rdma-bench-" + ProcessHandle.current().pid())
                : new InetSocketAddress(LoadedConnections.ADDRESS, 0);
    }

    Class<? extends ServerChannel> serverChannel() {
        return switch (this) {
            case NIO, NIO_SPINNING -> NioServerSocketChannel.class;
            case EPOLL, EPOLL_SPINNING, EPOLL_FRAMED, EPOLL_FRAMED_SPINNING -> EpollServerSocketChannel.class;
            case EPOLL_UNIX -> EpollServerDomainSocketChannel.class;
            default -> isStream() ? RdmaServerSocketChannel.class : RdmaServerChannel.class;
        };
    }

    Class<? extends Channel> channel() {
        return switch (this) {
            case NIO, NIO_SPINNING -> NioSocketChannel.class;
            case EPOLL, EPOLL_SPINNING, EPOLL_FRAMED, EPOLL_FRAMED_SPINNING -> EpollSocketChannel.class;
            case EPOLL_UNIX -> EpollDomainSocketChannel.class;
            default -> isStream() ? RdmaSocketChannel.class : RdmaChannel.class;
        };
    }
}
