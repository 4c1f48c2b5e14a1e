// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.lab;

import io.nettyrdma.deadline.Deadline;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/**
 * A command running in the guest. The protocol of the shared directory is described in {@code lab/guest/init}.
 *
 * <p>Ownership: {@link #close()} ends the command if it still runs; its own time limit does so in any case.
 */
final class GuestCommand implements AutoCloseable {

    private final LabGuest guest;
    private final String name;
    private final String command;
    private final Duration limit;

    GuestCommand(LabGuest guest, String name, String command, Duration limit) {
        this.guest = guest;
        this.name = name;
        this.command = command;
        this.limit = limit;
    }

    /** Waits until the command ended, by itself or by its time limit. */
    GuestResult await() throws IOException {
        // The guest ends a command in time; this much later it is the guest that hangs.
        return await(limit.plus(Deadline.DURATION));
    }

    private GuestResult await(Duration wait) throws IOException {
        int exitCode = Await.value(
                "the end of guest command " + name + ": " + shortened(command),
                wait,
                () -> {
                    guest.assertAlive();
                    Path rc = result("rc");
                    return Files.exists(rc)
                            ? Optional.of(Integer.parseInt(Files.readString(rc).strip()))
                            : Optional.empty();
                },
                this::state);
        return new GuestResult(command, exitCode, output());
    }

    /** Waits until the output so far contains {@code text}; fails at once if the command ends without it. */
    void awaitOutput(String text, Duration wait) throws IOException {
        Await.until(
                "'" + text + "' in the output of guest command " + name + ": " + shortened(command),
                wait,
                () -> {
                    guest.assertAlive();
                    boolean ended = Files.exists(result("rc"));
                    boolean found = output().contains(text);
                    if (ended && !found) {
                        throw new AssertionError("guest command " + name + " has ended and never printed '" + text
                                + "': " + shortened(command) + "\n" + state());
                    }
                    return found;
                },
                this::state);
    }

    /** One end of an exchange. */
    @FunctionalInterface
    interface Exchange {
        void run() throws Exception;
    }

    /** Runs the exchange that this command is the other end of. A failure says what both ends have said. */
    void asTheOtherEndOf(Exchange exchange) throws Exception {
        try {
            exchange.run();
        } catch (AssertionError | Exception e) {
            throw new AssertionError(e + "\n--- the other end is guest command " + name + '\n' + state(), e);
        }
    }

    /** A command as failures show it: class paths have thousands of characters. */
    static String shortened(String command) {
        int limit = 300;
        int tail = 100;
        return command.length() <= limit
                ? command
                : command.substring(0, limit - tail) + " ... " + command.substring(command.length() - tail);
    }

    /** What it has printed so far. */
    String output() throws IOException {
        Path out = result("out");
        return Files.exists(out) ? new String(Files.readAllBytes(out), StandardCharsets.UTF_8) : "";
    }

    /** Ends it with SIGTERM and waits for that. */
    GuestResult stop() throws IOException {
        if (!Files.exists(result("rc"))) {
            // It may end on its own meanwhile, so kill's exit status says nothing.
            guest.run(
                    "kill -TERM \"$(cat " + LabGuest.SHARE_IN_GUEST + "/results/" + name + ".pid)\"",
                    Deadline.DURATION);
        }
        return await(Deadline.DURATION);
    }

    @Override
    public void close() throws IOException {
        if (guest.isAlive()) {
            stop();
        }
    }

    private String state() throws IOException {
        return "--- its output so far\n" + GuestResult.tail(output()) + guest.consoleTail();
    }

    private Path result(String suffix) {
        return guest.share().resolve("results").resolve(name + "." + suffix);
    }
}
