// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.cli;

import io.nettyrdma.channel.Rdma;
import io.nettyrdma.examples.guard.PeerText;
import io.nettyrdma.examples.http.Transport;
import java.io.IOException;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** RDMA or TCP, for a byte stream. */
final class TransportOption {

    @Option(
            names = "--transport",
            paramLabel = "NAME",
            defaultValue = "rdma",
            description = "rdma (RdmaSocketChannel, or rsockets at the other end), or TCP by epoll or nio (default:"
                    + " ${DEFAULT-VALUE}). A server and its clients use all rdma or all TCP")
    private Transport transport;

    boolean isRdma() {
        return transport == Transport.RDMA;
    }

    /**
     * Returns the transport, and prints the provider of RDMA.
     *
     * @throws IOException if this machine lacks it
     */
    Transport checked(Program program) throws IOException {
        @Nullable Throwable cause = transport.unavailabilityCause();
        if (cause != null) {
            String name = transport.name().toLowerCase(Locale.ROOT);
            throw new IOException(
                    name + " is not available: " + PeerText.reason(cause) + "; use --transport=nio", cause);
        }
        if (transport == Transport.RDMA) {
            program.print(Rdma.report());
        }
        return transport;
    }
}
