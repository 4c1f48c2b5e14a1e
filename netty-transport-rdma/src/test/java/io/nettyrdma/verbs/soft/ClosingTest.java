// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.soft;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.ibm.disni.verbs.IbvQP;
import com.ibm.disni.verbs.RdmaCmEvent;
import com.ibm.disni.verbs.RdmaCmEvent.EventType;
import com.ibm.disni.verbs.RdmaCmId;
import io.nettyrdma.verbs.soft.iwarp.EnhancedData;
import io.nettyrdma.verbs.spi.VerbsConstants;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** The ends of connections, and that every posted request completes exactly once whichever end it is. */
final class ClosingTest {

    private static final long LINGER_NANOS = Node.config().build().lingerTimeoutNanos();

    /** A pair with everything outstanding: receives on both sides, and more Writes of a's than TCP or a ring takes. */
    private static final class Busy implements AutoCloseable {
        final Pair p;
        int aPosted;
        int bPosted;

        Busy() throws IOException {
            p = new Pair().connect();
            SoftMr a = p.a.register(1 << 20, Node.ALL);
            SoftMr b = p.b.register(1 << 20, Node.ALL);
            for (int i = 0; i < 10; i++) {
                p.a.receive(p.aQp, aPosted++, a, 0, 64);
                p.b.receive(p.bQp, bPosted++, b, 0, 64);
            }
            for (int i = 0; i < 20; i++) {
                p.a.write(p.aQp, aPosted++, a, 1 << 20, b.getRkey(), b.getAddr());
                p.a.read(p.aQp, aPosted++, 0, a, 0, 1 << 20, b.getRkey(), b.getAddr());
            }
            for (int i = 0; i < 100; i++) {
                p.a.drive(); // b does not: TCP, or the ring, is full
            }
        }

        void expectEverythingOnce() throws IOException {
            check(p.a, aPosted);
            check(p.b, bPosted);
        }

        private void check(Node node, int posted) throws IOException {
            for (int i = 0; i < 20; i++) {
                node.drive();
            }
            Map<Long, Long> counts = node.completions.stream()
                    .collect(Collectors.groupingBy(Node.Completion::id, Collectors.counting()));
            // The unsignalled Reads that have succeeded before do not show.
            assertThat(counts.values()).allMatch(n -> n == 1);
            long successes =
                    node.completions.stream().filter(c -> c.status() == 0).count();
            assertThat(counts.size()).isBetween(posted - (int) successes, posted);
            assertThat(node.completions.stream().filter(c -> c.status() != 0))
                    .allMatch(c -> c.status() == VerbsConstants.WC_WR_FLUSH_ERR);
        }

        @Override
        public void close() throws IOException {
            p.close();
        }
    }

    @Test
    void disconnectDrainsFlushesAndTellsBothSides() throws Exception {
        try (Busy busy = new Busy()) {
            Pair p = busy.p;
            p.a.cm.disconnect(p.aId);
            p.a.expect(EventType.RDMA_CM_EVENT_DISCONNECTED, p.b);
            p.b.expect(EventType.RDMA_CM_EVENT_DISCONNECTED, p.a);
            assertThat(p.a.reason(p.aId)).isNull();
            busy.expectEverythingOnce();
            assertThat(((SoftQp) p.aQp).queues().isInError()).isTrue();
            p.a.cm.disconnect(p.aId);
            assertThat(p.a.pollEvent()).isNull();
        }
    }

    @Test
    void completedSendsArriveBeforeADisconnect() throws Exception {
        try (Pair p = new Pair().connect()) {
            SoftMr from = p.a.register(64, Node.LOCAL);
            SoftMr to = p.b.register(64, Node.LOCAL);
            SoftMr unread = p.b.register(64, Node.LOCAL);
            for (int i = 0; i < 50; i++) {
                p.b.receive(p.bQp, i, to, 0, 64);
                // Octets that a never reads must not turn its FIN into a reset.
                p.b.write(p.bQp, 1000 + i, unread, 0, 1, 0);
            }
            for (int i = 0; i < 50; i++) {
                p.a.send(p.aQp, i, Node.SIGNALED, from, 0, 64);
            }
            p.a.cm.disconnect(p.aId);
            p.a.poll();
            long sent = p.a.completions.stream().filter(c -> c.status() == 0).count();
            assertThat(sent).isEqualTo(50);
            p.b.expect(EventType.RDMA_CM_EVENT_DISCONNECTED, p.a);
            p.b.poll();
            assertThat(p.b.completions.stream().filter(c -> c.status() == 0 && c.id() < 1000))
                    .hasSize(50);
        }
    }

    @Test
    void toErrorFlushesEverythingAtOnceAndIsIdempotent() throws Exception {
        try (Busy busy = new Busy()) {
            Pair p = busy.p;
            p.a.extensions.toError(p.aQp);
            p.a.poll();
            p.a.extensions.toError(p.aQp);
            assertThat(p.a.pollEvent().getEvent()).isEqualTo(EventType.RDMA_CM_EVENT_DISCONNECTED.ordinal());
            p.b.expect(EventType.RDMA_CM_EVENT_DISCONNECTED, p.a);
            busy.expectEverythingOnce();
            assertThat(p.a.reason(p.aId)).contains("brought to error");
        }
    }

    @Test
    void destroyedIdFlushesAndTellsOnlyThePeer() throws Exception {
        try (Busy busy = new Busy()) {
            Pair p = busy.p;
            p.a.cm.destroyCmId(p.aId);
            p.b.expect(EventType.RDMA_CM_EVENT_DISCONNECTED, p.a);
            assertThat(p.a.pollEvent()).isNull();
            busy.expectEverythingOnce();
        }
    }

    @Test
    void postsToAQueuePairInErrorAreFlushedAtOnce() throws Exception {
        try (Pair p = new Pair().connect()) {
            p.a.extensions.toError(p.aQp);
            SoftMr mr = p.a.register(16, Node.LOCAL);
            for (int i = 0; i < 2000; i++) {
                p.a.send(p.aQp, i, 0, mr, 0, 16);
                p.a.receive(p.aQp, 5000 + i, mr, 0, 16);
                p.a.poll();
            }
            assertThat(p.a.completions).hasSize(4000).allMatch(c -> c.status() == VerbsConstants.WC_WR_FLUSH_ERR);
        }
    }

    @Test
    void receivesOfAnUnconnectedQueuePairAreFlushedByToError() throws Exception {
        try (Node node = new Node(Node.config().build())) {
            IbvQP qp = node.newQp(node.newId(), 4);
            SoftMr mr = node.register(16, Node.LOCAL);
            node.receive(qp, 3, mr, 0, 16);
            node.extensions.toError(qp);
            assertThat(node.completion().status()).isEqualTo(VerbsConstants.WC_WR_FLUSH_ERR);
        }
    }

    /** A node that has accepted a bare socket and has work outstanding. */
    private static final class Accepted implements AutoCloseable {
        final Node node;
        final RawPeer peer;
        final RdmaCmId id;
        final IbvQP qp;
        final SoftMr memory;

        Accepted(SoftProviderConfig config) throws Exception {
            this(config, System::nanoTime);
        }

        Accepted(SoftProviderConfig config, LongSupplier nanoTime) throws Exception {
            node = new Node(config, 4096, nanoTime);
            RdmaCmId listener = node.listen(Pair.loopback(), 4);
            memory = node.register(1 << 20, Node.ALL);
            peer = RawPeer.connect(node.localAddress(listener), true);
            peer.request(true, EnhancedData.clientServer(4, 4), Node.NONE);
            RdmaCmEvent request = node.expect(EventType.RDMA_CM_EVENT_CONNECT_REQUEST);
            id = node.own(request.getConnIdPriv());
            qp = node.newQp(id, 16);
            for (int i = 0; i < 4; i++) {
                node.receive(qp, i, memory, 0, 64);
            }
            node.cm.accept(id, Pair.DEFAULTS);
            node.expect(EventType.RDMA_CM_EVENT_ESTABLISHED);
            peer.expectFrame(true, node);
            node.send(qp, 10, 0, memory, 0, 100);
            node.read(qp, 11, 0, memory, 0, 100, 1, 1);
        }

        void expectFlushed(int requests) throws IOException {
            node.expect(EventType.RDMA_CM_EVENT_DISCONNECTED);
            node.poll();
            List<Long> ids = new ArrayList<>();
            for (Node.Completion c : node.completions) {
                assertThat(c.status()).isEqualTo(VerbsConstants.WC_WR_FLUSH_ERR);
                ids.add(c.id());
            }
            assertThat(ids).doesNotHaveDuplicates().hasSize(requests);
        }

        @Override
        public void close() throws IOException {
            peer.close();
            node.await(
                    "lingering connections to end",
                    () -> node.provider.openResources().connections() == 0);
            node.close();
        }
    }

    private static SoftProviderConfig config() {
        return Node.config().timeouts(t -> t.firstFpduMillis = 60_000).build();
    }

    /** Of six messages four find a receive. The peer has gone when this side writes. */
    @Test
    void messagesThatCameBeforeAWriteFailedAreDeliveredAsReceivesArePosted() throws Exception {
        try (Accepted a = new Accepted(config())) {
            a.peer.send(RawPeer.send(1, 0, true, new byte[1]));
            assertThat(a.node.completion().bytes()).isEqualTo(1);
            for (int number = 2; number <= 6; number++) {
                a.peer.send(RawPeer.send(number, 0, true, new byte[number]));
            }
            a.peer.socket.setOption(StandardSocketOptions.SO_LINGER, 0);
            a.peer.socket.close();
            a.node.send(a.qp, 12, 0, a.memory, 0, 100);
            for (int bytes = 2; bytes <= 6; bytes++) {
                if (bytes > 4) {
                    a.node.receive(a.qp, bytes, a.memory, 0, 64);
                }
                Node.Completion received = a.node.completion();
                assertThat(received.status()).isZero();
                assertThat(received.bytes()).isEqualTo(bytes);
            }
            a.expectFlushed(2);
            assertThat(a.node.reason(a.id)).startsWith("connection lost: ");
        }
    }

    /** Sends an octet to a lingering connection, when that has waited for most of its limit, and has it read. */
    private static void sendLate(Accepted a, AtomicLong clock) throws IOException {
        clock.addAndGet(LINGER_NANOS * 3 / 4);
        a.peer.write(ByteBuffer.allocate(1));
        a.node.await("the octet to be read", () -> {
            try {
                return a.node.extensions.progress(a.node.events);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        });
    }

    private static int connections(Accepted a) {
        return a.node.provider.openResources().connections();
    }

    /** It may be reading the last messages and granting room for more; a reset would cost it the rest. */
    @Test
    void peerThatGoesOnSendingIsReadUntilItIsSilent() throws Exception {
        AtomicLong clock = new AtomicLong();
        try (Accepted a = new Accepted(config(), clock::get)) {
            a.node.cm.disconnect(a.id);
            a.expectFlushed(6);
            for (int i = 0; i < 4; i++) {
                sendLate(a, clock);
                assertThat(connections(a)).isEqualTo(1);
            }
            clock.addAndGet(LINGER_NANOS);
            a.node.drive();
            assertThat(connections(a)).isZero();
        }
    }

    @Test
    void peerThatNeverStopsSendingIsGivenUpInTheEnd() throws Exception {
        AtomicLong clock = new AtomicLong();
        try (Accepted a = new Accepted(config(), clock::get)) {
            a.node.cm.disconnect(a.id);
            a.expectFlushed(6);
            int sent = 0;
            while (connections(a) == 1) {
                sendLate(a, clock);
                sent++;
            }
            assertThat(sent).isBetween(20, 22);
        }
    }

    @Test
    void resourcesInUseCannotBeDestroyed() throws Exception {
        try (Pair p = new Pair().connect()) {
            p.a.register(16, Node.LOCAL);
            assertThatThrownBy(() -> p.a.verbs.destroyCQ(p.a.cq)).hasMessageContaining("in use");
            assertThatThrownBy(() -> p.a.verbs.deallocPd(p.a.pd)).hasMessageContaining("in use");
        }
    }

    @Test
    void closingAnEventChannelGetsTheLastOctetsOut() throws Exception {
        Pair p = new Pair().connect();
        try (p) {
            SoftMr from = p.a.register(1 << 20, Node.LOCAL);
            SoftMr to = p.b.register(1 << 20, Node.ALL);
            for (int i = 0; i < 8; i++) {
                p.a.write(p.aQp, i, from, 1 << 20, to.getRkey(), to.getAddr());
            }
            p.a.cm.disconnect(p.aId);
            p.b.expect(EventType.RDMA_CM_EVENT_DISCONNECTED, p.a);
            // Whatever was staged came as whole FPDUs, though perhaps not as a whole message.
            String reason = p.b.reason(p.bId);
            assertThat(reason == null || reason.contains("inside a message"))
                    .as(reason)
                    .isTrue();
        }
    }

    @Test
    void completionQueueOverrunEndsItsConnectionOnly() throws Exception {
        SoftProviderConfig config = Node.config().build();
        try (Node a = new Node(config);
                Node b = new Node(config, 4)) {
            RdmaCmId listener = b.listen(Pair.loopback(), 4);
            RdmaCmId aId = a.newId();
            IbvQP aQp = a.newQp(aId, 64);
            a.connect(aId, b.localAddress(listener), Pair.DEFAULTS);
            RdmaCmId bId =
                    b.own(b.expect(EventType.RDMA_CM_EVENT_CONNECT_REQUEST, a).getConnIdPriv());
            IbvQP bQp = b.newQp(bId, 64);
            SoftMr from = a.register(16, Node.LOCAL);
            SoftMr to = b.register(16, Node.LOCAL);
            for (int i = 0; i < 10; i++) {
                b.receive(bQp, i, to, 0, 16);
            }
            b.cm.accept(bId, Pair.DEFAULTS);
            a.expect(EventType.RDMA_CM_EVENT_ESTABLISHED, b);
            b.expect(EventType.RDMA_CM_EVENT_ESTABLISHED);
            for (int i = 0; i < 6; i++) {
                a.send(aQp, i, 0, from, 0, 16);
            }
            // Progress without polling.
            a.await("the overrun", () -> {
                try {
                    b.extensions.progress(b.events);
                } catch (IOException e) {
                    throw new AssertionError(e);
                }
                return ((SoftQp) bQp).queues().isInError();
            });
            b.expect(EventType.RDMA_CM_EVENT_DISCONNECTED);
            assertThat(b.reason(bId)).contains("completion queue overrun");
            b.poll();
            assertThat(b.completions).hasSize(10);
            a.expect(EventType.RDMA_CM_EVENT_DISCONNECTED, b);
            assertThat(a.reason(aId)).contains("peer sent Terminate RDMAP/local catastrophic");
        }
    }
}
