/*
 * Copyright 2026 The Netty RDMA authors
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
 * with the License. You may obtain a copy of the License at
 *
 *     https://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software distributed under the License is distributed
 * on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for
 * the specific language governing permissions and limitations under the License.
 */
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
