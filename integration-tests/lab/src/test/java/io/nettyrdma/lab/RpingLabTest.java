// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.lab;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.Channel;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.nettyrdma.channel.RdmaIoHandler;
import io.nettyrdma.deadline.Deadline;
import io.nettyrdma.lab.Tshark.Payload;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * RDMA Sends, Writes and Reads with the kernel as the peer, in both roles. {@code rping}'s ping data is known, so each
 * side verifies what the other one wrote or let it read: Java octet by octet, the guest by comparing its two buffers
 * and by a digest over what it printed.
 */
@Lab
class RpingLabTest {
    private static final int ROUNDS = 100;
    /** Two adverts, Read Request, Read Response, Write and two answers, if each is one FPDU. */
    private static final int FPDUS_PER_ROUND = 7;

    private static final int GUEST_PORT = 7176;
    private static final int PERSISTENT_GUEST_PORT = 7177;

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
    @ValueSource(ints = {64, 60_000})
    void kernelClientPingsTheJavaServer(int size, LabGuest guest) throws Exception {
        RpingServer server = new RpingServer(size);
        Channel listener = server.listen(group).sync().channel();
        int port = ((InetSocketAddress) listener.localAddress()).getPort();
        Path file;
        try (Capture capture = Capture.ofPort("rping-kernel-to-java-" + size, port)) {
            GuestResult rping = guest.run(
                    "lab_rping_client %s %d %d %d".formatted(LabGuest.HOST_ADDRESS, port, ROUNDS, size),
                    Deadline.DURATION);
            assertThat(rping.assertSucceeded().output())
                    .contains("LAB: ok rping-client: " + ROUNDS + " rounds, sha256 " + digest(size));
            server.awaitRounds(ROUNDS, Deadline.DURATION);
            file = capture.stop();
        }
        CaptureReport report = CaptureCheck.of(file, Payload.OPAQUE).assertGood();
        assertThat(report.fpduCount()).isGreaterThanOrEqualTo(ROUNDS * FPDUS_PER_ROUND);
        assertThat(report.terminateCount()).isZero();
        // siw never asks for CRC, and a responder that does not have to does not ask either.
        assertThat(report.crcCount()).isZero();
        assertThat(crcFlags(file)).containsExactly(List.of("0"), List.of("0"));
    }

    @ParameterizedTest
    @ValueSource(ints = {64, 60_000})
    void javaClientPingsTheKernelServer(int size, LabGuest guest) throws Exception {
        Path file;
        int port = guest.forward(GUEST_PORT);
        try (GuestCommand rping =
                guest.start("lab_rping_server %d %d %d".formatted(GUEST_PORT, ROUNDS, size), Deadline.DURATION)) {
            guest.awaitListening(GUEST_PORT, Deadline.DURATION);
            try (Capture capture = Capture.ofPort("rping-java-to-kernel-" + size, port)) {
                RpingClient client = new RpingClient(size, ROUNDS);
                client.connect(group, new InetSocketAddress(InetAddress.getLoopbackAddress(), port))
                        .sync();
                rping.asTheOtherEndOf(() -> client.awaitRounds(ROUNDS, Deadline.DURATION));
                assertThat(rping.await().assertSucceeded().output())
                        .contains("LAB: ok rping-server: " + ROUNDS + " rounds, sha256 " + digest(size));
                file = capture.stop();
            }
        }
        CaptureReport report = CaptureCheck.of(file, Payload.OPAQUE).assertGood();
        assertThat(report.fpduCount()).isGreaterThanOrEqualTo(ROUNDS * FPDUS_PER_ROUND);
        assertThat(report.terminateCount()).isZero();
        // The initiator asks for CRC and siw then uses it in both directions.
        assertThat(report.crcCount()).isEqualTo(report.fpduCount());
        assertThat(crcFlags(file)).containsExactly(List.of("1"), List.of("1"));
    }

    /**
     * Linux may overlook what the initiator sends first, see the software provider's announcement; under emulation that
     * is one connection in 25.
     */
    @Test
    void manyJavaClientsInTurnGetThroughToTheKernelServer(LabGuest guest) throws Exception {
        int connections = 60;
        Path file;
        int port = guest.forward(PERSISTENT_GUEST_PORT);
        String persistent = "exec rping -s -P -a %s -p %d".formatted(LabGuest.GUEST_ADDRESS, PERSISTENT_GUEST_PORT);
        try (GuestCommand rping = guest.start(persistent, Deadline.DURATION)) {
            guest.awaitListening(PERSISTENT_GUEST_PORT, Deadline.DURATION);
            try (Capture capture = Capture.ofPort("rping-many-java-to-kernel", port)) {
                for (int i = 0; i < connections; i++) {
                    RpingClient client = new RpingClient(64, 1);
                    client.connect(group, new InetSocketAddress(InetAddress.getLoopbackAddress(), port))
                            .sync();
                    rping.asTheOtherEndOf(() -> client.awaitRounds(1, Deadline.DURATION));
                }
                file = capture.stop();
            }
        }
        CaptureReport report = CaptureCheck.of(file, Payload.OPAQUE).assertGood();
        assertThat(report.fpduCount()).isGreaterThanOrEqualTo(connections * FPDUS_PER_ROUND);
        assertThat(report.terminateCount()).isZero();
    }

    /** Of what {@code rping} prints of all rounds, a line each: the guest's library makes the same. */
    private static String digest(int size) throws Exception {
        MessageDigest sha256 = MessageDigest.getInstance("SHA-256");
        for (int round = 0; round < ROUNDS; round++) {
            sha256.update(Rping.pingData(round, size), 0, size - 1);
            sha256.update("\n".getBytes(StandardCharsets.US_ASCII));
        }
        return HexFormat.of().formatHex(sha256.digest());
    }

    /** The C bits of the MPA request and reply. */
    private static List<List<String>> crcFlags(Path capture) throws Exception {
        return new Tshark(capture, Payload.OPAQUE)
                .fields("iwarp_mpa.req || iwarp_mpa.rep", "iwarp_mpa.crc_flag").stream()
                        .map(row -> row.get(0))
                        .toList();
    }
}
