// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.lab;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.EventLoopGroup;
import io.nettyrdma.socket.RdmaServerSocketChannel;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** {@code rcopy} and {@code riostream} of librdmacm, and byte streams over the same device of the kernel. */
@Tag("native")
class RcopyOverNativeTest {

    private static final Duration LIMIT = Duration.ofSeconds(120);
    private static final int FIRST_SERVER_PORT = 7427;

    private EventLoopGroup group;

    @BeforeEach
    void start() {
        group = KernelDevice.group();
    }

    @AfterEach
    void stop() {
        KernelDevice.end(group);
    }

    private static int port(Channel listener) {
        return ((InetSocketAddress) listener.localAddress()).getPort();
    }

    @Test
    void filesAreCopiedThroughAProxy() throws Exception {
        // Another port each time, as a server that has ended may still be bound.
        AtomicInteger serverPort = new AtomicInteger(FIRST_SERVER_PORT);
        for (int bytes : StreamProxy.COPIED_BYTES) {
            SiwRepeats.run("rcopy of " + bytes + " bytes", () -> copy(bytes, serverPort.getAndIncrement()));
        }
    }

    /** Copies a file once. The siw of either server may overlook the first bytes. */
    private Optional<SiwRepeats.Cause> copy(int bytes, int serverPort) throws Exception {
        StreamProxy proxy = new StreamProxy(KernelDevice.address(serverPort));
        Channel listener =
                proxy.listening(group).bind(KernelDevice.address(0)).sync().channel();
        GuestResult rcopy = GuestShell.run(
                "lab_rcopy %d %s %d %d".formatted(serverPort, LabGuest.GUEST_ADDRESS, port(listener), bytes), LIMIT);
        listener.close().sync();
        if (KernelDevice.isSiw() && rcopy.hasTimedOut() && proxy.hasHeardNothingOfAnEnd()) {
            return Optional.of(SiwRepeats.Cause.FIRST_BYTES_OVERLOOKED);
        }
        assertThat(rcopy.exitCode()).as("%s%n%s", proxy, rcopy).isZero();
        return Optional.empty();
    }

    /** The library finds no memory on offer for it, and closes the stream. */
    @Test
    void riostreamFindsNoMemory() throws Exception {
        StreamJournal journal = new StreamJournal();
        Channel listener = new ServerBootstrap()
                .group(group)
                .channel(RdmaServerSocketChannel.class)
                .childHandler(journal)
                .bind(KernelDevice.address(0))
                .sync()
                .channel();
        GuestShell.run("lab_riostream %s %d".formatted(LabGuest.GUEST_ADDRESS, port(listener)), LIMIT)
                .assertSucceeded();
        journal.awaitInactive();
        assertThat(journal.failures()).isEmpty();
    }
}
