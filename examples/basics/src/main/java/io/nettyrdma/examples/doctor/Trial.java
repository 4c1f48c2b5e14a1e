// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.doctor;

import io.nettyrdma.channel.Rdma;
import java.io.BufferedReader;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Runs {@link Proof} in a JVM of its own, which it ends if it takes too long. */
final class Trial {

    private static final int MAX_LOG_LINES = 20;

    private Trial() {}

    /**
     * Proves.
     *
     * @param provider    of the verbs, by the value of the system property
     * @param arguments   of {@link Proof}
     * @param limitMillis for all
     * @param out         gets the steps, and behind a failure the last lines of the log
     * @return the first failure, or {@code null}
     */
    static @Nullable String run(String provider, List<String> arguments, long limitMillis, Consumer<String> out)
            throws IOException, InterruptedException {
        Process process = new ProcessBuilder(command(provider, arguments))
                .redirectErrorStream(true)
                .start();
        CompletableFuture.delayedExecutor(limitMillis, TimeUnit.MILLISECONDS).execute(process::destroyForcibly);
        List<String> failures = new ArrayList<>();
        ArrayDeque<String> log = new ArrayDeque<>();
        boolean ended = false;
        try (BufferedReader lines = process.inputReader()) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                ended |= line.equals(Proof.END);
                if (line.startsWith(Proof.OK) || line.startsWith(Proof.FAILED)) {
                    out.accept(line);
                } else if (!ended) {
                    log.add(line);
                }
                if (line.startsWith(Proof.FAILED)) {
                    failures.add(line.substring(Proof.FAILED.length()));
                }
                if (log.size() > MAX_LOG_LINES) {
                    log.remove();
                }
            }
            int status = process.waitFor();
            if (!ended) {
                failures.add("the proof did not reach its end (exit status " + status + ", within " + limitMillis / 1000
                        + " s; give a slow or busy machine more)");
                out.accept(Proof.FAILED + failures.get(failures.size() - 1));
            }
        } finally {
            process.destroyForcibly();
        }
        if (failures.isEmpty()) {
            return null;
        }
        log.forEach(line -> out.accept("log     " + line));
        return failures.get(0);
    }

    private static List<String> command(String provider, List<String> arguments) {
        List<String> command = new ArrayList<>();
        command.add(ProcessHandle.current().info().command().orElse("java"));
        Machine.flags().stream()
                .filter(flag -> !flag.startsWith("-D" + Rdma.PROVIDER_PROPERTY))
                .forEach(command::add);
        command.addAll(List.of("-Xmx64m", "-XX:MaxDirectMemorySize=64m"));
        command.add("-D" + Rdma.PROVIDER_PROPERTY + '=' + provider);
        command.add("-Djava.library.path=" + System.getProperty("java.library.path", ""));
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), Proof.class.getName()));
        command.addAll(arguments);
        return command;
    }
}
