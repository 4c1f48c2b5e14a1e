// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.cli;

import io.nettyrdma.examples.guard.PeerLog;
import io.nettyrdma.examples.http.HttpFileServer;
import io.nettyrdma.examples.http.Transport;
import java.io.PrintWriter;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Serves files with HTTP over a byte stream. */
@Command(
        name = "http-server",
        mixinStandardHelpOptions = true,
        description = {
            "Serves the files of a folder with HTTP/1.1 and HTTP/2 over a byte stream. Stop it with Ctrl-C.",
            "GET and HEAD return files; POST to a path that begins with /echo returns the body of the request."
                    + " The server lists no directories, follows no symbolic links and needs no password."
        })
final class HttpServerCommand implements Callable<Integer>, ChoosesTransport {

    @Spec
    private CommandSpec spec;

    @Parameters(paramLabel = "DIR", description = "the folder with the files")
    private Path folder;

    @Mixin
    private ListenOptions listen;

    @Option(
            names = {"-p", "--port"},
            defaultValue = "8080",
            description = "port (default: ${DEFAULT-VALUE})")
    @InRange(from = 0, to = InRange.MAX_PORT)
    private int port;

    @Option(
            names = "--transport",
            paramLabel = "NAME",
            defaultValue = "rdma",
            description = "rdma, or TCP by epoll or nio (default: ${DEFAULT-VALUE}). Clients of rdma use"
                    + " RdmaSocketChannel, or rsockets as curl does under librspreload; browsers need epoll or nio")
    private Transport transport;

    @Mixin
    private TlsOptions tls;

    @Mixin
    private MetricsOption metrics;

    @Mixin
    private LogOptions logOptions;

    @Option(names = "--log", description = "print a line per request, limited by --log-rate")
    private boolean logRequests;

    @Override
    public boolean usesRdma() {
        return transport == Transport.RDMA;
    }

    @Override
    public Integer call() throws Exception {
        if (!Files.isDirectory(folder)) {
            throw new ParameterException(spec.commandLine(), folder + " is not a directory");
        }
        PrintWriter out = spec.commandLine().getOut();
        TransportOption.checked(transport, out);
        InetSocketAddress address = usesRdma() ? listen.address(port) : listen.addressOverTcp(port);
        PeerLog log = logOptions.to(spec.commandLine());
        HttpFileServer.Options options = new HttpFileServer.Options(
                folder, address, transport, tls.encryption(spec.commandLine(), address), listen.limits());
        try (MetricsPage page = metrics.open(log, spec.commandLine());
                HttpFileServer server = HttpFileServer.start(options, log, logRequests ? log : null)) {
            out.println("http-server listens on " + server.address());
            if (page != null) {
                out.println("meters: " + page.location());
            }
            out.flush();
            server.awaitEnd();
        }
        return 0;
    }
}
