// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

class GrpcEchoCommandTest {

    @TempDir
    Path directory;

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    private int client(String... options) {
        List<String> arguments = new ArrayList<>(List.of("grpc-echo", "client"));
        arguments.addAll(List.of(options));
        return run(arguments.toArray(String[]::new));
    }

    private int run(String... arguments) {
        CommandLine line = Examples.commandLine();
        line.setOut(new PrintWriter(out));
        line.setErr(new PrintWriter(err));
        return line.execute(arguments);
    }

    private static RunningCommand server(String... options) {
        return new RunningCommand(new String[] {"grpc-echo", "server", "--port=0"}, options);
    }

    @ParameterizedTest
    @CsvSource({"rdma, 16", "rdma, 100000", "nio, 16"})
    void clientChecksTheRepliesOfTheServer(String transport, String size) throws Exception {
        try (RunningCommand server = server("--transport", transport)) {
            assertThat(client("-p", "" + server.port(), "--transport", transport, "-c", "200", "-f", "8", "-s", size))
                    .as(err.toString())
                    .isZero();
            assertThat(out.toString()).contains("grpc-echo: 200 answered").contains("p99.9");
        }
    }

    @Test
    void bothEndsEncryptOrTheCallFails() throws Exception {
        try (RunningCommand server = server("--tls")) {
            String port = "" + server.port();
            assertThat(client("-p", port, "--tls", "-c", "20"))
                    .as(err.toString())
                    .isZero();
            assertThat(out.toString()).contains("grpc-echo: 20 answered");
            assertThat(client("-p", port)).isOne();
            assertThat(err.toString())
                    .contains("error: 127.0.0.1:" + port + ": gRPC status UNAVAILABLE")
                    .contains("TLS only if it does");
        }
    }

    @ParameterizedTest
    @CsvSource({"rdma", "nio"})
    void refusedConnectionNamesTheServer(String transport) throws Exception {
        int port;
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = socket.getLocalPort();
        }
        assertThat(client("-p", "" + port, "--transport", transport)).isOne();
        assertThat(err.toString())
                .startsWith("error: 127.0.0.1:" + port + ": gRPC status UNAVAILABLE: ")
                .contains("efused")
                .hasLineCount(1);
    }

    @Test
    void serverThatSpeaksAnotherProtocolIsOneLine() throws Exception {
        try (RunningCommand echo = new RunningCommand(new String[] {"echo-server", "--stream", "--port=0"})) {
            String port = "" + echo.port();
            assertThat(client("-p", port)).isOne();
            assertThat(err.toString())
                    .startsWith("error: 127.0.0.1:" + port + ": gRPC status ")
                    .contains("SETTINGS")
                    .hasLineCount(1);
        }
    }

    @Test
    void httpServerHasNoSuchMethod() throws Exception {
        String[] command = {"http-server", "--port=0", directory.toString()};
        try (RunningCommand http = new RunningCommand(command)) {
            assertThat(client("-p", "" + http.port())).isOne();
            assertThat(err.toString())
                    .contains("gRPC status ", "HTTP status code 4")
                    .hasLineCount(1);
        }
    }

    @Test
    void longerRequestThanTheServerTakesIsRefused() throws Exception {
        try (RunningCommand server = server("--max-message=1000")) {
            assertThat(client("-p", "" + server.port(), "-s", "1001")).isOne();
            assertThat(err.toString())
                    .contains("RESOURCE_EXHAUSTED", "1000", "1001")
                    .hasLineCount(1);
        }
    }

    @Test
    void senselessArgumentsAreOneSentence() throws Exception {
        assertThat(run("grpc-echo")).isEqualTo(2);
        assertThat(err.toString()).contains("name a program: grpc-echo server or grpc-echo client");
        assertThat(client("--transport=udp")).isEqualTo(2);
        assertThat(err.toString()).contains("--transport", "udp", "RDMA");
        Path noCertificate = Files.writeString(directory.resolve("file"), "content");
        assertThat(client("--ca=" + noCertificate)).isOne();
        assertThat(err.toString()).contains("error: cannot use the certificates " + noCertificate);
    }

    @Test
    void bothProgramsHaveHelpAndAVersion() {
        for (String program : new String[] {"server", "client"}) {
            assertThat(run("grpc-echo", program, "--help")).isZero();
            assertThat(out.toString()).contains("Usage: examples/run grpc-echo " + program);
            assertThat(run("grpc-echo", program, "--version")).isZero();
            assertThat(out.toString()).contains(", commit ");
        }
    }
}
