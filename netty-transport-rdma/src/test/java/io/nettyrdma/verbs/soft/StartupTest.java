// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.soft;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.ibm.disni.verbs.IbvQP;
import com.ibm.disni.verbs.RdmaCmEvent;
import com.ibm.disni.verbs.RdmaCmEvent.EventType;
import com.ibm.disni.verbs.RdmaCmId;
import com.ibm.disni.verbs.RdmaEventChannel;
import io.nettyrdma.verbs.spi.ConnectionParameters;
import io.nettyrdma.verbs.spi.VerbsConstants;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Connecting, accepting and rejecting, with the software provider on both sides. */
final class StartupTest {

    @ParameterizedTest
    @ValueSource(ints = {0, 8, 251})
    void privateDataArrivesBothWays(int bytes) throws Exception {
        try (Pair p = new Pair()) {
            p.aId = p.a.newId();
            p.aQp = p.a.newQp(p.aId, 4);
            p.a.connect(p.aId, p.b.localAddress(p.listener), new ConnectionParameters(Startups.data(bytes), 8, 2));
            RdmaCmEvent request = p.b.expect(EventType.RDMA_CM_EVENT_CONNECT_REQUEST, p.a);
            assertThat(request.getListenIdPriv()).isSameAs(p.listener);
            ConnectionParameters asked = p.b.extensions.peerParameters(request);
            assertThat(asked.privateData()).isEqualTo(Startups.data(bytes));
            assertThat(asked.responderResources()).isEqualTo(2);
            assertThat(asked.initiatorDepth()).isEqualTo(8);
            p.bId = p.b.own(request.getConnIdPriv());
            p.bQp = p.b.newQp(p.bId, 4);
            p.b.cm.accept(p.bId, new ConnectionParameters(Startups.data(bytes), 4, 1));
            p.b.expect(EventType.RDMA_CM_EVENT_ESTABLISHED);
            RdmaCmEvent established = p.a.expect(EventType.RDMA_CM_EVENT_ESTABLISHED, p.b);
            ConnectionParameters answered = p.a.extensions.peerParameters(established);
            assertThat(answered.privateData()).isEqualTo(Startups.data(bytes));
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
            assertThatThrownBy(() -> p.a.connect(
                            p.aId, p.b.localAddress(p.listener), new ConnectionParameters(Startups.data(252), 1, 1)))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("252");
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
            assertThat(p.a.completion().status()).isEqualTo(VerbsConstants.WC_WR_FLUSH_ERR);
            assertThatThrownBy(() -> p.b.cm.accept(child, Pair.DEFAULTS)).isInstanceOf(IOException.class);
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
            RdmaEventChannel second = p.b.extensions.openConfinedEventChannel();
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
