// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.lab;

import static org.assertj.core.api.Assertions.assertThat;

import io.nettyrdma.deadline.Deadline;
import io.nettyrdma.stream.CapturedStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * {@code lab/rsockets-peer.c} in the guest, and the capture of its connections to this machine.
 *
 * <p>Ownership: {@link #close()} ends the program and the capture.
 */
final class RsocketsPeer implements AutoCloseable {

    private static final Pattern PROCESS = Pattern.compile("LAB: process (\\d+)\n");
    /** Of all steps, each of which may take as long as the {@link Deadline}. */
    private static final Duration LIMIT = Deadline.DURATION.multipliedBy(2);

    private static final int FIRST_GUEST_PORT = 7900;
    /** Each program that listens has a port of its own, since the last connection to a port may still wait there. */
    private static final AtomicInteger LISTENERS = new AtomicInteger();

    private final LabGuest guest;
    private final Capture capture;
    private final GuestCommand command;
    private final Path go;
    private final int port;

    private RsocketsPeer(LabGuest guest, Capture capture, GuestCommand command, Path go, int port) {
        this.guest = guest;
        this.capture = capture;
        this.command = command;
        this.go = go;
        this.port = port;
    }

    /** Compiles the program. */
    static Path make(Path directory) throws IOException {
        return RdmacmProgram.make(directory, "rsockets-peer");
    }

    /**
     * Starts the program as a client of a port of this machine.
     *
     * @param name  of the capture
     * @param steps number of connections and the steps on each; {@code await=GO} waits for {@link #go}
     */
    static RsocketsPeer connect(LabGuest guest, Path program, String name, int port, String steps) throws IOException {
        String arguments = " connect " + LabGuest.HOST_ADDRESS + " " + port + " " + steps;
        return start(guest, program + arguments, name + "-client", port);
    }

    /** Starts the program as a server, and waits until it listens. */
    static RsocketsPeer listen(LabGuest guest, Path program, String name, String steps) throws IOException {
        int guestPort = FIRST_GUEST_PORT + LISTENERS.getAndIncrement();
        String arguments = " listen " + LabGuest.GUEST_ADDRESS + " " + guestPort + " " + steps;
        RsocketsPeer peer = start(guest, program + arguments, name + "-server", guest.forward(guestPort));
        try {
            peer.awaitOutput("LAB: listens");
            return peer;
        } catch (IOException | RuntimeException | AssertionError e) {
            peer.close();
            throw e;
        }
    }

    private static RsocketsPeer start(LabGuest guest, String command, String name, int port) throws IOException {
        Capture capture = Capture.ofPort(name, port);
        try {
            Path go = guest.share().resolve(name + ".go");
            Files.deleteIfExists(go);
            String line =
                    "exec " + command.replace("await=GO", "await=" + LabGuest.SHARE_IN_GUEST + '/' + go.getFileName());
            return new RsocketsPeer(guest, capture, guest.start(line, LIMIT), go, port);
        } catch (IOException | RuntimeException | AssertionError e) {
            capture.close();
            throw e;
        }
    }

    /** Returns the port of this machine that leads to the program, or to which it connects. */
    int port() {
        return port;
    }

    /** Waits until the program has printed a text. */
    void awaitOutput(String text) throws IOException {
        command.awaitOutput(text, Deadline.DURATION);
    }

    /** Ends the step {@code await=GO}. */
    void go() throws IOException {
        Files.createFile(go);
    }

    /** Waits for the end of the program, which must succeed, and returns what it has printed. */
    String awaitEnd() throws IOException {
        return command.await().assertSucceeded().output();
    }

    /** Ends the program with SIGKILL. */
    void kill() throws IOException {
        awaitOutput("LAB: process ");
        Matcher process = PROCESS.matcher(command.output());
        assertThat(process.find()).isTrue();
        guest.run("kill -KILL " + process.group(1), Deadline.DURATION).assertSucceeded();
    }

    /** The program as the other end of an exchange. */
    GuestCommand command() {
        return command;
    }

    /** Ends the capture and returns its connections. */
    List<CapturedStream> judge() throws Exception {
        return StreamCapture.judge(capture.stop());
    }

    @Override
    public void close() throws IOException {
        try {
            command.close();
        } finally {
            capture.close();
            Files.deleteIfExists(go);
        }
    }
}
