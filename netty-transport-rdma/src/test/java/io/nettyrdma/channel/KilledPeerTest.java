// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.channel;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.nettyrdma.deadline.Deadline;
import io.nettyrdma.socket.RdmaServerSocketChannel;
import io.nettyrdma.socket.RdmaSocketChannel;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A process that is killed while its connections begin, move to shared memory and carry traffic. This side misses each
 * of them and keeps nothing of them.
 */
@ExtendWith(LeavesNothingOpen.class)
final class KilledPeerTest {

    private final EventLoopGroup group = group();
    private final Starter starter = new Starter();

    /** Sends a byte, and from then on what arrives. */
    @ChannelHandler.Sharable
    private static final class Starter extends ChannelInboundHandlerAdapter {

        final BlockingQueue<Channel> begun = new LinkedBlockingQueue<>();

        @Override
        public void channelActive(ChannelHandlerContext context) {
            begun.add(context.channel());
            context.writeAndFlush(ChannelPair.text("1"));
        }

        @Override
        public void channelRead(ChannelHandlerContext context, Object bytes) {
            context.writeAndFlush(bytes);
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            context.close();
        }
    }

    /** The process that is killed. It serves and prints the port, or connects again and again to the port given. */
    static final class Killed {

        private Killed() {}

        public static void main(String[] arguments) throws Exception {
            EventLoopGroup group = group();
            Starter starter = new Starter();
            if (arguments.length == 0) {
                System.out.println(listen(group, starter));
                return;
            }
            while (true) {
                connect(group, starter, Integer.parseInt(arguments[0]));
            }
        }
    }

    private static EventLoopGroup group() {
        return new MultiThreadIoEventLoopGroup(1, RdmaIoHandler.newFactory());
    }

    private static int listen(EventLoopGroup group, Starter starter) throws InterruptedException {
        Channel listener = new ServerBootstrap()
                .group(group)
                .channel(RdmaServerSocketChannel.class)
                .childHandler(starter)
                .bind(InetAddress.getLoopbackAddress(), 0)
                .sync()
                .channel();
        return ((InetSocketAddress) listener.localAddress()).getPort();
    }

    private static Channel connect(EventLoopGroup group, Starter starter, int port) throws InterruptedException {
        return new Bootstrap()
                .group(group)
                .channel(RdmaSocketChannel.class)
                .handler(starter)
                .connect(InetAddress.getLoopbackAddress(), port)
                .sync()
                .channel();
    }

    private static Process start(String... arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Dio.nettyrdma.soft.sameHost=always",
                "-cp",
                System.getProperty("java.class.path"),
                Killed.class.getName()));
        command.addAll(List.of(arguments));
        return new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
    }

    @AfterEach
    void endLoops() {
        group.shutdownGracefully(0, Deadline.SECONDS, TimeUnit.SECONDS).syncUninterruptibly();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 20})
    void connectionsFromAKilledProcessEnd(int connections) throws Exception {
        Process client = start(String.valueOf(listen(group, starter)));
        awaitEnds(client, connections);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 20})
    void connectionsToAKilledProcessEnd(int connections) throws Exception {
        Process server = start();
        int port = Integer.parseInt(server.inputReader().readLine());
        for (int i = 0; i < connections; i++) {
            connect(group, starter, port);
        }
        awaitEnds(server, connections);
    }

    private void awaitEnds(Process killed, int connections) throws Exception {
        List<Channel> channels = new ArrayList<>();
        try {
            while (channels.size() < connections) {
                channels.add(starter.begun.poll(Deadline.SECONDS, TimeUnit.SECONDS));
            }
        } finally {
            killed.destroyForcibly().waitFor();
        }
        starter.begun.drainTo(channels);
        for (Channel channel : channels) {
            assertThat(channel.closeFuture().await(Deadline.SECONDS, TimeUnit.SECONDS))
                    .isTrue();
        }
    }
}
