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

    /** What the program offers shared memory by, as the forwarded port is one of this host. */
    private static final int OFFER_STAG = 0x4e52444d;

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
        // To the kernel it is a Write of no bytes, which RFC 5041, section 5.2, makes meaningless.
        assertThat(RdmaOperations.of(file))
                .as("offers of shared memory")
                .filteredOn(done -> done.kind() == RdmaOperation.Kind.WRITE)
                .extracting(RdmaOperation::memory)
                .filteredOn(memory -> memory != null && memory.handle() == OFFER_STAG)
                .hasSize(1);
        CreditCheck.Direction credits = CreditCheck.of(file).assertGood().forward();
        assertThat(credits.callCount()).isEqualTo(CALLS);
        assertThat(credits.replyCount()).isEqualTo(CALLS);
        assertThat(credits.mostGranted()).isEqualTo(GRANTED);
        assertThat(credits.mostOutstanding()).isEqualTo(GRANTED);
    }
}
