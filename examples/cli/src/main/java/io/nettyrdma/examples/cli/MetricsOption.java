// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.cli;

import io.nettyrdma.examples.guard.Addresses;
import io.nettyrdma.examples.guard.PeerLog;
import java.io.IOException;
import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Whether a server shows its meters. */
final class MetricsOption {

    @Option(
            names = "--metrics",
            paramLabel = "[ADDRESS:]PORT",
            description = "show meters for Prometheus at http://ADDRESS:PORT/metrics, by default of 127.0.0.1; there is"
                    + " no password. docs/dashboard.json shows them in Grafana")
    private @Nullable String place;

    /** Returns a page of meters, {@code null} without the option. */
    @Nullable
    MetricsPage open(PeerLog log, Program program) throws IOException, InterruptedException {
        if (place == null) {
            return null;
        }
        int colon = place.lastIndexOf(':');
        try {
            int port = Integer.parseInt(place.substring(colon + 1));
            InetSocketAddress address = Addresses.resolveOwn(colon < 0 ? "127.0.0.1" : place.substring(0, colon), port);
            return new MetricsPage(address, log);
        } catch (IOException e) {
            throw new IOException("--metrics: " + e.getMessage(), e);
        } catch (IllegalArgumentException e) {
            throw program.wrong("--metrics is [ADDRESS:]PORT, not " + place);
        }
    }
}
