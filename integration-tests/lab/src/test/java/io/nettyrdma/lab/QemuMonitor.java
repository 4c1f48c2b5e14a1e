// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.lab;

import java.io.BufferedReader;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * QEMU's machine protocol on a Unix socket. Used for port forwards, because only QEMU itself can bind port 0 and say
 * which one it got; a port looked up beforehand may be taken by the time QEMU starts. And for cards that only few
 * guests need.
 */
final class QemuMonitor implements AutoCloseable {
    private static final Pattern FORWARD =
            Pattern.compile("HOST_FORWARD\\]\\s+\\d+\\s+127\\.0\\.0\\.1\\s+(\\d+)\\s+\\S+\\s+(\\d+)");

    private final SocketChannel channel;
    private final BufferedReader in;

    private QemuMonitor(SocketChannel channel) {
        this.channel = channel;
        this.in = new BufferedReader(Channels.newReader(channel, StandardCharsets.UTF_8));
    }

    static QemuMonitor connect(Path socket) throws IOException {
        SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX);
        try {
            channel.connect(UnixDomainSocketAddress.of(socket));
            QemuMonitor monitor = new QemuMonitor(channel);
            monitor.execute("{\"execute\":\"qmp_capabilities\"}");
            return monitor;
        } catch (IOException | RuntimeException e) {
            channel.close();
            throw e;
        }
    }

    /** Forwards an ephemeral port of 127.0.0.1 to a port of the guest and returns it. */
    int forward(int guestPort) throws IOException {
        command("hostfwd_add net0 tcp:127.0.0.1:0-:" + guestPort);
        String table = command("info usernet");
        Matcher forwards = FORWARD.matcher(table);
        while (forwards.find()) {
            if (Integer.parseInt(forwards.group(2)) == guestPort) {
                return Integer.parseInt(forwards.group(1));
            }
        }
        throw new IOException("QEMU made no forward to guest port " + guestPort + ": " + table);
    }

    /**
     * Adds a network card on a cable that is a Unix socket.
     *
     * @param listens whether this end makes the socket; it has to before the other end comes
     */
    void addCard(Path cable, boolean listens, String hardwareAddress) throws IOException {
        execute("{\"execute\":\"netdev_add\",\"arguments\":{\"type\":\"stream\",\"id\":\"cable\",\"server\":" + listens
                + ",\"addr\":{\"type\":\"unix\",\"path\":\"" + cable + "\"}}}");
        execute("{\"execute\":\"device_add\",\"arguments\":{\"driver\":\"virtio-net-pci\",\"netdev\":\"cable\","
                + "\"romfile\":\"\",\"mac\":\"" + hardwareAddress + "\"}}");
    }

    private String command(String line) throws IOException {
        return execute("{\"execute\":\"human-monitor-command\",\"arguments\":{\"command-line\":\"" + line + "\"}}");
    }

    private synchronized String execute(String request) throws IOException {
        ByteBuffer out = StandardCharsets.UTF_8.encode(request + "\n");
        while (out.hasRemaining()) {
            channel.write(out);
        }
        // The greeting and events may stand before the answer.
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            if (line.startsWith("{\"return\"")) {
                return line.replace("\\r\\n", "\n");
            }
            if (line.startsWith("{\"error\"")) {
                throw new IOException("QEMU refused " + request + ": " + line);
            }
        }
        throw new IOException("QEMU closed its monitor before answering " + request);
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
