// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.cli;

import io.nettyrdma.examples.guard.PeerLog;
import picocli.CommandLine.Option;

/** How much is printed because of what peers do. */
final class LogOptions {

    @Option(
            names = "--log-rate",
            paramLabel = "LINES",
            defaultValue = "" + PeerLog.DEFAULT_LINES_PER_SECOND,
            description = "log lines per second that peers can cause (default: ${DEFAULT-VALUE}); the next line says"
                    + " how many were omitted")
    @InRange(from = 1, to = 1_000_000)
    private int linesPerSecond;

    /** The log for everything that a peer causes. */
    PeerLog to(Program program) {
        return new PeerLog(program::print, linesPerSecond);
    }
}
