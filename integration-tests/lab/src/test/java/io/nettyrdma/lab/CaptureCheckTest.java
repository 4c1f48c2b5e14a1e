// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.lab;

import static io.nettyrdma.lab.HandMadeCapture.Side.INITIATOR;
import static io.nettyrdma.lab.HandMadeCapture.Side.RESPONDER;
import static io.nettyrdma.lab.HandMadeCapture.nullCall;
import static io.nettyrdma.lab.HandMadeCapture.nullReply;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.nettyrdma.lab.Tshark.Payload;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A checker that finds nothing proves nothing, so each mistake it is there for is shown to it once. Needs tshark only.
 */
@Tag("lab")
class CaptureCheckTest {
    private static final int XID = 0x11223344;

    @TempDir
    Path dir;

    private HandMadeCapture capture;

    @BeforeEach
    void startCapture() throws Exception {
        LabRequirements.requireTshark();
        capture = new HandMadeCapture();
    }

    private CaptureReport check() throws Exception {
        return CaptureCheck.of(capture.write(dir.resolve("hand-made.pcap")), Payload.RPC_OVER_RDMA);
    }

    @Test
    void acceptsRealRping() throws Exception {
        Path rping = Path.of(
                CaptureCheckTest.class.getResource("/captures/rping-siw.pcap").toURI());
        CaptureReport report = CaptureCheck.of(rping, Payload.OPAQUE).assertGood();
        assertThat(report.fpduCount()).isEqualTo(21);
        assertThat(report.crcCount()).isZero();
    }

    @Test
    void acceptsCallsAndTheirReplies() throws Exception {
        capture.send(INITIATOR, 1, nullCall(XID)).send(INITIATOR, 2, nullCall(XID + 1));
        capture.send(RESPONDER, 1, nullReply(XID + 1)).send(RESPONDER, 2, nullReply(XID));
        CaptureReport report = check().assertGood();
        assertThat(report.fpduCount()).isEqualTo(4);
        assertThat(report.crcCount()).isEqualTo(4);
        assertThat(report.callCount()).isEqualTo(2);
        assertThat(report.replyCount()).isEqualTo(2);
    }

    @Test
    void acceptsCallsInBothDirectionsWithTheSameXid() throws Exception {
        capture.send(INITIATOR, 1, nullCall(XID)).send(RESPONDER, 1, nullCall(XID));
        capture.send(RESPONDER, 2, nullReply(XID)).send(INITIATOR, 2, nullReply(XID));
        CaptureReport report = check().assertGood();
        assertThat(report.callCount()).isEqualTo(2);
        assertThat(report.replyCount()).isEqualTo(2);
    }

    @Test
    void acceptsConnectionsWithTheSamePorts() throws Exception {
        capture.send(INITIATOR, 1, nullCall(XID)).send(RESPONDER, 1, nullReply(XID));
        capture.connectAgain().send(INITIATOR, 1, nullCall(XID)).send(RESPONDER, 1, nullReply(XID));
        assertThat(check().assertGood().fpduCount()).isEqualTo(4);
    }

    @Test
    void rejectsWhatIsWrongInAConnectionWithTheSamePorts() throws Exception {
        capture.send(INITIATOR, 1, nullCall(XID)).send(RESPONDER, 1, nullReply(XID));
        capture.connectAgain().send(INITIATOR, 1, nullCall(XID)).send(RESPONDER, 2, nullReply(XID));
        assertThat(check().problems()).singleElement().asString().contains("part-1", "MSN 2, not 1");
    }

    @Test
    void rejectsAReverseReplyWithoutItsCall() throws Exception {
        capture.send(INITIATOR, 1, nullCall(XID)).send(INITIATOR, 2, nullReply(XID));
        assertThat(check().problems()).singleElement().asString().contains("frame 7", "0x11223344", "not called");
    }

    @Test
    void rejectsABadCrc() throws Exception {
        capture.send(INITIATOR, 1, nullCall(XID)).sendWithBadCrc(RESPONDER, 1, nullReply(XID));
        assertThat(check().problems()).singleElement().asString().contains("frame 7", "Bad CRC32");
    }

    @Test
    void rejectsAGapInTheMessageSequence() throws Exception {
        capture.send(INITIATOR, 1, nullCall(XID)).send(INITIATOR, 3, nullCall(XID + 1));
        assertThat(check().problems()).singleElement().asString().contains("frame 7", "MSN 3, not 2");
    }

    @Test
    void rejectsASequenceThatStartsAtZero() throws Exception {
        capture.send(INITIATOR, 0, nullCall(XID));
        assertThat(check().problems()).singleElement().asString().contains("frame 6", "MSN 0, not 1");
    }

    @Test
    void rejectsAReplyWithoutItsCall() throws Exception {
        capture.send(INITIATOR, 1, nullCall(XID)).send(RESPONDER, 1, nullReply(XID + 1));
        assertThat(check().problems()).singleElement().asString().contains("frame 7", "0x11223345", "not called");
    }

    @Test
    void rejectsASecondReplyToOneCall() throws Exception {
        capture.send(INITIATOR, 1, nullCall(XID))
                .send(RESPONDER, 1, nullReply(XID))
                .send(RESPONDER, 2, nullReply(XID));
        assertThat(check().problems()).singleElement().asString().contains("frame 8", "answered before");
    }

    @Test
    void rejectsWhatTsharkCallsMalformed() throws Exception {
        // An RDMA_ERROR that ends before its error code.
        capture.send(INITIATOR, 1, nullCall(XID))
                .send(
                        RESPONDER,
                        1,
                        ByteBuffer.allocate(16)
                                .putInt(XID)
                                .putInt(1)
                                .putInt(32)
                                .putInt(4)
                                .array());
        assertThat(check().problems()).singleElement().asString().contains("frame 7", "malformed");
    }

    @Test
    void rejectsATruncatedHeaderThatTsharkPassesOver() throws Exception {
        capture.send(INITIATOR, 1, nullCall(XID)).send(RESPONDER, 1, Arrays.copyOf(nullReply(XID), 24));
        assertThat(check().problems()).singleElement().asString().contains("from port 20049", "1 Sends without");
    }

    @Test
    void rejectsACaptureThatMissesASegment() throws Exception {
        capture.send(INITIATOR, 1, nullCall(XID)).lose(INITIATOR, 92).send(INITIATOR, 2, nullCall(XID + 1));
        assertThat(check().problems()).singleElement().asString().contains("frame 7", "not in the capture");
    }

    @Test
    void rejectsACaptureThatMissesTheLastSegment() throws Exception {
        capture.send(INITIATOR, 1, nullCall(XID)).lose(INITIATOR, 92).send(RESPONDER, 1, nullReply(XID));
        assertThat(check().problems()).singleElement().asString().contains("frame 7", "92 octets that are not in");
    }

    @Test
    void acceptsSegmentsThatOvertakeEachOther() throws Exception {
        capture.send(INITIATOR, 1, nullCall(XID)).sendInTheWrongOrder(INITIATOR, 2, nullCall(XID + 1));
        capture.send(RESPONDER, 1, nullReply(XID)).send(RESPONDER, 2, nullReply(XID + 1));
        CaptureReport report = check().assertGood();
        assertThat(report.fpduCount()).isEqualTo(4);
        assertThat(report.crcCount()).isEqualTo(4);
        assertThat(report.callCount()).isEqualTo(2);
        assertThat(report.replyCount()).isEqualTo(2);
    }

    @Test
    void rejectsACaptureWithoutFpdus() throws Exception {
        assertThat(check().problems()).anyMatch(problem -> problem.contains("no FPDU"));
    }

    @Test
    void rejectsRpcThatTsharkDoesNotRecogniseAsRpc() throws Exception {
        capture.send(INITIATOR, 1, ByteBuffer.allocate(64).array());
        assertThatThrownBy(() -> check().assertGood())
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("no RPC call");
    }
}
