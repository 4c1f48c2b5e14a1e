// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.soft;

import static io.nettyrdma.verbs.soft.Messages.SMALL_SEGMENTS;
import static io.nettyrdma.verbs.soft.Messages.WC_READ;
import static io.nettyrdma.verbs.soft.Messages.WC_RECV;
import static io.nettyrdma.verbs.soft.Messages.WC_SEND;
import static io.nettyrdma.verbs.soft.Messages.WC_WRITE;
import static io.nettyrdma.verbs.soft.Messages.assertSuccess;
import static io.nettyrdma.verbs.soft.Messages.random;
import static org.assertj.core.api.Assertions.assertThat;

import com.ibm.disni.verbs.IbvMr;
import io.nettyrdma.conformance.Requirement;
import io.nettyrdma.verbs.soft.faults.FaultPlan;
import io.nettyrdma.verbs.soft.faults.FaultRelay;
import io.nettyrdma.verbs.soft.iwarp.CrcMode;
import io.nettyrdma.verbs.spi.VerbsConstants;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Every kind of message over real sockets. */
final class MessagesTest {

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 3, 24, 63, 64, 65, 1000, 32_768, 32_769, 65_536, 200_001, 1_000_000})
    void sendArrivesInThePostedReceive(int bytes) throws Exception {
        try (Pair p = new Pair().connect()) {
            ByteBuffer data = random(Math.max(bytes, 1), bytes);
            ByteBuffer memory = ByteBuffer.allocateDirect(1_000_000);
            SoftMr from = p.a.register(data, Node.LOCAL);
            SoftMr to = p.b.register(memory, Node.LOCAL);
            p.b.receive(p.bQp, 7, to, 0, 1_000_000);
            p.a.send(p.aQp, 3, Node.SIGNALED, from, 0, bytes);
            assertSuccess(p.a.completion(p.b), 3, WC_SEND, bytes);
            assertSuccess(p.b.completion(p.a), 7, WC_RECV, bytes);
            assertThat(memory.slice(0, bytes)).isEqualTo(data.slice(0, bytes));
        }
    }

    @Test
    void messageOfManySegmentsIsPutTogether() throws Exception {
        try (Pair p = new Pair(SMALL_SEGMENTS).connect()) {
            ByteBuffer data = random(5003, 1);
            ByteBuffer memory = ByteBuffer.allocateDirect(8192);
            SoftMr from = p.a.register(data, Node.LOCAL);
            SoftMr to = p.b.register(memory, Node.ALL);
            p.b.receive(p.bQp, 1, to, 0, 8192);
            p.a.send(p.aQp, 1, Node.SIGNALED, from, 0, 5003);
            assertSuccess(p.b.completion(p.a), 1, WC_RECV, 5003);
            assertThat(memory.slice(0, 5003)).isEqualTo(data);

            p.a.write(p.aQp, 2, from, 5003, to.getRkey(), to.getAddr() + 100);
            p.a.completion(p.b);
            assertSuccess(p.a.completion(p.b), 2, WC_WRITE, 5003);
            p.b.await("the Write", () -> memory.slice(100, 5003).equals(data), p.a);

            SoftMr sink = p.b.register(ByteBuffer.allocateDirect(6000), Node.LOCAL);
            SoftMr source = p.a.register(data, IbvMr.IBV_ACCESS_REMOTE_READ);
            p.b.read(p.bQp, 3, Node.SIGNALED, sink, 0, 5003, source.getRkey(), source.getAddr());
            assertSuccess(p.b.completion(p.a), 3, WC_READ, 5003);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 3, 17})
    void anyTcpSegmentationWorks(int pieceBytes) throws Exception {
        FaultPlan pieces = FaultPlan.none().segmentsOf(pieceBytes);
        try (Pair p = new Pair(SMALL_SEGMENTS);
                FaultRelay relay = new FaultRelay(p.b.localAddress(p.listener), pieces, pieces)) {
            p.a.alongside = relay;
            p.connect(relay.address(), Pair.DEFAULTS, Pair.DEFAULTS);
            ByteBuffer data = random(1003, 2);
            ByteBuffer memory = ByteBuffer.allocateDirect(2048);
            SoftMr from = p.a.register(data, Node.ALL);
            SoftMr to = p.b.register(memory, Node.ALL);
            p.b.receive(p.bQp, 1, to, 0, 2048);
            p.a.send(p.aQp, 1, Node.SIGNALED, from, 0, 1003);
            assertSuccess(p.b.completion(p.a), 1, WC_RECV, 1003);
            assertThat(memory.slice(0, 1003)).isEqualTo(data);
            p.b.read(p.bQp, 2, Node.SIGNALED, to, 1, 1003, from.getRkey(), from.getAddr());
            assertSuccess(p.b.completion(p.a), 2, WC_READ, 1003);
            assertThat(memory.slice(1, 1003)).isEqualTo(data);
        }
    }

    @Test
    @Requirement("V1-006")
    void deliveredSendImpliesThatEarlierWritesArePlaced() throws Exception {
        try (Pair p = new Pair().connect()) {
            ByteBuffer data = random(300_000, 4);
            ByteBuffer memory = ByteBuffer.allocateDirect(300_000);
            SoftMr from = p.a.register(data, Node.LOCAL);
            SoftMr to = p.b.register(memory, Node.ALL);
            SoftMr receive = p.b.register(16, Node.LOCAL);
            p.b.receive(p.bQp, 1, receive, 0, 16);
            p.a.write(p.aQp, 1, from, 300_000, to.getRkey(), to.getAddr());
            p.a.send(p.aQp, 2, Node.SIGNALED, from, 0, 4);
            assertSuccess(p.b.completion(p.a), 1, WC_RECV, 4);
            assertThat(memory).isEqualTo(data);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 4096, 61441, 700_000})
    void readFetchesRemoteMemoryIntoALocalRegion(int bytes) throws Exception {
        try (Pair p = new Pair().connect()) {
            ByteBuffer data = random(bytes, 5);
            ByteBuffer memory = ByteBuffer.allocateDirect(bytes);
            SoftMr source = p.b.register(data, IbvMr.IBV_ACCESS_REMOTE_READ);
            SoftMr sink = p.a.register(memory, Node.LOCAL);
            p.a.read(p.aQp, 5, Node.SIGNALED, sink, 0, bytes, source.getRkey(), source.getAddr());
            assertSuccess(p.a.completion(p.b), 5, WC_READ, bytes);
            assertThat(memory).isEqualTo(data);
            assertThat(p.b.completions).isEmpty();
        }
    }

    @Test
    void sendWithInvalidateTellsTheKeyAndEndsItsUse() throws Exception {
        try (Pair p = new Pair().connect()) {
            SoftMr exposed = p.b.register(64, Node.ALL);
            SoftMr receive = p.b.register(64, Node.LOCAL);
            SoftMr from = p.a.register(64, Node.LOCAL);
            p.b.receive(p.bQp, 1, receive, 0, 64);
            p.a.sendInvalidate(p.aQp, 1, from, 8, exposed.getRkey());
            Node.Completion c = p.b.completion(p.a);
            assertSuccess(c, 1, WC_RECV, 8);
            assertThat(c.flags()).isEqualTo(VerbsConstants.WC_WITH_INV);
            assertThat(c.key()).isEqualTo(exposed.getRkey());
            assertThat(exposed.region().isValid()).isFalse();
        }
    }

    @Test
    void emptyWriteNeedsNoKey() throws Exception {
        try (Pair p = new Pair().connect()) {
            SoftMr from = p.a.register(16, Node.LOCAL);
            SoftMr to = p.b.register(16, Node.LOCAL);
            p.b.receive(p.bQp, 4, to, 0, 16);
            p.a.write(p.aQp, 1, from, 0, 0xdead, 0);
            p.a.send(p.aQp, 2, Node.SIGNALED, from, 0, 1);
            assertSuccess(p.a.completion(p.b), 1, WC_WRITE, 0);
            assertSuccess(p.b.completion(p.a), 4, WC_RECV, 1);
        }
    }

    @ParameterizedTest
    @EnumSource(CrcMode.class)
    void crcModesInteroperateWithThemselves(CrcMode mode) throws Exception {
        try (Pair p = new Pair(Node.config().crcMode(mode).build()).connect()) {
            SoftMr from = p.a.register(random(100, 11), Node.LOCAL);
            SoftMr to = p.b.register(100, Node.LOCAL);
            p.b.receive(p.bQp, 1, to, 0, 100);
            p.a.send(p.aQp, 1, 0, from, 0, 99);
            assertSuccess(p.b.completion(p.a), 1, WC_RECV, 99);
        }
    }

    @Test
    void worksOverIpv6() throws Exception {
        InetSocketAddress address = new InetSocketAddress(InetAddress.getByName("::1"), 0);
        Pair p;
        try {
            SoftProviderConfig config = Node.config().build();
            p = new Pair(config, config, address);
        } catch (IOException e) {
            Assumptions.abort("no IPv6 here: " + e);
            return;
        }
        try (p) {
            p.connect();
            assertThat(p.b.extensions.remoteAddress(p.bId)).isEqualTo(p.a.localAddress(p.aId));
            SoftMr from = p.a.register(100, Node.LOCAL);
            SoftMr to = p.b.register(100, Node.LOCAL);
            p.b.receive(p.bQp, 1, to, 0, 100);
            p.a.send(p.aQp, 1, 0, from, 0, 99);
            assertSuccess(p.b.completion(p.a), 1, WC_RECV, 99);
        }
    }
}
