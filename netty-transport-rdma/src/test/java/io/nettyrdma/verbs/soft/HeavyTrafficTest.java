// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.soft;

import static io.nettyrdma.verbs.soft.Messages.random;
import static org.assertj.core.api.Assertions.assertThat;

import com.ibm.disni.verbs.IbvQP;
import com.ibm.disni.verbs.IbvSendWR;
import com.ibm.disni.verbs.RdmaCmEvent;
import com.ibm.disni.verbs.RdmaCmEvent.EventType;
import com.ibm.disni.verbs.RdmaCmId;
import com.sun.management.ThreadMXBean;
import io.nettyrdma.verbs.spi.CompletionHandler;
import io.nettyrdma.verbs.spi.CompletionPoller;
import io.nettyrdma.verbs.spi.WorkRequestBatch;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;

/** Many messages, many connections, and what they take. */
final class HeavyTrafficTest {

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
        try (Pair p = new Pair(SoftProviderConfig.builder().sameHost(false).build())) {
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
            WorkRequestBatch send = new WorkRequestBatch(1);
            send.add().send(1, IbvSendWR.IBV_WR_SEND, Node.SIGNALED).local(from.getAddr(), 64, from.getLkey());
            WorkRequestBatch receive = new WorkRequestBatch(1);
            receive.add().receive(1).local(to.getAddr(), 64, to.getLkey());
            CompletionPoller aPoll = p.a.extensions.poller(p.a.cq);
            CompletionPoller bPoll = p.b.extensions.poller(p.b.cq);
            CompletionHandler handler = (id, status, opcode, bytes, immediate, queuePair, flags) -> {};
            ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
            long before = 0;
            int messages = 20_000;
            for (int i = 0; i < 2 * messages; i++) {
                if (i == messages) {
                    before = threads.getThreadAllocatedBytes(
                            Thread.currentThread().getId());
                }
                p.b.extensions.postReceives(p.bQp, receive);
                p.a.extensions.postBatch(p.aQp, send);
                while (bPoll.poll(handler) == 0) {
                    p.b.extensions.progress(p.b.events);
                }
                while (aPoll.poll(handler) == 0) {
                    p.a.extensions.progress(p.a.events);
                }
            }
            long perMessage =
                    (threads.getThreadAllocatedBytes(Thread.currentThread().getId()) - before) / messages;
            assertThat(perMessage).isLessThan(8);
        }
    }
}
