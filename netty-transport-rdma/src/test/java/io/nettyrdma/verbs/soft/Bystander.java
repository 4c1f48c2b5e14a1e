// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.soft;

import static org.assertj.core.api.Assertions.assertThat;

import com.ibm.disni.verbs.IbvQP;
import com.ibm.disni.verbs.RdmaCmEvent.EventType;
import com.ibm.disni.verbs.RdmaCmId;
import java.io.IOException;

/** A second connection on the event channel of a node, which has to go on whatever happens to the first. */
final class Bystander implements AutoCloseable {

    private final Node node;
    private final Node other;
    private final IbvQP nodeQp;
    private final IbvQP otherQp;
    private final SoftMr nodeMr;
    private final SoftMr otherMr;
    private int rounds;

    Bystander(Node node, RdmaCmId listener) throws IOException {
        this.node = node;
        other = new Node(SoftProviderConfig.builder().sameHost(false).build());
        RdmaCmId otherId = other.newId();
        otherQp = other.newQp(otherId, 8);
        other.connect(otherId, node.localAddress(listener), Pair.DEFAULTS);
        RdmaCmId id = node.own(
                node.expect(EventType.RDMA_CM_EVENT_CONNECT_REQUEST, other).getConnIdPriv());
        nodeQp = node.newQp(id, 8);
        node.cm.accept(id, Pair.DEFAULTS);
        node.expect(EventType.RDMA_CM_EVENT_ESTABLISHED, other);
        other.expect(EventType.RDMA_CM_EVENT_ESTABLISHED, node);
        nodeMr = node.register(64, Node.LOCAL);
        otherMr = other.register(64, Node.LOCAL);
    }

    /** A message each way. */
    void exchange() throws IOException {
        int round = ++rounds;
        int bytes = round % 31;
        node.receive(nodeQp, round, nodeMr, 0, 32);
        other.receive(otherQp, round, otherMr, 0, 32);
        other.send(otherQp, 1000 + round, Node.SIGNALED, otherMr, 32, bytes);
        assertThat(take(node, nodeQp).bytes()).isEqualTo(bytes);
        node.send(nodeQp, 1000 + round, Node.SIGNALED, nodeMr, 32, bytes + 1);
        assertThat(take(node, nodeQp).id()).isEqualTo(1000 + round);
        assertThat(take(other, otherQp).id()).isEqualTo(1000 + round);
        assertThat(take(other, otherQp).bytes()).isEqualTo(bytes + 1);
    }

    private Node.Completion take(Node from, IbvQP of) throws IOException {
        int qp = of.getQp_num();
        Node.Completion[] taken = new Node.Completion[1];
        from.await(
                "a completion of the second connection",
                () -> {
                    taken[0] = from.completions.stream()
                            .filter(c -> c.qp() == qp)
                            .findFirst()
                            .orElse(null);
                    return taken[0] != null;
                },
                from == node ? other : node);
        from.completions.remove(taken[0]);
        assertThat(taken[0].status()).isZero();
        return taken[0];
    }

    @Override
    public void close() throws IOException {
        other.close();
    }
}
