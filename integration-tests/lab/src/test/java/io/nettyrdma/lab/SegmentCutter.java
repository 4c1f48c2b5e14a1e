// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.lab;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * A TCP relay that hands on what it gets in parts of a few octets, one after the other, so that the receiver meets
 * every header of iWARP in parts.
 *
 * <p>Threading: a thread for the listener and one for each direction of a connection. Ownership: owns its sockets,
 * closed by {@link #close()}.
 */
final class SegmentCutter implements AutoCloseable {
    private static final int LARGEST_PART = 40;

    /** Longer than a part takes to the receiver, which would take two of them together. */
    private static final int PAUSE_MILLIS = 3;

    private final ServerSocket listener = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
    private final List<Socket> sockets = new CopyOnWriteArrayList<>();
    private final int target;
    private final long seed;

    SegmentCutter(int target, long seed) throws IOException {
        this.target = target;
        this.seed = seed;
        start("accept", this::accept);
    }

    int port() {
        return listener.getLocalPort();
    }

    private void accept() throws IOException {
        while (true) {
            Socket near = opened(listener.accept());
            Socket far = opened(new Socket(InetAddress.getLoopbackAddress(), target));
            start("out", () -> relay(near, far));
            start("in", () -> relay(far, near));
        }
    }

    private Socket opened(Socket socket) throws IOException {
        sockets.add(socket);
        socket.setTcpNoDelay(true);
        return socket;
    }

    private void relay(Socket from, Socket to) throws IOException, InterruptedException {
        Random random = new Random(seed);
        byte[] part = new byte[LARGEST_PART];
        InputStream in = from.getInputStream();
        OutputStream out = to.getOutputStream();
        for (int length; (length = in.read(part, 0, 1 + random.nextInt(LARGEST_PART))) >= 0; ) {
            out.write(part, 0, length);
            Thread.sleep(PAUSE_MILLIS);
        }
        to.shutdownOutput();
    }

    private void start(String name, Work work) {
        Thread thread = new Thread(() -> work.runUntilClosed(), "segment-cutter-" + name);
        thread.setDaemon(true);
        thread.start();
    }

    @Override
    public void close() throws IOException {
        listener.close();
        for (Socket socket : sockets) {
            socket.close();
        }
    }

    private interface Work {
        void run() throws IOException, InterruptedException;

        default void runUntilClosed() {
            try {
                run();
            } catch (IOException e) {
                return; // closed, by one of its ends or with the relay
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }
    }
}
