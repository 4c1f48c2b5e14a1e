// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.echo;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.nettyrdma.channel.RdmaChannel;
import io.nettyrdma.channel.RdmaIoHandler;
import io.nettyrdma.channel.RdmaServerChannel;
import io.nettyrdma.flow.RdmaFlowControlHandler;

/** Sends every message back. Usage: {@code EchoServer [port]}, default {@value #PORT}. */
public final class EchoServer {

    /** The default port. */
    public static final int PORT = 7471;

    private EchoServer() {}

    /** Runs until a signal ends the program. */
    public static void main(String[] arguments) throws InterruptedException {
        int port = arguments.length > 0 ? Integer.parseInt(arguments[0]) : PORT;
        EventLoopGroup group = new MultiThreadIoEventLoopGroup(RdmaIoHandler.newFactory());
        try {
            ServerBootstrap server = new ServerBootstrap()
                    .group(group)
                    .channel(RdmaServerChannel.class)
                    .childHandler(new ChannelInitializer<RdmaChannel>() {
                        @Override
                        protected void initChannel(RdmaChannel channel) {
                            channel.pipeline().addLast(new RdmaFlowControlHandler(), new EchoHandler());
                        }
                    });
            Channel listener = server.bind(port).sync().channel();
            System.out.println("listening on " + listener.localAddress());
            listener.closeFuture().sync();
        } finally {
            group.shutdownGracefully();
        }
    }
}
