// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.soft;

import static org.assertj.core.api.Assertions.assertThat;

import com.ibm.disni.verbs.IbvQP;
import com.ibm.disni.verbs.RdmaCmEvent;
import com.ibm.disni.verbs.RdmaCmEvent.EventType;
import com.ibm.disni.verbs.RdmaCmId;
import io.nettyrdma.verbs.soft.Stage.Role;
import io.nettyrdma.verbs.soft.Stage.Timing;
import io.nettyrdma.verbs.soft.StartupViolation.Ending;
import io.nettyrdma.verbs.soft.faults.NothingLeft;
import io.nettyrdma.verbs.spi.ConnectionParameters;
import io.nettyrdma.verbs.spi.VerbsConstants;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.util.HexFormat;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Every bad or odd MPA Request and Reply, at once and octet by octet. */
@ExtendWith(NothingLeft.class)
final class StartupMatrixTest {

    private static final ConnectionParameters DEPTHS = new ConnectionParameters(Node.NONE, 4, 4);
    private static final ErrorMatrixPage page = new ErrorMatrixPage();

    private Node node;
    private RdmaCmId listener;
    private RawPeer peer;
    private RdmaCmId id;

    static Stream<Arguments> rows() {
        return Stream.concat(RequestViolations.all().stream(), ReplyViolations.all().stream())
                .flatMap(row -> Stream.of(Timing.LATER, Timing.SLICED)
                        .filter(timing -> timing == Timing.LATER || !row.together)
                        .map(timing -> Arguments.of(row, timing)));
    }

    @AfterEach
    void closePeer() throws Exception {
        if (peer != null) {
            peer.close();
        }
    }

    @AfterAll
    static void writePage() throws Exception {
        page.write("startup-matrix.md", "Violations in the MPA start-up");
    }

    @ParameterizedTest(name = "{0}, {1}")
    @MethodSource("rows")
    void startupEndsAsItShould(StartupViolation row, Timing timing) throws Exception {
        try (Node n = new Node(row.config.apply(Node.config()).build())) {
            node = n;
            listener = n.listen(Pair.loopback(), 2);
            boolean plain = row.config.apply(Node.config()).build().crcMode()
                    == Node.config().build().crcMode();
            // A node that refuses CRCs would refuse the bystander's as well.
            try (Bystander bystander = plain ? new Bystander(n, listener) : null) {
                int others = n.provider.openResources().connections();
                String observed = row.role == Role.RESPONDER ? respond(row, timing) : initiate(row, timing);
                peer.close();
                n.await(
                        "the end of the connection",
                        () -> n.provider.openResources().connections() == others);
                assertThat(n.pollEvent()).isNull();
                if (bystander != null) {
                    bystander.exchange();
                }
                page.add(row.name, row.role, timing, observed.isEmpty() ? "" : observed, told(row), reason());
            }
        }
    }

    private String reason() {
        return id == null ? null : node.reason(id);
    }

    private static String told(StartupViolation row) {
        return row.event == null ? "nothing" : row.event + " (" + row.status + ")";
    }

    private void play(StartupViolation row, Timing timing) throws Exception {
        if (timing == Timing.SLICED) {
            peer.betweenOctets = node::drive;
        }
        try {
            peer.write(ByteBuffer.wrap(row.octets));
        } catch (IOException e) {
            // The provider need not wait for the last octet of something that has gone wrong already.
            assertThat(timing).isEqualTo(Timing.SLICED);
        }
        if (row.ending == Ending.FIN) {
            peer.socket.shutdownOutput();
        } else if (row.ending == Ending.RESET) {
            peer.socket.setOption(StandardSocketOptions.SO_LINGER, 0);
            peer.socket.close();
        }
    }

    private String respond(StartupViolation row, Timing timing) throws Exception {
        int others = node.provider.openResources().connections();
        peer = RawPeer.connect(node.localAddress(listener), true);
        node.await("the TCP connection", () -> node.provider.openResources().connections() > others);
        play(row, timing);
        if (row.event != null) {
            id = node.own(node.expect(EventType.RDMA_CM_EVENT_CONNECT_REQUEST).getConnIdPriv());
            node.newQp(id, 4);
            node.cm.accept(id, DEPTHS);
            assertThat(node.expect(row.event).getStatus()).isEqualTo(row.status);
            if (row.ending == Ending.WAIT) {
                peer.expectFrame(true, node);
                peer.socket.shutdownOutput();
            }
            node.expect(EventType.RDMA_CM_EVENT_DISCONNECTED);
            if (row.ending == Ending.RESET) {
                assertThat(node.reason(id)).startsWith("connection lost");
            } else {
                assertThat(node.reason(id)).isNull();
            }
        }
        if (row.ending != Ending.RESET) {
            peer.expectEnd(node);
        }
        String sent = HexFormat.of().formatHex(peer.transcript.toByteArray());
        assertThat(sent).isEqualTo(row.sent);
        return sent;
    }

    private String initiate(StartupViolation row, Timing timing) throws Exception {
        id = node.newId();
        IbvQP qp = node.newQp(id, 4);
        SoftMr mr = node.register(16, Node.LOCAL);
        node.receive(qp, 1, mr, 0, 16);
        node.receive(qp, 2, mr, 0, 16);
        try (ServerSocketChannel server = ServerSocketChannel.open().bind(Pair.loopback())) {
            node.connect(id, (InetSocketAddress) server.getLocalAddress(), DEPTHS);
            peer = RawPeer.accept(server, node);
        }
        peer.expectFrame(false, node);
        peer.transcript.reset();
        play(row, timing);
        RdmaCmEvent event = node.expect(row.event);
        assertThat(event.getStatus()).isEqualTo(row.status);
        if (row.reason != null) {
            assertThat(node.reason(id)).startsWith(row.reason);
        }
        if (row.event == EventType.RDMA_CM_EVENT_ESTABLISHED) {
            peer.socket.shutdownOutput();
            node.expect(EventType.RDMA_CM_EVENT_DISCONNECTED);
        }
        if (row.ending != Ending.RESET) {
            peer.expectEnd(node);
        }
        for (long wrId = 1; wrId <= 2; wrId++) {
            assertThat(node.completion())
                    .extracting(Node.Completion::id, Node.Completion::status)
                    .containsExactly(wrId, VerbsConstants.WC_WR_FLUSH_ERR);
        }
        String sent = HexFormat.of().formatHex(peer.transcript.toByteArray());
        if (row.event != EventType.RDMA_CM_EVENT_ESTABLISHED) {
            // Without the CRC of the Terminate, which other tests look at.
            assertThat(sent.replaceAll("(20060000).*", "$1")).isEqualTo(row.sent.replace("%s", ""));
        }
        return sent;
    }
}
