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
package io.nettyrdma.bench;

import io.netty.channel.Channel;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SelectStrategy;
import io.netty.channel.SelectStrategyFactory;
import io.netty.channel.ServerChannel;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.util.IntSupplier;
import io.nettyrdma.channel.RdmaChannel;
import io.nettyrdma.channel.RdmaIoHandler;
import io.nettyrdma.channel.RdmaIoHandlerConfig;
import io.nettyrdma.channel.RdmaServerChannel;
import java.nio.channels.spi.SelectorProvider;
import java.time.Duration;
import java.util.concurrent.ThreadFactory;

/** A transport with a way of waiting, as one competitor of a benchmark. */
enum Stack {
    NIO("NIO"),
    NIO_SPINNING("NIO, spinning"),
    EPOLL("epoll"),
    EPOLL_SPINNING("epoll, spinning"),
    /** epoll with messages cut out of the stream as protocols do it. */
    EPOLL_FRAMED("epoll, length-field framing"),
    EPOLL_FRAMED_SPINNING("epoll, length-field framing, spinning"),
    RDMA("RDMA, blocking"),
    RDMA_SPINNING("RDMA, spinning"),
    RDMA_DEFAULT("RDMA, default options"),
    /** {@link #RDMA} with version 2 of RPC-over-RDMA in place of version 1. */
    RDMA_VERSION_2("RDMA, blocking, version 2");

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

    boolean isRdma() {
        return name().startsWith("RDMA");
    }

    boolean isVersionTwo() {
        return this == RDMA_VERSION_2;
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
            case EPOLL, EPOLL_FRAMED -> EpollIoHandler.newFactory();
            case EPOLL_SPINNING, EPOLL_FRAMED_SPINNING -> EpollIoHandler.newFactory(0, SELECT_NOW);
            case RDMA, RDMA_VERSION_2 ->
                RdmaIoHandler.newFactory(
                        RdmaIoHandlerConfig.builder().spin(Duration.ZERO).build());
            case RDMA_SPINNING ->
                RdmaIoHandler.newFactory(RdmaIoHandlerConfig.builder()
                        .spin(Duration.ofSeconds(1))
                        .build());
            case RDMA_DEFAULT -> RdmaIoHandler.newFactory();
        };
    }

    Class<? extends ServerChannel> serverChannel() {
        return isRdma()
                ? RdmaServerChannel.class
                : name().startsWith("EPOLL") ? EpollServerSocketChannel.class : NioServerSocketChannel.class;
    }

    Class<? extends Channel> channel() {
        return isRdma()
                ? RdmaChannel.class
                : name().startsWith("EPOLL") ? EpollSocketChannel.class : NioSocketChannel.class;
    }
}
