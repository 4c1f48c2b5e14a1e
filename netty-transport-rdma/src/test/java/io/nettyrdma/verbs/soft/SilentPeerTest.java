// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.soft;

import static org.assertj.core.api.Assertions.assertThat;

import com.ibm.disni.verbs.RdmaCmEvent.EventType;
import io.nettyrdma.verbs.soft.faults.FaultPlan;
import io.nettyrdma.verbs.soft.faults.FaultRelay;
import io.nettyrdma.verbs.soft.faults.NothingLeft;
import io.nettyrdma.verbs.spi.VerbsConstants;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Peers that say nothing, or take nothing, cost a bounded amount for a bounded time. */
@ExtendWith(NothingLeft.class)
final class SilentPeerTest {

    private static final int MEGABYTE = 1 << 20;

    @Test
    void waitsAreAsDocumented() {
        SoftProviderConfig defaults = Node.config().build();
        assertThat(defaults.mpaRequestTimeoutNanos()).isEqualTo(TimeUnit.SECONDS.toNanos(5));
        assertThat(defaults.mpaReplyTimeoutNanos()).isEqualTo(TimeUnit.SECONDS.toNanos(10));
        assertThat(defaults.acceptTimeoutNanos()).isEqualTo(TimeUnit.SECONDS.toNanos(10));
        assertThat(defaults.partialFpduTimeoutNanos()).isEqualTo(TimeUnit.SECONDS.toNanos(30));
        assertThat(defaults.receiverNotReadyTimeoutMillis()).isEqualTo(1_000);
        assertThat(defaults.firstFpduTimeoutNanos()).isEqualTo(TimeUnit.MILLISECONDS.toNanos(100));
    }

    @Test
    void peerThatTakesNothingStopsNobodyElse() throws Exception {
        SoftProviderConfig config = SoftProviderConfig.builder()
                .sameHost(false)
                .timeouts(t -> t.lingerMillis = 50)
                .build();
        try (Pair p = new Pair(config);
                FaultRelay relay = new FaultRelay(
                        p.b.localAddress(p.listener), FaultPlan.none().stallAt(50_000), FaultPlan.none())) {
            p.a.alongside = relay;
            p.connect(relay.address(), Pair.DEFAULTS, Pair.DEFAULTS);
            try (Bystander bystander = new Bystander(p.a, p.a.listen(Pair.loopback(), 4))) {
                SoftMr from = p.a.register(MEGABYTE, Node.LOCAL);
                SoftMr to = p.b.register(MEGABYTE, Node.ALL);
                for (int i = 0; i < 64; i++) {
                    p.a.write(p.aQp, i, from, MEGABYTE, to.getRkey(), to.getAddr());
                }
                p.a.await("the stall", () -> relay.isHeld() && hasUnsent(p), p.b);
                for (int i = 0; i < 100; i++) {
                    bystander.exchange();
                }
                assertThat(hasUnsent(p)).isTrue();
                long start = System.nanoTime();
                p.a.cm.disconnect(p.aId);
                p.a.await(
                        "the stalled connection to be given up",
                        () -> p.a.provider.openResources().connections() == 1);
                assertThat(System.nanoTime() - start).isGreaterThan(TimeUnit.MILLISECONDS.toNanos(40));
                p.a.expect(EventType.RDMA_CM_EVENT_DISCONNECTED);
                assertThat(p.a.completions)
                        .hasSize(64)
                        .last()
                        .extracting(Node.Completion::status)
                        .isEqualTo(VerbsConstants.WC_WR_FLUSH_ERR);
                bystander.exchange();
            }
        }
    }

    private static boolean hasUnsent(Pair p) {
        return ((SoftCmId) p.aId).connection().tcp().hasUnsent();
    }

    @Test
    void finThatIsLostIsNotWaitedForBeyondTheLinger() throws Exception {
        SoftProviderConfig config =
                Node.config().timeouts(t -> t.lingerMillis = 30).build();
        try (Pair p = new Pair(config);
                FaultRelay relay = new FaultRelay(
                        p.b.localAddress(p.listener), FaultPlan.none().withoutFin(), FaultPlan.none())) {
            p.a.alongside = relay;
            p.connect(relay.address(), Pair.DEFAULTS, Pair.DEFAULTS);
            p.a.cm.disconnect(p.aId);
            p.a.expect(EventType.RDMA_CM_EVENT_DISCONNECTED);
            p.a.await("the linger", () -> p.a.provider.openResources().connections() == 0, p.b);
            // The peer cannot know; to it the connection is idle, until it ends it itself.
            assertThat(p.b.pollEvent()).isNull();
            p.b.cm.disconnect(p.bId);
            p.b.expect(EventType.RDMA_CM_EVENT_DISCONNECTED, p.a);
        }
    }
}
