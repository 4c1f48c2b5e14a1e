// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.nettyrdma.channel.RdmaChannel;
import io.nettyrdma.channel.RdmaIoHandler;
import io.nettyrdma.deadline.Deadline;
import io.nettyrdma.rpc.RpcRdmaConfig;
import io.nettyrdma.socket.RdmaSocketChannel;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What servers among the examples do for too many connections, and for those that take nothing. */
class ServersUnderLoadTest {

    private EventLoopGroup group;

    @BeforeEach
    void start() {
        group = new MultiThreadIoEventLoopGroup(1, RdmaIoHandler.newFactory());
    }

    @AfterEach
    void stop() throws Exception {
        group.shutdownGracefully(0, 10, TimeUnit.SECONDS).sync();
    }

    private Channel connect(int port) throws Exception {
        return connect(RdmaChannel.class, port);
    }

    private Channel connect(Class<? extends Channel> type, int port) throws Exception {
        return connect(type, port, "127.0.0.1");
    }

    private Channel connect(Class<? extends Channel> type, int port, String from) throws Exception {
        return new Bootstrap()
                .group(group)
                .channel(type)
                .handler(new ChannelInboundHandlerAdapter())
                .connect(new InetSocketAddress("127.0.0.1", port), new InetSocketAddress(from, 0))
                .await()
                .channel();
    }

    /** One that is accepted stays; one that is not ends, before it is connected or right after. */
    private static boolean ends(Channel channel) throws InterruptedException {
        return channel.closeFuture().await(Deadline.SECONDS, TimeUnit.SECONDS);
    }

    @Test
    void serversHaveALimitOfConnectionsThatAUserCanSet(@TempDir Path directory) throws Exception {
        Path export = Files.createDirectory(directory.resolve("export"));
        String[][] commands = {
            {"echo-server", "--port=0"},
            {"nfs-null", "--port=0"},
            {"nfs-server", "--allow-root", "--export=" + export, "--port=0", "--mount-port=0"},
        };
        for (String[] command : commands) {
            sharesTwoPlacesByAddress(RdmaChannel.class, command);
        }
        sharesTwoPlacesByAddress(RdmaSocketChannel.class, "echo-server", "--port=0", "--stream");
        sharesTwoPlacesByAddress(RdmaSocketChannel.class, "http-server", "--port=0", export.toString());
    }

    private void sharesTwoPlacesByAddress(Class<? extends Channel> type, String... command) throws Exception {
        try (RunningCommand server = new RunningCommand(command, "--max-connections=2")) {
            int port = server.port();
            Channel first = connect(type, port);
            Channel second = connect(type, port);
            assertThat(ends(connect(type, port))).as(command[0]).isTrue();
            assertThat(server.awaitLine("refused: all 2 places are taken (--max-connections)"))
                    .contains("127.0.0.1");
            Channel other = connect(type, port, "127.0.0.2");
            assertThat(ends(first)).as(command[0]).isTrue();
            assertThat(server.awaitLine("closed: connected for longest")).contains("127.0.0.1");
            assertThat(second.isActive()).isTrue();
            assertThat(other.isActive()).isTrue();
            second.close().sync();
            other.close().sync();
        }
    }

    @Test
    void serversCloseIdleConnectionsAfterATimeThatAUserCanSet() throws Exception {
        try (RunningCommand server = new RunningCommand(new String[] {"nfs-null", "--port=0"}, "--idle-timeout=1")) {
            assertThat(ends(connect(server.port()))).isTrue();
            assertThat(server.awaitLine("closed: no byte for")).endsWith("no byte for 1 s (--idle-timeout)");
        }
    }

    @Test
    void floodOfConnectionsIsAFewLines() throws Exception {
        Queue<String> log = new ConcurrentLinkedQueue<>();
        Channel server = GuardedNfsNull.start(
                        group,
                        new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                        RpcRdmaConfig.defaults(),
                        log::add)
                .sync()
                .channel();
        int port = ((InetSocketAddress) server.localAddress()).getPort();
        long begin = System.nanoTime();
        for (int i = 0; i < 100; i++) {
            connect(port).close().sync();
        }
        long seconds = TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - begin) + 1;
        assertThat(log.size()).isPositive().isLessThanOrEqualTo((int) (10 * seconds));
    }
}
