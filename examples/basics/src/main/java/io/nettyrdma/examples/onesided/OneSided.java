// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.onesided;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.nettyrdma.channel.RdmaChannel;
import io.nettyrdma.channel.RdmaIoHandler;
import io.nettyrdma.channel.RdmaServerChannel;
import java.net.InetAddress;
import java.util.function.Consumer;

/** One side lends memory, the other one writes and reads it: both in one process, over a connection to itself. */
public final class OneSided {

    private OneSided() {}

    /** Prints each step and ends. Usage: {@code OneSided [text]}, of at most 64 bytes. */
    public static void main(String[] arguments) throws InterruptedException {
        run(arguments.length > 0 ? arguments[0] : "hello, memory", System.out::println);
    }

    /** Tells each step, and returns when the connection has ended. */
    public static void run(String text, Consumer<String> log) throws InterruptedException {
        EventLoopGroup group = new MultiThreadIoEventLoopGroup(2, RdmaIoHandler.newFactory());
        try {
            Channel listener = new ServerBootstrap()
                    .group(group)
                    .channel(RdmaServerChannel.class)
                    .childHandler(new ChannelInitializer<RdmaChannel>() {
                        @Override
                        protected void initChannel(RdmaChannel channel) {
                            channel.pipeline().addLast(new LendingHandler(line -> log.accept("lender    " + line)));
                        }
                    })
                    .bind(InetAddress.getLoopbackAddress(), 0)
                    .sync()
                    .channel();
            Channel borrower = new Bootstrap()
                    .group(group)
                    .channel(RdmaChannel.class)
                    .handler(new BorrowingHandler(text, line -> log.accept("borrower  " + line)))
                    .connect(listener.localAddress())
                    .sync()
                    .channel();
            borrower.closeFuture().sync();
        } finally {
            group.shutdownGracefully().sync();
        }
    }
}
