// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.dropin;

import java.io.Closeable;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.util.ArrayList;
import java.util.List;

/**
 * A host on loopback that never answers a connection attempt. For TCP this is a listener whose backlog is full, for
 * RDMA a listener that accepts the TCP connection and sends no MPA reply.
 *
 * <p>Ownership: the test that opens it closes it.
 */
final class SilentHost implements Closeable {

    /** More connections than Linux takes into a backlog of one. */
    private static final int MAX_FILLERS = 100;

    private static final int FILLER_TIMEOUT_MILLIS = 200;

    private final ServerSocket listener;
    private final List<Socket> fillers = new ArrayList<>();

    private SilentHost(int backlog) throws IOException {
        listener = new ServerSocket(0, backlog, InetAddress.getLoopbackAddress());
    }

    static SilentHost open(Transport transport) throws IOException {
        if (transport.isRdma()) {
            return new SilentHost(0);
        }
        SilentHost host = new SilentHost(1);
        host.fill();
        return host;
    }

    InetSocketAddress address() {
        return (InetSocketAddress) listener.getLocalSocketAddress();
    }

    private void fill() throws IOException {
        while (fillers.size() < MAX_FILLERS) {
            Socket filler = new Socket();
            fillers.add(filler);
            try {
                filler.connect(address(), FILLER_TIMEOUT_MILLIS);
            } catch (SocketTimeoutException full) {
                return;
            }
        }
        throw new IOException(MAX_FILLERS + " connections did not fill the backlog of " + address());
    }

    @Override
    public void close() throws IOException {
        for (Socket filler : fillers) {
            filler.close();
        }
        listener.close();
    }
}
