// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import io.nettyrdma.conformance.TaggedTest.Outcome;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ResultFileTest {

    private static final int RESULTS = 200;

    @TempDir
    Path target;

    @Test
    void virtualMachinesAtTheSameTimeLoseNoResults() throws IOException, InterruptedException {
        Path file = ResultFile.file(target, Lane.SOFT);
        List<Process> machines = new ArrayList<>();
        for (String name : List.of("ATest", "BTest")) {
            machines.add(new ProcessBuilder(
                            ProcessHandle.current().info().command().orElseThrow(),
                            "-cp",
                            System.getProperty("java.class.path"),
                            ResultFileTest.class.getName(),
                            file.toString(),
                            name)
                    .redirectError(Redirect.INHERIT)
                    .start());
        }
        for (Process machine : machines) {
            assertThat(machine.waitFor()).isZero();
        }

        assertThat(ResultFile.read(file).tests()).hasSize(machines.size() * RESULTS);
    }

    /** Adds results of the class of tests that the second argument names to the file that the first one names. */
    public static void main(String[] arguments) throws IOException {
        for (int i = 0; i < RESULTS; i++) {
            TaggedTest test = new TaggedTest(arguments[1] + "#test" + i, false, Outcome.PASSED, Set.of("V1-001"));
            new ResultFile("now", List.of(test)).addTo(Path.of(arguments[0]));
        }
    }
}
