// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.lab;

import static org.assertj.core.api.Assertions.assertThat;

import io.nettyrdma.conformance.Requirement;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The kernel speaks version 1 of RPC-over-RDMA only; here the other side may speak version 2. */
@Lab
class OtherVersionLabTest {
    private static final Duration LIMIT = Duration.ofSeconds(120);
    private static final int NFS_RDMA_PORT = 20_049;
    private static final String EITHER = "--rdma-version=1-2";

    @TempDir
    private Path dir;

    /** The kernel refuses the offer of version 2, and is spoken to in version 1 on the same connection. */
    @Test
    @Requirement({"V2-026", "V2-027", "V2-138"})
    void serverThatRefusesVersion2IsCalledInVersion1(LabGuest guest) throws Exception {
        guest.startNfsServer();
        int port = guest.forward(NFS_RDMA_PORT);

        String output = ExampleProgram.run(
                dir, "rpcping", "127.0.0.1", "--port=" + port, "--count=100", "--messages", "--log-rate=10000", EITHER);

        assertThat(output)
                .contains("rpcping: 100 answered", "credits 64 header 28")
                .doesNotContain("LEAK", " WARN ", " ERROR ", "header 36");
    }

    @Test
    @Requirement("V2-137")
    void serverThatCouldSpeakVersion2AsWellIsRefusedIt(LabGuest guest) throws Exception {
        guest.startNfsServer();
        int port = guest.forward(NFS_RDMA_PORT);

        String output = ExampleProgram.fail(dir, "rpcping", "127.0.0.1", "--port=" + port, "--rdma-version=2");

        assertThat(output).contains("responder supports versions 1 to 1").doesNotContain("LEAK");
    }

    /** It begins with a call, and nothing is different from a server of version 1. */
    @Test
    @Requirement("V2-029")
    void clientIsServedInVersion1(LabGuest guest) throws Exception {
        Path export = Files.createDirectory(dir.resolve("export"));
        try (NfsServerProcess server = NfsServerProcess.start(export, dir, EITHER)) {
            guest.run(server.script(1 << 20, "write_and_compare 3000000"), LIMIT)
                    .assertSucceeded();
            assertThat(server.output()).doesNotContain("LEAK", "ERROR", "Exception");
        }
    }
}
