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

import com.ibm.disni.verbs.IbvMr;
import com.ibm.disni.verbs.IbvQP;
import com.ibm.disni.verbs.IbvSendWR;
import com.ibm.disni.verbs.IbvWC;
import com.ibm.disni.verbs.RdmaCmEvent;
import com.ibm.disni.verbs.RdmaCmEvent.EventType;
import com.ibm.disni.verbs.RdmaCmId;
import io.nettyrdma.conformance.Requirement;
import io.nettyrdma.verbs.ConnectionParameters;
import io.nettyrdma.verbs.WorkRequestRing;
import io.nettyrdma.verbs.soft.faults.FaultPlan;
import io.nettyrdma.verbs.soft.faults.FaultRelay;
import io.nettyrdma.verbs.soft.iwarp.CrcMode;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.Random;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Every kind of message over real sockets. */
final class MessagesTest {

    private static final SoftProviderConfig SMALL_SEGMENTS =
            SoftProviderConfig.builder().fpduPayloadBytes(64).build();

    private static ByteBuffer random(int bytes, long seed) {
        byte[] octets = new byte[bytes];
        new Random(seed).nextBytes(octets);
        return ByteBuffer.allocateDirect(bytes).put(octets).clear();
    }

    private static void assertSuccess(Node.Completion c, long id, int opcode, int bytes) {
        assertThat(c.status()).isEqualTo(SoftCq.STATUS_SUCCESS);
        assertThat(c.id()).isEqualTo(id);
        assertThat(c.opcode()).isEqualTo(opcode);
        assertThat(c.bytes()).isEqualTo(bytes);
    }

    private static final int WC_SEND = IbvWC.IbvWcOpcode.IBV_WC_SEND.getOpcode();
    private static final int WC_WRITE = IbvWC.IbvWcOpcode.IBV_WC_RDMA_WRITE.getOpcode();
    private static final int WC_READ = IbvWC.IbvWcOpcode.IBV_WC_RDMA_READ.getOpcode();
    private static final int WC_RECV = IbvWC.IbvWcOpcode.IBV_WC_RECV.getOpcode();

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 3, 24, 63, 64, 65, 1000, 61440, 61441, 200_001, 1_000_000})
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
    void writeIsPlacedAndCompletesOnlyAtTheSender() throws Exception {
        try (Pair p = new Pair().connect()) {
            ByteBuffer data = random(100_000, 3);
            ByteBuffer memory = ByteBuffer.allocateDirect(100_010);
            SoftMr from = p.a.register(data, Node.LOCAL);
            SoftMr to = p.b.register(memory, Node.LOCAL | IbvMr.IBV_ACCESS_REMOTE_WRITE);
            p.a.write(p.aQp, 9, from, 100_000, to.getRkey(), to.getAddr() + 10);
            assertSuccess(p.a.completion(p.b), 9, WC_WRITE, 100_000);
            p.b.await("the Write", () -> memory.slice(10, 100_000).equals(data), p.a);
            assertThat(p.b.completions).isEmpty();
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
            assertThat(c.flags()).isEqualTo(SoftCq.FLAG_WITH_INVALIDATE);
            assertThat(c.key()).isEqualTo(exposed.getRkey());
            assertThat(exposed.isValid()).isFalse();
        }
    }

    @Test
    void invalidatingTwiceIsNoError() throws Exception {
        try (Pair p = new Pair().connect()) {
            SoftMr exposed = p.b.register(64, Node.ALL);
            SoftMr receive = p.b.register(64, Node.LOCAL);
            SoftMr from = p.a.register(64, Node.LOCAL);
            for (int i = 0; i < 2; i++) {
                p.b.receive(p.bQp, i, receive, 0, 64);
                p.a.sendInvalidate(p.aQp, i, from, 8, exposed.getRkey());
                assertSuccess(p.b.completion(p.a), i, WC_RECV, 8);
            }
        }
    }

    @Test
    void scatterAndGatherFollowTheirEntries() throws Exception {
        try (Pair p = new Pair(SMALL_SEGMENTS).connect()) {
            ByteBuffer data = random(400, 6);
            ByteBuffer memory = ByteBuffer.allocateDirect(1000);
            SoftMr from = p.a.register(data, Node.LOCAL);
            SoftMr to = p.b.register(memory, Node.LOCAL);
            WorkRequestRing ring = new WorkRequestRing(1, 4);
            ring.add()
                    .receive(1)
                    .addSge(to.getAddr() + 500, 7, to.getLkey())
                    .addSge(to.getAddr(), 0, 0)
                    .addSge(to.getAddr() + 20, 393, to.getLkey());
            p.b.postReceives(p.bQp, ring);
            ring.clear();
            ring.add()
                    .send(2, IbvSendWR.IBV_WR_SEND, Node.SIGNALED)
                    .addSge(from.getAddr() + 100, 300, from.getLkey())
                    .addSge(from.getAddr(), 100, from.getLkey());
            p.a.post(p.aQp, ring);
            assertSuccess(p.b.completion(p.a), 1, WC_RECV, 400);
            assertThat(memory.slice(500, 7)).isEqualTo(data.slice(100, 7));
            assertThat(memory.slice(20, 293)).isEqualTo(data.slice(107, 293));
            assertThat(memory.slice(313, 100)).isEqualTo(data.slice(0, 100));
        }
    }

    @Test
    void emptyReadCompletesWithoutAskingThePeer() throws Exception {
        try (Pair p = new Pair().connect(null, new ConnectionParameters(Node.NONE, 0, 0), Pair.DEFAULTS)) {
            SoftMr sink = p.a.register(16, Node.LOCAL);
            p.a.read(p.aQp, 1, Node.SIGNALED, sink, 0, 0, 0xdead, 0);
            assertSuccess(p.a.completion(p.b), 1, WC_READ, 0);
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

    @Test
    void completionsKeepTheOrderOfPosting() throws Exception {
        try (Pair p = new Pair().connect()) {
            SoftMr memory = p.a.register(1 << 20, Node.LOCAL);
            SoftMr source = p.b.register(1 << 20, Node.ALL);
            SoftMr receive = p.b.register(16, Node.LOCAL);
            for (int i = 0; i < 20; i++) {
                p.b.receive(p.bQp, 100 + i, receive, 0, 16);
            }
            // Sends overtake the Reads in front of them on the wire, but not in the completion queue.
            for (int i = 0; i < 60; i += 3) {
                p.a.read(p.aQp, i, Node.SIGNALED, memory, 0, 50_000, source.getRkey(), source.getAddr());
                p.a.send(p.aQp, i + 1, Node.SIGNALED, memory, 0, 16);
                p.a.write(p.aQp, i + 2, memory, 10_000, source.getRkey(), source.getAddr());
            }
            for (int i = 0; i < 60; i++) {
                assertThat(p.a.completion(p.b).id()).isEqualTo(i);
            }
        }
    }

    @Test
    void unsignalledRequestsCompleteSilently() throws Exception {
        try (Pair p = new Pair().connect()) {
            SoftMr memory = p.a.register(64, Node.LOCAL);
            SoftMr receive = p.b.register(64, Node.LOCAL);
            for (int i = 0; i < 5; i++) {
                p.b.receive(p.bQp, i, receive, 0, 64);
                p.a.send(p.aQp, i, i == 4 ? Node.SIGNALED : 0, memory, 0, 8);
            }
            assertThat(p.a.completion(p.b).id()).isEqualTo(4);
            for (int i = 0; i < 5; i++) {
                assertThat(p.b.completion(p.a).id()).isEqualTo(i);
            }
            assertThat(p.a.completions).isEmpty();
        }
    }

    @Test
    @Requirement("V1-020")
    void moreReadsThanOrdWaitForTheirTurn() throws Exception {
        ConnectionParameters two = new ConnectionParameters(Node.NONE, 2, 2);
        try (Pair p = new Pair().connect(null, two, two)) {
            ByteBuffer data = random(100_000, 7);
            ByteBuffer memory = ByteBuffer.allocateDirect(100_000);
            SoftMr source = p.b.register(data, IbvMr.IBV_ACCESS_REMOTE_READ);
            SoftMr sink = p.a.register(memory, Node.LOCAL);
            for (int i = 0; i < 100; i++) {
                p.a.read(p.aQp, i, Node.SIGNALED, sink, i * 1000, 1000, source.getRkey(), source.getAddr() + i * 1000L);
                assertThat(((SoftQp) p.aQp).sends().next()).isLessThanOrEqualTo(2);
            }
            for (int i = 0; i < 100; i++) {
                assertSuccess(p.a.completion(p.b), i, WC_READ, 1000);
            }
            assertThat(memory).isEqualTo(data);
        }
    }

    @Test
    void fencedSendWaitsForTheReadsBeforeIt() throws Exception {
        try (Pair p = new Pair().connect()) {
            SoftMr source = p.b.register(300_000, Node.ALL);
            SoftMr sink = p.a.register(300_000, Node.LOCAL);
            SoftMr receive = p.b.register(64, Node.LOCAL);
            p.b.receive(p.bQp, 1, receive, 0, 64);
            p.a.read(p.aQp, 1, Node.SIGNALED, sink, 0, 300_000, source.getRkey(), source.getAddr());
            p.a.send(p.aQp, 2, Node.SIGNALED | IbvSendWR.IBV_SEND_FENCE, sink, 0, 8);
            assertThat(((SoftQp) p.aQp).sends().next()).isEqualTo(1);
            assertThat(p.b.completions).isEmpty();
            assertSuccess(p.a.completion(p.b), 1, WC_READ, 300_000);
            assertSuccess(p.a.completion(p.b), 2, WC_SEND, 8);
            assertSuccess(p.b.completion(p.a), 1, WC_RECV, 8);
        }
    }

    @Test
    void bothSidesAtOnceMoveEverything() throws Exception {
        try (Pair p = new Pair().connect()) {
            int messages = 200;
            int bytes = 20_000;
            SoftMr[] out = {p.a.register(random(bytes, 8), Node.ALL), p.b.register(random(bytes, 9), Node.ALL)};
            SoftMr[] in = {p.a.register(bytes, Node.ALL), p.b.register(bytes, Node.ALL)};
            for (int i = 0; i < messages; i++) {
                p.a.receive(p.aQp, 1000 + i, in[0], 0, bytes);
                p.b.receive(p.bQp, 1000 + i, in[1], 0, bytes);
            }
            for (int i = 0; i < messages; i++) {
                p.a.send(p.aQp, i, Node.SIGNALED, out[0], 0, bytes);
                p.b.send(p.bQp, i, Node.SIGNALED, out[1], 0, bytes);
                p.a.read(p.aQp, i, Node.SIGNALED, in[0], 0, bytes, out[1].getRkey(), out[1].getAddr());
                p.b.read(p.bQp, i, Node.SIGNALED, in[1], 0, bytes, out[0].getRkey(), out[0].getAddr());
            }
            p.a.await(
                    "all completions",
                    () -> p.a.completions.size() == 3 * messages && p.b.completions.size() == 3 * messages,
                    p.b);
            assertThat(p.a.completions).allMatch(c -> c.status() == 0);
            assertThat(p.b.completions).allMatch(c -> c.status() == 0);
        }
    }

    @Test
    void slowReceiverHoldsBackTheSenderButLosesNothing() throws Exception {
        try (Pair p = new Pair().connect()) {
            int bytes = 1 << 20;
            SoftMr from = p.a.register(random(bytes, 10), Node.LOCAL);
            ByteBuffer memory = ByteBuffer.allocateDirect(bytes);
            SoftMr to = p.b.register(memory, Node.ALL);
            for (int i = 0; i < 32; i++) {
                p.a.write(p.aQp, i, from, bytes, to.getRkey(), to.getAddr());
            }
            for (int i = 0; i < 50; i++) {
                p.a.drive();
            }
            assertThat(p.a.completions.size()).as("TCP took all of it").isLessThan(32);
            p.a.await("all Writes", () -> p.a.completions.size() == 32, p.b);
        }
    }

    @ParameterizedTest
    @EnumSource(CrcMode.class)
    void crcModesInteroperateWithThemselves(CrcMode mode) throws Exception {
        try (Pair p = new Pair(SoftProviderConfig.builder().crcMode(mode).build()).connect()) {
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
            SoftProviderConfig config = SoftProviderConfig.builder().build();
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

    @Test
    void postRefusesWhatIwarpCannotDo() throws Exception {
        try (Pair p = new Pair().connect()) {
            for (int opcode : new int[] {1, 3, 5, 6, 77}) {
                p.a.request().send(1, opcode, 0);
                assertThatThrownBy(() -> p.a.post(p.aQp))
                        .isInstanceOf(IOException.class)
                        .hasMessageContaining("opcode " + opcode);
            }
            p.a.request().send(1, IbvSendWR.IBV_WR_RDMA_READ, 0).addSge(0, 1, 0).addSge(0, 1, 0);
            assertThatThrownBy(() -> p.a.post(p.aQp)).hasMessageContaining("2 scatter-gather entries");
        }
    }

    @Test
    void fullQueuesRefusePosts() throws Exception {
        try (Pair p = new Pair()) {
            p.aId = p.a.newId();
            p.aQp = p.a.newQp(p.aId, 3);
            SoftMr mr = p.a.register(16, Node.LOCAL);
            for (int i = 0; i < 3; i++) {
                p.a.receive(p.aQp, i, mr, 0, 16);
            }
            assertThatThrownBy(() -> p.a.receive(p.aQp, 3, mr, 0, 16)).hasMessageContaining("receive queue is full");
            assertThatThrownBy(() -> p.a.send(p.aQp, 3, 0, mr, 0, 16)).hasMessageContaining("not connected");
        }
    }

    @Test
    void idleConnectionHoldsNoBuffers() throws Exception {
        try (Pair p = new Pair().connect()) {
            SoftMr from = p.a.register(300_000, Node.LOCAL);
            SoftMr to = p.b.register(300_000, Node.ALL);
            p.b.receive(p.bQp, 1, to, 0, 300_000);
            p.a.send(p.aQp, 1, 0, from, 0, 300_000);
            p.b.completion(p.a);
            for (Node node : new Node[] {p.a, p.b}) {
                // The two staging buffers of the event channel, and none of a connection.
                assertThat(((SoftEventChannel) node.events).buffers().taken()).isEqualTo(2);
            }
        }
    }

    @Test
    void nothingIsAllocatedPerMessage() throws Exception {
        try (Pair p = new Pair().connect()) {
            SoftMr from = p.a.register(64, Node.LOCAL);
            SoftMr to = p.b.register(64, Node.LOCAL);
            WorkRequestRing send = new WorkRequestRing(1, 1);
            send.add().send(1, IbvSendWR.IBV_WR_SEND, Node.SIGNALED).addSge(from.getAddr(), 64, from.getLkey());
            WorkRequestRing receive = new WorkRequestRing(1, 1);
            receive.add().receive(1).addSge(to.getAddr(), 64, to.getLkey());
            IbvWC[] wcs = {new IbvWC()};
            com.ibm.disni.verbs.SVCPollCq aPoll = p.a.verbs.pollCQ(p.a.cq, wcs, 1);
            com.ibm.disni.verbs.SVCPollCq bPoll = p.b.verbs.pollCQ(p.b.cq, wcs, 1);
            com.sun.management.ThreadMXBean threads =
                    (com.sun.management.ThreadMXBean) java.lang.management.ManagementFactory.getThreadMXBean();
            long before = 0;
            int messages = 20_000;
            for (int i = 0; i < 2 * messages; i++) {
                if (i == messages) {
                    before = threads.getThreadAllocatedBytes(
                            Thread.currentThread().getId());
                }
                p.b.extensions.postReceives(p.bQp, receive);
                p.a.extensions.postBatch(p.aQp, send);
                while (bPoll.execute().getPolls() == 0) {
                    p.b.extensions.progress(p.b.events);
                }
                while (aPoll.execute().getPolls() == 0) {
                    p.a.extensions.progress(p.a.events);
                }
            }
            long perMessage =
                    (threads.getThreadAllocatedBytes(Thread.currentThread().getId()) - before) / messages;
            assertThat(perMessage).isLessThan(8);
        }
    }

    @Test
    void manyConnectionsShareTwoEventChannels() throws Exception {
        try (Pair p = new Pair()) {
            int connections = 60;
            IbvQP[] aQps = new IbvQP[connections];
            RdmaCmId[] aIds = new RdmaCmId[connections];
            SoftMr from = p.a.register(random(100_000, 12), Node.ALL);
            SoftMr to = p.b.register(100_000, Node.ALL);
            for (int i = 0; i < connections; i++) {
                aIds[i] = p.a.newId();
                aQps[i] = p.a.newQp(aIds[i], 8);
                p.a.connect(aIds[i], p.b.localAddress(p.listener), Pair.DEFAULTS);
            }
            // More than the backlog of 8 at once; the rest waits in the kernel.
            int[] established = new int[2];
            p.a.await(
                    "all connections",
                    () -> {
                        try {
                            for (RdmaCmEvent e = p.b.pollEvent(); e != null; e = p.b.pollEvent()) {
                                if (e.getEvent() == EventType.RDMA_CM_EVENT_CONNECT_REQUEST.ordinal()) {
                                    RdmaCmId id = p.b.own(e.getConnIdPriv());
                                    p.b.receive(p.b.newQp(id, 8), 1, to, 0, 100_000);
                                    p.b.cm.accept(id, Pair.DEFAULTS);
                                } else {
                                    established[1]++;
                                }
                            }
                            for (RdmaCmEvent e = p.a.pollEvent(); e != null; e = p.a.pollEvent()) {
                                assertThat(e.getEvent()).isEqualTo(EventType.RDMA_CM_EVENT_ESTABLISHED.ordinal());
                                established[0]++;
                            }
                        } catch (IOException e) {
                            throw new AssertionError(e);
                        }
                        return established[0] == connections && established[1] == connections;
                    },
                    p.b);
            for (int i = 0; i < connections; i++) {
                p.a.write(aQps[i], 1, from, 100_000, to.getRkey(), to.getAddr());
                p.a.send(aQps[i], 2, Node.SIGNALED, from, 0, 70_000 + i);
            }
            p.a.await(
                    "all messages",
                    () -> p.a.completions.size() == 2 * connections && p.b.completions.size() == connections,
                    p.b);
            assertThat(p.b.completions).allMatch(c -> c.status() == 0 && c.bytes() >= 70_000);
            assertThat(p.b.completions.stream().map(Node.Completion::bytes).distinct())
                    .hasSize(connections);
        }
    }

    @Test
    void connectionsThatTcpBlocksDoNotMixTheirOctets() throws Exception {
        try (Pair p = new Pair()) {
            int connections = 4;
            int bytes = 1 << 20;
            ByteBuffer[] data = new ByteBuffer[connections];
            ByteBuffer[] memory = new ByteBuffer[connections];
            IbvQP[] qps = new IbvQP[connections];
            SoftMr[] from = new SoftMr[connections];
            SoftMr[] to = new SoftMr[connections];
            for (int i = 0; i < connections; i++) {
                p.connect();
                qps[i] = p.aQp;
                data[i] = random(bytes, 100 + i);
                memory[i] = ByteBuffer.allocateDirect(bytes);
                from[i] = p.a.register(data[i], Node.LOCAL);
                to[i] = p.b.register(memory[i], Node.ALL);
            }
            int writes = 8;
            for (int k = 0; k < writes; k++) {
                for (int i = 0; i < connections; i++) {
                    p.a.write(qps[i], i, from[i], bytes, to[i].getRkey(), to[i].getAddr());
                }
            }
            for (int k = 0; k < 200; k++) {
                p.a.drive();
            }
            assertThat(((SoftEventChannel) p.a.events).buffers().taken())
                    .as("buffers of blocked connections")
                    .isGreaterThanOrEqualTo(connections);
            p.a.await("all Writes", () -> p.a.completions.size() == connections * writes, p.b);
            assertThat(p.a.completions).allMatch(c -> c.status() == 0);
            for (int i = 0; i < connections; i++) {
                int k = i;
                p.b.await("the last Write", () -> memory[k].equals(data[k]), p.a);
            }
        }
    }
}
