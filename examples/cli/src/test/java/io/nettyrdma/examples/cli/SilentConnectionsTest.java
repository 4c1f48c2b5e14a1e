// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.nettyrdma.channel.RdmaChannel;
import io.nettyrdma.channel.RdmaIoHandler;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** Connections that finish start-up and then send nothing do not lock clients at other addresses out. */
class SilentConnectionsTest {

    /** All the places of a server unless its user says otherwise. */
    private static final int SILENT = 128;

    private EventLoopGroup group;

    @BeforeEach
    void start() {
        group = new MultiThreadIoEventLoopGroup(1, RdmaIoHandler.newFactory());
    }

    @AfterEach
    void stop() throws Exception {
        group.shutdownGracefully(0, 10, TimeUnit.SECONDS).sync();
    }

    private List<Channel> attack(int port) throws InterruptedException {
        Bootstrap silent = new Bootstrap()
                .group(group)
                .channel(RdmaChannel.class)
                .localAddress("127.0.0.2", 0)
                .handler(new ChannelInitializer<>() {
                    @Override
                    protected void initChannel(Channel channel) {}
                });
        List<Channel> attackers = new ArrayList<>();
        for (int i = 0; i < SILENT; i++) {
            ChannelFuture connected = silent.connect(InetAddress.getLoopbackAddress(), port);
            attackers.add(connected.sync().channel());
        }
        return attackers;
    }

    private static void assertServed(int port, String version) {
        StringWriter printed = new StringWriter();
        CommandLine rpcping = Examples.commandLine();
        rpcping.setOut(new PrintWriter(printed));
        rpcping.setErr(new PrintWriter(printed));
        int exit = rpcping.execute("rpcping", "-p", String.valueOf(port), "--count=1", "--rdma-version=" + version);
        assertThat(exit).as(printed.toString()).isZero();
    }

    private void servesNewcomers(String... command) throws Exception {
        for (String version : new String[] {"1", "2"}) {
            try (RunningCommand server = new RunningCommand(command, "--rdma-version=" + version, "--log-rate=1000")) {
                int port = server.port();
                List<Channel> attackers = attack(port);
                assertServed(port, version);
                assertThat(server.awaitLine("closed: connected for longest")).contains("(--max-connections)");
                assertThat(attackers.stream().filter(Channel::isActive)).hasSizeGreaterThanOrEqualTo(SILENT - 2);
                for (Channel attacker : attackers) {
                    attacker.close().sync();
                }
            }
        }
    }

    @Test
    void nfsNullServesNewcomers() throws Exception {
        servesNewcomers("nfs-null", "--port=0");
    }

    @Test
    void nfsServerServesNewcomers(@TempDir Path directory) throws Exception {
        Path export = Files.createDirectory(directory.resolve("export"));
        servesNewcomers("nfs-server", "--allow-root", "--export=" + export, "--port=0", "--mount-port=0");
    }
}
