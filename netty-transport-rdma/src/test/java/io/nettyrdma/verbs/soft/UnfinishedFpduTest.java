// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.soft;

import static org.assertj.core.api.Assertions.assertThat;

import com.ibm.disni.verbs.RdmaCmEvent.EventType;
import io.nettyrdma.verbs.soft.Stage.Role;
import io.nettyrdma.verbs.soft.Stage.Timing;
import io.nettyrdma.verbs.soft.faults.NothingLeft;
import io.nettyrdma.verbs.soft.iwarp.Ddp;
import io.nettyrdma.verbs.soft.iwarp.RdmapOpcode;
import io.nettyrdma.verbs.spi.VerbsConstants;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** An FPDU that is begun has to be finished in time; by the clock of the test. */
@ExtendWith(NothingLeft.class)
final class UnfinishedFpduTest {

    private static final long TIMEOUT = Node.config().build().partialFpduTimeoutNanos();
    private static final int LONG = (int) TimeUnit.NANOSECONDS.toMillis(100 * TIMEOUT);

    private final AtomicLong clock = new AtomicLong(Long.MAX_VALUE - TIMEOUT);

    private Stage stage(Role role, int receives) throws Exception {
        Stage s = new Stage(role, Stage.DEPTH, false, LONG, clock::get);
        s.establish(receives, Timing.LATER);
        return s;
    }

    private static TcpConnection connection(Stage s) {
        return ((SoftCmId) s.id).connection();
    }

    /** The peer sends octets that leave an FPDU unfinished. */
    private static void begin(Stage s, ByteBuffer octets) throws IOException {
        s.peer.write(octets);
        s.node.await("octets of an unfinished FPDU", () -> connection(s).tcp().hasUnparsed());
    }

    private void pass(Stage s, long nanos) {
        clock.addAndGet(nanos);
        s.node.drive();
    }

    private static void expectOverdue(Stage s, String reason) throws Exception {
        s.node.expect(EventType.RDMA_CM_EVENT_DISCONNECTED);
        assertThat(s.node.reason(s.id))
                .isEqualTo(reason + " within 30000 ms;" + " sent Terminate LLP/MPA/marker and length mismatch");
        List<ByteBuffer> ulpdus = s.drain();
        assertThat(ulpdus).hasSize(1);
        ByteBuffer t = ulpdus.get(0);
        assertThat(Ddp.opcode(t, 0)).isEqualTo(RdmapOpcode.TERMINATE);
        assertThat(t.getInt(18)).isEqualTo(0x20030000);
        assertThat(s.statuses().values()).containsOnly(VerbsConstants.WC_WR_FLUSH_ERR);
        s.inbox.expectPlaced(0, Stage.PAYLOAD);
        s.exchange();
        s.expectGuards();
    }

    @ParameterizedTest
    @EnumSource
    void lengthThatPromisesMoreThanFollowsEndsTheConnectionInTime(Role role) throws Exception {
        try (Stage s = stage(role, 2)) {
            ByteBuffer first = s.fpdu(RawPeer.send(1, 0, true, Stage.payload(8)));
            ByteBuffer second = s.fpdu(RawPeer.send(2, 0, true, Stage.payload(8)));
            // One bit is wrong, so what follows is taken for its payload.
            first.put(0, (byte) (first.get(0) | 0x40));
            begin(s, first);
            pass(s, TIMEOUT / 2);
            begin(s, second);
            pass(s, TIMEOUT / 2 - 1);
            assertThat(connection(s).isStreaming()).isTrue();
            pass(s, 1);
            expectOverdue(s, "only 64 octets of an FPDU of 16416 octets");
        }
    }

    @ParameterizedTest
    @EnumSource
    void halfALengthIsAnFpduBegun(Role role) throws Exception {
        try (Stage s = stage(role, 2)) {
            begin(s, ByteBuffer.allocate(1));
            pass(s, TIMEOUT);
            expectOverdue(s, "only 1 octets of an FPDU of unknown length");
        }
    }

    @ParameterizedTest
    @EnumSource
    void slowPeerIsWaitedFor(Role role) throws Exception {
        int messages = 12;
        try (Stage s = stage(role, messages)) {
            ByteBuffer all = ByteBuffer.allocate(1024);
            for (int msn = 1; msn <= messages; msn++) {
                all.put(s.fpdu(RawPeer.send(msn, 0, true, Stage.payload(8))));
            }
            // Ten octets at a time, and never the end of an FPDU at the end of the ten, so one is always under way.
            all.flip();
            int total = all.limit();
            for (int sent = 0; sent < total - 1; sent += 10) {
                int end = Math.min(sent + 10, total);
                begin(s, all.limit(end % 32 == 0 ? end - 1 : end));
                pass(s, TIMEOUT / 5);
                assertThat(s.node.pollEvent()).isNull();
            }
            s.peer.write(all.limit(total));
            s.node.await(
                    "all messages",
                    () -> s.node.completions.stream()
                                    .filter(c -> c.id() <= messages && c.status() == VerbsConstants.WC_SUCCESS)
                                    .count()
                            == messages);
            // Between two FPDUs it may be silent as long as it likes.
            pass(s, 100 * TIMEOUT);
            assertThat(connection(s).isStreaming()).isTrue();
        }
    }

    @ParameterizedTest
    @EnumSource
    void youngerFpduIsOverdueAfterItsOwnTime(Role role) throws Exception {
        try (Stage s = stage(role, 2)) {
            ByteBuffer first = s.fpdu(RawPeer.send(1, 0, true, Stage.payload(8)));
            begin(s, first.limit(10));
            pass(s, TIMEOUT - 1);
            begin(s, ByteBuffer.allocate(64).put(first.limit(32)).put((byte) 0).flip());
            s.node.await(
                    "the first message", () -> connection(s).tcp().unparsed().remaining() == 1);
            pass(s, 1);
            pass(s, TIMEOUT - 1);
            assertThat(connection(s).isStreaming()).isTrue();
            pass(s, 1);
            s.node.expect(EventType.RDMA_CM_EVENT_DISCONNECTED);
            assertThat(s.node.reason(s.id)).startsWith("only 1 octets of an FPDU of unknown length within 30000 ms");
        }
    }

    @ParameterizedTest
    @EnumSource
    void restThatNobodyHasReadYetIsInTime(Role role) throws Exception {
        try (Stage s = stage(role, 2)) {
            ByteBuffer fpdu = s.fpdu(RawPeer.send(1, 0, true, Stage.payload(8)));
            begin(s, fpdu.limit(31));
            // The event loop is busy elsewhere while the last octet comes.
            s.peer.write(fpdu.limit(32));
            pass(s, 10 * TIMEOUT);
            s.node.await("the message", () -> s.node.completions.stream().anyMatch(c -> c.id() == 1));
            assertThat(connection(s).isStreaming()).isTrue();
        }
    }

    @ParameterizedTest
    @EnumSource
    void timeWithoutAReceiveDoesNotCount(Role role) throws Exception {
        try (Stage s = stage(role, 0)) {
            ByteBuffer first = s.fpdu(RawPeer.send(1, 0, true, Stage.payload(8)));
            ByteBuffer second = s.fpdu(RawPeer.send(2, 0, true, Stage.payload(8)));
            begin(s, first.limit(10));
            begin(
                    s,
                    ByteBuffer.allocate(64)
                            .put(first.limit(32))
                            .put(second.limit(10))
                            .flip());
            s.node.await("the pause", () -> connection(s).tcp().unparsed().remaining() == 42);
            pass(s, 5 * TIMEOUT);
            s.receive(1, s.inbox.mr, 0);
            s.node.await("the first message", () -> s.node.completions.stream().anyMatch(c -> c.id() == 1));
            pass(s, TIMEOUT - 1);
            assertThat(connection(s).isStreaming()).isTrue();
            pass(s, 1);
            s.node.expect(EventType.RDMA_CM_EVENT_DISCONNECTED);
            assertThat(s.node.reason(s.id)).startsWith("only 10 octets of an FPDU of 32 octets within 30000 ms");
        }
    }
}
