// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.cli;

import io.nettyrdma.channel.Rdma;
import io.nettyrdma.examples.guard.Addresses;
import io.nettyrdma.verbs.ProviderKind;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Where a server listens. */
class BindOption {

    private static final String LOOPBACK = "127.0.0.1";

    @Option(
            names = "--bind",
            paramLabel = "ADDRESS",
            description = "address to listen on (default: " + LOOPBACK + "; 0.0.0.0 for all); with an RDMA device,"
                    + " an address of its interface")
    private @Nullable String bind;

    @Option(
            names = {"-p", "--port"},
            description = "port (default: ${DEFAULT-VALUE})")
    @InRange(from = 0, to = InRange.MAX_PORT)
    private Integer port;

    BindOption(int defaultPort) {
        port = defaultPort;
    }

    int port() {
        return port;
    }

    /**
     * Returns the host to listen on.
     *
     * @throws IOException if the user has to choose one
     */
    String bind() throws IOException {
        return bind(bind, Rdma.provider().kind());
    }

    static String bind(@Nullable String bind, ProviderKind kind) throws IOException {
        String host = bind == null ? LOOPBACK : bind;
        if (kind == ProviderKind.DEVICE && isLoopback(host)) {
            throw new IOException("no RDMA device serves " + host
                    + ": give --bind=ADDRESS of the device's interface, or --bind=0.0.0.0 for all devices");
        }
        return host;
    }

    /** A device would listen there, and no client would reach it. Unknown hosts fail when the server binds. */
    private static boolean isLoopback(String host) {
        InetAddress address = new InetSocketAddress(host, 0).getAddress();
        return address != null && address.isLoopbackAddress();
    }

    InetSocketAddress address() throws IOException {
        return Addresses.resolveOwn(bind(), port);
    }

    /** The same for a server over TCP, which no device limits. */
    InetSocketAddress addressOverTcp() throws IOException {
        return Addresses.resolveOwn(bind == null ? LOOPBACK : bind, port);
    }
}
