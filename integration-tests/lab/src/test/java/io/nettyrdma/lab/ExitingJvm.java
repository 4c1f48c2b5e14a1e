// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.lab;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.nettyrdma.channel.RdmaIoHandler;
import io.nettyrdma.deadline.Deadline;
import io.nettyrdma.socket.RdmaServerSocketChannel;
import io.nettyrdma.socket.RdmaSocketChannel;
import java.io.File;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A JVM that has one byte stream: it sends {@value #FIRST_BYTES} bytes, and when it is asked to, one more and calls
 * {@link System#exit}. A hook of its own closes the stream.
 *
 * <p>Ownership: {@link #close()} ends the JVM if it still runs.
 */
final class ExitingJvm implements AutoCloseable {

    private static final Pattern PORT = Pattern.compile("port (\\d+)\n");

    /** The program: it connects to the port given, or listens on one that it prints. */
    static final class Program {

        private Program() {}

        public static void main(String[] arguments) throws Exception {
            StreamJournal journal = new StreamJournal();
            MultiThreadIoEventLoopGroup group = new MultiThreadIoEventLoopGroup(1, RdmaIoHandler.newFactory());
            InetAddress host = InetAddress.getLoopbackAddress();
            if (arguments.length > 0) {
                new Bootstrap()
                        .group(group)
                        .channel(RdmaSocketChannel.class)
                        .handler(journal)
                        .connect(host, Integer.parseInt(arguments[0]))
                        .sync();
            } else {
                Channel listener = new ServerBootstrap()
                        .group(group)
                        .channel(RdmaServerSocketChannel.class)
                        .childHandler(journal)
                        .bind(host, 0)
                        .sync()
                        .channel();
                System.out.println("port " + ((InetSocketAddress) listener.localAddress()).getPort());
            }
            Channel channel = journal.awaitActive();
            // For a peer in C: see docs/devices.md.
            Runtime.getRuntime()
                    .addShutdownHook(new Thread(() -> channel.close().syncUninterruptibly()));
            channel.writeAndFlush(StreamJournal.counting(0, FIRST_BYTES)).sync();
            System.in.read(); // returns at the end of the input
            channel.writeAndFlush(StreamJournal.counting(FIRST_BYTES, 1)).sync();
            System.exit(0);
        }
    }

    static final int FIRST_BYTES = 5;

    private final Process process;
    private final Path out;

    private ExitingJvm(Process process, Path out) {
        this.process = process;
        this.out = out;
    }

    /** Starts the program, which prints into {@code directory}. */
    static ExitingJvm start(Path directory, String... arguments) throws IOException {
        Path out = Files.createTempFile(directory, "exiting", ".out");
        List<String> command = new ArrayList<>();
        command.add(new File(System.getProperty("java.home"), "bin/java").getPath());
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), Program.class.getName()));
        command.addAll(List.of(arguments));
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(out.toFile())
                .start();
        return new ExitingJvm(process, out);
    }

    /** Waits for the port that the program listens on. */
    int awaitPort() throws IOException {
        return Await.value(
                "the port of the program",
                Deadline.DURATION,
                () -> {
                    Matcher port = PORT.matcher(Files.readString(out));
                    return port.find() ? Optional.of(Integer.parseInt(port.group(1))) : Optional.empty();
                },
                () -> Files.readString(out));
    }

    /** Ends the program, which must succeed. */
    void exit() throws IOException {
        process.getOutputStream().close();
        if (!Await.ended(process, Deadline.DURATION) || process.exitValue() != 0) {
            throw new AssertionError(
                    (process.isAlive() ? "the program has not ended: " : "status " + process.exitValue() + ": ")
                            + Files.readString(out));
        }
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }
}
