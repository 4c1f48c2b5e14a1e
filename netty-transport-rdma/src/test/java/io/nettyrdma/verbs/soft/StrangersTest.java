// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.soft;

import static org.assertj.core.api.Assertions.assertThat;

import com.ibm.disni.verbs.RdmaCmId;
import io.netty.util.internal.logging.InternalLogLevel;
import io.nettyrdma.internal.CapturedLog;
import io.nettyrdma.verbs.soft.iwarp.CrcMode;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/**
 * Peers that do not speak iWARP, or not the iWARP wanted: who runs the listener finds them in the log, and little else.
 */
final class StrangersTest {

    /** Comes, says something, and is gone when this side has closed. */
    private static InetSocketAddress visit(Node node, RdmaCmId listener, String words) throws IOException {
        try (SocketChannel socket = SocketChannel.open(node.localAddress(listener))) {
            node.await("the TCP connection", () -> connections(node) == 1);
            socket.write(ByteBuffer.wrap(words.getBytes(StandardCharsets.ISO_8859_1)));
            if (words.isEmpty()) {
                socket.shutdownOutput();
            }
            node.await("the end", () -> connections(node) == 0);
            return (InetSocketAddress) socket.getLocalAddress();
        }
    }

    private static int connections(Node node) {
        return node.provider.openResources().connections();
    }

    @Test
    void listenerTellsWhoDoesNotSpeakMpa() throws Exception {
        try (Node node = new Node(Startups.config())) {
            InetSocketAddress browser =
                    visit(node, node.listen(Pair.loopback(), 4), "GET / HTTP/1.1\r\n\r\n\u001b[31m");
            assertThat(node.log.lines)
                    .containsExactly(new CapturedLog.Line(
                            InternalLogLevel.INFO,
                            "closing a connection from " + browser
                                    + ": peer does not speak MPA (got 'GET / HTTP/1.1\\r\\n\\r\\n\\x1b[31m');"
                                    + " a client of TCP needs a port that listens over TCP, as by"
                                    + " NioServerSocketChannel",
                            null));
        }
    }

    @Test
    void listenerTellsWhomItRejectsForTheCrc() throws Exception {
        SoftProviderConfig noCrc = Node.config().crcMode(CrcMode.NEVER).build();
        try (Node node = new Node(noCrc)) {
            try (RawPeer peer = RawPeer.connect(node.localAddress(node.listen(Pair.loopback(), 4)), true)) {
                peer.request(true, Startups.DEPTHS, Node.NONE);
                assertThat(peer.expectFrame(true, node).rejected()).isTrue();
                assertThat(node.log.texts())
                        .containsExactly("rejecting a connection from " + peer.socket.getLocalAddress()
                                + ": peer wants CRCs, which are switched off here");
            }
            node.await("the end", () -> connections(node) == 0);
        }
    }

    @Test
    void floodOfStrangersWritesThreeLinesASecond() throws Exception {
        try (Node node = new Node(Startups.config())) {
            RdmaCmId listener = node.listen(Pair.loopback(), 4);
            for (int i = 0; i < 50; i++) {
                visit(node, listener, "SSH-2.0-probe\n");
            }
            assertThat(node.log.lines).hasSize(3);
            node.log.pass(1, TimeUnit.SECONDS);
            visit(node, listener, "SSH-2.0-probe\n");
            assertThat(node.log.texts().get(3)).endsWith("(47 lines of this kind were left out before)");
        }
    }

    @Test
    void strangersThatSayNothingAreNotWorthALine() throws Exception {
        try (Node node = new Node(Startups.config())) {
            visit(node, node.listen(Pair.loopback(), 4), "");
            assertThat(node.log.lines).isEmpty();
        }
    }
}
