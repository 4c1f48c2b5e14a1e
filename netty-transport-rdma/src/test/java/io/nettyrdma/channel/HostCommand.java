// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.channel;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;

/** Programs of the machine that the test runs on. */
final class HostCommand {

    private HostCommand() {}

    /** Runs one to its end, which is to go well, and returns what it has printed. */
    static String run(String... command) throws IOException {
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        process.onExit().join();
        assertThat(process.exitValue())
                .as(String.join(" ", command) + ": " + said)
                .isZero();
        return said;
    }
}
