// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.handler.ssl.SslContext;
import io.nettyrdma.deadline.Deadline;
import io.nettyrdma.examples.guard.ConnectionLimit;
import io.nettyrdma.examples.guard.PeerLog;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A server of a folder of its own, and what it logs. */
final class HttpServerFixture implements AutoCloseable {

    final Path folder;
    final LinkedBlockingQueue<String> log = new LinkedBlockingQueue<>();
    private final HttpFileServer server;

    HttpServerFixture(Path directory, Transport transport) throws Exception {
        this(directory, transport, null, ConnectionLimit.Settings.DEFAULT);
    }

    HttpServerFixture(Path directory, Transport transport, @Nullable SslContext tls, ConnectionLimit.Settings limits)
            throws Exception {
        folder = Files.createDirectories(directory.resolve("served"));
        PeerLog lines = new PeerLog(log::add, 1000);
        InetSocketAddress any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        server = HttpFileServer.start(new HttpFileServer.Options(folder, any, transport, tls, limits), lines, null);
    }

    InetSocketAddress address() {
        return server.address();
    }

    /** Makes a file of so many random bytes, and returns them. */
    byte[] file(String name, int length) throws IOException {
        byte[] bytes = bytes(length);
        Files.write(folder.resolve(name), bytes);
        return bytes;
    }

    static byte[] bytes(int length) {
        byte[] bytes = new byte[length];
        new Random(length).nextBytes(bytes);
        return bytes;
    }

    void awaitLine(String part) throws InterruptedException {
        String line = "";
        while (line != null && !line.contains(part)) {
            line = log.poll(Deadline.SECONDS, TimeUnit.SECONDS);
        }
        assertThat(line).as("line with \"" + part + "\"").isNotNull();
    }

    @Override
    public void close() throws IOException {
        server.close();
    }
}
