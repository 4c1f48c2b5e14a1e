// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.nettyrdma.deadline.Deadline;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import picocli.CommandLine;

/** A command in a thread of its own, which is interrupted in the end as Ctrl-C does it. */
final class RunningCommand implements AutoCloseable {

    private static final Pattern PORT = Pattern.compile("(?:listens on|serving .* on) /127\\.0\\.0\\.1:(\\d+)");

    private final StringWriter out = new StringWriter();
    private final Thread thread;

    /** Starts a command with more options than it has; of one that is given twice the last counts. */
    RunningCommand(String[] command, String... more) {
        CommandLine line = Examples.commandLine();
        line.setOverwrittenOptionsAllowed(true);
        line.setOut(new PrintWriter(out));
        line.setErr(new PrintWriter(out));
        String[] arguments = Stream.concat(Stream.of(command), Stream.of(more)).toArray(String[]::new);
        thread = new Thread(() -> line.execute(arguments), command[0]);
        thread.start();
    }

    /** Where a server listens, as soon as it does. */
    int port() throws InterruptedException {
        Matcher port = PORT.matcher(awaitLine("127.0.0.1:"));
        assertThat(port.find()).isTrue();
        return Integer.parseInt(port.group(1));
    }

    String awaitLine(String part) throws InterruptedException {
        long end = System.nanoTime() + Deadline.DURATION.toNanos();
        while (System.nanoTime() < end) {
            for (String line : out.toString().lines().toList()) {
                if (line.contains(part)) {
                    return line;
                }
            }
            if (!thread.isAlive()) {
                break;
            }
            thread.join(10);
        }
        throw new AssertionError("no line with \"" + part + "\" within " + Deadline.SECONDS + " s:\n" + out);
    }

    @Override
    public void close() {
        thread.interrupt();
        try {
            thread.join(Deadline.MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        assertThat(thread.isAlive()).as("still runs").isFalse();
    }
}
