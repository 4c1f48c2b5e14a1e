// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.cli;

import io.nettyrdma.examples.guard.Addresses;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Whom a client calls, and how often. */
final class LoadOptions {

    @Parameters(index = "0", arity = "0..1", paramLabel = "HOST", defaultValue = "127.0.0.1")
    private String host;

    @Option(
            names = {"-p", "--port"},
            description = "port (default: ${DEFAULT-VALUE})")
    @InRange(from = 1, to = InRange.MAX_PORT)
    private Integer port;

    @Option(
            names = {"-c", "--count"},
            defaultValue = "1000",
            description = "requests to send (default: ${DEFAULT-VALUE})")
    @InRange(from = 1)
    private int count;

    @Option(
            names = {"-f", "--in-flight"},
            defaultValue = "1",
            description = "unanswered requests at a time (default: ${DEFAULT-VALUE})")
    @InRange(from = 1, to = 10_000) // echo-client posts a receive for each, 16,384 at most
    private int inFlight;

    @Option(
            names = "--timeout",
            paramLabel = "SECONDS",
            defaultValue = "10",
            description = "how long to wait for the connection and for each answer (default: ${DEFAULT-VALUE})")
    @InRange(from = 1, to = 3600)
    private int timeoutSeconds;

    LoadOptions(int defaultPort) {
        port = defaultPort;
    }

    InetSocketAddress server() throws IOException {
        return Addresses.resolve(host, port);
    }

    Duration timeout() {
        return Duration.ofSeconds(timeoutSeconds);
    }

    int count() {
        return count;
    }

    int inFlight() {
        return inFlight;
    }
}
