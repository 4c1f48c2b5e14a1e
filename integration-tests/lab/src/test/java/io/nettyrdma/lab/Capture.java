// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.lab;

import io.nettyrdma.deadline.Deadline;
import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.nio.channels.Channels;
import java.nio.channels.SeekableByteChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * tcpdump on this machine's loopback interface, where everything between the guest and this JVM passes.
 *
 * <p>Threading: one thread at a time. Ownership: owns tcpdump until {@link #stop()} or {@link #close()}.
 */
final class Capture implements AutoCloseable {
    /** A JVM in the guest writes where the host can read. */
    private static final Path DIRECTORY = Optional.ofNullable(System.getProperty("lab.captures"))
            .map(Path::of)
            .orElseGet(() -> LabRequirements.moduleDir().resolve("target/lab"));

    private static final Pattern DROPPED = Pattern.compile("(\\d+) packets? dropped by kernel");

    private final Path file;
    private final Path messages;
    private final DatagramSocket endMark;
    private final Process tcpdump;

    private Capture(Path file, Path messages, DatagramSocket endMark, Process tcpdump) {
        this.file = file;
        this.messages = messages;
        this.endMark = endMark;
        this.tcpdump = tcpdump;
    }

    /**
     * Captures the TCP connections of one port on {@code lo}, under {@code target/lab} or where {@code -Dlab.captures}
     * says; returns once packets are taken.
     */
    static Capture ofPort(String name, int port) throws IOException {
        return start(name, "tcp port " + port);
    }

    static Capture start(String name, String filter) throws IOException {
        LabRequirements.requireCapture();
        Path dir = Files.createDirectories(DIRECTORY);
        Path file = dir.resolve(name + ".pcap");
        Path messages = dir.resolve(name + ".tcpdump.log");
        DatagramSocket endMark = new DatagramSocket(0, InetAddress.getLoopbackAddress());
        try {
            // Not --immediate-mode: its ring has a slot of full size for every packet, so bursts of small ones overflow
            // it.
            ProcessBuilder builder = new ProcessBuilder("tcpdump", "-i", "lo", "-n", "-U");
            builder.command().addAll(List.of("-B", "65536", "-w", file.toString()));
            if (System.getProperty("user.name").equals("root")) {
                // Otherwise it changes to a user of its own, who may not write here.
                builder.command().addAll(List.of("-Z", "root"));
            }
            builder.command().add("(" + filter + ") or (udp and dst port " + endMark.getLocalPort() + ")");
            Process tcpdump = builder.redirectErrorStream(true)
                    .redirectOutput(messages.toFile())
                    .start();
            Capture capture = new Capture(file, messages, endMark, tcpdump);
            capture.awaitStart();
            return capture;
        } catch (IOException | RuntimeException | AssertionError e) {
            endMark.close();
            throw e;
        }
    }

    private void awaitStart() throws IOException {
        try {
            Await.until(
                    "tcpdump to listen on lo",
                    Deadline.DURATION,
                    () -> !tcpdump.isAlive() || Files.readString(messages).contains("listening on"),
                    () -> Files.readString(messages));
            if (!tcpdump.isAlive()) {
                LabRequirements.requireCaptureRights(Files.readString(messages));
                throw new AssertionError(
                        "tcpdump ended, status " + tcpdump.exitValue() + ": " + Files.readString(messages));
            }
        } catch (IOException | RuntimeException | AssertionError e) {
            tcpdump.destroy();
            throw e;
        }
    }

    /** Waits until everything sent so far is in the file, ends tcpdump and returns the file. */
    Path stop() throws IOException {
        // tcpdump forgets what it has not read yet when it ends, and loopback keeps order: when a datagram of our own
        // is in the file, so is everything before it. Something may also come after it, such as a FIN.
        byte[] mark = UUID.randomUUID().toString().getBytes(StandardCharsets.US_ASCII);
        long before = Files.size(file);
        endMark.send(new DatagramPacket(mark, mark.length, endMark.getLocalSocketAddress()));
        Await.until(
                "the end mark in " + file,
                Deadline.DURATION,
                () -> contains(mark, before),
                () -> Files.readString(messages));
        close();
        String said = Files.readString(messages);
        Matcher dropped = DROPPED.matcher(said);
        if (!dropped.find() || !dropped.group(1).equals("0")) {
            throw new AssertionError("the capture " + file + " is not whole: " + said);
        }
        return file;
    }

    private boolean contains(byte[] mark, long from) throws IOException {
        if (!tcpdump.isAlive()) {
            throw new AssertionError("tcpdump ended early: " + Files.readString(messages));
        }
        try (SeekableByteChannel in = Files.newByteChannel(file)) {
            in.position(from);
            byte[] rest = Channels.newInputStream(in).readAllBytes();
            // As Latin-1, each octet is one character.
            return new String(rest, StandardCharsets.ISO_8859_1).contains(new String(mark, StandardCharsets.US_ASCII));
        }
    }

    @Override
    public void close() throws IOException {
        endMark.close();
        tcpdump.destroy();
        if (!Await.ended(tcpdump, Deadline.DURATION)) {
            tcpdump.destroyForcibly();
            throw new IOException("tcpdump did not end within " + Deadline.SECONDS + " s and was killed");
        }
    }
}
