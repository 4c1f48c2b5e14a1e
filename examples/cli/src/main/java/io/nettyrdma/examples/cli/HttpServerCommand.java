// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.cli;

import io.nettyrdma.examples.guard.PeerLog;
import io.nettyrdma.examples.http.HttpFileServer;
import io.nettyrdma.examples.http.Transport;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Serves files with HTTP over a byte stream. */
@Command(
        name = "http-server",
        description = {
            "Serves the files of a folder with HTTP/1.1 and HTTP/2 over a byte stream. Stop it with Ctrl-C.",
            "GET and HEAD return files; POST to a path that begins with /echo returns the body of the request."
                    + " The server lists no directories, follows no symbolic links and needs no password."
        })
final class HttpServerCommand extends Program {

    @Parameters(paramLabel = "DIR", description = "the folder with the files")
    private Path folder;

    @Mixin
    private final ListenOptions listen = new ListenOptions(8080);

    @Mixin
    private TransportOption transport;

    @Mixin
    private TlsOptions tls;

    @Mixin
    private MetricsOption metrics;

    @Mixin
    private LogOptions logOptions;

    @Option(names = "--log", description = "print a line per request, limited by --log-rate")
    private boolean logRequests;

    @Override
    boolean usesRdma() {
        return transport.isRdma();
    }

    @Override
    void run() throws Exception {
        if (!Files.isDirectory(folder)) {
            throw wrong(folder + " is not a directory");
        }
        Transport chosen = transport.checked(this);
        InetSocketAddress address = usesRdma() ? listen.address() : listen.addressOverTcp();
        PeerLog log = logOptions.to(this);
        HttpFileServer.Options options =
                new HttpFileServer.Options(folder, address, chosen, tls.encryption(this, address), listen.limits());
        try (MetricsPage page = metrics.open(log, this);
                HttpFileServer server = HttpFileServer.start(options, log, logRequests ? log : null)) {
            print("http-server listens on " + server.address());
            if (page != null) {
                print("meters: " + page.location());
            }
            server.awaitEnd();
        }
    }
}
