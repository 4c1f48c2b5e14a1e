// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.echo;

import static org.assertj.core.api.Assertions.assertThat;

import io.nettyrdma.deadline.Deadline;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The two programs that a reader copies first, each in a JVM of its own, as a reader starts them. */
class EchoTest {

    private static final Pattern PORT = Pattern.compile("listening on .*:(\\d+)");

    private static Process start(Class<?> program, String... arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Dslf4j.provider=org.slf4j.simple.SimpleServiceProvider",
                "-cp",
                System.getProperty("java.class.path"),
                program.getName()));
        command.addAll(List.of(arguments));
        return new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
    }

    @Test
    void clientPrintsWhatItsServerSendsBack() throws Exception {
        Process server = start(EchoServer.class, "0");
        try (BufferedReader lines = server.inputReader(StandardCharsets.UTF_8)) {
            Matcher port = PORT.matcher(lines.readLine());
            assertThat(port.matches()).isTrue();
            Process client = start(EchoClient.class, "127.0.0.1", port.group(1));
            try {
                assertThat(client.getInputStream().readAllBytes())
                        .asString(StandardCharsets.UTF_8)
                        .isEqualToIgnoringNewLines("hello, RDMA");
                assertThat(client.waitFor(Deadline.SECONDS, TimeUnit.SECONDS))
                        .as("ends")
                        .isTrue();
                assertThat(client.exitValue()).isZero();
            } finally {
                client.destroyForcibly();
            }
        } finally {
            server.destroyForcibly();
        }
    }

    @Test
    void usualPortIsTheOneOfRping() {
        assertThat(EchoServer.PORT).isEqualTo(7471); // of librdmacm's examples
    }
}
