// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.cli;

import io.nettyrdma.examples.guard.ConnectionLimit;
import picocli.CommandLine.Option;

/** Where a server listens, and how many connections it takes. */
final class ListenOptions extends BindOption {

    @Option(
            names = "--max-connections",
            paramLabel = "COUNT",
            defaultValue = "" + ConnectionLimit.Settings.DEFAULT_CONNECTIONS,
            description =
                    "connections at a time (default: ${DEFAULT-VALUE}). When all places are taken, one from an address"
                            + " with less than its share takes the place of the longest connected of the address with"
                            + " most. A connection whose client has vanished ends after two minutes; over an RDMA"
                            + " device, when the device reports it")
    @InRange(from = 1)
    private int maxConnections;

    @Option(
            names = "--idle-timeout",
            paramLabel = "SECONDS",
            defaultValue = "" + ConnectionLimit.Settings.DEFAULT_IDLE_SECONDS,
            description = "close connections on which no byte has moved for this time (default: ${DEFAULT-VALUE})")
    @InRange(from = 1)
    private int idleSeconds;

    ListenOptions(int defaultPort) {
        super(defaultPort);
    }

    ConnectionLimit.Settings limits() {
        return new ConnectionLimit.Settings(maxConnections, idleSeconds);
    }
}
