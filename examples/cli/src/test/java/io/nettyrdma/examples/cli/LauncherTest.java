// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.nettyrdma.deadline.Deadline;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code examples/run} in a project of its own that is built already, with a JVM that prints its arguments. */
class LauncherTest {

    private static final Path RUN = Path.of("../run").toAbsolutePath();

    @TempDir
    Path directory;

    private Path project() throws IOException {
        Path project = Files.createDirectory(directory.resolve("project"));
        for (String module : new String[] {"netty-transport-rdma", "rpcrdma-codec", "examples/cli"}) {
            Files.createDirectories(project.resolve(module).resolve("src/main"));
            Files.createFile(project.resolve(module).resolve("pom.xml"));
        }
        Files.createFile(project.resolve("pom.xml"));
        Files.copy(RUN, project.resolve("examples/run"));
        Files.createFile(
                Files.createDirectory(project.resolve("examples/cli/target")).resolve(".run-stamp"));
        Path bin = Files.createDirectories(directory.resolve("jdk/bin"));
        Files.writeString(
                bin.resolve("java"),
                """
                #!/bin/sh
                case "$1" in -XshowSettings*) echo "    java.specification.version = 17" ;; *) echo "$@" ;; esac
                """);
        Files.setPosixFilePermissions(bin.resolve("java"), PosixFilePermissions.fromString("rwxr-xr-x"));
        return project;
    }

    private String run(Path script) throws IOException, InterruptedException {
        ProcessBuilder builder = new ProcessBuilder("bash", script.toString(), "demo").redirectErrorStream(true);
        builder.environment().put("JAVA_HOME", directory.resolve("jdk").toString());
        Process process = builder.start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor(Deadline.SECONDS, TimeUnit.SECONDS))
                .as("ends")
                .isTrue();
        return output;
    }

    @Test
    void projectIsFoundAlsoThroughASymbolicLink() throws Exception {
        Path script = project().resolve("examples/run");
        Path link = Files.createSymbolicLink(directory.resolve("link"), script);
        Path linkToLink = Files.createSymbolicLink(directory.resolve("other"), Path.of("link"));
        String classes = script.resolveSibling("cli/target").toRealPath() + "/classes:";
        for (Path path : new Path[] {script, link, linkToLink}) {
            assertThat(run(path)).as(path.toString()).contains("-cp " + classes).contains("Examples demo");
        }
    }
}
