// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.channel;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.nettyrdma.deadline.Deadline;
import io.nettyrdma.socket.RdmaSocketChannel;
import java.io.File;
import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A JVM that ends in order loses nothing of its byte streams, and leaves them to its program's own hooks. */
final class StreamExitTest {

    private static final int SIGTERM = 15;

    /** More than the reader has room for. */
    private static final int BYTES = 300_000;

    private final Inbox server = new Inbox();

    /** What a program does at its end. */
    enum End {
        /** It exits. */
        EXIT,
        /** It is told to end, as by a service manager. */
        SIGNAL,
        /** The same, and a hook of its own writes and closes. */
        SIGNAL_WITH_A_HOOK,
        /** It has closed, its reader pauses, and it exits. */
        CLOSE_AND_EXIT;

        boolean isSignal() {
            return this == SIGNAL || this == SIGNAL_WITH_A_HOOK;
        }
    }

    /** The program that ends: connects to the port given, says so, and ends. */
    static final class Ending {

        private Ending() {}

        public static void main(String[] arguments) throws Exception {
            Channel channel = new Bootstrap()
                    .group(new MultiThreadIoEventLoopGroup(1, RdmaIoHandler.newFactory()))
                    .channel(RdmaSocketChannel.class)
                    .handler(new ChannelInboundHandlerAdapter())
                    .connect(new InetSocketAddress(arguments[0], Integer.parseInt(arguments[1])))
                    .sync()
                    .channel();
            End end = End.valueOf(arguments[2]);
            if (end == End.SIGNAL_WITH_A_HOOK) {
                Runtime.getRuntime().addShutdownHook(new Thread(() -> {
                    channel.writeAndFlush(ChannelPair.text("late")).syncUninterruptibly();
                    channel.close().syncUninterruptibly();
                }));
            }
            channel.writeAndFlush(ChannelPair.text("bye")).sync();
            if (end == End.CLOSE_AND_EXIT) {
                channel.writeAndFlush(Unpooled.directBuffer(BYTES).writeZero(BYTES))
                        .sync();
                channel.close().sync();
            }
            if (!end.isSignal()) {
                System.exit(0);
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void peerGetsAllAndSeesTheEndAndNoReset(End end) throws Exception {
        try (StreamPair pair = new StreamPair(TestProvider.SOFT, () -> server, ChannelInboundHandlerAdapter::new)) {
            pair.serverBootstrap.childOption(ChannelOption.AUTO_READ, end != End.CLOSE_AND_EXIT);
            InetSocketAddress address = pair.listen().address();
            Process program = new ProcessBuilder(
                            new File(System.getProperty("java.home"), "bin/java").getPath(),
                            "-cp",
                            System.getProperty("java.class.path"),
                            Ending.class.getName(),
                            address.getAddress().getHostAddress(),
                            String.valueOf(address.getPort()),
                            end.name())
                    .inheritIO()
                    .start();
            try {
                if (end == End.CLOSE_AND_EXIT) {
                    pair.accepted().config().setAutoRead(true);
                }
                int bytes = end == End.CLOSE_AND_EXIT ? BYTES + 3 : 3;
                assertThat(server.nextText(bytes)).startsWith("bye").hasSize(bytes);
                if (end.isSignal()) {
                    program.destroy();
                }
                if (end == End.SIGNAL_WITH_A_HOOK) {
                    assertThat(server.nextText()).isEqualTo("late");
                }
                assertThat(program.waitFor(Deadline.SECONDS, TimeUnit.SECONDS)).isTrue();
                assertThat(program.exitValue()).isEqualTo(end.isSignal() ? 128 + SIGTERM : 0);
                server.awaitInactive();
                assertThat(server.failures).isEmpty();
            } finally {
                program.destroyForcibly();
            }
        }
    }
}
