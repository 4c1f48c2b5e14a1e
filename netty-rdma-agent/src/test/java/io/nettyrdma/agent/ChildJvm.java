// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.agent;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** A JVM with the agent. */
final class ChildJvm {

    static final String AGENT = System.getProperty("agent.jar");

    private final List<String> command = new ArrayList<>(
            List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString()));

    /**
     * What a JVM printed.
     *
     * @param lines of both outputs
     */
    record Outcome(int status, List<String> lines) {

        Outcome contains(String... expected) {
            assertThat(lines).contains(expected);
            return this;
        }

        Outcome containsLineOf(String... parts) {
            assertThat(lines).anySatisfy(line -> assertThat(line).contains(parts));
            return this;
        }

        Outcome succeeded() {
            assertThat(status).as(() -> String.join("\n", lines)).isZero();
            return this;
        }
    }

    ChildJvm agent(String options) {
        return with("-javaagent:" + AGENT + (options.isEmpty() ? "" : "=" + options));
    }

    ChildJvm with(String... arguments) {
        command.addAll(List.of(arguments));
        return this;
    }

    ChildJvm classPath(List<String> entries) {
        return with("-cp", String.join(":", entries));
    }

    /** Runs it to its end. */
    Outcome run() throws IOException, InterruptedException {
        Path output = Files.createTempFile("agent", ".out");
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        try {
            assertThat(process.waitFor(2, TimeUnit.MINUTES)).isTrue();
            return new Outcome(process.exitValue(), Files.readAllLines(output));
        } finally {
            process.destroyForcibly();
            Files.delete(output);
        }
    }

    /** The entries of the test's class path that are Netty's. */
    static List<String> netty() {
        return Stream.of(System.getProperty("java.class.path").split(":"))
                .filter(entry -> entry.contains("/io/netty/"))
                .toList();
    }

    /** The jars of another Netty. */
    static List<String> netty(String version) throws IOException {
        try (Stream<Path> jars = Files.list(Path.of(System.getProperty("other.nettys")))) {
            return jars.map(Path::toString).filter(jar -> jar.contains(version)).collect(Collectors.toList());
        }
    }

    /** The folder of a class of the tests. */
    static String classes() {
        return Path.of(ChildJvm.class
                        .getProtectionDomain()
                        .getCodeSource()
                        .getLocation()
                        .getPath())
                .toString();
    }

    static List<String> withTests(List<String> jars) {
        List<String> entries = new ArrayList<>(jars);
        entries.add(classes());
        return entries;
    }
}
