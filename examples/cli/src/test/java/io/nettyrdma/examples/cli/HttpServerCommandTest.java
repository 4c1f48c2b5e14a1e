// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.epoll.Epoll;
import io.nettyrdma.deadline.Deadline;
import java.io.InputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

class HttpServerCommandTest {

    @TempDir
    Path directory;

    private static String get(int port, String target) throws Exception {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
                InputStream in = socket.getInputStream()) {
            socket.setSoTimeout(Deadline.MILLIS);
            socket.getOutputStream()
                    .write(("GET " + target + " HTTP/1.0\r\n\r\n").getBytes(StandardCharsets.ISO_8859_1));
            return new String(in.readAllBytes(), StandardCharsets.ISO_8859_1);
        }
    }

    /** Returns the first line of what the command prints. */
    private String fail(int status, String... options) {
        StringWriter err = new StringWriter();
        CommandLine line = Examples.commandLine();
        line.setErr(new PrintWriter(err));
        List<String> arguments = new ArrayList<>(List.of("http-server"));
        arguments.addAll(List.of(options));
        assertThat(line.execute(arguments.toArray(String[]::new))).isEqualTo(status);
        return err.toString().lines().findFirst().orElse("");
    }

    @Test
    void filesAreServedOverTcp() throws Exception {
        Files.writeString(directory.resolve("file"), "content");
        List<String> transports = new ArrayList<>(List.of("nio"));
        if (Epoll.isAvailable()) {
            transports.add("EPOLL");
        }
        for (String transport : transports) {
            String[] command = {"http-server", "--port=0", "--transport", transport, directory.toString()};
            try (RunningCommand server = new RunningCommand(command)) {
                assertThat(get(server.port(), "/file"))
                        .startsWith("HTTP/1.1 200 OK")
                        .endsWith("\r\n\r\ncontent");
            }
        }
    }

    /** A line per request, in which a client cannot hide an end of line or a command for the terminal. */
    @Test
    void requestsAreLoggedEscaped() throws Exception {
        String[] command = {"http-server", "--port=0", "--transport=nio", "--log", directory.toString()};
        try (RunningCommand server = new RunningCommand(command)) {
            assertThat(get(server.port(), "/a\u001b[31m")).startsWith("HTTP/1.1 404");
            assertThat(server.awaitLine("GET /a")).contains("\\u001b[31m 404").doesNotContain("\u001b");
        }
    }

    @Test
    void everyMeterOfTheDashboardIsShown() throws Exception {
        String dashboard = Files.readString(repository().resolve("docs/dashboard.json"));
        Set<String> names = Pattern.compile("\\b(rdma|rpcrdma)_[a-z_]+")
                .matcher(dashboard)
                .results()
                .map(MatchResult::group)
                .collect(Collectors.toCollection(TreeSet::new));
        String[] command = {"http-server", "--port=0", "--metrics=0", directory.toString()};
        try (RunningCommand server = new RunningCommand(command)) {
            String location = server.awaitLine("meters: ");
            int port = URI.create(location.substring(location.indexOf("http"))).getPort();
            assertThat(names).hasSizeGreaterThan(15);
            assertThat(get(port, "/metrics")).startsWith("HTTP/1.1 200").contains(names);
        }
    }

    /** The folder above this module. */
    private static Path repository() {
        return Path.of("").toAbsolutePath().getParent().getParent();
    }

    @Test
    void whatCannotBeServedIsOneSentence() {
        Path missing = directory.resolve("missing");
        assertThat(fail(2, missing.toString())).isEqualTo("error: " + missing + " is not a directory");
        assertThat(fail(2, directory.toString(), "--transport=udp")).contains("--transport", "udp", "NIO");
        assertThat(fail(2, directory.toString(), "--cert=a")).isEqualTo("error: --cert and --key need each other");
        assertThat(fail(1, directory.toString(), "--port=0", "--cert=" + missing, "--key=" + missing))
                .contains("error: cannot read " + missing);
    }
}
