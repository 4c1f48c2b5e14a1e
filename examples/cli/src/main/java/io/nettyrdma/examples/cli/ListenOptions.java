// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.cli;

import io.nettyrdma.examples.guard.AcceptLimit;
import picocli.CommandLine.Option;

/** Where a server listens, and how many connections it takes. */
final class ListenOptions extends BindOption {

    @Option(
            names = AcceptLimit.CONNECTIONS_OPTION,
            paramLabel = "COUNT",
            defaultValue = "" + AcceptLimit.Settings.DEFAULT_CONNECTIONS,
            description =
                    "connections at a time (default: ${DEFAULT-VALUE}). A new connection replaces one that has never"
                            + " sent a call, or whose client does not take its replies, or else the one idle for"
                            + " longest; it is refused if all have calls in flight. A connection whose client has"
                            + " vanished ends after two minutes; over an RDMA device, when the device reports it")
    @InRange(from = 1)
    private int maxConnections;

    @Option(
            names = AcceptLimit.IDLE_OPTION,
            paramLabel = "SECONDS",
            defaultValue = "" + AcceptLimit.Settings.DEFAULT_IDLE_SECONDS,
            description =
                    "close connections that have had no call for this time, or whose clients lag as much behind with"
                            + " taking replies (default: ${DEFAULT-VALUE})")
    @InRange(from = 1)
    private int idleSeconds;

    AcceptLimit.Settings limits() {
        return new AcceptLimit.Settings(maxConnections, idleSeconds);
    }
}
