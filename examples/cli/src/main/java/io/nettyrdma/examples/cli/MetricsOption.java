// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.cli;

import java.io.IOException;
import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Whether a server shows its meters. */
final class MetricsOption {

    @Option(
            names = "--metrics",
            paramLabel = "PORT",
            description = "show meters for Prometheus at http://ADDRESS:PORT/metrics, where ADDRESS is that of --bind;"
                    + " docs/dashboard.json shows them in Grafana")
    @InRange(from = 0, to = InRange.MAX_PORT)
    private @Nullable Integer port;

    /** Returns a page of meters at this address, {@code null} without the option. */
    @Nullable
    MetricsPage open(String bind) throws IOException {
        return port == null ? null : MetricsPage.open(new InetSocketAddress(bind, port));
    }
}
