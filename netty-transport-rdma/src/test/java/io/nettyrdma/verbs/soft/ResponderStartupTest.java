// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.soft;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.ibm.disni.verbs.IbvQP;
import com.ibm.disni.verbs.RdmaCmEvent.EventType;
import com.ibm.disni.verbs.RdmaCmId;
import io.nettyrdma.verbs.soft.iwarp.Ddp;
import io.nettyrdma.verbs.soft.iwarp.EnhancedData;
import io.nettyrdma.verbs.soft.iwarp.MpaFrame;
import io.nettyrdma.verbs.soft.iwarp.RdmapOpcode;
import io.nettyrdma.verbs.spi.ConnectionParameters;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What a responder does with a good Request of a bare socket; {@link StartupMatrixTest} has the bad ones. */
final class ResponderStartupTest {

    private static final class Responder implements AutoCloseable {
        final Node node;
        final RawPeer peer;
        RdmaCmId id;
        IbvQP qp;

        Responder(SoftProviderConfig config) throws IOException {
            this(config, true);
        }

        Responder(SoftProviderConfig config, boolean crc) throws IOException {
            node = new Node(config);
            peer = RawPeer.connect(node.localAddress(node.listen(Pair.loopback(), 4)), crc);
        }

        MpaFrame accept(ConnectionParameters parameters) throws Exception {
            id = node.own(node.expect(EventType.RDMA_CM_EVENT_CONNECT_REQUEST).getConnIdPriv());
            qp = node.newQp(id, 16);
            node.cm.accept(id, parameters);
            node.expect(EventType.RDMA_CM_EVENT_ESTABLISHED);
            return peer.expectFrame(true, node);
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

    @Test
    void revision1InitiatorIsAnsweredInKind() throws Exception {
        try (Responder r = new Responder(Startups.config())) {
            r.peer.request(true, null, Startups.data(20));
            MpaFrame reply = r.accept(new ConnectionParameters(Startups.data(3), 8, 8));
            assertThat(reply.revision()).isEqualTo(1);
            assertThat(reply.enhanced()).isNull();
            assertThat(reply.crc()).isTrue();
            assertThat(reply.privateData()).isEqualTo(Startups.data(3));
            SoftMr mr = r.node.register(64, Node.LOCAL);
            r.node.receive(r.qp, 1, mr, 0, 64);
            r.peer.send(RawPeer.send(1, 0, true, new byte[9]));
            assertThat(r.node.completion().bytes()).isEqualTo(9);
        }
    }

    @Test
    void requestThatNobodyAcceptsIsRejected() throws Exception {
        try (Responder r =
                new Responder(Node.config().timeouts(t -> t.acceptMillis = 30).build())) {
            r.peer.request(true, Startups.DEPTHS, Node.NONE);
            RdmaCmId child = r.node.own(
                    r.node.expect(EventType.RDMA_CM_EVENT_CONNECT_REQUEST).getConnIdPriv());
            assertThat(r.peer.expectFrame(true, r.node).rejected()).isTrue();
            r.peer.expectEnd(r.node);
            assertThat(r.node.reason(child)).isEqualTo("the connection request was not accepted within 30 ms");
            r.node.newQp(child, 1);
            assertThatThrownBy(() -> r.node.cm.accept(child, Pair.DEFAULTS)).hasMessageContaining("gone");
            assertThatThrownBy(() -> r.node.extensions.reject(child, Node.NONE)).hasMessageContaining("gone");
        }
    }

    @ParameterizedTest(name = "Write offered {0}, Read offered {1}")
    @CsvSource({"true, true", "false, true", "true, false"})
    void peerToPeerInitiatorIsServed(boolean write, boolean read) throws Exception {
        try (Responder r = new Responder(Startups.config())) {
            r.peer.request(true, new EnhancedData(true, true, write, read, 4, 1), Node.NONE);
            EnhancedData answer =
                    r.accept(new ConnectionParameters(Node.NONE, 4, 4)).enhanced();
            assertThat(answer.peerToPeer()).isTrue();
            assertThat(answer.writeRtr()).isEqualTo(write);
            SoftMr mr = r.node.register(16, Node.LOCAL);
            r.node.send(r.qp, 1, Node.SIGNALED, mr, 0, 3);
            if (write) {
                r.peer.send(RawPeer.write(1, 0, true, new byte[0]));
            } else {
                r.peer.send(RawPeer.readRequest(1, 1, 0, 0, 1, 0));
                assertThat(Ddp.opcode(r.peer.expectFpdu(r.node), 0)).isEqualTo(RdmapOpcode.READ_RESPONSE);
            }
            assertThat(Ddp.opcode(r.peer.expectFpdu(r.node), 0)).isEqualTo(RdmapOpcode.SEND);
        }
    }

    @Test
    void responderSpeaksOnlyAfterTheInitiator() throws Exception {
        try (Responder r = new Responder(
                Node.config().timeouts(t -> t.firstFpduMillis = 60_000).build())) {
            r.peer.request(true, Startups.DEPTHS, Node.NONE);
            r.accept(Pair.DEFAULTS);
            SoftMr mr = r.node.register(16, Node.LOCAL);
            r.node.send(r.qp, 1, Node.SIGNALED, mr, 0, 3);
            for (int i = 0; i < 100; i++) {
                r.node.drive();
                assertThat(r.peer.hasFpdu()).isFalse();
            }
            r.peer.send(RawPeer.write(1, 0, true, new byte[0]));
            assertThat(Ddp.opcode(r.peer.expectFpdu(r.node), 0)).isEqualTo(RdmapOpcode.SEND);
        }
    }

    @Test
    void responderSpeaksAfterAWhileToAnInitiatorThatDoesNot() throws Exception {
        try (Responder r = new Responder(
                Node.config().timeouts(t -> t.firstFpduMillis = 50).build())) {
            r.peer.request(true, Startups.DEPTHS, Node.NONE);
            r.accept(Pair.DEFAULTS);
            SoftMr mr = r.node.register(16, Node.LOCAL);
            long start = System.nanoTime();
            r.node.send(r.qp, 1, Node.SIGNALED, mr, 0, 3);
            assertThat(Ddp.opcode(r.peer.expectFpdu(r.node), 0)).isEqualTo(RdmapOpcode.SEND);
            assertThat(System.nanoTime() - start).isGreaterThan(20_000_000);
        }
    }

    @Test
    void withoutCrcAnyValueIsTaken() throws Exception {
        try (Responder r = new Responder(Startups.config(), false)) {
            r.peer.request(false, Startups.DEPTHS, Node.NONE);
            assertThat(r.accept(Pair.DEFAULTS).crc()).isFalse();
            SoftMr mr = r.node.register(16, Node.LOCAL);
            r.node.receive(r.qp, 1, mr, 0, 16);
            ByteBuffer fpdu = r.peer.fpdu(RawPeer.send(1, 0, true, new byte[8]));
            r.peer.write(fpdu.putInt(fpdu.limit() - 4, 0xdeadbeef));
            assertThat(r.node.completion().bytes()).isEqualTo(8);
        }
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource({
        "0x20060000, insufficient IRD (20 06 00 00)",
        "0x02060000, insufficient IRD (02 06 00 00)", // Linux
        "0x20070000, no matching RTR (20 07 00 00)",
        "0x02070000, no matching RTR (02 07 00 00)",
        "0x20050000, local catastrophic error (20 05 00 00)",
        "0x02040000, invalid start-up frame (02 04 00 00)",
    })
    void terminateBehindTheReplyIsAboutTheStartup(int control, String meaning) throws Exception {
        try (Responder r = new Responder(Startups.config())) {
            r.peer.request(true, Startups.DEPTHS, Node.NONE);
            r.accept(Pair.DEFAULTS);
            r.peer.send(out -> {
                Ddp.putUntagged(out, RdmapOpcode.TERMINATE, true, 0, Ddp.QUEUE_TERMINATE, 1, 0);
                out.putInt(control);
            });
            r.node.expect(EventType.RDMA_CM_EVENT_DISCONNECTED);
            assertThat(r.node.reason(r.id)).isEqualTo("peer sent Terminate LLP/MPA/" + meaning);
            r.peer.expectEnd(r.node);
            assertThat(r.peer.in.hasRemaining()).as("an answer").isFalse();
        }
    }
}
