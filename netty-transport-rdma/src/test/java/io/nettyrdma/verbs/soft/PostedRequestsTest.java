// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.soft;

import static io.nettyrdma.verbs.soft.Messages.WC_READ;
import static io.nettyrdma.verbs.soft.Messages.WC_RECV;
import static io.nettyrdma.verbs.soft.Messages.WC_SEND;
import static io.nettyrdma.verbs.soft.Messages.assertSuccess;
import static io.nettyrdma.verbs.soft.Messages.random;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.ibm.disni.verbs.IbvMr;
import com.ibm.disni.verbs.IbvSendWR;
import io.nettyrdma.conformance.Requirement;
import io.nettyrdma.verbs.spi.ConnectionParameters;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;

/** Which requests can be posted, and in which order they are executed and complete. */
final class PostedRequestsTest {

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
    @Requirement({"V1-020", "V2-178"})
    void moreReadsThanOrdWaitForTheirTurn() throws Exception {
        ConnectionParameters two = new ConnectionParameters(Node.NONE, 2, 2);
        try (Pair p = new Pair().connect(null, two, two)) {
            ByteBuffer data = random(100_000, 7);
            ByteBuffer memory = ByteBuffer.allocateDirect(100_000);
            SoftMr source = p.b.register(data, IbvMr.IBV_ACCESS_REMOTE_READ);
            SoftMr sink = p.a.register(memory, Node.LOCAL);
            for (int i = 0; i < 100; i++) {
                p.a.read(p.aQp, i, Node.SIGNALED, sink, i * 1000, 1000, source.getRkey(), source.getAddr() + i * 1000L);
                assertThat(((SoftQp) p.aQp).queues().sends().next()).isLessThanOrEqualTo(2);
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
            assertThat(((SoftQp) p.aQp).queues().sends().next()).isEqualTo(1);
            assertThat(p.b.completions).isEmpty();
            assertSuccess(p.a.completion(p.b), 1, WC_READ, 300_000);
            assertSuccess(p.a.completion(p.b), 2, WC_SEND, 8);
            assertSuccess(p.b.completion(p.a), 1, WC_RECV, 8);
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
}
