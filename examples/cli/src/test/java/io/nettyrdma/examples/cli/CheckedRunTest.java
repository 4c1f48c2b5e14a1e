/*
 * Copyright 2026 The Netty RDMA authors
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
 * with the License. You may obtain a copy of the License at
 *
 *     https://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software distributed under the License is distributed
 * on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for
 * the specific language governing permissions and limitations under the License.
 */
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
