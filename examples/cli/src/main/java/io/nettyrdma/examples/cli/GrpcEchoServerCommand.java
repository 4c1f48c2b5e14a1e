// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.cli;

import io.grpc.Server;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.nettyrdma.examples.grpc.GrpcEchoServer;
import io.nettyrdma.examples.guard.PeerLog;
import io.nettyrdma.examples.guard.PeerText;
import io.nettyrdma.examples.http.Transport;
import java.net.InetSocketAddress;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Sends the requests of gRPC's calls back. */
@Command(name = "server", description = "Sends back every request of grpc-echo client. Stop it with Ctrl-C.")
final class GrpcEchoServerCommand extends Program {

    @Mixin
    private final BindOption bind = new BindOption(GrpcEchoCommand.DEFAULT_PORT);

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
    boolean usesRdma() {
        return transport.isRdma();
    }

    @Override
    void run() throws Exception {
        Transport chosen = transport.checked(this);
        InetSocketAddress address = usesRdma() ? bind.address() : bind.addressOverTcp();
        GrpcLog lines = new GrpcLog(log.to(this));
        EventLoopGroup group = new MultiThreadIoEventLoopGroup(chosen.newFactory());
        try {
            Server server =
                    GrpcEchoServer.start(group, chosen.listener(), address, maxMessage, tls.encryption(this, address));
            try {
                print("grpc-echo listens on " + server.getListenSockets().get(0));
                server.awaitTermination();
            } finally {
                server.shutdownNow();
            }
        } finally {
            group.shutdownGracefully();
            lines.close();
        }
    }

    /** Prints one line in place of each stack trace that gRPC logs, because peers cause them. Threading: any. */
    private static final class GrpcLog extends Handler {

        /** The JDK drops the settings of loggers that no object holds. */
        private static final Logger logger = Logger.getLogger("io.grpc");

        private final PeerLog log;

        /** Takes effect until it is closed. */
        GrpcLog(PeerLog log) {
            this.log = log;
            logger.setUseParentHandlers(false);
            logger.addHandler(this);
        }

        @Override
        public void publish(LogRecord line) {
            Throwable thrown = line.getThrown();
            log.accept("gRPC: " + line.getMessage() + (thrown == null ? "" : ": " + PeerText.reason(thrown)));
        }

        @Override
        public void flush() {
            // Nothing is held back.
        }

        @Override
        public void close() {
            logger.removeHandler(this);
            logger.setUseParentHandlers(true);
        }
    }
}
