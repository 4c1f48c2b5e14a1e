// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.cli;

import io.grpc.Server;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.nettyrdma.examples.grpc.GrpcEchoServer;
import io.nettyrdma.examples.http.Transport;
import java.io.PrintWriter;
import java.net.InetSocketAddress;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Sends the requests of gRPC's calls back. */
@Command(
        name = "server",
        mixinStandardHelpOptions = true,
        description = "Sends back every request of grpc-echo client. Stop it with Ctrl-C.")
final class GrpcEchoServerCommand implements Callable<Integer>, ChoosesTransport {

    @Spec
    private CommandSpec spec;

    @Mixin
    private BindOption bind;

    @Option(
            names = {"-p", "--port"},
            defaultValue = "" + GrpcEchoCommand.DEFAULT_PORT,
            description = "port (default: ${DEFAULT-VALUE})")
    @InRange(from = 0, to = InRange.MAX_PORT)
    private int port;

    @Option(
            names = "--max-message",
            paramLabel = "BYTES",
            defaultValue = "4194304",
            description = "longest request (default: ${DEFAULT-VALUE})")
    @InRange(from = 1)
    private int maxMessage;

    @Mixin
    private TransportOption transport;

    @Mixin
    private TlsOptions tls;

    @Mixin
    private LogOptions log;

    @Override
    public boolean usesRdma() {
        return transport.isRdma();
    }

    @Override
    public Integer call() throws Exception {
        PrintWriter out = spec.commandLine().getOut();
        Transport chosen = transport.checked(out);
        InetSocketAddress address = usesRdma() ? bind.address(port) : bind.addressOverTcp(port);
        GrpcLog lines = GrpcLog.to(log.to(spec.commandLine()));
        EventLoopGroup group = new MultiThreadIoEventLoopGroup(chosen.newFactory());
        try {
            Server server = GrpcEchoServer.start(
                    group, chosen.listener(), address, maxMessage, tls.encryption(spec.commandLine(), address));
            try {
                out.println("grpc-echo listens on " + server.getListenSockets().get(0));
                out.flush();
                server.awaitTermination();
            } finally {
                server.shutdownNow();
            }
        } finally {
            group.shutdownGracefully();
            lines.close();
        }
        return 0;
    }
}
