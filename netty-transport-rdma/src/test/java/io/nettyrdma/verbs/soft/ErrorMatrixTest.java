// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.soft;

import static org.assertj.core.api.Assertions.assertThat;

import com.ibm.disni.verbs.IbvWC;
import com.ibm.disni.verbs.RdmaCmEvent.EventType;
import io.nettyrdma.conformance.Requirement;
import io.nettyrdma.verbs.soft.Stage.Role;
import io.nettyrdma.verbs.soft.Stage.Timing;
import io.nettyrdma.verbs.soft.faults.NothingLeft;
import io.nettyrdma.verbs.soft.iwarp.Ddp;
import io.nettyrdma.verbs.soft.iwarp.RdmapOpcode;
import io.nettyrdma.verbs.soft.iwarp.ReadRequest;
import io.nettyrdma.verbs.soft.iwarp.TerminateError;
import io.nettyrdma.verbs.spi.VerbsConstants;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Every violation on an established connection, in both roles: what goes out, what the application sees, what memory
 * looks like afterwards, and that nobody else is concerned. What was observed becomes a page of the report.
 */
@ExtendWith(NothingLeft.class)
final class ErrorMatrixTest {

    private static final ErrorMatrixPage page = new ErrorMatrixPage();

    static Stream<Arguments> rows() {
        return Stream.of(
                        FramingViolations.all(),
                        SendViolations.all(),
                        TaggedViolations.all(),
                        ReadViolations.all(),
                        TerminatesReceived.all(),
                        SilentEnds.all(),
                        LocalFaults.all(),
                        LegalOddities.all())
                .flatMap(List::stream)
                .flatMap(row -> Stream.of(Role.values()).flatMap(role -> Stream.of(Timing.values())
                        .filter(timing -> isPlayed(row, role, timing))
                        .map(timing -> Arguments.of(row, role, timing))));
    }

    private static boolean isPlayed(Violation row, Role role, Timing timing) {
        return switch (timing) {
            case LATER -> true;
            case SLICED -> !row.together;
            // Memory has no CRCs, and only whole FPDUs.
            case SHARED -> row.terminate != TerminateError.MPA_CRC && !isInsideAnFpdu(row);
            case FIRST -> role == Role.RESPONDER && !row.afterRead;
        };
    }

    private static boolean isInsideAnFpdu(Violation row) {
        return row.reason != null && row.reason.endsWith("inside an FPDU");
    }

    @AfterAll
    static void writePage() throws Exception {
        page.write("error-matrix.md", "Violations on an established connection");
    }

    @Requirement({"V1-139", "V1-141", "V2-160"})
    @ParameterizedTest(name = "{0}, the provider is the {1}, {2}")
    @MethodSource("rows")
    void violationEndsItsConnectionOnly(Violation row, Role role, Timing timing) throws Exception {
        try (Stage s = new Stage(role, row.reads, timing == Timing.SHARED, 0, System::nanoTime)) {
            s.exchange();
            s.establish(row.receives, timing);
            row.action.play(s);
            String terminate = row.reset ? "" : expectLastWords(row, s, s.drain());
            s.node.expect(EventType.RDMA_CM_EVENT_DISCONNECTED);
            assertThat(s.node.pollEvent()).isNull();
            String reason = s.node.reason(s.id);
            expectReason(row, reason);
            Map<Long, Integer> statuses = s.statuses();
            assertThat(statuses).isEqualTo(expectedStatuses(row, statuses));
            s.exposed.expectPlaced(row.placed, Stage.PAYLOAD);
            s.sink.expectPlaced(row.placedInSink, Stage.PAYLOAD);
            for (GuardedRegion region : List.of(s.readOnly, s.writeOnly, s.unwritable, s.local, s.foreign, s.gone)) {
                region.expectPlaced(0, Stage.PAYLOAD);
                assertThat(region.mr.region().isValid()).isEqualTo(region != s.gone);
            }
            s.exchange();
            s.expectGuards();
            page.add(row.name, role, timing, terminate, describe(statuses), reason);
        }
    }

    private static String expectLastWords(Violation row, Stage s, List<ByteBuffer> ulpdus) {
        int expected = row.responses + (row.terminate == null ? 0 : 1);
        assertThat(ulpdus).as("FPDUs after the violation").hasSize(expected);
        assertThat(s.peer.reset).as("reset instead of FIN").isFalse();
        for (ByteBuffer response : ulpdus.subList(0, row.responses)) {
            assertThat(Ddp.opcode(response, 0)).isEqualTo(RdmapOpcode.READ_RESPONSE);
        }
        if (row.terminate == null) {
            return "";
        }
        ByteBuffer t = ulpdus.get(row.responses);
        assertThat(Ddp.opcode(t, 0)).isEqualTo(RdmapOpcode.TERMINATE);
        assertThat(Ddp.isTagged(t, 0)).isFalse();
        assertThat(Ddp.isLast(t, 0)).isTrue();
        assertThat(Ddp.queueNumber(t, 0)).isEqualTo(Ddp.QUEUE_TERMINATE);
        assertThat(Ddp.messageSequence(t, 0)).isEqualTo(Ddp.FIRST_MSN);
        assertThat(Ddp.messageOffset(t, 0)).isZero();
        // RFC 5040, section 4.8, octet by octet rather than by the decoder that this project uses itself.
        assertThat(t.get(18)).isEqualTo((byte) (row.terminate.layer() << 4 | row.terminate.errorType()));
        assertThat(t.get(19) & 0xff).isEqualTo(row.terminate.code());
        expectHeaders(row, s, t);
        return String.format("%s (%02x %02x %02x)", row.terminate.text(), t.get(18), t.get(19), t.get(20));
    }

    private static void expectHeaders(Violation row, Stage s, ByteBuffer t) {
        int flags = (row.headers.contains("M") ? 0x80 : 0)
                | (row.headers.contains("D") ? 0x40 : 0)
                | (row.headers.contains("R") ? 0x20 : 0);
        assertThat(t.get(20) & 0xff).as("flags M, D, R").isEqualTo(flags);
        assertThat(t.get(21)).isZero();
        if (flags == 0) {
            assertThat(t.capacity()).isEqualTo(22);
            return;
        }
        byte[] offending = s.lastUlpdu;
        int ddpBytes = Ddp.headerBytes(ByteBuffer.wrap(offending), 0);
        int headerBytes = ddpBytes + (row.headers.contains("R") ? ReadRequest.BYTES : 0);
        assertThat(t.capacity()).isEqualTo(24 + headerBytes);
        assertThat(t.getShort(22) & 0xffff).as("DDP segment length").isEqualTo(offending.length);
        assertThat(t.slice(24, headerBytes)).isEqualTo(ByteBuffer.wrap(offending, 0, headerBytes));
    }

    private static void expectReason(Violation row, String reason) {
        if (row.terminate != null) {
            assertThat(reason).contains(row.reason).endsWith("; sent Terminate " + row.terminate.text());
        } else if (row.reason == null) {
            assertThat(reason).isNull();
        } else {
            assertThat(reason).startsWith(row.reason);
        }
    }

    private static Map<Long, Integer> expectedStatuses(Violation row, Map<Long, Integer> actual) {
        Map<Long, Integer> expected = new TreeMap<>();
        for (long id : actual.keySet()) {
            expected.put(id, VerbsConstants.WC_WR_FLUSH_ERR);
        }
        for (long id = 1; id <= row.received; id++) {
            expected.put(id, VerbsConstants.WC_SUCCESS);
        }
        expected.computeIfPresent(row.received + 1L, (id, status) -> row.receiveStatus);
        expected.put(Stage.READ, row.readStatus);
        expected.put(Stage.SEND, row.sendStatus);
        expected.computeIfPresent(Stage.OWN, (id, status) -> row.ownStatus);
        return expected;
    }

    private static String describe(Map<Long, Integer> statuses) {
        return statuses.entrySet().stream()
                .map(e -> name(e.getKey()) + " "
                        + IbvWC.IbvWcStatus.values()[e.getValue()].name().substring("IBV_WC_".length()))
                .collect(Collectors.joining(", "));
    }

    private static String name(long id) {
        if (id == Stage.OWN) {
            return "own";
        }
        return id == Stage.READ ? "Read" : id == Stage.SEND ? "Send" : "Recv " + id;
    }
}
