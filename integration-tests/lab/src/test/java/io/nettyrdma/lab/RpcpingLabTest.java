// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.lab;

import static org.assertj.core.api.Assertions.assertThat;

import io.nettyrdma.conformance.Requirement;
import io.nettyrdma.lab.Tshark.Payload;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The kernel's NFS server as a responder, and the example as users run it: a program of its own. */
@Lab
class RpcpingLabTest {
    private static final int NFS_RDMA_PORT = 20049;
    private static final int CALLS = 1000;
    /** What the kernel's server grants. */
    private static final int GRANTED = 64;

    /** Of Writes of no bytes, by which the program says that it takes offers, as the forwarded port is of this host. */
    private static final int MARK_STAG = 0x4e52444d;

    private static final long MARK_HERE = 1;

    @TempDir
    Path dir;

    @Test
    @Requirement({"V1-012", "V1-023", "V1-024"})
    void kernelAnswersAsManyCallsAtATimeAsItGranted(LabGuest guest) throws Exception {
        guest.startNfsServer();
        int port = guest.forward(NFS_RDMA_PORT);
        Path file;
        try (Capture capture = Capture.ofPort("rpcping", port)) {
            // More at a time than the kernel grants, so that credits are what limits them.
            String output = ExampleProgram.run(
                    dir, "rpcping", "127.0.0.1", "--port=" + port, "--count=" + CALLS, "--in-flight=" + 2 * GRANTED);
            assertThat(output).contains("rpcping: 1,000 answered").doesNotContain("LEAK", " WARN ", " ERROR ");
            file = capture.stop();
        }
        CaptureReport report = CaptureCheck.of(file, Payload.RPC_OVER_RDMA).assertGood();
        assertThat(report.callCount()).isEqualTo(CALLS);
        assertThat(report.replyCount()).isEqualTo(CALLS);
        assertThat(report.terminateCount()).isZero();
        assertThat(report.crcCount()).isEqualTo(report.fpduCount());
        assertThat(RdmaOperations.of(file))
                .extracting(RdmaOperation::memory)
                .filteredOn(memory -> memory != null && memory.handle() == MARK_STAG)
                .extracting(RdmaOperation.Memory::offset)
                .as("what the kernel gets of shared memory: that it is possible, and no offer")
                .containsOnly(MARK_HERE);
        CreditCheck.Direction credits = CreditCheck.of(file).assertGood().forward();
        assertThat(credits.callCount()).isEqualTo(CALLS);
        assertThat(credits.replyCount()).isEqualTo(CALLS);
        assertThat(credits.mostGranted()).isEqualTo(GRANTED);
        assertThat(credits.mostOutstanding()).isEqualTo(GRANTED);
    }
}
