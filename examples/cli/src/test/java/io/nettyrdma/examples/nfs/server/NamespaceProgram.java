// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.nfs.server;

import static org.junit.jupiter.api.Assumptions.abort;

import io.nettyrdma.deadline.Deadline;
import io.nettyrdma.examples.cli.Examples;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * {@code nfs-server} as a program of its own in namespaces of its own, which end with it: what a test mounts or names
 * there nobody else sees. Its ports are those of this host.
 *
 * <p>Ownership: owns the process.
 */
final class NamespaceProgram implements AutoCloseable {

    private static final Pattern PORTS = Pattern.compile("proto=rdma,port=(\\d+),mountproto=tcp,mountport=(\\d+)");

    private final Process process;
    private final BufferedReader out;

    private NamespaceProgram(Process process) {
        this.process = process;
        out = process.inputReader();
    }

    /** Says so where a test cannot run. */
    static void requireRootOrSkip(Path any, String test) throws IOException {
        if (!Integer.valueOf(0).equals(Files.getAttribute(any, "unix:uid"))
                || !Files.isExecutable(Path.of("/usr/bin/unshare"))) {
            System.out.println(test + " is skipped: it needs root and unshare, of util-linux");
            abort("it needs root and unshare");
        }
    }

    /**
     * Starts it.
     *
     * @param namespaces options of {@code unshare}
     * @param prepare    a shell command that runs in the namespaces before
     */
    static NamespaceProgram start(Path directory, String namespaces, String prepare, String... options)
            throws IOException {
        String classPath = System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
        List<String> command = new ArrayList<>(List.of("/usr/bin/unshare", namespaces, "sh", "-c"));
        command.addAll(List.of(prepare + " && exec \"$@\"", "sh"));
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of("-XX:TieredStopAtLevel=1", "-cp", classPath, Examples.class.getName(), "nfs-server"));
        command.addAll(List.of("--allow-root", "--port=0", "--mount-port=0", "--bind=127.0.0.1"));
        command.addAll(List.of(options));
        return new NamespaceProgram(new ProcessBuilder(command)
                .redirectErrorStream(true)
                .directory(directory.toFile())
                .start());
    }

    /** What it prints until it listens or ends, and where it listens, NFS first. */
    record Start(String printed, @Nullable InetSocketAddress nfs, @Nullable InetSocketAddress mount) {}

    /** Waits until it listens or has ended; the test's own limit ends the wait. */
    Start awaitStart() throws IOException {
        StringBuilder printed = new StringBuilder();
        for (String line = out.readLine(); line != null; line = out.readLine()) {
            printed.append(line).append('\n');
            Matcher ports = PORTS.matcher(line);
            if (ports.find()) {
                return new Start(printed.toString(), address(ports.group(1)), address(ports.group(2)));
            }
        }
        return new Start(printed.toString(), null, null);
    }

    private static InetSocketAddress address(String port) {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), Integer.parseInt(port));
    }

    /** How many files it has open. */
    int descriptors() {
        String[] numbers = Path.of("/proc/" + process.pid() + "/fd").toFile().list();
        return numbers == null ? 0 : numbers.length;
    }

    /** A path of this host as it is in the program's mount namespace. */
    Path inside(Path path) {
        return Path.of("/proc/" + process.pid() + "/root")
                .resolve(path.getRoot().relativize(path));
    }

    /** Its exit status. */
    int awaitEnd() throws InterruptedException {
        if (!process.waitFor(Deadline.SECONDS, TimeUnit.SECONDS)) {
            throw new AssertionError("nfs-server did not end within " + Deadline.SECONDS + " s");
        }
        return process.exitValue();
    }

    @Override
    public void close() {
        process.destroy();
        try {
            if (!process.waitFor(Deadline.SECONDS, TimeUnit.SECONDS)) {
                throw new AssertionError("nfs-server did not end within " + Deadline.SECONDS + " s of SIGTERM");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            process.destroyForcibly();
        }
    }
}
