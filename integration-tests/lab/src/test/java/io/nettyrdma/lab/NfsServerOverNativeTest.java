// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.lab;

import static org.assertj.core.api.Assertions.assertThat;

import io.nettyrdma.examples.guard.ConnectionLimit;
import io.nettyrdma.examples.guard.PeerLog;
import io.nettyrdma.examples.nfs.server.NfsServer;
import io.nettyrdma.rpc.RpcRdmaConfig;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The guest's kernel mounts the example server, both over the guest's device. What siw sends goes through {@code lo}
 * and is captured for the host to judge; rxe hands packets to itself past every interface.
 */
@Tag("native")
@Order(1) // before a server of the kernel's own takes the ports of the mount daemon
class NfsServerOverNativeTest {

    /** Of the capture of {@link #kernelReadsWhatItWrote}, in the directory that captures are written to. */
    static final String CAPTURE = "nfs-server-over-native";

    private static final Duration LIMIT = Duration.ofSeconds(180);

    @TempDir
    Path dir;

    private final MessageRecord messages = new MessageRecord();

    private NfsServer serve(RpcRdmaConfig.Builder config) throws Exception {
        Path export = Files.createDirectory(dir.resolve("export"));
        return NfsServer.start(
                new NfsServer.Options(export, LabGuest.GUEST_ADDRESS, 0, 0, 2, ConnectionLimit.Settings.DEFAULT),
                config.listener(messages).build(),
                new PeerLog(line -> {}));
    }

    private static String script(NfsServer server, int transferBytes, String bash) {
        return new NfsMountScript(
                        server.rdmaAddress().getPort(), server.mountAddress().getPort())
                .of(LabGuest.GUEST_ADDRESS, transferBytes, bash);
    }

    @Test
    void kernelReadsWhatItWrote() throws Exception {
        try (NfsServer server = serve(RpcRdmaConfig.builder())) {
            int port = server.rdmaAddress().getPort();
            try (Capture capture = KernelDevice.isSiw() ? Capture.ofPort(CAPTURE, port) : null) {
                GuestShell.run(
                                script(
                                        server,
                                        4096,
                                        """
                                        write_and_compare 700001
                                        mkdir many && touch many/file-{1..100}
                                        again
                                        [[ $(ls -l many | grep -c file-) == 100 ]]
                                        """),
                                LIMIT)
                        .assertSucceeded();
                if (capture != null) {
                    capture.stop();
                }
            }
        }
        assertThat(messages.received).isNotEmpty();
        assertThat(messages.rejected).isEmpty();
    }

    /** What a server says nothing about, a client has to take for 1024 octets without remote invalidation. */
    @Test
    void kernelIsServedByAServerThatSaysNothing() throws Exception {
        try (NfsServer server = serve(RpcRdmaConfig.builder().withoutPrivateData())) {
            GuestShell.run(
                            script(
                                    server,
                                    65_536,
                                    """
                                    head -c 300000 /dev/urandom > data
                                    cp data /tmp/data
                                    again
                                    cmp data /tmp/data
                                    rm /tmp/data
                                    """),
                            LIMIT)
                    .assertSucceeded();
        }
        assertThat(messages.rejected).isEmpty();
        assertThat(messages.sent).allSatisfy(sent -> assertThat(sent.headerBytes() + sent.payloadBytes())
                .isLessThanOrEqualTo(1024));
    }
}
