// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.nfs.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.nettyrdma.deadline.Deadline;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** A client that vanishes does not keep its place among the connections of the server. */
class NfsKeepaliveTest extends NfsServerFixture {

    /** Java's sockets are of both kinds, unless the host has no IPv6. */
    private static final List<Path> SOCKETS = List.of(Path.of("/proc/net/tcp"), Path.of("/proc/net/tcp6"));

    private static final String ESTABLISHED = "01";
    private static final String KEEPALIVE = "02";

    /** The unit in which the kernel tells times. */
    private static final int TICKS_PER_SECOND = 100;

    private static final int IDLE_SECONDS = 60;

    /** What the kernel has timers for on the connections to a port: a kind and the ticks until it goes off. */
    private static List<String> timers(int port) {
        return SOCKETS.stream()
                .flatMap(NfsKeepaliveTest::lines)
                .map(line -> line.trim().split("\\s+"))
                .filter(columns -> columns[1].endsWith(String.format(":%04X", port)))
                .filter(columns -> columns[3].equals(ESTABLISHED))
                .map(columns -> columns[5])
                .toList();
    }

    private static Stream<String> lines(Path sockets) {
        try {
            return Files.exists(sockets) ? Files.readAllLines(sockets).stream().skip(1) : Stream.empty();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static boolean isKeepalive(String timer) {
        String[] parts = timer.split(":");
        return parts[0].equals(KEEPALIVE) && Long.parseLong(parts[1], 16) <= IDLE_SECONDS * TICKS_PER_SECOND;
    }

    private static void assertKeepalive(InetSocketAddress address) {
        long end = System.nanoTime() + Deadline.DURATION.toNanos();
        List<String> timers = timers(address.getPort());
        while ((timers.isEmpty() || !timers.stream().allMatch(NfsKeepaliveTest::isKeepalive))
                && System.nanoTime() - end < 0) {
            Thread.onSpinWait(); // until the last acknowledgement has come, for which there is another timer
            timers = timers(address.getPort());
        }
        assertThat(timers).isNotEmpty().allMatch(NfsKeepaliveTest::isKeepalive);
    }

    @Test
    void clientThatIsSilentIsAskedWhetherItIsThere() throws Exception {
        newFile("file");
        assertKeepalive(server.rdmaAddress());
    }
}
