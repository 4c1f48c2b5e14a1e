// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.cli;

import io.grpc.netty.GrpcSslContexts;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import io.netty.handler.ssl.util.InsecureTrustManagerFactory;
import io.nettyrdma.examples.grpc.GrpcEchoClient;
import io.nettyrdma.examples.http.Transport;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Calls an echo server by gRPC, checks the replies and measures how long they take. */
@Command(
        name = "client",
        description = "Calls grpc-echo server over one connection, checks the replies, reports latencies.")
final class GrpcEchoClientCommand extends Program {

    @Option(
            names = {"-s", "--size"},
            paramLabel = "BYTES",
            defaultValue = "64",
            description = "size of a request (default: ${DEFAULT-VALUE})")
    @InRange(from = 0, to = 1 << 30)
    private int size;

    @Mixin
    private TransportOption transport;

    @Option(names = "--tls", description = "encrypt; without --ca, without verifying the server's certificate")
    private boolean tls;

    @Option(
            names = "--ca",
            paramLabel = "FILE",
            description = "certificates in PEM that the server's is verified by; implies --tls")
    private @Nullable Path authorities;

    @Mixin
    private final LoadOptions load = new LoadOptions(GrpcEchoCommand.DEFAULT_PORT);

    @Override
    boolean usesRdma() {
        return transport.isRdma();
    }

    private @Nullable SslContext encryption() throws IOException {
        if (authorities == null && !tls) {
            return null;
        }
        SslContextBuilder builder = GrpcSslContexts.configure(SslContextBuilder.forClient(), SslProvider.JDK);
        if (authorities == null) {
            return builder.trustManager(InsecureTrustManagerFactory.INSTANCE).build();
        }
        if (!Files.isReadable(authorities)) {
            throw new IOException("cannot read " + authorities);
        }
        try {
            return builder.trustManager(authorities.toFile()).build();
        } catch (IllegalArgumentException e) {
            throw new IOException("cannot use the certificates " + authorities + ": the format PEM is needed", e);
        }
    }

    @Override
    void run() throws Exception {
        Transport chosen = transport.checked(this);
        SslContext encryption = encryption();
        InetSocketAddress server = load.server();
        EventLoopGroup group = new MultiThreadIoEventLoopGroup(1, chosen.newFactory());
        try (GrpcEchoClient client =
                new GrpcEchoClient(group, chosen.client(), server, load.timeout(), Math.max(1, size), encryption)) {
            client.run(1, 1, size, nanos -> {}).sync(); // connects; the result does not count it
            Progress progress =
                    new Progress("grpc-echo", load.count(), spec.commandLine().getErr());
            client.run(load.count(), load.inFlight(), size, progress::onAnswer).sync();
            print(progress.summary());
        } finally {
            group.shutdownGracefully();
        }
    }
}
