// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.lab;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.Channel;
import io.netty.channel.EventLoopGroup;
import io.nettyrdma.deadline.Deadline;
import java.net.InetSocketAddress;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code rping} of librdmacm in both roles, and this project over the same device, in the guest. */
@Tag("native")
class RpingOverNativeTest {

    private static final int ROUNDS = 100;
    private static final int RPING_PORT = 7176;

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
    @ValueSource(ints = {64, 60_000})
    void rpingClientPingsTheJavaServer(int size) throws Exception {
        RpingServer server = new RpingServer(size);
        Channel listener = server.listen(group, KernelDevice.address(0)).sync().channel();
        int port = ((InetSocketAddress) listener.localAddress()).getPort();
        GuestResult rping = GuestShell.run(
                "lab_rping_client %s %d %d %d".formatted(LabGuest.GUEST_ADDRESS, port, ROUNDS, size),
                Deadline.DURATION);
        assertThat(rping.assertSucceeded().output()).contains("LAB: ok rping-client: " + ROUNDS + " rounds");
        server.awaitRounds(ROUNDS, Deadline.DURATION);
    }

    @ParameterizedTest
    @ValueSource(ints = {64, 60_000})
    void javaClientPingsRpingsServer(int size) throws Exception {
        int port = RPING_PORT + (size == 64 ? 0 : 1); // the first one may still be bound
        try (GuestShell rping =
                GuestShell.start("lab_rping_server %d %d %d".formatted(port, ROUNDS, size), Deadline.DURATION)) {
            GuestShell.run("lab_await_listening %d %d".formatted(port, Deadline.SECONDS), Deadline.DURATION)
                    .assertSucceeded();
            RpingClient client = new RpingClient(size, ROUNDS);
            client.connect(group, KernelDevice.address(port)).sync();
            client.awaitRounds(ROUNDS, Deadline.DURATION);
            assertThat(rping.await().assertSucceeded().output())
                    .contains("LAB: ok rping-server: " + ROUNDS + " rounds");
        }
    }
}
