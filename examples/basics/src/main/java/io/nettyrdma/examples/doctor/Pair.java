// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.doctor;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.ServerChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.util.concurrent.Future;
import io.nettyrdma.channel.RdmaChannel;
import io.nettyrdma.channel.RdmaIoHandler;
import io.nettyrdma.channel.RdmaServerChannel;
import io.nettyrdma.socket.RdmaServerSocketChannel;
import io.nettyrdma.socket.RdmaSocketChannel;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** A connection of this process to itself, with event loops of its own for either side. */
final class Pair implements AutoCloseable {

    /** The kind of the channels. */
    enum Kind {
        MESSAGES(RdmaChannel.class, RdmaServerChannel.class),
        STREAM(RdmaSocketChannel.class, RdmaServerSocketChannel.class),
        /** To compare with. */
        TCP(NioSocketChannel.class, NioServerSocketChannel.class);

        private final Class<? extends Channel> client;
        private final Class<? extends ServerChannel> server;

        Kind(Class<? extends Channel> client, Class<? extends ServerChannel> server) {
            this.client = client;
            this.server = server;
        }
    }

    final Channel client;
    final Channel server;

    private final EventLoopGroup group;
    private final int seconds;

    /**
     * Connects.
     *
     * @param seconds for all that is awaited
     * @throws Exception why it cannot, within this time
     */
    Pair(Kind kind, InetAddress address, int seconds, ChannelHandler server, ChannelHandler client) throws Exception {
        this.seconds = seconds;
        IoHandlerFactory io = kind == Kind.TCP ? NioIoHandler.newFactory() : RdmaIoHandler.newFactory();
        group = new MultiThreadIoEventLoopGroup(2, io);
        CompletableFuture<Channel> accepted = new CompletableFuture<>();
        try {
            Channel listener = settled(new ServerBootstrap()
                            .group(group)
                            .channel(kind.server)
                            .childHandler(new ChannelInitializer<>() {
                                @Override
                                protected void initChannel(Channel channel) {
                                    channel.pipeline().addLast(server);
                                    accepted.complete(channel);
                                }
                            })
                            .bind(new InetSocketAddress(address, 0)))
                    .channel();
            this.client = settled(new Bootstrap()
                            .group(group)
                            .channel(kind.client)
                            .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, (int) TimeUnit.SECONDS.toMillis(seconds))
                            .handler(client)
                            .connect(listener.localAddress()))
                    .channel();
            this.server = get(accepted, "the listener to accept");
        } catch (Throwable e) {
            close();
            throw e;
        }
    }

    /** Waits for an operation to succeed. */
    <F extends Future<?>> F settled(F future) throws Exception {
        if (!future.await(seconds, TimeUnit.SECONDS)) {
            throw new IOException("no end of an operation within " + seconds + " s");
        }
        if (future.cause() instanceof Exception cause) {
            throw cause;
        } else if (!future.isSuccess()) {
            throw new IOException(future.cause());
        }
        return future;
    }

    /** Waits for a value. */
    <T> T get(java.util.concurrent.Future<T> future, String what) throws Exception {
        try {
            return future.get(seconds, TimeUnit.SECONDS);
        } catch (TimeoutException e) {
            throw new IOException("waited " + seconds + " s for " + what);
        }
    }

    /** Ends the loops and all that is on them; does not wait for it for long. */
    @Override
    public void close() {
        group.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly(seconds, TimeUnit.SECONDS);
    }
}
