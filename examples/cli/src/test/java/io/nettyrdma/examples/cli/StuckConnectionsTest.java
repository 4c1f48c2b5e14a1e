// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.nettyrdma.channel.RdmaChannel;
import io.nettyrdma.channel.RdmaIoHandler;
import io.nettyrdma.flow.RdmaFlowControlHandler;
import io.nettyrdma.socket.RdmaSocketChannel;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

/** Peers that send to an echo server and take nothing of the echo hold no place for ever. */
class StuckConnectionsTest {

    private static final int PLACES = 2;

    private EventLoopGroup group;

    @BeforeEach
    void start() {
        group = new MultiThreadIoEventLoopGroup(1, RdmaIoHandler.newFactory());
    }

    @AfterEach
    void stop() throws Exception {
        group.shutdownGracefully(0, 10, TimeUnit.SECONDS).sync();
    }

    /** Sends as long as the server reads. */
    private static final class Flood extends ChannelInboundHandlerAdapter {
        private static final byte[] MESSAGE = new byte[1024];

        @Override
        public void channelActive(ChannelHandlerContext context) {
            send(context);
        }

        @Override
        public void channelWritabilityChanged(ChannelHandlerContext context) {
            send(context);
        }

        private static void send(ChannelHandlerContext context) {
            while (context.channel().isActive() && context.channel().isWritable()) {
                context.writeAndFlush(Unpooled.wrappedBuffer(MESSAGE));
            }
        }
    }

    private void servesNewcomers(Class<? extends Channel> channel, String... options) throws Exception {
        Bootstrap attack = new Bootstrap()
                .group(group)
                .channel(channel)
                .option(ChannelOption.AUTO_READ, false)
                .handler(new ChannelInitializer<>() {
                    @Override
                    protected void initChannel(Channel connection) {
                        if (connection instanceof RdmaChannel) {
                            connection.pipeline().addLast(new RdmaFlowControlHandler());
                        }
                        connection.pipeline().addLast(new Flood());
                    }
                });
        String[] server = {"echo-server", "--port=0", "--max-connections=" + PLACES, "--idle-timeout=1"};
        try (RunningCommand running = new RunningCommand(server, options)) {
            int port = running.port();
            for (int i = 0; i < PLACES; i++) {
                attack.connect(InetAddress.getLoopbackAddress(), port).sync();
            }
            running.awaitLine("closed: no byte for 1 s (--idle-timeout)");
            StringWriter printed = new StringWriter();
            CommandLine client = Examples.commandLine();
            client.setOut(new PrintWriter(printed));
            client.setErr(new PrintWriter(printed));
            List<String> command = new ArrayList<>(List.of("echo-client", "-p", String.valueOf(port), "--count=10"));
            command.addAll(List.of(options));
            assertThat(client.execute(command.toArray(String[]::new)))
                    .as(printed.toString())
                    .isZero();
        }
    }

    @Test
    void peersThatTakeNoBytesOfTheirStreamsLoseTheirPlaces() throws Exception {
        servesNewcomers(RdmaSocketChannel.class, "--stream");
    }

    @Test
    void peersThatGrantNoMessagesLoseTheirPlaces() throws Exception {
        servesNewcomers(RdmaChannel.class);
    }
}
