// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.lab;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;

/** A program of this machine. */
final class HostProgram {

    private HostProgram() {}

    /** What a program prints, which has to succeed. */
    static String run(Duration limit, String... command) throws IOException {
        Path out = Files.createTempFile("program", ".out");
        try {
            Process process = new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectOutput(out.toFile())
                    .start();
            boolean ended = Await.ended(process, limit);
            String text = Files.readString(out, StandardCharsets.UTF_8);
            if (!ended) {
                process.destroyForcibly();
                throw new AssertionError(command[0] + " has not ended within " + limit + ":\n" + text);
            }
            assertThat(process.exitValue()).as(text).isZero();
            return text;
        } finally {
            Files.delete(out);
        }
    }
}
