// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.nettyrdma.deadline.Deadline;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;

/** What a program prints when a library has a lot to say; in a JVM of its own, for it is about its standard error. */
class ProgramOutputTest {

    @TempDir
    Path directory;

    /** An example, and a library that warns a hundred times, with stack traces, when it has ended. */
    static final class Chatty {
        private Chatty() {}

        public static void main(String[] arguments) {
            Runtime.getRuntime().addShutdownHook(new Thread(() -> {
                for (int i = 0; i < 100; i++) {
                    LoggerFactory.getLogger(Chatty.class).warn("something", new IllegalStateException("a\u001bb"));
                }
            }));
            Examples.main(arguments);
        }
    }

    private List<String> run(String... options) throws Exception {
        List<String> arguments = new ArrayList<>(
                List.of("nfs-get", "no..host:/file", directory.resolve("copy").toString()));
        arguments.addAll(List.of(options));
        return run("soft", arguments);
    }

    private List<String> run(String provider, List<String> arguments) throws Exception {
        Path output = directory.resolve("output");
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Dslf4j.provider=org.slf4j.simple.SimpleServiceProvider",
                "-Dslf4j.internal.verbosity=WARN",
                "-Dio.nettyrdma.provider=" + provider,
                "-cp",
                System.getProperty("java.class.path"),
                Chatty.class.getName()));
        command.addAll(arguments);
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        try {
            assertThat(process.waitFor(Deadline.SECONDS, TimeUnit.SECONDS))
                    .as("ends")
                    .isTrue();
        } finally {
            process.destroyForcibly();
        }
        assertThat(process.exitValue()).isOne();
        // Newer JVMs have warnings of their own, about what Netty does.
        return Files.readAllLines(output).stream()
                .filter(line -> !line.startsWith("WARNING: "))
                .toList();
    }

    @Test
    void quietProgramPrintsItsErrorAndNoWarningOfALibrary() throws Exception {
        assertThat(run("--quiet")).containsExactly("error: unknown host no..host");
        assertThat(run("-q")).containsExactly("error: unknown host no..host");
    }

    /** No machine has what DiSNI needs without options of Java. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "echo-server",
                "echo-client",
                "nfs-null",
                "nfs-server --allow-root --export=/tmp",
                "rpcping host",
                "nfs-get host:/file copy",
                "nfs-put copy host:/file",
                "http-server /tmp",
                "gateway host:1",
                "demo"
            })
    void commandWithoutAProviderSaysWhyAndWhatToDo(String command) throws Exception {
        assertThat(run("disni", List.of(command.split(" "))))
                .first()
                .asString()
                .matches("error: RDMA is not available: no RDMA provider: .+;"
                        + " to use the software provider, which needs no device, set"
                        + " JAVA_OPTS=-Dio.nettyrdma.provider=soft");
    }

    @Test
    void warningsOfLibrariesAreFewLinesAndEscaped() throws Exception {
        long begin = System.nanoTime();
        List<String> lines = run();
        long seconds = TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - begin) + 1;
        assertThat(lines).first().isEqualTo("error: unknown host no..host");
        assertThat(lines.size()).isGreaterThan(2).isLessThanOrEqualTo((int) (1 + 10 * seconds));
        assertThat(lines).contains("java.lang.IllegalStateException: a\\u001bb");
    }
}
