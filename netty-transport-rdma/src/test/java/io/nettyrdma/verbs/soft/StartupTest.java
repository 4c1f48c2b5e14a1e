/*
 * Copyright 2026 The Netty RDMA authors
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
 * with the License. You may obtain a copy of the License at
 *
 *     https://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software distributed under the License is distributed
 * on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for
 * the specific language governing permissions and limitations under the License.
 */
package io.nettyrdma.verbs.soft;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.ibm.disni.verbs.IbvQP;
import com.ibm.disni.verbs.RdmaCmEvent;
import com.ibm.disni.verbs.RdmaCmEvent.EventType;
import com.ibm.disni.verbs.RdmaCmId;
import com.ibm.disni.verbs.RdmaConnParam;
import io.nettyrdma.verbs.ConnectionParameters;
import io.nettyrdma.verbs.soft.iwarp.CrcMode;
import io.nettyrdma.verbs.soft.iwarp.Ddp;
import io.nettyrdma.verbs.soft.iwarp.EnhancedData;
import io.nettyrdma.verbs.soft.iwarp.MpaFrame;
import io.nettyrdma.verbs.soft.iwarp.RdmapOpcode;
import io.nettyrdma.verbs.soft.iwarp.TerminateError;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Connecting, accepting, rejecting, and every way in which that fails. */
final class StartupTest {

    private static final EnhancedData DEPTHS = EnhancedData.clientServer(4, 4);

    private static SoftProviderConfig config() {
        return SoftProviderConfig.builder().build();
    }

    private static byte[] data(int bytes) {
        byte[] d = new byte[bytes];
        for (int i = 0; i < bytes; i++) {
            d[i] = (byte) (i + 1);
        }
        return d;
    }

    // ---------------------------------------------------------------- both sides

    @ParameterizedTest
    @ValueSource(ints = {0, 8, 251})
    void privateDataArrivesBothWays(int bytes) throws Exception {
        try (Pair p = new Pair()) {
            p.aId = p.a.newId();
            p.aQp = p.a.newQp(p.aId, 4);
            p.a.connect(p.aId, p.b.localAddress(p.listener), new ConnectionParameters(data(bytes), 8, 2));
            RdmaCmEvent request = p.b.expect(EventType.RDMA_CM_EVENT_CONNECT_REQUEST, p.a);
            assertThat(request.getListenIdPriv()).isSameAs(p.listener);
            ConnectionParameters asked = p.b.extensions.peerParameters(request);
            assertThat(asked.privateData()).isEqualTo(data(bytes));
            assertThat(asked.responderResources()).isEqualTo(2);
            assertThat(asked.initiatorDepth()).isEqualTo(8);
            p.bId = p.b.own(request.getConnIdPriv());
            p.bQp = p.b.newQp(p.bId, 4);
            p.b.cm.accept(p.bId, new ConnectionParameters(data(bytes), 4, 1));
            p.b.expect(EventType.RDMA_CM_EVENT_ESTABLISHED);
            RdmaCmEvent established = p.a.expect(EventType.RDMA_CM_EVENT_ESTABLISHED, p.b);
            ConnectionParameters answered = p.a.extensions.peerParameters(established);
            assertThat(answered.privateData()).isEqualTo(data(bytes));
            assertThat(answered.responderResources()).isEqualTo(8);
            assertThat(answered.initiatorDepth()).isEqualTo(2);
            assertThat(p.a.localAddress(p.aId)).isEqualTo(p.b.extensions.remoteAddress(p.bId));
            assertThat(p.b.localAddress(p.bId)).isEqualTo(p.a.extensions.remoteAddress(p.aId));
            assertThat(p.a.reason(p.aId)).isNull();
        }
    }

    @Test
    void privateDataThatIsTooLongIsRefusedAtOnce() throws Exception {
        try (Pair p = new Pair()) {
            p.aId = p.a.newId();
            p.aQp = p.a.newQp(p.aId, 4);
            assertThatThrownBy(() ->
                            p.a.connect(p.aId, p.b.localAddress(p.listener), new ConnectionParameters(data(252), 1, 1)))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("252");
        }
    }

    @Test
    void plainParametersTakePrivateDataFromRegisteredMemory() throws Exception {
        try (Pair p = new Pair()) {
            ByteBuffer memory = ByteBuffer.allocateDirect(64).put(data(64)).clear();
            SoftMr mr = p.a.register(memory, Node.LOCAL);
            RdmaConnParam plain = new RdmaConnParam();
            plain.setPrivate_data(mr.getAddr() + 3);
            plain.setPrivate_data_len((byte) 5);
            p.aId = p.a.newId();
            p.aQp = p.a.newQp(p.aId, 4);
            p.a.cm.resolveAddr(p.aId, null, p.b.localAddress(p.listener), 100);
            p.a.cm.connect(p.aId, plain);
            RdmaCmEvent request = p.b.expect(EventType.RDMA_CM_EVENT_CONNECT_REQUEST, p.a);
            p.b.own(request.getConnIdPriv());
            assertThat(p.b.extensions.peerParameters(request).privateData()).isEqualTo(new byte[] {4, 5, 6, 7, 8});
            plain.setPrivate_data(mr.getAddr() + 60);
            assertThatThrownBy(() -> p.b.cm.accept(request.getConnIdPriv(), plain))
                    .isInstanceOf(IOException.class);
        }
    }

    @Test
    void rejectCarriesData() throws Exception {
        try (Pair p = new Pair()) {
            p.aId = p.a.newId();
            p.aQp = p.a.newQp(p.aId, 4);
            SoftMr mr = p.a.register(16, Node.LOCAL);
            p.a.receive(p.aQp, 6, mr, 0, 16);
            p.a.connect(p.aId, p.b.localAddress(p.listener), Pair.DEFAULTS);
            RdmaCmId child = p.b.own(
                    p.b.expect(EventType.RDMA_CM_EVENT_CONNECT_REQUEST, p.a).getConnIdPriv());
            p.b.extensions.reject(child, "nope".getBytes(StandardCharsets.US_ASCII));
            RdmaCmEvent rejected = p.a.expect(EventType.RDMA_CM_EVENT_REJECTED, p.b);
            assertThat(rejected.getStatus()).isEqualTo(-104);
            ConnectionParameters said = p.a.extensions.peerParameters(rejected);
            assertThat(said.privateData()).isEqualTo("nope".getBytes(StandardCharsets.US_ASCII));
            // RFC 6581, section 9.1: the depths are for the upper layer, of a reject too.
            assertThat(said.responderResources()).isEqualTo(1);
            assertThat(said.initiatorDepth()).isEqualTo(16);
            assertThat(p.a.reason(p.aId)).isEqualTo("peer rejected the connection");
            assertThat(p.a.completion().status()).isEqualTo(SoftCq.STATUS_FLUSHED);
            assertThatThrownBy(() -> p.b.cm.accept(child, Pair.DEFAULTS)).isInstanceOf(IOException.class);
        }
    }

    @Test
    void destroyingARequestRejectsIt() throws Exception {
        try (Pair p = new Pair()) {
            p.aId = p.a.newId();
            p.aQp = p.a.newQp(p.aId, 4);
            p.a.connect(p.aId, p.b.localAddress(p.listener), Pair.DEFAULTS);
            p.b.cm.destroyCmId(
                    p.b.expect(EventType.RDMA_CM_EVENT_CONNECT_REQUEST, p.a).getConnIdPriv());
            p.a.expect(EventType.RDMA_CM_EVENT_REJECTED, p.b);
        }
    }

    @Test
    void destroyingAListenerRejectsWhatNobodyHasFetched() throws Exception {
        try (Pair p = new Pair()) {
            p.aId = p.a.newId();
            p.aQp = p.a.newQp(p.aId, 4);
            p.a.connect(p.aId, p.b.localAddress(p.listener), Pair.DEFAULTS);
            p.b.await("the request", () -> p.b.provider.openResources().ids() == 2, p.a);
            p.b.cm.destroyCmId(p.listener);
            p.a.expect(EventType.RDMA_CM_EVENT_REJECTED, p.b);
            assertThat(p.b.pollEvent()).isNull();
        }
    }

    @Test
    void migratedIdIsAcceptedOnItsNewEventChannel() throws Exception {
        try (Pair p = new Pair()) {
            com.ibm.disni.verbs.RdmaEventChannel second = p.b.extensions.openConfinedEventChannel();
            p.aId = p.a.newId();
            p.aQp = p.a.newQp(p.aId, 4);
            p.a.connect(p.aId, p.b.localAddress(p.listener), Pair.DEFAULTS);
            RdmaCmId child =
                    p.b.expect(EventType.RDMA_CM_EVENT_CONNECT_REQUEST, p.a).getConnIdPriv();
            p.b.extensions.migrateId(child, second);
            assertThat(child.getCmChannel()).isSameAs(second);
            IbvQP qp = p.b.newQp(child, 4);
            SoftMr mr = p.b.register(16, Node.LOCAL);
            p.b.receive(qp, 1, mr, 0, 16);
            p.b.cm.accept(child, Pair.DEFAULTS);
            p.b.alongside = () -> {
                try {
                    p.b.extensions.progress(second);
                } catch (IOException e) {
                    throw new AssertionError(e);
                }
            };
            p.a.expect(EventType.RDMA_CM_EVENT_ESTABLISHED, p.b);
            assertThat(p.b.extensions.pollCmEvent(second).getEvent())
                    .isEqualTo(EventType.RDMA_CM_EVENT_ESTABLISHED.ordinal());
            SoftMr from = p.a.register(16, Node.LOCAL);
            p.a.send(p.aQp, 1, 0, from, 0, 5);
            assertThat(p.b.completion(p.a).bytes()).isEqualTo(5);
            p.b.cm.destroyCmId(child);
            p.b.await("the end", () -> p.b.provider.openResources().connections() == 0, p.a);
            p.b.alongside = () -> {};
            p.b.extensions.closeEventChannel(second);
            p.b.extensions.closeEventChannel(second);
        }
    }

    @Test
    void idWithAQueuePairDoesNotMigrate() throws Exception {
        try (Pair p = new Pair().connect()) {
            assertThatThrownBy(() -> p.b.extensions.migrateId(p.bId, p.b.events))
                    .isInstanceOf(IOException.class);
        }
    }

    @Test
    void refusedConnectionIsRejectedAsLinuxReportsIt() throws Exception {
        try (Pair p = new Pair()) {
            InetSocketAddress nobody = p.b.localAddress(p.listener);
            p.b.cm.destroyCmId(p.listener);
            p.aId = p.a.newId();
            p.aQp = p.a.newQp(p.aId, 4);
            p.a.connect(p.aId, nobody, Pair.DEFAULTS);
            assertThat(p.a.expect(EventType.RDMA_CM_EVENT_REJECTED).getStatus()).isEqualTo(-111);
            assertThat(p.a.reason(p.aId)).contains("refused");
        }
    }

    // ---------------------------------------------------------------- responder against a bare socket

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
        try (Responder r = new Responder(config())) {
            r.peer.request(true, null, data(20));
            MpaFrame reply = r.accept(new ConnectionParameters(data(3), 8, 8));
            assertThat(reply.revision()).isEqualTo(1);
            assertThat(reply.enhanced()).isNull();
            assertThat(reply.crc()).isTrue();
            assertThat(reply.privateData()).isEqualTo(data(3));
            SoftMr mr = r.node.register(64, Node.LOCAL);
            r.node.receive(r.qp, 1, mr, 0, 64);
            r.peer.send(RawPeer.send(1, 0, true, new byte[9]));
            assertThat(r.node.completion().bytes()).isEqualTo(9);
        }
    }

    @Test
    void linuxInitiatorWithoutCrcGetsNone() throws Exception {
        try (Responder r = new Responder(config(), false)) {
            r.peer.request(false, EnhancedData.clientServer(128, 0), data(8));
            MpaFrame reply = r.accept(new ConnectionParameters(data(8), 0, 0));
            assertThat(reply.crc()).isFalse();
            assertThat(reply.enhanced()).isEqualTo(EnhancedData.clientServer(0, 1));
        }
    }

    @Test
    void requiredCrcIsSwitchedOnAgainstTheRequest() throws Exception {
        try (Responder r = new Responder(
                SoftProviderConfig.builder().crcMode(CrcMode.REQUIRE).build(), true)) {
            r.peer.request(false, DEPTHS, data(8));
            assertThat(r.accept(Pair.DEFAULTS).crc()).isTrue();
        }
    }

    @Test
    void unwantedCrcIsRejected() throws Exception {
        try (Responder r = new Responder(
                SoftProviderConfig.builder().crcMode(CrcMode.NEVER).build())) {
            r.peer.request(true, DEPTHS, data(8));
            MpaFrame reply = r.peer.expectFrame(true, r.node);
            assertThat(reply.rejected()).isTrue();
            assertThat(reply.enhanced()).isNotNull();
            r.peer.expectEnd(r.node);
        }
    }

    @Test
    void markersAreRejected() throws Exception {
        try (Responder r = new Responder(config())) {
            r.peer.frame(new MpaFrame(false, true, true, false, 2, DEPTHS, Node.NONE));
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
        try (Responder r = new Responder(config())) {
            r.peer.write(ByteBuffer.wrap(java.util.HexFormat.of().parseHex(octets)));
            r.peer.expectEnd(r.node);
            assertThat(r.peer.in.hasRemaining()).isFalse();
            assertThat(r.node.pollEvent()).isNull();
        }
    }

    @Test
    void requestThatDoesNotComeInTimeIsClosed() throws Exception {
        try (Responder r = new Responder(
                SoftProviderConfig.builder().mpaRequestTimeoutMillis(30).build())) {
            r.peer.write(ByteBuffer.wrap("MPA ID Req".getBytes(StandardCharsets.US_ASCII)));
            r.peer.expectEnd(r.node);
        }
    }

    @Test
    void requestInSingleOctetsIsUnderstood() throws Exception {
        try (Responder r = new Responder(config())) {
            ByteBuffer out = ByteBuffer.allocate(64);
            new MpaFrame(false, false, true, false, 2, DEPTHS, data(8)).put(out);
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
                SoftProviderConfig.builder().acceptTimeoutMillis(30).build())) {
            r.peer.request(true, DEPTHS, Node.NONE);
            RdmaCmId child = r.node.own(
                    r.node.expect(EventType.RDMA_CM_EVENT_CONNECT_REQUEST).getConnIdPriv());
            assertThat(r.peer.expectFrame(true, r.node).rejected()).isTrue();
            r.peer.expectEnd(r.node);
            assertThat(r.node.reason(child)).contains("not accepted in time");
            r.node.newQp(child, 1);
            assertThatThrownBy(() -> r.node.cm.accept(child, Pair.DEFAULTS)).hasMessageContaining("gone");
            assertThatThrownBy(() -> r.node.extensions.reject(child, Node.NONE)).hasMessageContaining("gone");
        }
    }

    @Test
    void halfOpenConnectionsAreBoundedByTheBacklog() throws Exception {
        try (Node node = new Node(config())) {
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
                peers.get(i).request(true, DEPTHS, data(i));
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
        try (Responder r = new Responder(config())) {
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
                SoftProviderConfig.builder().firstFpduTimeoutMillis(60_000).build())) {
            r.peer.request(true, DEPTHS, Node.NONE);
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
                SoftProviderConfig.builder().firstFpduTimeoutMillis(50).build())) {
            r.peer.request(true, DEPTHS, Node.NONE);
            r.accept(Pair.DEFAULTS);
            SoftMr mr = r.node.register(16, Node.LOCAL);
            long start = System.nanoTime();
            r.node.send(r.qp, 1, Node.SIGNALED, mr, 0, 3);
            assertThat(Ddp.opcode(r.peer.expectFpdu(r.node), 0)).isEqualTo(RdmapOpcode.SEND);
            assertThat(System.nanoTime() - start).isGreaterThan(20_000_000);
        }
    }

    // ---------------------------------------------------------------- initiator against a bare socket

    private static final class Initiator implements AutoCloseable {
        final Node node;
        final ServerSocketChannel server;
        final RdmaCmId id;
        final IbvQP qp;
        final RawPeer peer;
        final MpaFrame request;

        Initiator(SoftProviderConfig config) throws Exception {
            node = new Node(config);
            server = ServerSocketChannel.open().bind(Pair.loopback());
            id = node.newId();
            qp = node.newQp(id, 16);
            node.connect(id, (InetSocketAddress) server.getLocalAddress(), new ConnectionParameters(Node.NONE, 8, 8));
            peer = RawPeer.accept(server, node);
            request = peer.expectFrame(false, node);
        }

        void reply(boolean crc, boolean rejected, EnhancedData enhanced, byte[] data) throws IOException {
            peer.frame(new MpaFrame(true, false, crc, rejected, enhanced == null ? 1 : 2, enhanced, data));
        }

        @Override
        public void close() throws IOException {
            peer.close();
            server.close();
            node.await(
                    "lingering connections to end",
                    () -> node.provider.openResources().connections() == 0);
            node.close();
        }
    }

    @Test
    void initiatorSendsWhatTheDefaultsSay() throws Exception {
        try (Initiator i = new Initiator(config())) {
            assertThat(i.request.revision()).isEqualTo(2);
            assertThat(i.request.crc()).isTrue();
            assertThat(i.request.markers()).isFalse();
            assertThat(i.request.enhanced()).isEqualTo(EnhancedData.clientServer(8, 8));
            // Nothing follows before the Reply.
            for (int k = 0; k < 50; k++) {
                i.node.drive();
                assertThat(i.peer.hasFpdu()).isFalse();
            }
        }
    }

    @Test
    void initiatorAnnouncesItselfWithAnEmptyWrite() throws Exception {
        try (Initiator i = new Initiator(config())) {
            i.reply(true, false, DEPTHS, Node.NONE);
            i.node.expect(EventType.RDMA_CM_EVENT_ESTABLISHED);
            ByteBuffer first = i.peer.expectFpdu(i.node);
            assertThat(Ddp.opcode(first, 0)).isEqualTo(RdmapOpcode.WRITE);
            assertThat(first.capacity()).isEqualTo(Ddp.TAGGED_HEADER_BYTES);
            assertThat(Ddp.stag(first, 0)).isEqualTo(1);
        }
    }

    @Test
    void sendOfTheApplicationSavesTheEmptyWrite() throws Exception {
        try (Initiator i = new Initiator(config())) {
            i.reply(true, false, DEPTHS, Node.NONE);
            i.node.expect(EventType.RDMA_CM_EVENT_ESTABLISHED);
            SoftMr mr = i.node.register(16, Node.LOCAL);
            i.node.send(i.qp, 1, 0, mr, 0, 3);
            assertThat(Ddp.opcode(i.peer.expectFpdu(i.node), 0)).isEqualTo(RdmapOpcode.SEND);
            for (int k = 0; k < 20; k++) {
                i.node.drive();
            }
            assertThat(i.peer.hasFpdu()).isFalse();
        }
    }

    @Test
    void fpdusGluedToTheReplyAreTaken() throws Exception {
        try (Initiator i = new Initiator(config())) {
            SoftMr mr = i.node.register(16, Node.LOCAL);
            i.node.receive(i.qp, 1, mr, 0, 16);
            ByteBuffer both = ByteBuffer.allocate(256);
            new MpaFrame(true, false, true, false, 2, DEPTHS, data(3)).put(both);
            both.put(i.peer.fpdu(RawPeer.send(1, 0, true, new byte[7])));
            i.peer.write(both.flip());
            i.node.expect(EventType.RDMA_CM_EVENT_ESTABLISHED);
            assertThat(i.node.completion().bytes()).isEqualTo(7);
        }
    }

    @Test
    void replyOfRevision1IsTakenWithTheOwnDepths() throws Exception {
        try (Initiator i = new Initiator(config())) {
            i.reply(false, false, null, data(6));
            RdmaCmEvent event = i.node.expect(EventType.RDMA_CM_EVENT_ESTABLISHED);
            assertThat(i.node.extensions.peerParameters(event).privateData()).isEqualTo(data(6));
            SoftMr mr = i.node.register(16, Node.LOCAL);
            i.node.read(i.qp, 1, 0, mr, 0, 16, 5, 5);
            assertThat(Ddp.opcode(i.peer.expectFpdu(i.node), 0)).isEqualTo(RdmapOpcode.READ_REQUEST);
        }
    }

    @Test
    void configuredRevision1SendsAnUnenhancedRequest() throws Exception {
        try (Initiator i =
                new Initiator(SoftProviderConfig.builder().mpaRevision(1).build())) {
            assertThat(i.request.revision()).isEqualTo(1);
            assertThat(i.request.enhanced()).isNull();
            i.reply(true, false, null, Node.NONE);
            i.node.expect(EventType.RDMA_CM_EVENT_ESTABLISHED);
        }
    }

    @Test
    void replyThatWantsTooManyReadsGetsATerminate() throws Exception {
        try (Initiator i = new Initiator(config())) {
            i.reply(true, false, EnhancedData.clientServer(8, 129), Node.NONE);
            assertThat(i.node.expect(EventType.RDMA_CM_EVENT_CONNECT_ERROR).getStatus())
                    .isEqualTo(-22);
            ByteBuffer ulpdu = i.peer.expectFpdu(i.node);
            assertThat(ulpdu.getInt(18)).isEqualTo(0x20060000);
            i.peer.expectEnd(i.node);
            assertThat(i.node.reason(i.id)).contains(TerminateError.MPA_INSUFFICIENT_IRD.text());
            assertThat(i.node.pollEvent()).isNull();
        }
    }

    @Test
    void replyWithMarkersIsRefused() throws Exception {
        try (Initiator i = new Initiator(config())) {
            i.peer.frame(new MpaFrame(true, true, true, false, 2, DEPTHS, Node.NONE));
            assertThat(i.node.expect(EventType.RDMA_CM_EVENT_REJECTED).getStatus())
                    .isEqualTo(-111);
            i.peer.expectEnd(i.node);
        }
    }

    @Test
    void unwantedCrcOfTheReplyIsRefused() throws Exception {
        try (Initiator i = new Initiator(
                SoftProviderConfig.builder().crcMode(CrcMode.NEVER).build())) {
            assertThat(i.request.crc()).isFalse();
            i.reply(true, false, DEPTHS, Node.NONE);
            assertThat(i.node.expect(EventType.RDMA_CM_EVENT_REJECTED).getStatus())
                    .isEqualTo(-111);
        }
    }

    @Test
    void requestInsteadOfAReplyIsAnError() throws Exception {
        try (Initiator i = new Initiator(config())) {
            i.peer.request(true, DEPTHS, Node.NONE);
            assertThat(i.node.expect(EventType.RDMA_CM_EVENT_CONNECT_ERROR).getStatus())
                    .isEqualTo(-22);
            assertThat(i.node.reason(i.id)).contains("no MPA Reply key");
        }
    }

    @Test
    void replyThatDoesNotComeInTimeMakesThePeerUnreachable() throws Exception {
        try (Initiator i = new Initiator(
                SoftProviderConfig.builder().mpaReplyTimeoutMillis(30).build())) {
            assertThat(i.node.expect(EventType.RDMA_CM_EVENT_UNREACHABLE).getStatus())
                    .isEqualTo(-110);
            i.peer.expectEnd(i.node);
        }
    }

    @Test
    void connectionClosedBeforeTheReplyCountsAsRejected() throws Exception {
        try (Initiator i = new Initiator(config())) {
            i.peer.close();
            assertThat(i.node.expect(EventType.RDMA_CM_EVENT_REJECTED).getStatus())
                    .isEqualTo(-104);
        }
    }

    @Test
    void receivesPostedBeforeAFailedConnectAreFlushed() throws Exception {
        try (Initiator i = new Initiator(config())) {
            SoftMr mr = i.node.register(16, Node.LOCAL);
            i.node.receive(i.qp, 1, mr, 0, 16);
            i.peer.close();
            i.node.expect(EventType.RDMA_CM_EVENT_REJECTED);
            assertThat(i.node.completion().status()).isEqualTo(SoftCq.STATUS_FLUSHED);
        }
    }

    @Test
    void boundPortIsKnownAndReusedForConnecting() throws Exception {
        try (Pair p = new Pair()) {
            p.aId = p.a.newId();
            p.aQp = p.a.newQp(p.aId, 4);
            p.a.cm.bindAddr(p.aId, Pair.loopback());
            InetSocketAddress bound = p.a.localAddress(p.aId);
            assertThat(bound.getPort()).isPositive();
            p.a.connect(p.aId, p.b.localAddress(p.listener), Pair.DEFAULTS);
            RdmaCmId child = p.b.own(
                    p.b.expect(EventType.RDMA_CM_EVENT_CONNECT_REQUEST, p.a).getConnIdPriv());
            assertThat(p.b.extensions.remoteAddress(child)).isEqualTo(bound);
        }
    }

    @Test
    void portInUseIsRefused() throws Exception {
        try (Pair p = new Pair()) {
            RdmaCmId other = p.b.newId();
            assertThatThrownBy(() -> p.b.cm.bindAddr(other, p.b.localAddress(p.listener)))
                    .isInstanceOf(IOException.class);
        }
    }
}
