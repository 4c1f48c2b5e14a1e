// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.lab;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.EventLoopGroup;
import io.nettyrdma.deadline.Deadline;
import io.nettyrdma.socket.RdmaSocketChannelOption;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Byte streams over a device of the kernel, with {@code rstream} of librdmacm in both roles over the same device. Words
 * are Sends on siw and immediate data on rxe.
 */
@Tag("native")
class RstreamOverNativeTest {

    private static final int FIRST_PORT = 7471;

    private EventLoopGroup group;

    @BeforeEach
    void start() {
        group = KernelDevice.group();
    }

    @AfterEach
    void stop() {
        KernelDevice.end(group);
    }

    @ParameterizedTest
    @EnumSource
    void rstreamConnectsToTheJavaServer(RstreamRuns runs) throws Exception {
        for (RstreamRun run : runs.ofClients()) {
            SiwRepeats.run(run.options(), () -> hears(runs, run));
        }
    }

    /** Runs once. The server sends nothing before it has received all bytes of the first exchange. */
    private Optional<SiwRepeats.Cause> hears(RstreamRuns runs, RstreamRun run) throws Exception {
        RstreamPeer server = RstreamPeer.server(run);
        Channel listener = RstreamPeer.listening(group, List.of(server))
                .childOption(RdmaSocketChannelOption.RDMA_STREAM_CREDITS, runs.credits())
                .bind(KernelDevice.address(0))
                .sync()
                .channel();
        int port = ((InetSocketAddress) listener.localAddress()).getPort();
        String command = "lab_rstream_client 0 -s %s -p %d %s".formatted(LabGuest.GUEST_ADDRESS, port, run.options());
        GuestResult rstream = GuestShell.run(runs.inTheGuest(command), Deadline.DURATION);
        if (KernelDevice.isSiw() && rstream.hasTimedOut() && server.hasReceivedNothing()) {
            listener.close().sync();
            return Optional.of(SiwRepeats.Cause.FIRST_BYTES_OVERLOOKED);
        }
        rstream.assertSucceeded();
        server.await(Deadline.DURATION);
        listener.close().sync();
        return Optional.empty();
    }

    @ParameterizedTest
    @EnumSource
    void javaClientConnectsToRstream(RstreamRuns runs) throws Exception {
        AtomicInteger port = new AtomicInteger(FIRST_PORT + 100 * runs.ordinal());
        for (RstreamRun run : runs.ofServers()) {
            // Another port each time, as a server that has ended may still be bound.
            SiwRepeats.run(run.options(), () -> connects(runs, run, port.getAndIncrement()));
        }
    }

    private Optional<SiwRepeats.Cause> connects(RstreamRuns runs, RstreamRun run, int port) throws Exception {
        String command = "lab_rstream_server 0 %d %s".formatted(port, run.options());
        try (GuestShell rstream = GuestShell.start(runs.inTheGuest(command), Deadline.DURATION)) {
            rstream.awaitOutput("LAB: rstream 0 listens", Deadline.DURATION);
            RstreamPeer client = RstreamPeer.client(run);
            ChannelFuture connect = runs.asClient(client.connecting(group)).connect(KernelDevice.address(port));
            connect.await();
            if (KernelDevice.isSiw() && connect.cause() instanceof ConnectException refused) {
                assertThat(refused).hasMessageContaining("EINVAL");
                return Optional.of(SiwRepeats.Cause.FIRST_BYTES_REFUSED);
            }
            connect.sync();
            client.await(Deadline.DURATION);
            rstream.await().assertSucceeded();
            return Optional.empty();
        }
    }
}
