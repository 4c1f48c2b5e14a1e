// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.soft;

import static org.assertj.core.api.Assertions.assertThat;

import com.ibm.disni.verbs.IbvQP;
import com.ibm.disni.verbs.RdmaCmEvent.EventType;
import com.ibm.disni.verbs.RdmaCmId;
import io.nettyrdma.verbs.soft.iwarp.Ddp;
import io.nettyrdma.verbs.soft.iwarp.EnhancedData;
import io.nettyrdma.verbs.soft.iwarp.Terminate;
import io.nettyrdma.verbs.soft.iwarp.TerminateError;
import io.nettyrdma.verbs.spi.ConnectionParameters;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** A bare socket that can do everything wrong, and the Terminate it gets for it. */
abstract class ViolatingPeer {

    static final byte[] EIGHT = new byte[8];

    Node node;
    IbvQP qp;
    RawPeer peer;
    SoftMr memory;
    ByteBuffer octets;
    RdmaCmId id;

    @BeforeEach
    void connect() throws Exception {
        node = new Node(
                SoftProviderConfig.builder().receiverNotReadyTimeoutMillis(0).build());
        RdmaCmId listener = node.listen(Pair.loopback(), 8);
        octets = ByteBuffer.allocateDirect(4096);
        memory = node.register(octets, Node.ALL);
        peer = RawPeer.connect(node.localAddress(listener), true);
        peer.request(true, EnhancedData.clientServer(4, 4), Node.NONE);
        id = node.own(node.expect(EventType.RDMA_CM_EVENT_CONNECT_REQUEST).getConnIdPriv());
        qp = node.newQp(id, 16);
        node.cm.accept(id, new ConnectionParameters(Node.NONE, 4, 4));
        node.expect(EventType.RDMA_CM_EVENT_ESTABLISHED);
        assertThat(peer.expectFrame(true, node).enhanced()).isEqualTo(EnhancedData.clientServer(4, 4));
    }

    @AfterEach
    void close() throws Exception {
        peer.close();
        node.await(
                "lingering connections to end",
                () -> node.provider.openResources().connections() == 0);
        node.close();
    }

    /** Checks the Terminate, the FIN behind it, the event and the reason; then everything flushed once. */
    Terminate expect(TerminateError error) throws IOException {
        Terminate t = peer.expectTerminate(node);
        assertThat(t.describe()).startsWith(error.text());
        peer.expectEnd(node);
        assertThat(peer.reset).isFalse();
        node.expect(EventType.RDMA_CM_EVENT_DISCONNECTED);
        assertThat(node.reason(id)).contains(error.text());
        assertThat(node.pollEvent()).isNull();
        return t;
    }

    static Consumer<ByteBuffer> raw(int control, int rdmap, int stagOrReserved, int... words) {
        return out -> {
            out.put((byte) control).put((byte) rdmap).putInt(stagOrReserved);
            for (int w : words) {
                out.putInt(w);
            }
        };
    }

    static Consumer<ByteBuffer> untagged(int opcode, int queue, int msn, int offset) {
        return out -> {
            Ddp.putUntagged(out, opcode, true, 0, queue, msn, offset);
            out.put(EIGHT);
        };
    }

    void receives(int count) throws IOException {
        for (int i = 0; i < count; i++) {
            node.receive(qp, i, memory, 0, 16);
        }
    }

    Set<Integer> statuses() throws IOException {
        node.poll();
        return node.completions.stream().map(Node.Completion::status).collect(Collectors.toSet());
    }
}
