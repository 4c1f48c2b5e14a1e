// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.ffm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.nettyrdma.verbs.spi.VerbsConstants;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.StandardProtocolFamily;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;

/**
 * The reason for the end of a connection of siw that no event tells: siw raises none for an RDMA Write with a key that
 * is not valid. The TCP connection is a real one, and C has nothing to say but DISCONNECTED.
 */
@EnabledForJreRange(minVersion = Foreign.OLDEST_JAVA)
class EndOfSiwTest {

    private FakeDriver driver;
    private LoopEventChannel events;
    private SocketChannel here;
    private SocketChannel peer;
    private NativeCmId id;
    private String reasonWhenFlushed = "not flushed";

    @BeforeEach
    void connect() throws Exception {
        assumeTrue(Files.isReadable(Path.of("/proc/self/net/tcp")));
        driver = FakeDriver.installSiw();
        try (ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.INET)) {
            server.bind(new InetSocketAddress(InetAddress.getByName("127.0.0.1"), 0));
            peer = SocketChannel.open(StandardProtocolFamily.INET);
            peer.connect(server.getLocalAddress());
            here = server.accept();
        }
        NativeMemory channel = driver.memory(VerbsLayout.RDMA_EVENT_CHANNEL_BYTES);
        channel.octets().putInt(VerbsLayout.RDMA_EVENT_CHANNEL_FD, VerbsLibrary.eventFd());
        events = new LoopEventChannel(new NativeContexts(), channel.address());
        id = id();
    }

    @AfterEach
    void close() throws IOException {
        here.close();
        peer.close();
    }

    private NativeCmId id() throws IOException {
        NativeMemory struct = driver.memory(VerbsLayout.RDMA_CM_ID_BYTES);
        encode(here.getLocalAddress(), struct, VerbsLayout.RDMA_CM_ID_ROUTE_ADDR_SRC_ADDR);
        encode(here.getRemoteAddress(), struct, VerbsLayout.RDMA_CM_ID_ROUTE_ADDR_DST_ADDR);
        NativeCmId made = NativeCmId.requested(events, struct.address());
        NativeCq queue = driver.queue();
        made.queuePair(
                new NativeQp(
                        made,
                        null,
                        queue,
                        queue,
                        driver.memory(VerbsLayout.IBV_QP_BYTES).address()) {
                    @Override
                    void toError() {
                        reasonWhenFlushed = String.valueOf(made.reason());
                    }
                });
        return made;
    }

    private static void encode(SocketAddress address, NativeMemory struct, int offset) throws IOException {
        ByteBuffer encoded = struct.octets()
                .slice(offset, SocketAddresses.BYTES)
                .order(struct.octets().order());
        SocketAddresses.encode(address, encoded);
    }

    private void disconnected() throws IOException {
        events.raise(VerbsConstants.CM_DISCONNECTED, id);
        NativeCmEvent event = events.next();
        assertThat(event).isNotNull();
        assertThat(event.getConnIdPriv()).isSameAs(id);
    }

    private static void awaitEnd(SocketChannel channel) throws IOException {
        assertThat(channel.read(ByteBuffer.allocate(1))).isEqualTo(-1);
    }

    @Test
    void endThatSiwHasBegunIsAReasonBeforeTheChannelHearsOfIt() throws Exception {
        here.close();
        awaitEnd(peer);

        disconnected();

        assertThat(id.reason()).startsWith("siw closed the connection first");
        assertThat(reasonWhenFlushed).isEqualTo(id.reason());
    }

    /** Siw says DISCONNECTED first, and may still be about to close. */
    @Test
    void endWithoutAWordOfThePeerIsOfSiw() throws Exception {
        disconnected();
        assertThat(id.reason()).startsWith("siw closed the connection first");
    }

    @Test
    void endThatThePeerHasBegunNeedsNoReason() throws Exception {
        peer.close();
        awaitEnd(here);

        disconnected();

        assertThat(id.reason()).isNull();
        assertThat(reasonWhenFlushed).isEqualTo("null");
    }

    @Test
    void endThatThisProgramHasBegunNeedsNoReason() throws Exception {
        id.onEndedHere();
        here.close();
        awaitEnd(peer);

        disconnected();

        assertThat(id.reason()).isNull();
    }
}
