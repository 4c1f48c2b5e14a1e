// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.lab;

import static org.assertj.core.api.Assertions.assertThat;

import io.nettyrdma.examples.guard.ConnectionLimit;
import io.nettyrdma.examples.guard.PeerLog;
import io.nettyrdma.examples.http.HttpFileServer;
import io.nettyrdma.examples.http.Transport;
import io.nettyrdma.stream.CapturedStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.io.TempDir;

/**
 * Programs for TCP as clients of {@link HttpFileServer} over byte streams: {@code curl} and {@code wget} in the guest,
 * under librspreload, which makes their sockets rsockets. The guest's sums of the bytes are compared, and the captures
 * are judged by tshark and by the rules of {@link CapturedStream}.
 *
 * <p>A program has at most three sockets at a time: rsockets of librdmacm 44 mistakes one for another with more.
 */
@Lab
@Tag("rsockets")
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class CurlLabTest {

    private static final Duration LIMIT = Duration.ofSeconds(120);
    private static final int SMALL_BYTES = 200_000;
    private static final int LARGE_BYTES = 100_000_000;
    /** What rsockets has unless a program sets it. */
    private static final int RSOCKETS_CREDITS = 384;

    private static final String SMALL = "small.bin";
    private static final String LARGE = "large.bin";

    @TempDir
    private static Path folder;

    /** It lasts longer than all other tests together, so it begins before them. */
    private static Served silent;

    private static GuestCommand silence;

    @BeforeAll
    static void start(LabGuest guest) throws Exception {
        write(SMALL, SMALL_BYTES);
        write(LARGE, LARGE_BYTES);
        silent = Served.start("curl-silence");
        // 51 transfers an hour begin 70.6 s after each other.
        silence = guest.start(
                inTheGuest(
                        "lab_over_rsockets 100 curl -sSf --rate 51/h -o first -o second -w '%{num_connects} connects\n'"
                                + silent.urls(SMALL, SMALL) + " && sha256sum first second"),
                LIMIT);
    }

    @AfterAll
    static void stop() throws Exception {
        try {
            silence.close();
        } finally {
            silent.close();
        }
    }

    private static void write(String name, int bytes) throws IOException {
        byte[] content = new byte[bytes];
        new Random(bytes).nextBytes(content);
        Files.write(folder.resolve(name), content);
    }

    @Test
    void curlGetsAndPosts(LabGuest guest) throws Exception {
        try (Served served = Served.start("curl-get-post")) {
            GuestResult curl = guest.run(
                    inTheGuest("lab_over_rsockets 30 curl -sSf -o got" + served.urls(SMALL)
                            + " && lab_over_rsockets 30 curl -sSf -o echoed --data-binary @got" + served.urls("echo")
                            + " && sha256sum got echoed"),
                    LIMIT);
            assertThat(curl.assertSucceeded().output())
                    .contains(sum(SMALL) + "  got")
                    .contains(sum(SMALL) + "  echoed");
            List<CapturedStream> streams = served.judge(2);
            assertThat(streams.get(0).back().dataBytes()).isGreaterThan(SMALL_BYTES);
            assertThat(streams.get(1).forth().dataBytes()).isGreaterThan(SMALL_BYTES);
            assertThat(streams.get(1).back().dataBytes()).isGreaterThan(SMALL_BYTES);
        }
    }

    @Test
    void curlOfTheReadmeGets(LabGuest guest) throws Exception {
        try (Served served = Served.start("curl-of-the-readme")) {
            GuestResult curl =
                    guest.run(inTheGuest(served.commandOfTheReadme("curl") + " && sha256sum " + SMALL), LIMIT);
            assertThat(curl.assertSucceeded().output()).contains(sum(SMALL) + "  " + SMALL);
            served.judge(1);
        }
    }

    @Test
    void wgetOfTheReadmeGets(LabGuest guest) throws Exception {
        try (Served served = Served.start("wget-of-the-readme")) {
            GuestResult wget =
                    guest.run(inTheGuest(served.commandOfTheReadme("wget") + " && sha256sum " + SMALL), LIMIT);
            assertThat(wget.assertSucceeded().output()).contains(sum(SMALL) + "  " + SMALL);
            served.captured(1);
        }
    }

    @Test
    void curlGetsAHundredMegabytes(LabGuest guest) throws Exception {
        try (Served served = Served.start("curl-large")) {
            GuestResult curl = guest.run(
                    inTheGuest("lab_over_rsockets 90 curl -sSf -o large -w '%{time_total} s\n'" + served.urls(LARGE)
                            + " && sha256sum large"),
                    LIMIT);
            assertThat(curl.assertSucceeded().output()).contains(sum(LARGE) + "  large");
            System.out.println("curl of " + LARGE_BYTES + " bytes: "
                    + curl.output().lines().findFirst().orElseThrow());
            assertThat(served.judge(1).get(0).back().dataBytes()).isGreaterThan(LARGE_BYTES);
        }
    }

    @Test
    void curlAsksForTheEndOfEachConnection(LabGuest guest) throws Exception {
        try (Served served = Served.start("curl-close")) {
            GuestResult curl = guest.run(
                    inTheGuest("lab_over_rsockets 30 curl -sSf -H 'Connection: close' -o first -o second"
                            + " -w '%{num_connects} connects\n'" + served.urls(SMALL, SMALL)
                            + " && sha256sum first second"),
                    LIMIT);
            assertThat(curl.assertSucceeded().output())
                    .contains("1 connects\n1 connects\n")
                    .contains(sum(SMALL) + "  first")
                    .contains(sum(SMALL) + "  second");
            for (CapturedStream stream : served.judge(2)) {
                assertThat(stream.back().isDisconnected()).isTrue();
            }
        }
    }

    @Test
    void curlHasThreeConnectionsAtATime(LabGuest guest) throws Exception {
        try (Served served = Served.start("curl-parallel")) {
            GuestResult curl = guest.run(
                    inTheGuest("lab_over_rsockets 30 curl -sSf -Z --parallel-immediate --parallel-max 3"
                            + " -o first -o second -o third" + served.urls(SMALL, SMALL, SMALL)
                            + " && sha256sum first second third"),
                    LIMIT);
            assertThat(curl.assertSucceeded().output())
                    .contains(sum(SMALL) + "  first")
                    .contains(sum(SMALL) + "  second")
                    .contains(sum(SMALL) + "  third");
            served.judge(3);
        }
    }

    /**
     * {@code wget} waits in {@code connect}, where {@code curl} polls. And it leaves its connection open when it exits,
     * so the server sees a reset.
     */
    @Test
    void wgetGets(LabGuest guest) throws Exception {
        try (Served served = Served.start("wget")) {
            GuestResult wget = guest.run(
                    inTheGuest("lab_over_rsockets 30 wget -nv -O got" + served.urls(SMALL) + " && sha256sum got"),
                    LIMIT);
            assertThat(wget.assertSucceeded().output()).contains(sum(SMALL) + "  got");
            assertThat(served.captured(1).get(0).back().dataBytes()).isGreaterThan(SMALL_BYTES);
            assertThat(served.log).allMatch(line -> line.endsWith(" closed: Connection reset by peer"));
        }
    }

    /** In the silence {@code curl}, which sets SO_KEEPALIVE to 60 s, sends a Write of no bytes. */
    @Test
    @Order(Integer.MAX_VALUE)
    void connectionOutlastsASilenceOfSeventySeconds() throws Exception {
        assertThat(silence.await().assertSucceeded().output())
                .contains("1 connects\n0 connects\n")
                .contains(sum(SMALL) + "  first")
                .contains(sum(SMALL) + "  second");
        CapturedStream stream = silent.judge(1).get(0);
        assertThat(stream.forth().keepalives()).isPositive();
        assertThat(stream.back().dataBytes()).isGreaterThan(2 * SMALL_BYTES);
    }

    /** Returns a command that has a folder for its files. */
    private static String inTheGuest(String command) {
        return "cd \"$(mktemp -d)\" && trap 'rm -rf \"$PWD\"' EXIT\n" + command;
    }

    private static String sum(String name) throws Exception {
        return HexFormat.of()
                .formatHex(MessageDigest.getInstance("SHA-256").digest(Files.readAllBytes(folder.resolve(name))));
    }

    /** A server and the capture of its connections. */
    private static final class Served implements AutoCloseable {
        private final Queue<String> log = new ConcurrentLinkedQueue<>();
        private final HttpFileServer server;
        private final Capture capture;

        private Served(String name) throws Exception {
            HttpFileServer.Options options = new HttpFileServer.Options(
                    folder,
                    new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                    Transport.RDMA,
                    null,
                    ConnectionLimit.Settings.DEFAULT);
            server = HttpFileServer.start(options, new PeerLog(log::add), null);
            try {
                capture = Capture.ofPort(name, server.address().getPort());
            } catch (IOException | RuntimeException | AssertionError e) {
                server.close();
                throw e;
            }
        }

        static Served start(String name) throws Exception {
            return new Served(name);
        }

        /** Returns the guest's URLs of files, each behind a space. */
        String urls(String... names) {
            StringBuilder urls = new StringBuilder();
            for (String name : names) {
                urls.append(" http://").append(LabGuest.HOST_ADDRESS).append(':');
                urls.append(server.address().getPort()).append('/').append(name);
            }
            return urls.toString();
        }

        /** Returns the README's command of a program that gets a file. */
        String commandOfTheReadme(String program) throws IOException {
            int port = server.address().getPort();
            return ReadmeProgram.command(program, "ADDRESS", LabGuest.HOST_ADDRESS, "PORT", port, "FILE", SMALL);
        }

        /** Returns the connections captured, and requires that the server has reported no failure. */
        List<CapturedStream> judge(int connections) throws Exception {
            List<CapturedStream> streams = captured(connections);
            assertThat(log).isEmpty();
            return streams;
        }

        /** Ends the capture and judges its connections. */
        List<CapturedStream> captured(int connections) throws Exception {
            List<CapturedStream> streams = StreamCapture.judge(capture.stop());
            assertThat(streams).hasSize(connections);
            for (CapturedStream stream : streams) {
                assertThat(stream.forth().setup().credits()).isEqualTo(RSOCKETS_CREDITS);
                assertThat(stream.back().wordsAfterDisconnect()).isZero();
            }
            return streams;
        }

        @Override
        public void close() throws IOException {
            try {
                capture.close();
            } finally {
                server.close();
            }
        }
    }
}
