// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.soft;

import static org.assertj.core.api.Assertions.assertThat;

import com.ibm.disni.verbs.IbvQP;
import com.ibm.disni.verbs.RdmaCmEvent.EventType;
import com.ibm.disni.verbs.RdmaCmId;
import org.junit.jupiter.api.Test;

/** Which connection a polling loop looks at before it asks the selector, and how often. */
final class BusyConnectionTest {

    private final BusyConnection busy = new BusyConnection();

    /** A stream of which each look finds so many octets. */
    private static final class Source implements SelectorHandler {
        private int octets;
        private boolean idle = true;

        Source(int octets) {
            this.octets = octets;
        }

        @Override
        public void onFailure(Throwable e) {
            throw new AssertionError(e);
        }

        @Override
        public void onReady(int operations) {}

        @Override
        public boolean mayLook() {
            return idle;
        }

        @Override
        public int poll() {
            return octets;
        }

        @Override
        public void shutdown() {}
    }

    private void select(SelectorHandler... ready) {
        for (SelectorHandler handler : ready) {
            busy.onReady(handler);
        }
        busy.onSelected();
    }

    private int looks() {
        int looks = 0;
        while (busy.poll()) {
            looks++;
        }
        return looks;
    }

    @Test
    void selectorIsAskedAtOnceBesideAReadyChannelOfTheEventLoop() {
        busy.onReady(null);
        select(new Source(1));
        assertThat(looks()).isZero();
    }

    @Test
    void selectorIsAskedAfterEightLooks() {
        for (int octets : new int[] {0, 1}) {
            select(new Source(octets));
            assertThat(busy.poll()).isTrue();
            assertThat(busy.hasFound()).isEqualTo(octets > 0);
            assertThat(looks()).isEqualTo(7);
        }
    }

    @Test
    void selectorIsAskedAfter64KiB() {
        select(new Source(30_000));
        assertThat(looks()).isEqualTo(3);
        select(new Source(1_000_000));
        assertThat(looks()).isEqualTo(1);
    }

    @Test
    void onlyAConnectionThatWasReadyAloneIsLookedAt() {
        assertThat(looks()).isZero();
        select(new Source(0), new Source(0));
        assertThat(looks()).isZero();
        select(new Source(0));
        assertThat(looks()).isEqualTo(8);
        select(); // nothing else was ready
        assertThat(looks()).isEqualTo(8);
        busy.forget();
        select();
        assertThat(looks()).isZero();
    }

    @Test
    void connectionThatWaitsForMoreThanAMessageIsForgotten() {
        Source source = new Source(0);
        select(source);
        source.idle = false;
        assertThat(looks()).isZero();
        source.idle = true;
        assertThat(looks()).isZero();

        source.idle = false; // as one that may still go to another event channel
        select(source);
        source.idle = true;
        assertThat(looks()).isZero();
    }

    @Test
    void connectionThatIsNeverSilentKeepsNoOtherWaiting() throws Exception {
        try (Pair p = new Pair().connect()) {
            RdmaCmId quietId = p.a.newId();
            IbvQP quiet = p.a.newQp(quietId, 8);
            p.a.connect(quietId, p.b.localAddress(p.listener), Pair.DEFAULTS);
            RdmaCmId accepted = p.b.own(
                    p.b.expect(EventType.RDMA_CM_EVENT_CONNECT_REQUEST, p.a).getConnIdPriv());
            IbvQP acceptedQp = p.b.newQp(accepted, 8);
            p.b.cm.accept(accepted, Pair.DEFAULTS);
            p.b.expect(EventType.RDMA_CM_EVENT_ESTABLISHED);
            p.a.expect(EventType.RDMA_CM_EVENT_ESTABLISHED, p.b);
            SoftMr from = p.a.register(16, Node.LOCAL);
            SoftMr to = p.b.register(16, Node.LOCAL);
            p.b.receive(acceptedQp, 1000, to, 0, 16);
            int rounds = BusyConnection.MOST_LOOKS + 4; // a few before and behind the looks
            int of = -1;
            for (int i = 0; i < rounds && of != acceptedQp.getQp_num(); i++) {
                p.b.receive(p.bQp, i, to, 0, 16);
                p.a.send(p.aQp, i, 0, from, 0, 1);
                if (i == 1) { // when the other connection is the busy one
                    p.a.send(quiet, i, 0, from, 0, 1);
                }
                of = p.b.completion().qp();
            }
            assertThat(of).isEqualTo(acceptedQp.getQp_num());
        }
    }
}
