// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.soft;

import static org.assertj.core.api.Assertions.assertThat;

import com.ibm.disni.verbs.IbvQP;
import com.ibm.disni.verbs.RdmaCmEvent.EventType;
import com.ibm.disni.verbs.RdmaCmId;
import io.nettyrdma.verbs.soft.faults.NothingLeft;
import io.nettyrdma.verbs.spi.ConnectionParameters;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * What the provider itself holds of a connection whose peer sends and does not read, as the sum of the channels says.
 */
@ExtendWith(NothingLeft.class)
final class UnreadingPeerBuffersTest {

    /** More than the kernel keeps for a socket. */
    private static final int SENDS = 512;

    private static final int SEND_BYTES = 128 * 1024;

    private final AtomicLong clock = new AtomicLong();

    @Test
    void buffersStayWithinTheSum() throws Exception {
        Node node = new Node(Startups.config(), 4096, clock::get);
        RdmaCmId listener = node.listen(Pair.loopback(), 4);
        try (SilentClient peer = SilentClient.connect(node.localAddress(listener))) {
            RdmaCmId id = node.own(
                    node.expect(EventType.RDMA_CM_EVENT_CONNECT_REQUEST).getConnIdPriv());
            IbvQP qp = node.newQp(id, SENDS);
            node.cm.accept(id, new ConnectionParameters(Node.NONE, 4, 4, 10_000));
            node.expect(EventType.RDMA_CM_EVENT_ESTABLISHED);
            peer.send(20, 60_000); // nothing is posted
            SoftMr mr = node.register(SEND_BYTES, Node.LOCAL);
            for (int i = 0; i < SENDS; i++) {
                node.send(qp, i, 0, mr, 0, SEND_BYTES);
            }
            BufferPool buffers = ((SoftEventChannel) node.events).buffers();
            TcpSocket tcp = ((SoftCmId) id).connection().tcp();
            node.await("both directions to stand", () -> {
                assertThat(buffers.takenBytes()).isLessThanOrEqualTo(4 * BufferPool.STAGING_BYTES);
                return tcp.hasUnsent() && tcp.hasUnparsed();
            });
            for (int i = 0; i < 100; i++) {
                node.drive();
                assertThat(buffers.takenBytes())
                        .as("the two of the event channel, and the connection's two")
                        .isLessThanOrEqualTo(4 * BufferPool.STAGING_BYTES);
            }

            clock.addAndGet(TimeUnit.SECONDS.toNanos(10));
            node.expect(EventType.RDMA_CM_EVENT_DISCONNECTED);
            assertThat(tcp.hasUnsent())
                    .as("octets with a Terminate behind them")
                    .isTrue();
            assertThat(buffers.takenBytes()).isLessThanOrEqualTo(4 * BufferPool.STAGING_BYTES);
            clock.addAndGet(TimeUnit.SECONDS.toNanos(2)); // what a connection has to end in
            node.await("the end", () -> node.provider.openResources().connections() == 0);
            assertThat(buffers.takenBytes()).isLessThanOrEqualTo(2 * BufferPool.STAGING_BYTES);
        } finally {
            node.close();
        }
    }
}
