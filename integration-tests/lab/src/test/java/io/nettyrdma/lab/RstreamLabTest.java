// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.lab;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.nettyrdma.channel.RdmaIoHandler;
import io.nettyrdma.deadline.Deadline;
import io.nettyrdma.examples.echo.EchoHandler;
import io.nettyrdma.socket.RdmaServerSocketChannel;
import io.nettyrdma.socket.RdmaSocketChannelOption;
import io.nettyrdma.stream.CapturedStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Byte streams with {@code rstream} of librdmacm as the peer, over the guest's siw, in both roles. Both ends compare
 * the bytes, and the captures are judged by tshark and by the rules of {@link CapturedStream}.
 */
@Lab
@Tag("rsockets")
class RstreamLabTest {

    private static final Duration LIMIT = Duration.ofSeconds(120);
    private static final int FIRST_GUEST_PORT = 7471;

    private EventLoopGroup group;

    @BeforeEach
    void start() {
        group = new MultiThreadIoEventLoopGroup(1, RdmaIoHandler.newFactory());
    }

    @AfterEach
    void stop() {
        group.shutdownGracefully(0, 10, TimeUnit.SECONDS).syncUninterruptibly();
    }

    @ParameterizedTest
    @EnumSource
    void rstreamConnectsToTheJavaServer(RstreamRuns runs, LabGuest guest) throws Exception {
        List<RstreamRun> all = runs.ofClients();
        List<RstreamPeer> servers = all.stream().map(RstreamPeer::server).toList();
        ServerBootstrap bootstrap = RstreamPeer.listening(group, servers)
                .childOption(RdmaSocketChannelOption.RDMA_STREAM_CREDITS, runs.credits());
        Channel listener = bootstrap
                .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                .sync()
                .channel();
        int port = ((InetSocketAddress) listener.localAddress()).getPort();
        String command = IntStream.range(0, servers.size())
                .mapToObj(i -> "lab_rstream_client %d -s %s -p %d %s || exit 1"
                        .formatted(i, LabGuest.HOST_ADDRESS, port, all.get(i).options()))
                .collect(Collectors.joining("\n"));
        Path file;
        try (Capture capture = Capture.ofPort("rstream-client-" + runs.lowerCase(), port);
                GuestCommand rstream = guest.start(runs.inTheGuest(command), LIMIT)) {
            rstream.asTheOtherEndOf(() -> {
                rstream.await().assertSucceeded();
                for (RstreamPeer server : servers) {
                    server.await(Deadline.DURATION);
                }
            });
            file = capture.stop();
        }
        listener.close().sync();
        judge(all, runs, file, false);
    }

    @Test
    void rstreamOfTheReadmeConnectsToAnEchoServer(LabGuest guest) throws Exception {
        Channel listener = new ServerBootstrap()
                .group(group)
                .channel(RdmaServerSocketChannel.class)
                .childHandler(new ChannelInitializer<>() {
                    @Override
                    protected void initChannel(Channel channel) {
                        channel.pipeline().addLast(new EchoHandler());
                    }
                })
                .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                .sync()
                .channel();
        int port = ((InetSocketAddress) listener.localAddress()).getPort();
        Path file;
        try (Capture capture = Capture.ofPort("rstream-of-the-readme", port)) {
            guest.run(ReadmeProgram.command("rstream", "ADDRESS", LabGuest.HOST_ADDRESS, "PORT", port), LIMIT)
                    .assertSucceeded();
            file = capture.stop();
        }
        assertThat(StreamCapture.judge(file)).singleElement().satisfies(stream -> assertThat(
                        stream.back().dataBytes())
                .isEqualTo(stream.forth().dataBytes()));
    }

    @ParameterizedTest
    @EnumSource
    void javaClientConnectsToRstream(RstreamRuns runs, LabGuest guest) throws Exception {
        List<Integer> ports = new ArrayList<>();
        for (int i = 0; i < runs.ofServers().size(); i++) {
            ports.add(guest.forward(guestPort(runs, i)));
        }
        String filter = ports.stream().map(port -> "tcp port " + port).collect(Collectors.joining(" or "));
        String command = IntStream.range(0, ports.size())
                .mapToObj(i -> "lab_rstream_server %d %d %s || exit 1"
                        .formatted(
                                i, guestPort(runs, i), runs.ofServers().get(i).options()))
                .collect(Collectors.joining("\n"));
        Path file;
        try (Capture capture = Capture.start("rstream-server-" + runs.lowerCase(), filter);
                GuestCommand rstream = guest.start(runs.inTheGuest(command), LIMIT)) {
            for (int i = 0; i < ports.size(); i++) {
                rstream.awaitOutput("LAB: rstream " + i + " listens", Deadline.DURATION);
                RstreamPeer client = RstreamPeer.client(runs.ofServers().get(i));
                Bootstrap bootstrap = runs.asClient(client.connecting(group));
                InetSocketAddress address = new InetSocketAddress(InetAddress.getLoopbackAddress(), ports.get(i));
                rstream.asTheOtherEndOf(() -> {
                    bootstrap.connect(address).sync();
                    client.await(Deadline.DURATION);
                });
            }
            rstream.await().assertSucceeded();
            file = capture.stop();
        }
        judge(runs.ofServers(), runs, file, true);
    }

    /** Each run has a port of its own, since the last connection to a port may still wait there. */
    private static int guestPort(RstreamRuns runs, int run) {
        return FIRST_GUEST_PORT + 100 * runs.ordinal() + run;
    }

    private static void judge(List<RstreamRun> all, RstreamRuns runs, Path file, boolean javaConnects)
            throws Exception {
        List<CapturedStream> streams = StreamCapture.judge(file);
        assertThat(streams).hasSameSizeAs(all);
        for (int i = 0; i < streams.size(); i++) {
            RstreamRun run = all.get(i);
            CapturedStream stream = streams.get(i);
            CapturedStream.Direction java = javaConnects ? stream.forth() : stream.back();
            CapturedStream.Direction rstream = javaConnects ? stream.back() : stream.forth();
            assertThat(java.dataBytes()).as(run.options()).isEqualTo(run.bytesOfSide());
            assertThat(rstream.dataBytes()).as(run.options()).isEqualTo(run.bytesOfSide());
            assertThat(java.setup().credits()).isEqualTo(runs.credits());
            if (runs == RstreamRuns.SHORT_QUEUES) {
                assertThat(rstream.setup().credits()).isEqualTo(runs.credits());
            }
            if (run.bufferBytes() > 0) {
                assertThat(rstream.setup().bufferBytes()).isEqualTo(run.bufferBytes());
            }
            assertThat(java.wordsAfterDisconnect()).as(run.options()).isZero();
        }
    }
}
