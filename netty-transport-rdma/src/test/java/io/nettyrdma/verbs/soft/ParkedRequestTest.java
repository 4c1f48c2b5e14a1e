// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.soft;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.ibm.disni.verbs.RdmaCmEvent.EventType;
import com.ibm.disni.verbs.RdmaCmId;
import com.ibm.disni.verbs.RdmaEventChannel;
import io.nettyrdma.verbs.soft.faults.NothingLeft;
import io.nettyrdma.verbs.soft.iwarp.EnhancedData;
import java.io.IOException;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a peer does between its MPA Request and the application's decision, when it ought to wait. */
@ExtendWith(NothingLeft.class)
final class ParkedRequestTest {

    private static final String TOO_EARLY = "peer sent octets behind its MPA Request, before the Reply";

    private Node node;
    private RdmaCmId listener;
    private RawPeer peer;
    private RdmaCmId child;

    @BeforeEach
    void request() throws Exception {
        node = new Node(Node.config().build());
        listener = node.listen(Pair.loopback(), 1);
        peer = RawPeer.connect(node.localAddress(listener), true);
        peer.request(true, EnhancedData.clientServer(4, 4), Node.NONE);
        child = node.own(node.expect(EventType.RDMA_CM_EVENT_CONNECT_REQUEST).getConnIdPriv());
    }

    @AfterEach
    void close() throws Exception {
        peer.close();
        node.alongside = () -> {};
        node.await("the end", () -> connections() == 0);
        node.close();
    }

    private int connections() {
        return node.provider.openResources().connections();
    }

    private void expectGone(String reason) throws IOException {
        node.await("the end of the request", () -> connections() == 0);
        expectRefusal(reason);
    }

    private void expectRefusal(String reason) throws IOException {
        node.newQp(child, 4);
        assertThatThrownBy(() -> node.cm.accept(child, Pair.DEFAULTS))
                .isInstanceOf(IOException.class)
                .hasMessageContaining(reason);
        assertThatThrownBy(() -> node.extensions.reject(child, Node.NONE)).hasMessageContaining("gone");
        assertThat(node.reason(child)).startsWith(reason);
        assertThat(node.pollEvent()).isNull();
        peer.expectEnd(node);
        assertThat(peer.transcript.size()).as("octets of a Reply").isZero();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 20, 1 << 20})
    void octetsEndItAtOnceAndNothingIsKept(int octets) throws Exception {
        peer.socket.write(ByteBuffer.allocate(octets));
        node.await("the end of the request", () -> {
            assertThat(((SoftEventChannel) node.events).buffers().taken())
                    .as("the staging buffers and no more")
                    .isLessThanOrEqualTo(2);
            return connections() == 0;
        });
        expectRefusal(TOO_EARLY);
    }

    @Test
    void octetsThatNobodyWasToldOfAreFoundByTheAccept() throws Exception {
        peer.socket.write(ByteBuffer.allocate(1));
        node.newQp(child, 4);
        assertThatThrownBy(() -> node.cm.accept(child, Pair.DEFAULTS)).hasMessage(TOO_EARLY);
        assertThat(connections()).isZero();
        peer.expectEnd(node);
        assertThat(peer.transcript.size()).as("octets of a Reply").isZero();
    }

    @Test
    void finEndsIt() throws Exception {
        peer.socket.shutdownOutput();
        expectGone("peer closed the connection");
    }

    @Test
    void resetEndsIt() throws Exception {
        peer.socket.setOption(StandardSocketOptions.SO_LINGER, 0);
        peer.socket.close();
        node.await("the end of the request", () -> connections() == 0);
        node.newQp(child, 4);
        assertThatThrownBy(() -> node.cm.accept(child, Pair.DEFAULTS)).hasMessageContaining("connection lost: ");
    }

    @Test
    void itsPlaceInTheBacklogIsFreeAgain() throws Exception {
        try (RawPeer next = RawPeer.connect(node.localAddress(listener), true)) {
            next.request(true, EnhancedData.clientServer(4, 4), Node.NONE);
            for (int i = 0; i < 20; i++) {
                node.drive();
                assertThat(node.pollEvent()).isNull();
            }
            peer.socket.write(ByteBuffer.allocate(1));
            node.cm.destroyCmId(
                    node.expect(EventType.RDMA_CM_EVENT_CONNECT_REQUEST).getConnIdPriv());
            assertThat(next.expectFrame(true, node).rejected()).isTrue();
        }
    }

    @Test
    void octetsEndItOnTheEventChannelThatItHasMovedTo() throws Exception {
        RdmaEventChannel second = node.extensions.openConfinedEventChannel();
        node.extensions.migrateId(child, second);
        peer.socket.write(ByteBuffer.allocate(1));
        for (int i = 0; i < 20; i++) {
            node.drive();
        }
        assertThat(connections()).as("the old event channel has let go of it").isEqualTo(1);
        node.alongside = () -> {
            try {
                node.extensions.progress(second);
            } catch (IOException e) {
                throw new AssertionError(e);
            }
        };
        expectGone(TOO_EARLY);
        node.cm.destroyCmId(child);
        node.disown(child);
        node.alongside = () -> {};
        node.extensions.closeEventChannel(second);
    }

    @Test
    void requestThatWaitsQuietlyIsStillAccepted() throws Exception {
        for (int i = 0; i < 20; i++) {
            node.drive();
        }
        node.newQp(child, 4);
        node.cm.accept(child, Pair.DEFAULTS);
        node.expect(EventType.RDMA_CM_EVENT_ESTABLISHED);
        assertThat(peer.expectFrame(true, node).rejected()).isFalse();
    }
}
