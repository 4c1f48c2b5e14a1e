// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.programs;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A program in a JVM of its own: its exit status, its results and its errors. */
record ProgramRun(int status, List<String> results, List<String> errors, double seconds) {

    private static final long DEADLINE_MINUTES = 2;

    /** Runs {@code main} with {@code options} of the JVM to its end; its output goes to files in {@code folder}. */
    static ProgramRun of(Class<?> main, Path folder, List<String> options) throws IOException, InterruptedException {
        Files.createDirectories(folder);
        Path output = folder.resolve("stdout");
        Path errors = folder.resolve("stderr");
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(options);
        command.add("-Djava.io.tmpdir=" + folder);
        command.addAll(
                List.of("-cp", System.getProperty("java.class.path"), ProgramMain.class.getName(), main.getName()));
        long began = System.nanoTime();
        Process process = new ProcessBuilder(command)
                .directory(folder.toFile())
                .redirectOutput(output.toFile())
                .redirectError(errors.toFile())
                .start();
        if (!process.waitFor(DEADLINE_MINUTES, TimeUnit.MINUTES)) {
            process.destroyForcibly().waitFor();
            throw new AssertionError(
                    main.getSimpleName() + " did not end within " + DEADLINE_MINUTES + " minutes; see " + folder);
        }
        double seconds = (System.nanoTime() - began) / 1e9;
        List<String> results = Files.readAllLines(output).stream()
                .filter(line -> line.startsWith(Results.PREFIX))
                .toList();
        return new ProgramRun(process.exitValue(), results, Files.readAllLines(errors), seconds);
    }

    /** Everything but the time. */
    @Override
    public String toString() {
        return "exit status " + status + "\n" + String.join("\n", results) + "\n" + String.join("\n", errors);
    }
}
