// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.lab;

import static org.assertj.core.api.Assertions.assertThat;

import io.nettyrdma.examples.cli.Examples;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** An example as users run it: a program of its own. */
final class ExampleProgram {
    private static final Duration LIMIT = Duration.ofSeconds(120);

    /** What an example that could not do its work ends with. */
    private static final int FAILED = 1;

    private ExampleProgram() {}

    /**
     * Runs an example with this JVM's class path, fails unless it ends well, and returns what it printed; that goes
     * through a file in {@code dir}.
     */
    static String run(Path dir, String... arguments) throws IOException {
        return run(dir, 0, arguments);
    }

    /** The same of one that is to fail, as users see it. */
    static String fail(Path dir, String... arguments) throws IOException {
        return run(dir, FAILED, arguments);
    }

    private static String run(Path dir, int status, String... arguments) throws IOException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.add("-Dio.netty.leakDetection.level=paranoid");
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), Examples.class.getName()));
        command.addAll(List.of(arguments));
        Path out = dir.resolve("example.out");
        Process example = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(out.toFile())
                .start();
        if (!Await.ended(example, LIMIT)) {
            example.destroyForcibly();
            throw new AssertionError(
                    arguments[0] + " did not end within " + LIMIT.toSeconds() + " s\n" + Files.readString(out));
        }
        String output = Files.readString(out);
        assertThat(example.exitValue()).as(output).isEqualTo(status);
        return output;
    }
}
