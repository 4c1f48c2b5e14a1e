// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.soft;

import static org.assertj.core.api.Assertions.assertThat;

import com.ibm.disni.verbs.IbvQP;
import com.ibm.disni.verbs.RdmaCmEvent;
import com.ibm.disni.verbs.RdmaCmEvent.EventType;
import com.ibm.disni.verbs.RdmaCmId;
import io.nettyrdma.verbs.soft.iwarp.CrcMode;
import io.nettyrdma.verbs.soft.iwarp.Ddp;
import io.nettyrdma.verbs.soft.iwarp.EnhancedData;
import io.nettyrdma.verbs.soft.iwarp.MpaFrame;
import io.nettyrdma.verbs.soft.iwarp.RdmapOpcode;
import io.nettyrdma.verbs.soft.iwarp.TerminateError;
import io.nettyrdma.verbs.spi.ConnectionParameters;
import io.nettyrdma.verbs.spi.VerbsConstants;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import org.junit.jupiter.api.Test;

/** Connecting to a bare socket that speaks MPA, and every way in which that fails. */
final class InitiatorStartupTest {

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
        try (Initiator i = new Initiator(Startups.config())) {
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
        try (Initiator i = new Initiator(Startups.config())) {
            i.reply(true, false, Startups.DEPTHS, Node.NONE);
            i.node.expect(EventType.RDMA_CM_EVENT_ESTABLISHED);
            ByteBuffer first = i.peer.expectFpdu(i.node);
            assertThat(Ddp.opcode(first, 0)).isEqualTo(RdmapOpcode.WRITE);
            assertThat(first.capacity()).isEqualTo(Ddp.TAGGED_HEADER_BYTES);
            assertThat(Ddp.stag(first, 0)).isEqualTo(1);
        }
    }

    @Test
    void sendOfTheApplicationSavesTheEmptyWrite() throws Exception {
        try (Initiator i = new Initiator(Startups.config())) {
            i.reply(true, false, Startups.DEPTHS, Node.NONE);
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
        try (Initiator i = new Initiator(Startups.config())) {
            SoftMr mr = i.node.register(16, Node.LOCAL);
            i.node.receive(i.qp, 1, mr, 0, 16);
            ByteBuffer both = ByteBuffer.allocate(256);
            new MpaFrame(true, false, true, false, 2, Startups.DEPTHS, Startups.data(3)).put(both);
            both.put(i.peer.fpdu(RawPeer.send(1, 0, true, new byte[7])));
            i.peer.write(both.flip());
            i.node.expect(EventType.RDMA_CM_EVENT_ESTABLISHED);
            assertThat(i.node.completion().bytes()).isEqualTo(7);
        }
    }

    @Test
    void replyOfRevision1IsTakenWithTheOwnDepths() throws Exception {
        try (Initiator i = new Initiator(Startups.config())) {
            i.reply(false, false, null, Startups.data(6));
            RdmaCmEvent event = i.node.expect(EventType.RDMA_CM_EVENT_ESTABLISHED);
            assertThat(i.node.extensions.peerParameters(event).privateData()).isEqualTo(Startups.data(6));
            SoftMr mr = i.node.register(16, Node.LOCAL);
            i.node.read(i.qp, 1, 0, mr, 0, 16, 5, 5);
            assertThat(Ddp.opcode(i.peer.expectFpdu(i.node), 0)).isEqualTo(RdmapOpcode.READ_REQUEST);
        }
    }

    @Test
    void replyThatWantsTooManyReadsGetsATerminate() throws Exception {
        try (Initiator i = new Initiator(Startups.config())) {
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
        try (Initiator i = new Initiator(Startups.config())) {
            i.peer.frame(new MpaFrame(true, true, true, false, 2, Startups.DEPTHS, Node.NONE));
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
            i.reply(true, false, Startups.DEPTHS, Node.NONE);
            assertThat(i.node.expect(EventType.RDMA_CM_EVENT_REJECTED).getStatus())
                    .isEqualTo(-111);
        }
    }

    @Test
    void requestInsteadOfAReplyIsAnError() throws Exception {
        try (Initiator i = new Initiator(Startups.config())) {
            i.peer.request(true, Startups.DEPTHS, Node.NONE);
            assertThat(i.node.expect(EventType.RDMA_CM_EVENT_CONNECT_ERROR).getStatus())
                    .isEqualTo(-22);
            assertThat(i.node.reason(i.id)).contains("no MPA Reply key");
        }
    }

    @Test
    void replyThatDoesNotComeInTimeMakesThePeerUnreachable() throws Exception {
        try (Initiator i = new Initiator(SoftProviderConfig.builder()
                .timeouts(t -> t.mpaReplyMillis = 30)
                .build())) {
            assertThat(i.node.expect(EventType.RDMA_CM_EVENT_UNREACHABLE).getStatus())
                    .isEqualTo(-110);
            i.peer.expectEnd(i.node);
        }
    }

    @Test
    void connectionClosedBeforeTheReplyCountsAsRejected() throws Exception {
        try (Initiator i = new Initiator(Startups.config())) {
            i.peer.close();
            assertThat(i.node.expect(EventType.RDMA_CM_EVENT_REJECTED).getStatus())
                    .isEqualTo(-104);
        }
    }

    @Test
    void receivesPostedBeforeAFailedConnectAreFlushed() throws Exception {
        try (Initiator i = new Initiator(Startups.config())) {
            SoftMr mr = i.node.register(16, Node.LOCAL);
            i.node.receive(i.qp, 1, mr, 0, 16);
            i.peer.close();
            i.node.expect(EventType.RDMA_CM_EVENT_REJECTED);
            assertThat(i.node.completion().status()).isEqualTo(VerbsConstants.WC_WR_FLUSH_ERR);
        }
    }

    @Test
    void initiatorWithoutCrcTakesAnyValue() throws Exception {
        try (Initiator i = new Initiator(
                SoftProviderConfig.builder().crcMode(CrcMode.NEVER).build())) {
            assertThat(i.request.crc()).isFalse();
            i.reply(false, false, Startups.DEPTHS, Node.NONE);
            i.node.expect(EventType.RDMA_CM_EVENT_ESTABLISHED);
            SoftMr mr = i.node.register(16, Node.LOCAL);
            i.node.receive(i.qp, 1, mr, 0, 16);
            ByteBuffer fpdu = i.peer.fpdu(RawPeer.send(1, 0, true, new byte[8]));
            i.peer.write(fpdu.putInt(fpdu.limit() - 4, 0xdeadbeef));
            assertThat(i.node.completion().bytes()).isEqualTo(8);
        }
    }
}
