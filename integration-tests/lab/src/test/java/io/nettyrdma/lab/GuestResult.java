// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.lab;

import java.util.List;

/**
 * How a command in the guest ended; 124 and 137 mean that its time limit ended it. Output is stdout and stderr
 * together.
 */
record GuestResult(String command, int exitCode, String output) {

    private static final int TAIL_LINES = 100;

    GuestResult assertSucceeded() {
        if (exitCode != 0) {
            throw new AssertionError(this);
        }
        return this;
    }

    /** Whether the guest has ended a program of the command for its time limit, as functions of lib.sh report it. */
    boolean hasTimedOut() {
        return output.contains("exit status 124");
    }

    /** The end of an output, as failures show it; all of it is below {@code target/lab}. */
    static String tail(String output) {
        List<String> lines = output.lines().toList();
        int skipped = Math.max(0, lines.size() - TAIL_LINES);
        return (skipped == 0 ? "" : "(" + skipped + " lines before)\n")
                + String.join("\n", lines.subList(skipped, lines.size()))
                + '\n';
    }

    @Override
    public String toString() {
        return "guest command ended with " + exitCode + ": " + GuestCommand.shortened(command) + "\n--- its output\n"
                + tail(output) + "---";
    }
}
