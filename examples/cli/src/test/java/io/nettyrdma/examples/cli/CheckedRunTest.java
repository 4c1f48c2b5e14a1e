// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;
import picocli.CommandLine.Command;

class CheckedRunTest {

    @Command(name = "hungry")
    private static final class Hungry implements Callable<Integer> {
        @Override
        public Integer call() {
            throw new OutOfMemoryError("Cannot reserve 4194304 bytes");
        }
    }

    @Test
    void commandThatRunsOutOfMemorySaysSoInALine() {
        StringWriter err = new StringWriter();
        CommandLine line = Examples.commandLine().addSubcommand(new Hungry());
        line.setExecutionStrategy(new CheckedRun());
        line.setErr(new PrintWriter(err, true));
        assertThat(line.execute("hungry")).isOne();
        assertThat(err.toString().strip()).isEqualTo("error: out of memory: Cannot reserve 4194304 bytes");
    }
}
