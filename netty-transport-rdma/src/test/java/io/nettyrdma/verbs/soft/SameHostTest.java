// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.soft;

import static org.assertj.core.api.Assertions.assertThat;

import com.ibm.disni.verbs.RdmaCmEvent.EventType;
import io.nettyrdma.verbs.soft.faults.FaultPlan;
import io.nettyrdma.verbs.soft.faults.FaultRelay;
import io.nettyrdma.verbs.spi.VerbsConstants;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

/** Connections of one host move to shared memory, and behave there as over TCP. */
@EnabledOnOs(OS.LINUX)
final class SameHostTest {

    private static final int BYTES = 200_000;

    /** Of other programs of this user, whose connections are just finding each other. */
    private final Set<Path> before = new HashSet<>();

    private long lastId;

    private static SoftProviderConfig config(int batches) {
        return SoftProviderConfig.builder()
                .sameHostAfterBatches(batches)
                .receiverNotReadyTimeoutMillis(60_000)
                .build();
    }

    private static Pair pair(int aBatches, int bBatches) throws IOException {
        return new Pair(config(aBatches), config(bBatches), Pair.loopback());
    }

    private static int shared(Node node) {
        return node.provider.openResources().sharedFiles();
    }

    @BeforeEach
    void seeWhatIsThere() throws IOException {
        before.addAll(names());
    }

    @AfterEach
    void noNameIsLeft() throws IOException {
        assertThat(before).containsAll(names());
    }

    private static List<Path> names() throws IOException {
        Path folder = Path.of("/dev/shm/netty-rdma-" + Files.getAttribute(Path.of("/proc/self"), "unix:uid"));
        try (Stream<Path> files = Files.list(folder)) {
            return files.toList();
        } catch (NoSuchFileException e) {
            return List.of();
        }
    }

    /** Sends, Writes and Reads in both directions. */
    private final class Traffic {
        private final Pair pair;
        private final ByteBuffer aMemory = ByteBuffer.allocateDirect(2 * BYTES);
        private final ByteBuffer bMemory = ByteBuffer.allocateDirect(2 * BYTES);
        private final SoftMr a;
        private final SoftMr b;
        private final Random sizes = new Random(7);

        Traffic(Pair pair) throws IOException {
            this.pair = pair;
            a = pair.a.register(aMemory, Node.ALL);
            b = pair.b.register(bMemory, Node.ALL);
            for (int i = 0; i < BYTES; i++) {
                aMemory.put(i, (byte) sizes.nextInt());
                bMemory.put(i, (byte) sizes.nextInt());
            }
        }

        void pass(int rounds) throws IOException {
            for (int i = 0; i < rounds; i++) {
                int bytes = 1 + sizes.nextInt(BYTES);
                pair.b.receive(pair.bQp, ++lastId, b, BYTES, BYTES);
                pair.a.receive(pair.aQp, ++lastId, a, BYTES, BYTES);
                pair.a.send(pair.aQp, ++lastId, 0, a, 0, bytes);
                assertThat(pair.b.completion(pair.a).bytes()).isEqualTo(bytes);
                assertThat(bMemory.slice(BYTES, bytes)).isEqualTo(aMemory.slice(0, bytes));
                pair.b.send(pair.bQp, ++lastId, 0, b, 0, bytes);
                assertThat(pair.a.completion(pair.b).bytes()).isEqualTo(bytes);
                assertThat(aMemory.slice(BYTES, bytes)).isEqualTo(bMemory.slice(0, bytes));
                pair.a.read(pair.aQp, ++lastId, Node.SIGNALED, a, BYTES, bytes, b.getRkey(), b.getAddr());
                assertThat(pair.a.completion(pair.b).status()).isEqualTo(VerbsConstants.WC_SUCCESS);
                assertThat(aMemory.slice(BYTES, bytes)).isEqualTo(bMemory.slice(0, bytes));
            }
        }
    }

    @Test
    void trafficMovesAndStaysTheSame() throws Exception {
        try (Pair p = pair(0, 0).connect()) {
            new Traffic(p).pass(20);
            assertThat(shared(p.a)).isOne();
            assertThat(shared(p.b)).isOne();
        }
    }

    @Test
    void connectionMovesWhenItHasShownThatItIsUsed() throws Exception {
        try (Pair p = pair(8, 8).connect()) {
            Traffic traffic = new Traffic(p);
            traffic.pass(1);
            assertThat(shared(p.a)).isZero();
            traffic.pass(10);
            assertThat(shared(p.a)).isOne();
            assertThat(shared(p.b)).isOne();
        }
    }

    @Test
    void whoDoesNotWantToStaysOnTcp() throws Exception {
        try (Pair p = pair(0, -1).connect()) {
            new Traffic(p).pass(3);
            assertThat(shared(p.a) + shared(p.b)).isZero();
        }
        try (Pair p = pair(-1, 0).connect()) {
            new Traffic(p).pass(3);
            assertThat(shared(p.a) + shared(p.b)).isZero();
        }
    }

    @Test
    void marksSurviveARelayThatCutsOctets() throws Exception {
        FaultPlan single = FaultPlan.none().segmentsOf(1);
        try (Pair p = pair(2, 2);
                FaultRelay relay = new FaultRelay(p.b.localAddress(p.listener), single, single)) {
            p.a.alongside = relay;
            p.connect(relay.address(), Pair.DEFAULTS, Pair.DEFAULTS);
            new Traffic(p).pass(3);
            assertThat(shared(p.a)).isOne();
        }
    }

    @Test
    void sendsWaitForReceivesInTheRing() throws Exception {
        try (Pair p = pair(0, 0).connect()) {
            new Traffic(p).pass(3);
            SoftMr from = p.a.register(50_000, Node.LOCAL);
            SoftMr to = p.b.register(50_000, Node.LOCAL);
            for (int i = 0; i < 40; i++) {
                p.a.send(p.aQp, ++lastId, 0, from, 0, 50_000 - i);
            }
            for (int i = 0; i < 50; i++) {
                p.a.drive();
                p.b.drive();
            }
            assertThat(p.b.completions).isEmpty();
            for (int i = 0; i < 40; i++) {
                p.b.receive(p.bQp, ++lastId, to, 0, 50_000);
                assertThat(p.b.completion(p.a).bytes()).isEqualTo(50_000 - i);
            }
        }
    }

    /** Bells are behind the Send that waits, so this side looks for room by itself. */
    @Test
    void roomIsFoundWhileASendWaitsThatCameOverTcp() throws Exception {
        try (Pair p = pair(0, 0).connect()) {
            SoftMr a = p.a.register(50_000, Node.LOCAL);
            SoftMr b = p.b.register(50_000, Node.LOCAL);
            p.a.receive(p.aQp, ++lastId, a, 0, 64);
            p.a.drive();
            p.b.await("the offer", () -> shared(p.b) == 1);
            p.b.send(p.bQp, ++lastId, 0, b, 0, 8);
            p.b.send(p.bQp, ++lastId, 0, b, 0, 8);
            assertThat(p.a.completion().bytes()).isEqualTo(8);
            assertThat(shared(p.a)).isOne();
            for (int i = 0; i < 20; i++) {
                p.a.send(p.aQp, ++lastId, 0, a, 0, 50_000);
                p.a.drive();
            }
            for (int i = 0; i < 20; i++) {
                p.b.receive(p.bQp, ++lastId, b, 0, 50_000);
                assertThat(p.b.completion(p.a).bytes()).isEqualTo(50_000);
            }
        }
    }

    @Test
    void whatWasSentBeforeTheEndIsReceived() throws Exception {
        try (Pair p = pair(0, 0).connect()) {
            new Traffic(p).pass(3);
            SoftMr from = p.a.register(50_000, Node.LOCAL);
            SoftMr to = p.b.register(50_000, Node.LOCAL);
            for (int i = 0; i < 4; i++) {
                p.a.send(p.aQp, ++lastId, 0, from, 0, 50_000 - i);
            }
            p.a.cm.disconnect(p.aId);
            for (int i = 0; i < 4; i++) {
                p.b.receive(p.bQp, ++lastId, to, 0, 50_000);
            }
            for (int i = 0; i < 4; i++) {
                assertThat(p.b.completion(p.a).bytes()).isEqualTo(50_000 - i);
            }
            p.b.expect(EventType.RDMA_CM_EVENT_DISCONNECTED, p.a);
            p.a.expect(EventType.RDMA_CM_EVENT_DISCONNECTED, p.b);
            assertThat(p.b.reason(p.bId)).isNull();
        }
    }

    @Test
    void terminateFindsRoomInAFullRing() throws Exception {
        try (Pair p = pair(0, 0).connect()) {
            new Traffic(p).pass(3);
            SoftMr from = p.b.register(50_000, Node.LOCAL);
            SoftMr to = p.a.register(64, Node.LOCAL);
            for (int i = 0; i < 20; i++) {
                p.b.send(p.bQp, ++lastId, 0, from, 0, 50_000); // fills the ring: no receive is posted
                p.b.drive();
            }
            p.a.write(p.aQp, ++lastId, to, 64, 0x1234_5678, 0); // of memory that there is not
            p.a.drive();
            p.b.expect(EventType.RDMA_CM_EVENT_DISCONNECTED, p.a);
            assertThat(p.b.reason(p.bId)).contains("sent Terminate");
            SoftMr receives = p.a.register(50_000, Node.LOCAL);
            for (int i = 0; i < 20; i++) {
                p.a.receive(p.aQp, ++lastId, receives, 0, 50_000);
            }
            p.a.expect(EventType.RDMA_CM_EVENT_DISCONNECTED, p.b);
            assertThat(p.a.reason(p.aId)).contains("peer sent Terminate DDP/tagged buffer/invalid STag");
        }
    }
}
