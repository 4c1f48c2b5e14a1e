// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.cli;

import io.netty.handler.ssl.SslContext;
import io.nettyrdma.examples.http.Tls;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** How a server encrypts. */
final class TlsOptions {

    @Option(
            names = "--tls",
            description = "encrypt with TLS 1.3 or 1.2; without --cert, with a new certificate that the server signs"
                    + " itself, so clients cannot verify it")
    private boolean tls;

    @Option(
            names = "--cert",
            paramLabel = "FILE",
            description = "certificates in PEM, the server's first; implies --tls and needs --key")
    private @Nullable Path certificates;

    @Option(names = "--key", paramLabel = "FILE", description = "private key in PEM (PKCS #8, without a password)")
    private @Nullable Path key;

    /** Returns null for clear text. */
    @Nullable
    SslContext encryption(Program program, InetSocketAddress address) throws IOException {
        if (certificates != null && key != null) {
            return Tls.of(certificates, key);
        }
        if (certificates != null || key != null) {
            throw program.wrong("--cert and --key need each other");
        }
        return tls ? Tls.selfSigned(address.getAddress().getHostAddress()) : null;
    }
}
