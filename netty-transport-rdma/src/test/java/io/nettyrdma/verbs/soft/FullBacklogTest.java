// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.soft;

import static org.assertj.core.api.Assertions.assertThat;

import com.ibm.disni.verbs.RdmaCmEvent.EventType;
import com.ibm.disni.verbs.RdmaCmId;
import io.nettyrdma.verbs.soft.faults.NothingLeft;
import io.nettyrdma.verbs.soft.iwarp.MpaFrame;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Strangers that open connections and say nothing: as many as the backlog are kept, and whoever comes after them is
 * served. Time passes when a test says so.
 */
@ExtendWith(NothingLeft.class)
final class FullBacklogTest {

    private static final int BACKLOG = 128;
    private static final int STRANGERS = 500;
    private static final long GRACE_NANOS = TimeUnit.MILLISECONDS.toNanos(1_000); // the default

    private final AtomicLong clock = new AtomicLong(Long.MAX_VALUE - 1);
    private final List<SocketChannel> strangers = new ArrayList<>();
    private final Node node = new Node(Startups.config(), 4096, clock::get);

    FullBacklogTest() throws IOException {}

    @AfterEach
    void close() throws IOException {
        for (SocketChannel stranger : strangers) {
            stranger.close();
        }
        node.await("the end", () -> connections() == 0);
        node.close();
    }

    private int connections() {
        return node.provider.openResources().connections();
    }

    /** Somebody who connects and says nothing. */
    private SocketChannel stranger(RdmaCmId listener, String from) throws IOException {
        SocketChannel socket = SocketChannel.open();
        strangers.add(socket);
        socket.bind(new InetSocketAddress(InetAddress.getByName(from), 0));
        socket.connect(node.localAddress(listener)); // the kernel answers; this side knows nothing yet
        socket.configureBlocking(false);
        return socket;
    }

    private List<SocketChannel> strangers(int count, RdmaCmId listener, String from) throws IOException {
        List<SocketChannel> made = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            made.add(stranger(listener, from));
        }
        return made;
    }

    private static long closed(List<SocketChannel> sockets) {
        return sockets.stream().filter(FullBacklogTest::isClosedByPeer).count();
    }

    private static boolean isClosedByPeer(SocketChannel socket) {
        try {
            return socket.read(ByteBuffer.allocate(1)) < 0;
        } catch (IOException e) {
            return true; // reset
        }
    }

    /** Lets time pass until so many of the sockets were closed; never are more kept than the backlog. */
    private void awaitClosed(int count, List<SocketChannel> sockets, int backlog) {
        for (int i = 0; i < 20; i++) {
            for (int turn = 0; turn < 2 * sockets.size(); turn++) {
                node.drive();
                assertThat(connections()).isLessThanOrEqualTo(backlog);
            }
            if (closed(sockets) == count) {
                return;
            }
            clock.addAndGet(GRACE_NANOS);
        }
        throw new AssertionError(closed(sockets) + " connections were closed, expected were " + count);
    }

    private void settle() {
        for (int i = 0; i < 100; i++) {
            node.drive();
        }
    }

    private static ByteBuffer request() {
        ByteBuffer request = ByteBuffer.allocate(64);
        new MpaFrame(false, false, true, false, 2, Startups.DEPTHS, Node.NONE).put(request);
        return request.flip();
    }

    @Test
    void manySilentConnectionsDoNotKeepAGoodOneOut() throws Exception {
        RdmaCmId listener = node.listen(Pair.loopback(), BACKLOG);
        List<SocketChannel> silent = strangers(STRANGERS, listener, "127.0.0.1");
        long start = clock.get();
        awaitClosed(STRANGERS - BACKLOG, silent, BACKLOG);
        assertThat(clock.get() - start)
                .as("time until the backlog holds the last of them")
                .isLessThanOrEqualTo((STRANGERS / BACKLOG + 1) * GRACE_NANOS);
        clock.addAndGet(GRACE_NANOS);

        long full = clock.get();
        try (Bystander good = new Bystander(node, listener)) {
            good.exchange();
            assertThat(clock.get()).as("it did not have to wait").isEqualTo(full);
            assertThat(connections()).isEqualTo(BACKLOG); // the one accepted is no more half-open
        }
    }

    @Test
    void whatIsDroppedIsToldInFewLines() throws Exception {
        RdmaCmId listener = node.listen(Pair.loopback(), 16);
        awaitClosed(48, strangers(64, listener, "127.0.0.1"), 16);
        assertThat(node.log.texts()).hasSize(3).allSatisfy(line -> assertThat(line)
                .startsWith("the backlog of " + node.localAddress(listener)
                        + " (SO_BACKLOG) is full with 16 half-open connections: closing one from /127.0.0.1:")
                .contains(", which has sent no complete MPA Request for "));
    }

    @Test
    @EnabledOnOs(OS.LINUX) // where all of 127/8 is this host
    void floodFromOneAddressPushesOutItsOwnConnectionsOnly() throws Exception {
        RdmaCmId listener = node.listen(Pair.loopback(), 16);
        SocketChannel slow = stranger(listener, "127.0.0.1");
        node.await("the slow one", () -> connections() == 1);
        clock.addAndGet(GRACE_NANOS);
        awaitClosed(45, strangers(60, listener, "127.0.0.2"), 16);

        slow.write(request());
        RdmaCmId child = node.expect(EventType.RDMA_CM_EVENT_CONNECT_REQUEST).getConnIdPriv();
        assertThat(node.extensions.remoteAddress(child)).isEqualTo(slow.getLocalAddress());
        node.cm.destroyCmId(child);
    }

    @Test
    @EnabledOnOs(OS.LINUX) // where all of 127/8 is this host
    void amongAddressesWithOneConnectionEachTheOldestGivesWay() throws Exception {
        RdmaCmId listener = node.listen(Pair.loopback(), 8);
        List<SocketChannel> each = new ArrayList<>();
        for (int i = 0; i < 12; i++) {
            each.add(stranger(listener, "127.0.0." + (20 - i)));
        }
        node.await("a full backlog", () -> connections() == 8);
        each.get(0).write(request()); // so that the second is the oldest silent one
        RdmaCmId child = node.expect(EventType.RDMA_CM_EVENT_CONNECT_REQUEST).getConnIdPriv();
        awaitClosed(4, each, 8);
        assertThat(closed(each.subList(1, 5))).isEqualTo(4);
        node.cm.destroyCmId(child);
    }

    @Test
    void burstBehindSilentOnesWaitsForOneGraceAndNoneOfItIsClosed() throws Exception {
        RdmaCmId listener = node.listen(Pair.loopback(), 16);
        List<SocketChannel> silent = strangers(16, listener, "127.0.0.1");
        node.await("a full backlog", () -> connections() == 16);
        List<SocketChannel> burst = strangers(200, listener, "127.0.0.1");
        for (SocketChannel socket : burst) {
            socket.write(request());
        }
        settle();
        assertThat(closed(silent)).isZero();
        clock.addAndGet(GRACE_NANOS);
        for (int i = 0; i < burst.size(); i++) {
            node.cm.destroyCmId(
                    node.expect(EventType.RDMA_CM_EVENT_CONNECT_REQUEST).getConnIdPriv());
        }
    }

    @Test
    void whoHasJustComeHasTimeToSpeak() throws Exception {
        RdmaCmId listener = node.listen(Pair.loopback(), 4);
        List<SocketChannel> burst = strangers(20, listener, "127.0.0.1");
        node.await("a full backlog", () -> connections() == 4);
        clock.addAndGet(GRACE_NANOS - 1);
        settle();
        assertThat(closed(burst)).isZero();
        for (SocketChannel socket : burst) {
            socket.write(request());
        }
        for (int i = 0; i < burst.size(); i++) {
            node.cm.destroyCmId(
                    node.expect(EventType.RDMA_CM_EVENT_CONNECT_REQUEST).getConnIdPriv());
        }
    }

    @Test
    void whoHasSpokenIsNotPushedOutWhileTheApplicationThinks() throws Exception {
        RdmaCmId listener = node.listen(Pair.loopback(), 4);
        List<SocketChannel> asking = strangers(4, listener, "127.0.0.1");
        for (SocketChannel socket : asking) {
            socket.write(request());
        }
        List<RdmaCmId> children = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            children.add(node.expect(EventType.RDMA_CM_EVENT_CONNECT_REQUEST).getConnIdPriv());
        }
        SocketChannel next = stranger(listener, "127.0.0.1");
        next.write(request());
        clock.addAndGet(2 * GRACE_NANOS);
        settle();
        assertThat(closed(asking)).isZero();
        assertThat(connections()).isEqualTo(4);
        node.cm.destroyCmId(children.get(0));
        children.set(0, node.expect(EventType.RDMA_CM_EVENT_CONNECT_REQUEST).getConnIdPriv());
        for (RdmaCmId child : children) {
            node.cm.destroyCmId(child);
        }
    }

    @Test
    void requestThatThisSideIsLateToReadCounts() throws Exception {
        RdmaCmId listener = node.listen(Pair.loopback(), 8);
        List<SocketChannel> asking = strangers(8, listener, "127.0.0.1");
        node.await("a full backlog", () -> connections() == 8);
        for (SocketChannel socket : asking) {
            socket.write(request());
        }
        SocketChannel next = stranger(listener, "127.0.0.1");
        clock.addAndGet(2 * GRACE_NANOS); // and only now the thread comes back
        for (int i = 0; i < 8; i++) {
            node.cm.destroyCmId(
                    node.expect(EventType.RDMA_CM_EVENT_CONNECT_REQUEST).getConnIdPriv());
        }
        next.write(request());
        node.cm.destroyCmId(node.expect(EventType.RDMA_CM_EVENT_CONNECT_REQUEST).getConnIdPriv());
    }
}
