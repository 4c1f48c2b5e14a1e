// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.lab;

import io.nettyrdma.deadline.Deadline;
import io.nettyrdma.examples.cli.Examples;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The example {@code nfs-server} as users run it, a program of its own; it can be killed and started again where it
 * was.
 *
 * <p>Threading: one test. Ownership: owns the process, ended by {@link #close()}.
 */
final class NfsServerProcess implements AutoCloseable {
    private static final Pattern MOUNT_COMMAND = Pattern.compile("proto=rdma,port=(\\d+),.*mountport=(\\d+),");

    private final Path export;
    private final Path dir;
    private final List<String> options;
    private final List<Path> outputs = new ArrayList<>();
    private Process process;
    private int port;
    private int mountPort;

    private NfsServerProcess(Path export, Path dir, List<String> options) {
        this.export = export;
        this.dir = dir;
        this.options = options;
    }

    /** Starts it on free ports. */
    static NfsServerProcess start(Path export, Path dir, String... options) throws IOException {
        NfsServerProcess server = new NfsServerProcess(export, dir, List.of(options));
        server.startAgain();
        return server;
    }

    /** Starts it with the ports it had before, if any. */
    void startAgain() throws IOException {
        Path out = dir.resolve("nfs-server-" + outputs.size() + ".out");
        outputs.add(out);
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of("-ea", "-Dio.netty.leakDetection.level=paranoid"));
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), Examples.class.getName()));
        command.addAll(List.of(
                "nfs-server", "--allow-root", "--export=" + export, "--port=" + port, "--mount-port=" + mountPort));
        command.addAll(options);
        process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(out.toFile())
                .start();
        Matcher ports = Await.value(
                "the server's mount command",
                Deadline.DURATION,
                () -> {
                    Matcher found = MOUNT_COMMAND.matcher(Files.readString(out));
                    if (!found.find() && !process.isAlive()) {
                        throw new AssertionError("the server ended\n" + Files.readString(out));
                    }
                    found.reset();
                    return found.find() ? Optional.of(found) : Optional.<Matcher>empty();
                },
                () -> Files.readString(out));
        port = Integer.parseInt(ports.group(1));
        mountPort = Integer.parseInt(ports.group(2));
    }

    /** A script for the guest that mounts it. */
    String script(int transferBytes, String bash) {
        return new NfsMountScript(port, mountPort).of(transferBytes, bash);
    }

    /** The same by way of a relay to its port of NFS. */
    String scriptThrough(SegmentCutter relay, int transferBytes, String bash) {
        return new NfsMountScript(relay.port(), mountPort).of(transferBytes, bash);
    }

    int port() {
        return port;
    }

    int mountPort() {
        return mountPort;
    }

    /** Ends it with SIGKILL. */
    void kill() throws IOException {
        process.destroyForcibly();
        requireEnd();
    }

    private void requireEnd() throws IOException {
        if (!Await.ended(process, Deadline.DURATION)) {
            process.destroyForcibly();
            throw new AssertionError("the server did not end within " + Deadline.SECONDS + " s\n" + output());
        }
    }

    /** What it has printed, in all its lives. */
    String output() throws IOException {
        StringBuilder all = new StringBuilder();
        for (Path out : outputs) {
            all.append(Files.readString(out));
        }
        return all.toString();
    }

    /** Ends it with SIGTERM, which is to go well. */
    @Override
    public void close() throws IOException {
        process.destroy();
        requireEnd();
    }
}
