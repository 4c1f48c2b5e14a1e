// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.channel;

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
import io.nettyrdma.deadline.Deadline;
import io.nettyrdma.verbs.spi.VerbsExtensions;
import java.net.InetSocketAddress;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * A listener, and clients connected to it over loopback, each side on an event loop of its own.
 *
 * @param <C> the kind of channel
 * @param <P> the kind of pair
 */
abstract class LoopbackPair<C extends Channel, P extends LoopbackPair<C, P>> implements AutoCloseable {

    final EventLoopGroup serverGroup;
    EventLoopGroup clientGroup;
    final ServerBootstrap serverBootstrap;
    Bootstrap clientBootstrap;
    final BlockingQueue<Channel> accepted = new LinkedBlockingQueue<>();
    Channel listener;

    private final Class<C> kind;

    LoopbackPair(
            Class<? extends ServerChannel> server,
            Class<C> kind,
            IoHandlerFactory factory,
            int serverLoops,
            Supplier<ChannelHandler> serverHandler,
            Supplier<ChannelHandler> clientHandler) {
        this.kind = kind;
        serverGroup = new MultiThreadIoEventLoopGroup(serverLoops, factory);
        clientGroup = new MultiThreadIoEventLoopGroup(1, factory);
        serverBootstrap = new ServerBootstrap()
                .group(serverGroup)
                .channel(server)
                .childHandler(new ChannelInitializer<>() {
                    @Override
                    protected void initChannel(Channel channel) {
                        channel.pipeline().addLast(serverHandler.get());
                        accepted.add(channel);
                    }
                });
        clientBootstrap = new Bootstrap().group(clientGroup).channel(kind).handler(new ChannelInitializer<>() {
            @Override
            protected void initChannel(Channel channel) {
                channel.pipeline().addLast(clientHandler.get());
            }
        });
    }

    /** This pair, as what it is. */
    abstract P self();

    /** Lets clients be on a loop over other verbs than the servers: of another device, or of one that fails. */
    P clientsOver(VerbsExtensions verbs) {
        return clientsOver(RdmaIoHandler.newFactory(RdmaIoHandlerConfig.defaults(), verbs));
    }

    P clientsOver(IoHandlerFactory factory) {
        clientGroup.shutdownGracefully(0, 5, TimeUnit.SECONDS).awaitUninterruptibly();
        clientGroup = new MultiThreadIoEventLoopGroup(1, factory);
        clientBootstrap = clientBootstrap.clone(clientGroup);
        return self();
    }

    <T> P option(ChannelOption<T> option, T value) {
        serverBootstrap.childOption(option, value);
        clientBootstrap.option(option, value);
        return self();
    }

    P listen() throws Exception {
        var future = serverBootstrap.bind(new InetSocketAddress(TestProvider.address(), 0));
        ChannelPair.await(future, "bind");
        listener = future.channel();
        return self();
    }

    InetSocketAddress address() {
        return (InetSocketAddress) listener.localAddress();
    }

    C connect() throws Exception {
        if (listener == null) {
            listen();
        }
        var future = clientBootstrap.connect(address());
        ChannelPair.await(future, "connect");
        return kind.cast(future.channel());
    }

    C accepted() throws InterruptedException {
        Channel channel = accepted.poll(Deadline.SECONDS, TimeUnit.SECONDS);
        if (channel == null) {
            throw new AssertionError("no connection was requested within " + Deadline.SECONDS + " s");
        }
        return kind.cast(channel);
    }

    @Override
    public void close() {
        var server = serverGroup.shutdownGracefully(0, 5, TimeUnit.SECONDS);
        var client = clientGroup.shutdownGracefully(0, 5, TimeUnit.SECONDS);
        boolean ended = server.awaitUninterruptibly(Deadline.SECONDS, TimeUnit.SECONDS)
                && client.awaitUninterruptibly(Deadline.SECONDS, TimeUnit.SECONDS);
        if (!ended) {
            throw new AssertionError("event loops did not end within " + Deadline.SECONDS + " s");
        }
    }
}
