// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.ffm;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What bounds registered memory, and with most devices the queues: it is locked memory, of which {@code RLIMIT_MEMLOCK}
 * allows a process so much, and nothing where that is 0.
 */
final class LockedMemory {

    private static final Path LIMITS = Path.of("/proc/self/limits");
    private static final Pattern SOFT_LIMIT = Pattern.compile("Max locked memory +(\\S+) .*");

    private LockedMemory() {}

    /** The failure with what to do about it, if it is of the kind that the limit causes. */
    static IOException explained(NativeFailure failure) {
        return explained(failure, limit());
    }

    /** @param limit as {@link #limit(List)} tells it */
    static IOException explained(NativeFailure failure, String limit) {
        boolean exceeded = failure.errno() == VerbsLibrary.ENOMEM || failure.errno() == VerbsLibrary.EPERM;
        return exceeded && !limit.equals("unlimited")
                ? new IOException(
                        failure.getMessage() + "; registered memory, and most devices' queues, are locked memory, of"
                                + " which RLIMIT_MEMLOCK allows this process " + limit
                                + ": raise it (ulimit -l), or give CAP_IPC_LOCK, which siw ignores",
                        failure)
                : failure;
    }

    private static String limit() {
        try {
            return limit(Files.readAllLines(LIMITS));
        } catch (IOException e) {
            return limit(List.of());
        }
    }

    /**
     * {@code RLIMIT_MEMLOCK}, for a message: {@code unlimited}, or so many octets.
     *
     * @param lines of {@code /proc/self/limits}
     */
    static String limit(List<String> lines) {
        return lines.stream()
                .map(SOFT_LIMIT::matcher)
                .filter(Matcher::matches)
                .map(line -> line.group(1))
                .map(limit -> limit.equals("unlimited") ? limit : limit + " bytes")
                .findFirst()
                .orElse("an unknown number of bytes");
    }
}
