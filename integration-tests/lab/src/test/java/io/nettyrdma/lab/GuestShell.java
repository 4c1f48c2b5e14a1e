// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.lab;

import io.nettyrdma.deadline.Deadline;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;

/**
 * Bash commands beside this JVM, which runs in the guest itself; {@code lab/guest/lib.sh} is sourced.
 *
 * <p>Ownership: {@link #close()} ends the commands if they still run; their own time limit does so in any case.
 */
final class GuestShell implements AutoCloseable {

    private final String commands;
    private final Duration limit;
    private final Path out;
    private final Process process;

    private GuestShell(String commands, Duration limit, Path out, Process process) {
        this.commands = commands;
        this.limit = limit;
        this.out = out;
        this.process = process;
    }

    /** Starts commands that the guest ends after {@code limit}, in whole seconds. */
    static GuestShell start(String commands, Duration limit) throws IOException {
        Path out = Files.createTempFile("guest", ".out");
        Process process = new ProcessBuilder(
                        "timeout",
                        "-k",
                        "5",
                        String.valueOf(limit.toSeconds()),
                        "bash",
                        "-c",
                        ". /run/guest/lib.sh\n" + commands)
                .redirectErrorStream(true)
                .redirectOutput(out.toFile())
                .start();
        return new GuestShell(commands, limit, out, process);
    }

    /** Runs commands and waits for their end. */
    static GuestResult run(String commands, Duration limit) throws IOException {
        try (GuestShell shell = start(commands, limit)) {
            return shell.await();
        }
    }

    /** Waits until the commands have printed {@code text}; fails if they end without it. */
    void awaitOutput(String text, Duration wait) throws IOException {
        Await.until(
                "'" + text + "' in the output of " + commands,
                wait,
                () -> {
                    boolean ended = !process.isAlive();
                    boolean found = Files.readString(out).contains(text);
                    if (ended && !found) {
                        throw new AssertionError(
                                "ended without '" + text + "': " + commands + "\n" + Files.readString(out));
                    }
                    return found;
                },
                () -> Files.readString(out));
    }

    /** Waits until the commands have ended, by themselves or by their time limit. */
    GuestResult await() throws IOException {
        if (!Await.ended(process, limit.plus(Deadline.DURATION))) {
            throw new AssertionError("commands do not end: " + commands + "\n" + Files.readString(out));
        }
        return new GuestResult(commands, process.exitValue(), Files.readString(out));
    }

    @Override
    public void close() throws IOException {
        process.destroy();
        if (!Await.ended(process, Deadline.DURATION)) {
            process.destroyForcibly();
        }
        Files.delete(out);
    }
}
