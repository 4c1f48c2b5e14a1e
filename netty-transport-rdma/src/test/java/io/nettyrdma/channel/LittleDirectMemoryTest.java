// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.channel;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.ServerChannel;
import io.nettyrdma.deadline.Deadline;
import io.nettyrdma.error.RdmaResourceLimitException;
import io.nettyrdma.socket.RdmaServerSocketChannel;
import io.nettyrdma.socket.RdmaSocketChannel;
import java.io.File;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Channels in a JVM of its own that has 24 MiB of direct memory. */
final class LittleDirectMemoryTest {

    private static final String OPTION = "-XX:MaxDirectMemorySize=24m";

    /** There, Netty's memory counts against the limit of the JDK's buffers too, unless it may call native code. */
    private static final int FIRST_JDK_WITHOUT_UNSAFE = 24;

    @TempDir
    private Path directory;

    private String outputOf(String... arguments) throws Exception {
        Path output = directory.resolve("output");
        List<String> command = new ArrayList<>(List.of(
                new File(System.getProperty("java.home"), "bin/java").getPath(),
                OPTION,
                "-cp",
                System.getProperty("java.class.path"),
                Program.class.getName()));
        command.addAll(List.of(arguments));
        if (Runtime.version().feature() >= FIRST_JDK_WITHOUT_UNSAFE) {
            command.add(1, "--enable-native-access=ALL-UNNAMED");
        }
        Process program = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        try {
            assertThat(program.waitFor(2 * Deadline.SECONDS, TimeUnit.SECONDS)).isTrue();
        } finally {
            program.destroyForcibly();
        }
        return Files.readString(output);
    }

    @Test
    void streamWithoutMemoryNamesItsOptions() throws Exception {
        assertThat(outputOf("none"))
                .contains(RdmaResourceLimitException.class.getName())
                .contains("SO_RCVBUF", "RDMA_STREAM_CREDITS 48", "RDMA_STREAM_BUFFERS 4", "-XX:MaxDirectMemorySize");
    }

    /** What a connection does not need any more, loops keep for the next one of the same kind. */
    @ParameterizedTest
    @ValueSource(strings = {"stream", "message"})
    void memoryKeptForOthersGoesToWhoNeedsIt(String kind) throws Exception {
        assertThat(outputOf(kind)).contains("10 of 10 connected, the first lives");
    }

    /** Runs in the other JVM. */
    static final class Program {

        private final EventLoopGroup servers = new MultiThreadIoEventLoopGroup(4, RdmaIoHandler.newFactory());
        private final EventLoopGroup clients = new MultiThreadIoEventLoopGroup(1, RdmaIoHandler.newFactory());

        private Program() {}

        public static void main(String[] arguments) throws Exception {
            if (arguments[0].equals("none")) {
                new Program().fail();
            } else {
                new Program().comeAndGo(arguments[0].equals("stream"));
            }
            System.exit(0);
        }

        private void fail() throws Exception {
            Channel listener = listen(RdmaServerSocketChannel.class);
            List<ByteBuf> others = new ArrayList<>();
            try {
                while (true) {
                    others.add(Unpooled.directBuffer(64 * 1024)); // from where slabs come on each JDK
                }
            } catch (OutOfMemoryError e) {
                connect(RdmaSocketChannel.class, listener, others.size())
                        .await()
                        .cause()
                        .printStackTrace();
            }
        }

        private void comeAndGo(boolean stream) throws Exception {
            Channel streams = listen(RdmaServerSocketChannel.class);
            Channel messages = listen(RdmaServerChannel.class);
            Channel first = connect(RdmaSocketChannel.class, streams, 1).sync().channel();
            echo(first);
            // Of each size, and beside each other, as those of clients that come and go.
            for (int size = 256; size <= 64 * 1024; size *= 4) {
                List<Channel> burst = new ArrayList<>();
                for (int i = 0; i < 4; i++) {
                    ChannelFuture made =
                            connect(RdmaChannel.class, messages, size).await();
                    if (made.isSuccess()) {
                        burst.add(made.channel());
                    }
                }
                for (Channel channel : burst) {
                    channel.close().sync();
                }
            }
            int connected = 0;
            List<Channel> made = new ArrayList<>();
            for (int i = 0; i < 10; i++) {
                ChannelFuture next = (stream
                                ? connect(RdmaSocketChannel.class, streams, 1)
                                : connect(RdmaChannel.class, messages, 2048))
                        .await();
                if (next.isSuccess()) {
                    echo(next.channel());
                    made.add(next.channel());
                    connected++;
                } else {
                    next.cause().printStackTrace();
                }
            }
            echo(first);
            System.out.println(connected + " of 10 connected, the first lives");
        }

        private static void echo(Channel channel) throws Exception {
            channel.writeAndFlush(ChannelPair.text("text")).sync();
            channel.pipeline().get(Inbox.class).nextText();
        }

        private Channel listen(Class<? extends ServerChannel> kind) throws Exception {
            ServerBootstrap bootstrap =
                    new ServerBootstrap().group(servers).channel(kind).childHandler(new Echo());
            if (kind == RdmaServerChannel.class) {
                bootstrap
                        .childOption(RdmaChannelOption.RDMA_RECEIVE_COUNT, 4)
                        .childOption(RdmaChannelOption.RDMA_RECEIVE_SIZE, 64 * 1024);
            }
            return bootstrap
                    .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                    .sync()
                    .channel();
        }

        private ChannelFuture connect(Class<? extends Channel> kind, Channel listener, int receiveBytes) {
            Bootstrap bootstrap = new Bootstrap().group(clients).channel(kind).handler(new Inbox());
            if (kind == RdmaChannel.class) {
                bootstrap
                        .option(RdmaChannelOption.RDMA_RECEIVE_COUNT, Math.max(4, 3 * 1024 * 1024 / receiveBytes / 4))
                        .option(RdmaChannelOption.RDMA_RECEIVE_SIZE, receiveBytes);
            }
            return bootstrap.connect(listener.localAddress());
        }
    }
}
