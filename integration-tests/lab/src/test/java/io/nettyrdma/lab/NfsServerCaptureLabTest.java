// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.lab;

import static org.assertj.core.api.Assertions.assertThat;

import io.nettyrdma.conformance.Requirement;
import io.nettyrdma.examples.guard.ConnectionLimit;
import io.nettyrdma.examples.guard.PeerLog;
import io.nettyrdma.examples.nfs.server.NfsServer;
import io.nettyrdma.lab.Tshark.Payload;
import io.nettyrdma.rpc.RpcRdmaConfig;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The kernel's NFS client, and what it and the example server say to each other while it works on a directory of this
 * machine.
 */
@Lab
class NfsServerCaptureLabTest {
    private static final int MIB = 1 << 20;
    private static final Duration LIMIT = Duration.ofSeconds(120);

    @TempDir
    Path dir;

    private final MessageRecord messages = new MessageRecord();
    private Path export;
    private NfsServer server;

    private void start(RpcRdmaConfig.Builder config) throws Exception {
        export = Files.createDirectory(dir.resolve("export"));
        server = NfsServer.start(
                new NfsServer.Options(export, "127.0.0.1", 0, 0, 4, ConnectionLimit.Settings.DEFAULT),
                config.listener(messages).build(),
                new PeerLog(line -> {}));
    }

    @AfterEach
    void stop() throws Exception {
        server.close();
    }

    private int port() {
        return server.rdmaAddress().getPort();
    }

    private String script(int transferBytes, String bash) {
        return new NfsMountScript(port(), server.mountAddress().getPort()).of(transferBytes, bash);
    }

    private static CaptureReport assertGood(Path capture) throws Exception {
        CaptureReport report = CaptureCheck.of(capture, Payload.RPC_OVER_RDMA).assertGood();
        assertThat(report.replyCount()).isEqualTo(report.callCount());
        assertThat(report.terminateCount()).isZero();
        assertThat(report.crcCount()).isZero(); // siw does not ask for it
        CreditCheck.of(capture).assertGood();
        return report;
    }

    @Test
    @Requirement({"V1-051", "V1-052", "V1-060", "V1-067", "V1-090", "V1-100", "PD-021"})
    void kernelIsServedWithChunksOfEveryKindThatItOffers(LabGuest guest) throws Exception {
        start(RpcRdmaConfig.builder());
        Path file;
        try (Capture capture = Capture.ofPort("nfs-server", port())) {
            guest.run(
                            script(
                                    4096,
                                    """
                                    write_and_compare 1500001
                                    mkdir many && touch many/file-{1..200}
                                    again
                                    [[ $(ls -l many | grep -c file-) == 200 ]]
                                    long=$(printf 'x%.0s' {1..255})
                                    path=$long/$long/$long/$long
                                    ln -s "$path" link
                                    again
                                    [[ $(readlink link) == "$path" ]]
                                    """),
                            LIMIT)
                    .assertSucceeded();
            file = capture.stop();
        }
        assertGood(file);
        ChunkCheck.Report chunks = ChunkCheck.of(file).assertGood();
        // The last piece may be short enough to travel inline.
        assertThat(chunks.pulledBytes()).isGreaterThanOrEqualTo(3 * 1_500_001L - 4096);
        assertThat(chunks.pushedBytes()).isGreaterThanOrEqualTo(3 * 1_500_001L - 4096);
        assertThat(chunks.longReplies()).isPositive();
        assertThat(chunks.invalidations()).isPositive();
        assertThat(messages.rejected).isEmpty();
    }

    /** What a server says nothing about, a client has to take for 1024 octets. */
    @Test
    @Requirement({"V1-021", "V1-067"})
    void kernelIsServedIn1024OctetsByAServerThatSaysNothing(LabGuest guest) throws Exception {
        start(RpcRdmaConfig.builder().withoutPrivateData());
        Path file;
        try (Capture capture = Capture.ofPort("nfs-server-1024", port())) {
            guest.run(
                            script(
                                    MIB,
                                    """
                                    mkdir many && touch many/file-{1..200}
                                    head -c 1048576 /dev/urandom > data
                                    cp data /tmp/data
                                    again
                                    [[ $(ls -l many | grep -c file-) == 200 ]]
                                    cmp data /tmp/data
                                    rm /tmp/data
                                    """),
                            LIMIT)
                    .assertSucceeded();
            file = capture.stop();
        }
        assertGood(file);
        ChunkCheck.Report chunks = ChunkCheck.of(file).assertGood();
        assertThat(chunks.pulledBytes()).isGreaterThanOrEqualTo(MIB);
        assertThat(chunks.pushedBytes()).isGreaterThanOrEqualTo(MIB);
        assertThat(chunks.longReplies()).isPositive();
        assertThat(chunks.invalidations()).isZero();
        assertThat(messages.rejected).isEmpty();
        assertThat(messages.sent).allSatisfy(sent -> assertThat(sent.headerBytes() + sent.payloadBytes())
                .isLessThanOrEqualTo(1024));
        assertThat(messages.received)
                .allSatisfy(received -> assertThat(received.headerBytes() + received.payloadBytes())
                        .isLessThanOrEqualTo(1024));
        // Four octets of MPA revision 2, IRD and ORD, and nothing behind them.
        assertThat(new Tshark(file, Payload.RPC_OVER_RDMA).fields("iwarp_mpa.rep", "iwarp_mpa.privatedata"))
                .isNotEmpty()
                .allSatisfy(reply ->
                        assertThat(reply.get(0)).singleElement().asString().hasSize(8));
    }
}
