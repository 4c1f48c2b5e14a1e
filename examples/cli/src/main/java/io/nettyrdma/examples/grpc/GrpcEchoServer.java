// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.grpc;

import io.grpc.Server;
import io.grpc.netty.NettyServerBuilder;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.ServerChannel;
import io.netty.handler.ssl.SslContext;
import io.nettyrdma.examples.guard.Addresses;
import io.nettyrdma.examples.guard.PeerText;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A server of {@link EchoService}. */
public final class GrpcEchoServer {

    private static final long IDLE_SECONDS = 360;
    private static final int CALLS_PER_CONNECTION = 100;

    private GrpcEchoServer() {}

    /**
     * Starts a server. It closes connections that have had no call for six minutes, and runs up to 100 calls of a
     * connection at a time. gRPC does not limit the number of connections.
     *
     * @param group           event loops that take {@code listener}; the caller shuts them down after the server
     * @param listener        {@link io.nettyrdma.socket.RdmaServerSocketChannel}, or a class for TCP
     * @param maxMessageBytes longest request; gRPC ends calls with longer ones by RESOURCE_EXHAUSTED
     * @param tls             offers {@code h2} by ALPN; null for clear text
     * @throws IOException if the address cannot be listened on
     */
    public static Server start(
            EventLoopGroup group,
            Class<? extends ServerChannel> listener,
            InetSocketAddress address,
            int maxMessageBytes,
            @Nullable SslContext tls)
            throws IOException {
        NettyServerBuilder builder = NettyServerBuilder.forAddress(address)
                .channelType(listener)
                .bossEventLoopGroup(group)
                .workerEventLoopGroup(group)
                .directExecutor() // on the event loops: the service never blocks
                .maxConnectionIdle(IDLE_SECONDS, TimeUnit.SECONDS)
                .maxConcurrentCallsPerConnection(CALLS_PER_CONNECTION)
                .maxInboundMessageSize(maxMessageBytes)
                .addService(EchoService.definition());
        if (tls != null) {
            builder.sslContext(tls);
        }
        try {
            return builder.build().start();
        } catch (IOException e) {
            Throwable reason = e.getCause() == null ? e : e.getCause();
            throw new IOException(
                    "cannot listen on " + Addresses.describe(address) + ": " + PeerText.reason(reason), e);
        }
    }
}
