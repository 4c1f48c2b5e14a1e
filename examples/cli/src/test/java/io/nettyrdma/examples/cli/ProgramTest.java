// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;
import picocli.CommandLine.Command;

class ProgramTest {

    @Command(name = "hungry")
    private static final class Hungry extends Program {
        @Override
        void run() {
            throw new OutOfMemoryError("Cannot reserve 4194304 bytes");
        }
    }

    @Test
    void commandThatRunsOutOfMemorySaysSoInALine() {
        StringWriter err = new StringWriter();
        CommandLine line = Examples.commandLine().addSubcommand(new Hungry());
        line.setErr(new PrintWriter(err, true));
        assertThat(line.execute("hungry")).isOne();
        assertThat(err.toString().strip()).isEqualTo("error: out of memory: Cannot reserve 4194304 bytes");
    }
}
