// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.lab;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.nettyrdma.channel.RdmaIoHandler;
import io.nettyrdma.socket.RdmaServerSocketChannel;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** {@code rcopy} and {@code riostream} of librdmacm in the guest, and byte streams of the software provider. */
@Lab
@Tag("rsockets")
class RcopyLabTest {

    private static final Duration LIMIT = Duration.ofSeconds(120);
    private static final int SERVER_PORT = 7427;
    private static final int EMPTY_SERVER_PORT = 7428;
    private static final int README_SERVER_PORT = 7429;

    private EventLoopGroup group;

    @BeforeEach
    void start() {
        group = new MultiThreadIoEventLoopGroup(1, RdmaIoHandler.newFactory());
    }

    @AfterEach
    void stop() {
        group.shutdownGracefully(0, 10, TimeUnit.SECONDS).syncUninterruptibly();
    }

    private static int port(Channel listener) {
        return ((InetSocketAddress) listener.localAddress()).getPort();
    }

    private static InetSocketAddress loopback(int port) {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
    }

    @Test
    void filesAreCopiedThroughAProxy(LabGuest guest) throws Exception {
        int server = guest.forward(SERVER_PORT);
        Channel proxy = new StreamProxy(loopback(server))
                .listening(group)
                .bind(loopback(0))
                .sync()
                .channel();
        Path file;
        try (Capture capture = Capture.start("rcopy", "tcp port " + server + " or tcp port " + port(proxy))) {
            String lengths =
                    StreamProxy.COPIED_BYTES.stream().map(String::valueOf).collect(Collectors.joining(" "));
            guest.run(
                            "lab_rcopy %d %s %d %s".formatted(SERVER_PORT, LabGuest.HOST_ADDRESS, port(proxy), lengths),
                            LIMIT)
                    .assertSucceeded();
            file = capture.stop();
        }
        assertThat(StreamCapture.judge(file)).hasSize(8);
    }

    @Test
    void rcopyOfTheReadmeCopiesThroughAProxy(LabGuest guest) throws Exception {
        int server = guest.forward(README_SERVER_PORT);
        Channel proxy = new StreamProxy(loopback(server))
                .listening(group)
                .bind(loopback(0))
                .sync()
                .channel();
        String serve = ReadmeProgram.command("rcopy -p", "PORT", README_SERVER_PORT);
        String copy = ReadmeProgram.command(
                "rcopy FILE",
                "FILE",
                "from",
                "COPY",
                "\"\\$PWD\"/to",
                "ADDRESS",
                LabGuest.HOST_ADDRESS,
                "PORT",
                port(proxy));
        Path file;
        try (Capture capture =
                Capture.start("rcopy-of-the-readme", "tcp port " + server + " or tcp port " + port(proxy))) {
            guest.run(
                            String.join(
                                    "\n",
                                    "cd \"$(mktemp -d)\" && head -c 100000 /dev/urandom > from || exit 1",
                                    serve + " &",
                                    "trap \"kill $!; rm -rf '$PWD'\" EXIT",
                                    "lab_await_listening " + README_SERVER_PORT + " 20 && " + copy + " && cmp from to"),
                            LIMIT)
                    .assertSucceeded();
            file = capture.stop();
        }
        assertThat(StreamCapture.judge(file)).hasSize(2);
    }

    /** Without a proxy: it maps the file into memory, which needs a length. */
    @Test
    void rcopyFailsToCopyAnEmptyFileToItsOwnServer(LabGuest guest) throws Exception {
        guest.run("lab_rcopy_of_nothing " + EMPTY_SERVER_PORT, LIMIT).assertSucceeded();
    }

    /** The library in the guest finds no memory on offer for it, and closes the stream. */
    @Test
    void riostreamFindsNoMemory(LabGuest guest) throws Exception {
        StreamJournal journal = new StreamJournal();
        Channel listener = new ServerBootstrap()
                .group(group)
                .channel(RdmaServerSocketChannel.class)
                .childHandler(journal)
                .bind(loopback(0))
                .sync()
                .channel();
        Path file;
        try (Capture capture = Capture.ofPort("riostream", port(listener))) {
            guest.run("lab_riostream %s %d".formatted(LabGuest.HOST_ADDRESS, port(listener)), LIMIT)
                    .assertSucceeded();
            journal.awaitInactive();
            file = capture.stop();
        }
        assertThat(journal.failures()).isEmpty();
        assertThat(StreamCapture.judge(file))
                .singleElement()
                .satisfies(stream -> assertThat(stream.forth().isDisconnected()).isTrue());
    }
}
