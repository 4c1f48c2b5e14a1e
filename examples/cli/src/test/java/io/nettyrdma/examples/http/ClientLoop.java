// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.http;

import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.handler.ssl.SslContext;
import io.nettyrdma.deadline.Deadline;
import io.nettyrdma.socket.RdmaSocketChannel;
import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The event loop of one client, over the same transport as its server's. */
final class ClientLoop implements AutoCloseable {

    private final Transport transport;
    private final EventLoopGroup group;

    ClientLoop(Transport transport) {
        this.transport = transport;
        group = new MultiThreadIoEventLoopGroup(1, transport.newFactory());
    }

    /** Connects, with TLS if there is a context for it. */
    Channel connect(InetSocketAddress server, @Nullable SslContext tls, ChannelHandler... handlers)
            throws InterruptedException {
        return new Bootstrap()
                .group(group)
                .channel(transport == Transport.RDMA ? RdmaSocketChannel.class : NioSocketChannel.class)
                .handler(new ChannelInitializer<>() {
                    @Override
                    protected void initChannel(Channel made) {
                        if (tls != null) {
                            made.pipeline().addLast(tls.newHandler(made.alloc()));
                        }
                        made.pipeline().addLast(handlers);
                    }
                })
                .connect(server)
                .sync()
                .channel();
    }

    @Override
    public void close() {
        group.shutdownGracefully(0, Deadline.SECONDS, TimeUnit.SECONDS).awaitUninterruptibly();
    }
}
