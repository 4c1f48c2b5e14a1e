// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.soft;

import static org.assertj.core.api.Assertions.assertThat;

import com.ibm.disni.verbs.IbvQP;
import com.ibm.disni.verbs.RdmaCmEvent;
import com.ibm.disni.verbs.RdmaCmEvent.EventType;
import com.ibm.disni.verbs.RdmaCmId;
import io.nettyrdma.verbs.soft.iwarp.Ddp;
import io.nettyrdma.verbs.soft.iwarp.MpaFrame;
import io.nettyrdma.verbs.soft.iwarp.RdmapOpcode;
import io.nettyrdma.verbs.spi.ConnectionParameters;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import org.junit.jupiter.api.Test;

/** What an initiator does with a good Reply of a bare socket; {@link StartupMatrixTest} has the bad ones. */
final class InitiatorStartupTest {

    private static final class Initiator implements AutoCloseable {
        final Node node;
        final ServerSocketChannel server;
        final RdmaCmId id;
        final IbvQP qp;
        final RawPeer peer;

        Initiator() throws Exception {
            node = new Node(Startups.config());
            server = ServerSocketChannel.open().bind(Pair.loopback());
            id = node.newId();
            qp = node.newQp(id, 16);
            node.connect(id, (InetSocketAddress) server.getLocalAddress(), new ConnectionParameters(Node.NONE, 8, 8));
            peer = RawPeer.accept(server, node);
            peer.expectFrame(false, node);
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
    void sendOfTheApplicationSavesTheEmptyWrite() throws Exception {
        try (Initiator i = new Initiator()) {
            i.peer.frame(new MpaFrame(true, false, true, false, 2, Startups.DEPTHS, Node.NONE));
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
        try (Initiator i = new Initiator()) {
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
        try (Initiator i = new Initiator()) {
            i.peer.frame(new MpaFrame(true, false, false, false, 1, null, Startups.data(6)));
            RdmaCmEvent event = i.node.expect(EventType.RDMA_CM_EVENT_ESTABLISHED);
            assertThat(i.node.extensions.peerParameters(event).privateData()).isEqualTo(Startups.data(6));
            SoftMr mr = i.node.register(16, Node.LOCAL);
            i.node.read(i.qp, 1, 0, mr, 0, 16, 5, 5);
            assertThat(Ddp.opcode(i.peer.expectFpdu(i.node), 0)).isEqualTo(RdmapOpcode.READ_REQUEST);
        }
    }
}
