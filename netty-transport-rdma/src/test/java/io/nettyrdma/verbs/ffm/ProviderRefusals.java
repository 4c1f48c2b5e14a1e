// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.ffm;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.util.concurrent.Future;
import io.nettyrdma.channel.RdmaChannel;
import io.nettyrdma.channel.RdmaIoHandler;
import io.nettyrdma.channel.RdmaServerChannel;
import io.nettyrdma.deadline.Deadline;
import io.nettyrdma.verbs.choice.RdmaProviders;
import java.io.IOException;
import java.util.concurrent.TimeUnit;

/**
 * Says which provider a JVM gets without asking for one, what asking for {@code native} gets it, and whether channels
 * connect then. For programs that can take away what {@code native} needs: the Linux lab's guest.
 */
public final class ProviderRefusals {

    private ProviderRefusals() {}

    /** @param arguments the address to connect at: of the device, or 127.0.0.1 where there is none */
    public static void main(String[] arguments) throws Exception {
        System.out.println("auto: " + RdmaProviders.get().report());
        System.out.println("native: " + demanded());
        System.out.println("channels: " + connected(arguments[0]));
    }

    /** As {@code -Dio.nettyrdma.provider=native} does, of which one JVM has one only. */
    private static String demanded() {
        try {
            return new NativeProviderFactory().install().what();
        } catch (IOException e) {
            return e.getMessage();
        }
    }

    private static String connected(String address) throws InterruptedException {
        EventLoopGroup group = new MultiThreadIoEventLoopGroup(1, RdmaIoHandler.newFactory());
        try {
            Channel listener = settled(new ServerBootstrap()
                            .group(group)
                            .channel(RdmaServerChannel.class)
                            .childHandler(new ChannelInboundHandlerAdapter())
                            .bind(address, 0))
                    .channel();
            settled(new Bootstrap()
                    .group(group)
                    .channel(RdmaChannel.class)
                    .handler(new ChannelInboundHandlerAdapter())
                    .connect(listener.localAddress()));
            return "connected";
        } catch (IllegalStateException e) {
            return chain(e.getCause());
        } finally {
            group.shutdownGracefully(0, 1, TimeUnit.SECONDS).await(Deadline.SECONDS, TimeUnit.SECONDS);
        }
    }

    private static <F extends Future<?>> F settled(F future) throws InterruptedException {
        if (!future.await(Deadline.SECONDS, TimeUnit.SECONDS)) {
            throw new IllegalStateException(new IOException("nothing has happened for " + Deadline.SECONDS + " s"));
        } else if (!future.isSuccess()) {
            throw new IllegalStateException(future.cause());
        }
        return future;
    }

    private static String chain(Throwable thrown) {
        StringBuilder text = new StringBuilder();
        for (Throwable cause = thrown; cause != null; cause = cause.getCause()) {
            text.append(text.length() == 0 ? "" : " <- ").append(cause);
        }
        return text.toString();
    }
}
