// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.soft;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.ibm.disni.verbs.IbvQP;
import com.ibm.disni.verbs.RdmaCmEvent;
import com.ibm.disni.verbs.RdmaCmEvent.EventType;
import com.ibm.disni.verbs.RdmaCmId;
import io.nettyrdma.verbs.soft.iwarp.CrcMode;
import io.nettyrdma.verbs.soft.iwarp.Ddp;
import io.nettyrdma.verbs.soft.iwarp.EnhancedData;
import io.nettyrdma.verbs.soft.iwarp.MpaFrame;
import io.nettyrdma.verbs.soft.iwarp.RdmapOpcode;
import io.nettyrdma.verbs.spi.ConnectionParameters;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Accepting a bare socket that speaks MPA, and every way in which that fails. */
final class ResponderStartupTest {

    private static final class Responder implements AutoCloseable {
        final Node node;
        final RdmaCmId listener;
        final RawPeer peer;
        RdmaCmId id;
        IbvQP qp;

        Responder(SoftProviderConfig config) throws IOException {
            this(config, true);
        }

        Responder(SoftProviderConfig config, boolean crc) throws IOException {
            node = new Node(config);
            listener = node.listen(Pair.loopback(), 4);
            peer = RawPeer.connect(node.localAddress(listener), crc);
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
    void linuxInitiatorWithoutCrcGetsNone() throws Exception {
        try (Responder r = new Responder(Startups.config(), false)) {
            r.peer.request(false, EnhancedData.clientServer(128, 0), Startups.data(8));
            MpaFrame reply = r.accept(new ConnectionParameters(Startups.data(8), 0, 0));
            assertThat(reply.crc()).isFalse();
            assertThat(reply.enhanced()).isEqualTo(EnhancedData.clientServer(0, 1));
        }
    }

    @Test
    void requiredCrcIsSwitchedOnAgainstTheRequest() throws Exception {
        try (Responder r = new Responder(
                SoftProviderConfig.builder().crcMode(CrcMode.REQUIRE).build(), true)) {
            r.peer.request(false, Startups.DEPTHS, Startups.data(8));
            assertThat(r.accept(Pair.DEFAULTS).crc()).isTrue();
        }
    }

    @Test
    void unwantedCrcIsRejected() throws Exception {
        try (Responder r = new Responder(
                SoftProviderConfig.builder().crcMode(CrcMode.NEVER).build())) {
            r.peer.request(true, Startups.DEPTHS, Startups.data(8));
            MpaFrame reply = r.peer.expectFrame(true, r.node);
            assertThat(reply.rejected()).isTrue();
            assertThat(reply.enhanced()).isNotNull();
            r.peer.expectEnd(r.node);
        }
    }

    @Test
    void markersAreRejected() throws Exception {
        try (Responder r = new Responder(Startups.config())) {
            r.peer.frame(new MpaFrame(false, true, true, false, 2, Startups.DEPTHS, Node.NONE));
            MpaFrame reply = r.peer.expectFrame(true, r.node);
            assertThat(reply.rejected()).isTrue();
            assertThat(reply.markers()).isFalse();
            assertThat(reply.enhanced()).isNotNull();
            r.peer.expectEnd(r.node);
            assertThat(r.peer.reset).isFalse();
            assertThat(r.node.pollEvent()).isNull();
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "474554202f20485454502f312e310d0a0d0a", // HTTP
                "4d504120494420526570204672616d6500010000", // a Reply
                "4d504120494420526571204672616d6500030000", // revision 3
                "4d504120494420526571204672616d6500000000", // revision 0
                "4d504120494420526571204672616d6510020201", // PD_Length 513
                "4d504120494420526571204672616d6510020002aaaa", // S without enhanced data
                "4d504120494420526571204672616d6500010000ff", // an octet too many
            })
    void improperRequestIsClosedWithoutAReply(String octets) throws Exception {
        try (Responder r = new Responder(Startups.config())) {
            r.peer.write(ByteBuffer.wrap(HexFormat.of().parseHex(octets)));
            r.peer.expectEnd(r.node);
            assertThat(r.peer.in.hasRemaining()).isFalse();
            assertThat(r.node.pollEvent()).isNull();
        }
    }

    @Test
    void requestThatDoesNotComeInTimeIsClosed() throws Exception {
        try (Responder r = new Responder(SoftProviderConfig.builder()
                .timeouts(t -> t.mpaRequestMillis = 30)
                .build())) {
            r.peer.write(ByteBuffer.wrap("MPA ID Req".getBytes(StandardCharsets.US_ASCII)));
            r.peer.expectEnd(r.node);
        }
    }

    @Test
    void requestInSingleOctetsIsUnderstood() throws Exception {
        try (Responder r = new Responder(Startups.config())) {
            ByteBuffer out = ByteBuffer.allocate(64);
            new MpaFrame(false, false, true, false, 2, Startups.DEPTHS, Startups.data(8)).put(out);
            out.flip();
            while (out.hasRemaining()) {
                r.peer.write(ByteBuffer.wrap(new byte[] {out.get()}));
                r.node.drive();
            }
            assertThat(r.accept(Pair.DEFAULTS).enhanced().ird()).isEqualTo(16);
        }
    }

    @Test
    void requestThatNobodyAcceptsIsRejected() throws Exception {
        try (Responder r = new Responder(
                SoftProviderConfig.builder().timeouts(t -> t.acceptMillis = 30).build())) {
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

    @Test
    void halfOpenConnectionsAreBoundedByTheBacklog() throws Exception {
        // No time passes: who is silent has just come.
        try (Node node = new Node(Startups.config(), 4096, () -> 0)) {
            RdmaCmId listener = node.listen(Pair.loopback(), 2);
            List<RawPeer> peers = new ArrayList<>();
            for (int i = 0; i < 5; i++) {
                peers.add(RawPeer.connect(node.localAddress(listener), true));
            }
            node.await("two connections", () -> node.provider.openResources().connections() == 2);
            for (int i = 0; i < 100; i++) {
                node.drive();
                assertThat(node.provider.openResources().connections()).isEqualTo(2);
            }
            // One that gives up makes room for the next.
            for (int i = 0; i < 5; i++) {
                peers.get(i).request(true, Startups.DEPTHS, Startups.data(i));
            }
            for (int i = 0; i < 5; i++) {
                RdmaCmEvent request = node.expect(EventType.RDMA_CM_EVENT_CONNECT_REQUEST);
                node.cm.destroyCmId(request.getConnIdPriv());
            }
            for (RawPeer peer : peers) {
                peer.close();
            }
            node.await("the end", () -> node.provider.openResources().connections() == 0);
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
        try (Responder r = new Responder(SoftProviderConfig.builder()
                .timeouts(t -> t.firstFpduMillis = 60_000)
                .build())) {
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
        try (Responder r = new Responder(SoftProviderConfig.builder()
                .timeouts(t -> t.firstFpduMillis = 50)
                .build())) {
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
