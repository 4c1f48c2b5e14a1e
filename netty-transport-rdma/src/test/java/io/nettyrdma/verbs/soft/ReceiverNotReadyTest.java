// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.soft;

import static org.assertj.core.api.Assertions.assertThat;

import com.ibm.disni.verbs.RdmaCmEvent.EventType;
import io.nettyrdma.verbs.spi.ConnectionParameters;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** A burst of Sends into an empty receive queue costs latency; only a receiver that stays away costs the connection. */
final class ReceiverNotReadyTest {

    private static SoftProviderConfig config(int millis) {
        return Node.config().receiverNotReadyTimeoutMillis(millis).build();
    }

    @Test
    void burstIsTakenAsReceivesArePosted() throws Exception {
        try (Pair p = new Pair(config(60_000)).connect()) {
            SoftMr from = p.a.register(100_000, Node.LOCAL);
            SoftMr to = p.b.register(100_000, Node.ALL);
            for (int i = 0; i < 40; i++) {
                p.a.send(p.aQp, i, 0, from, 0, 50_000 + i);
                p.a.write(p.aQp, 100 + i, from, 10, to.getRkey(), to.getAddr());
            }
            for (int i = 0; i < 50; i++) {
                p.a.drive();
                p.b.drive();
            }
            assertThat(p.b.completions).isEmpty();
            for (int i = 0; i < 40; i++) {
                p.b.receive(p.bQp, i, to, 0, 100_000);
                Node.Completion c = p.b.completion(p.a);
                assertThat(c.id()).isEqualTo(i);
                assertThat(c.bytes()).isEqualTo(50_000 + i);
            }
        }
    }

    @Test
    void receiverThatStaysAwayEndsTheConnection() throws Exception {
        try (Pair p = new Pair(config(40)).connect()) {
            SoftMr from = p.a.register(64, Node.LOCAL);
            p.a.send(p.aQp, 1, 0, from, 0, 20);
            p.a.expect(EventType.RDMA_CM_EVENT_DISCONNECTED, p.b);
            p.b.expect(EventType.RDMA_CM_EVENT_DISCONNECTED, p.a);
            assertThat(p.a.reason(p.aId)).isEqualTo("peer sent Terminate DDP/untagged buffer/no buffer (12 02 c0 00)");
            assertThat(p.b.reason(p.bId))
                    .startsWith("peer sent into an empty receive queue, and no receive came within 40 ms"
                            + " (RDMA_RECEIVER_NOT_READY_TIMEOUT_MILLIS); sent Terminate");
        }
    }

    @Test
    void eachConnectionSaysForHowLongItsPeerWaits() throws Exception {
        AtomicLong clock = new AtomicLong();
        SoftProviderConfig tcp =
                Node.config().sameHost(false).receiverNotReadyTimeoutMillis(0).build();
        Node patient = new Node(tcp, 4096, clock::get);
        ConnectionParameters tenSeconds = new ConnectionParameters(Node.NONE, 16, 16, 10_000);
        try (Pair p = new Pair(new Node(tcp), patient, Pair.loopback()).connect(null, Pair.DEFAULTS, tenSeconds)) {
            SoftMr from = p.a.register(64, Node.LOCAL);
            SoftMr to = patient.register(64, Node.LOCAL);
            p.a.send(p.aQp, 1, 0, from, 0, 20);
            patient.await(
                    "the stall", () -> ((SoftCmId) p.bId).connection().tcp().hasUnparsed(), p.a);
            clock.addAndGet(TimeUnit.SECONDS.toNanos(10) - 1);
            patient.drive();
            patient.receive(p.bQp, 7, to, 0, 64);
            assertThat(patient.completion(p.a).bytes()).isEqualTo(20);

            p.a.send(p.aQp, 2, 0, from, 0, 20);
            patient.await(
                    "the stall", () -> ((SoftCmId) p.bId).connection().tcp().hasUnparsed(), p.a);
            clock.addAndGet(TimeUnit.SECONDS.toNanos(10));
            patient.expect(EventType.RDMA_CM_EVENT_DISCONNECTED, p.a);
            assertThat(patient.reason(p.bId)).contains("no receive came within 10000 ms");
        }
    }

    @Test
    void receivePostedInTimeCountsHoweverLateTheThreadIs() throws Exception {
        AtomicLong clock = new AtomicLong();
        SoftProviderConfig config = config(1_000);
        Node late = new Node(config, 4096, clock::get);
        try (Pair p = new Pair(new Node(config), late, Pair.loopback()).connect()) {
            SoftMr from = p.a.register(64, Node.LOCAL);
            SoftMr to = late.register(64, Node.LOCAL);
            p.a.send(p.aQp, 1, 0, from, 0, 20);
            late.await("the stall", () -> ((SoftCmId) p.bId).connection().tcp().hasUnparsed(), p.a);

            late.receive(p.bQp, 7, to, 0, 64);
            clock.addAndGet(TimeUnit.SECONDS.toNanos(2));

            assertThat(late.completion(p.a).bytes()).isEqualTo(20);
            p.a.send(p.aQp, 2, 0, from, 0, 30);
            late.receive(p.bQp, 8, to, 0, 64);
            assertThat(late.completion(p.a).bytes()).isEqualTo(30);
        }
    }

    @Test
    void waitingForAReceiveDoesNotKeepTheOwnSendsBack() throws Exception {
        try (Pair p = new Pair(config(60_000)).connect()) {
            SoftMr a = p.a.register(64, Node.LOCAL);
            SoftMr b = p.b.register(64, Node.LOCAL);
            p.a.receive(p.aQp, 5, a, 0, 64);
            p.a.send(p.aQp, 1, 0, a, 0, 20);
            p.b.await("the stall", () -> ((SoftCmId) p.bId).connection().tcp().hasUnparsed(), p.a);
            p.b.send(p.bQp, 1, 0, b, 0, 30);
            assertThat(p.a.completion(p.b).bytes()).isEqualTo(30);
        }
    }
}
