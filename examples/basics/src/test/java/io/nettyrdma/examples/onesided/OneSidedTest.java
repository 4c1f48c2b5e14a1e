// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.onesided;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class OneSidedTest {

    private final List<String> lines = new CopyOnWriteArrayList<>();

    @Test
    void memoryIsWrittenReadAndTakenBack() throws Exception {
        OneSided.run("some text", lines::add);
        assertThat(lines)
                .containsSubsequence(
                        "lender    lends 64 bytes",
                        "borrower  writes: some text",
                        "borrower  reads: some text",
                        "lender    finds: some text",
                        "borrower  reads again, with a key that has ended")
                .anyMatch(line -> line.startsWith("lender    refuses: "))
                .anyMatch(line -> line.startsWith("borrower  fails to read: "));
    }

    @Test
    void textThatIsLongerThanTheMemoryIsRefused() throws Exception {
        OneSided.run("x".repeat(65), lines::add);
        assertThat(lines)
                .anyMatch(line -> line.startsWith("lender    refuses: "))
                .anyMatch(line -> line.startsWith("borrower  fails to read: "))
                .noneMatch(line -> line.startsWith("lender    finds"));
    }
}
