// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.stacks;

import static org.assertj.core.api.Assertions.assertThat;

import io.nettyrdma.deadline.Deadline;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;

/**
 * A server of the PostgreSQL that Debian's package postgresql has installed, with its data in a new directory. It does
 * not run as root: started by root, it runs as the user of that package.
 *
 * <p>Ownership: the caller closes it.
 */
final class PostgresqlServer {

    /** The user that the server knows; it asks for no password. */
    static final String USER = "under_test";

    private static final Path INSTALLED = Path.of("/usr/lib/postgresql");
    private static final String OWNER = "postgres";

    private final Process process;
    private final int port;

    private PostgresqlServer(Process process, int port) {
        this.process = process;
        this.port = port;
    }

    /** Returns the directory of the newest installed programs, if there is one. */
    static Optional<Path> programs() throws IOException {
        if (!Files.isDirectory(INSTALLED)) {
            return Optional.empty();
        }
        try (Stream<Path> versions = Files.list(INSTALLED)) {
            return versions.map(version -> version.resolve("bin"))
                    .filter(bin -> Files.isExecutable(bin.resolve("initdb")))
                    .max(Path::compareTo);
        }
    }

    /** Returns a server that accepts connections on TCP. The directory becomes its own. */
    static PostgresqlServer start(Path programs, Path directory) throws Exception {
        boolean root = Files.getOwner(Path.of("/proc/self")).getName().equals("root");
        if (root) {
            Files.setOwner(
                    directory,
                    directory.getFileSystem().getUserPrincipalLookupService().lookupPrincipalByName(OWNER));
        }
        String data = directory.resolve("data").toString();
        String initdb = programs.resolve("initdb").toString();
        Process made = run(root, List.of(initdb, "-D", data, "-U", USER, "-A", "trust", "-N", "--no-locale"));
        String said = new String(made.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(made.waitFor()).as(said).isZero();
        int port = freePort();
        String postgres = programs.resolve("postgres").toString();
        List<String> command = new ArrayList<>(List.of(postgres, "-D", data, "-p", String.valueOf(port)));
        for (String setting : List.of("listen_addresses=127.0.0.1", "unix_socket_directories=", "fsync=off")) {
            command.addAll(List.of("-c", setting));
        }
        PostgresqlServer server = new PostgresqlServer(run(root, command), port);
        CompletableFuture<Void> ready = new CompletableFuture<>();
        Thread reader = new Thread(() -> server.follow(ready), "postgresql-log");
        reader.setDaemon(true);
        reader.start();
        try {
            ready.get(Deadline.SECONDS, TimeUnit.SECONDS);
            return server;
        } catch (ExecutionException | TimeoutException e) {
            server.close();
            throw e;
        }
    }

    static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    private static Process run(boolean root, List<String> command) throws IOException {
        List<String> words = new ArrayList<>();
        if (root) {
            words.addAll(List.of("setpriv", "--reuid=" + OWNER, "--regid=" + OWNER, "--clear-groups"));
        }
        words.addAll(command);
        ProcessBuilder builder = new ProcessBuilder(words).redirectErrorStream(true);
        builder.environment().put("LC_ALL", "C"); // the language of the messages
        return builder.start();
    }

    /** Reads until the server has ended: it would stop if no one did. */
    private void follow(CompletableFuture<Void> ready) {
        StringBuilder said = new StringBuilder();
        try (BufferedReader lines = process.inputReader()) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                said.append(line).append('\n');
                if (line.contains("database system is ready to accept connections")) {
                    ready.complete(null);
                }
            }
        } catch (IOException e) {
            said.append(e);
        }
        ready.completeExceptionally(new IOException("PostgreSQL ended: " + said));
    }

    int port() {
        return port;
    }

    /** Lets the server end as soon as its clients have. */
    void close() throws InterruptedException {
        process.destroy();
        if (!process.waitFor(Deadline.SECONDS, TimeUnit.SECONDS)) {
            process.destroyForcibly();
            throw new AssertionError("PostgreSQL has not ended: it has clients");
        }
    }
}
