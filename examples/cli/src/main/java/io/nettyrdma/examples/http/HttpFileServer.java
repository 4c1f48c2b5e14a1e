// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.http;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.handler.ssl.SslContext;
import io.nettyrdma.examples.guard.Addresses;
import io.nettyrdma.examples.guard.ConnectionLimit;
import io.nettyrdma.examples.guard.EventLoops;
import io.nettyrdma.examples.guard.PeerLog;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Serves the files of a folder with HTTP. {@link HttpPipeline} has the handlers; the {@link Transport} is all that
 * differs between RDMA and TCP.
 *
 * <p>Threading: started and closed by one thread. Ownership: owns its event loops and the open folder.
 */
public final class HttpFileServer implements AutoCloseable {

    private static final long SHUTDOWN_SECONDS = 10;

    /**
     * What to serve and where.
     *
     * @param folder    the directory with the files
     * @param address   address and port to listen on; port 0 for any
     * @param transport RDMA or a way to TCP; it must be available
     * @param tls       from {@link Tls}, or null for clear text
     * @param limits    connections, and how long they may be idle
     */
    public record Options(
            Path folder,
            InetSocketAddress address,
            Transport transport,
            @Nullable SslContext tls,
            ConnectionLimit.Settings limits) {}

    private final ServedFolder folder;
    private final EventLoopGroup group;
    private final Channel listener;

    private HttpFileServer(Options options, PeerLog log, @Nullable Consumer<String> access)
            throws IOException, InterruptedException {
        folder = ServedFolder.open(options.folder);
        group = new MultiThreadIoEventLoopGroup(options.transport.newFactory());
        boolean started = false;
        try {
            ServerBootstrap server = new ServerBootstrap()
                    .group(group)
                    .channel(options.transport.listener())
                    .handler(new ConnectionLimit(options.limits, log))
                    .childHandler(new HttpPipeline(options.tls, () -> new FileHandler(folder, log, access), log));
            listener = Addresses.awaitBound(server.bind(options.address), options.address);
            started = true;
        } finally {
            if (!started) {
                close();
            }
        }
    }

    /**
     * Starts a server.
     *
     * @param log    gets a line for each connection that fails or exceeds a limit, on any thread
     * @param access gets a line per request, not escaped, on any thread; null for none
     * @throws IOException if the folder cannot be served or the address cannot be listened on
     */
    public static HttpFileServer start(Options options, PeerLog log, @Nullable Consumer<String> access)
            throws IOException, InterruptedException {
        return new HttpFileServer(options, log, access);
    }

    /** Returns the address that the server listens on. */
    public InetSocketAddress address() {
        return (InetSocketAddress) listener.localAddress();
    }

    /** Waits until the listener is closed. */
    public void awaitEnd() throws InterruptedException {
        listener.closeFuture().sync();
    }

    /** Closes all connections, then the folder. */
    @Override
    public void close() throws IOException {
        try {
            EventLoops.shutDown(group, SHUTDOWN_SECONDS);
        } finally {
            folder.close();
        }
    }
}
