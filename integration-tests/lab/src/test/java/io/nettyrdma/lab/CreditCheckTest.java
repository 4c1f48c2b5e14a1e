// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.lab;

import static io.nettyrdma.lab.HandMadeCapture.Side.INITIATOR;
import static io.nettyrdma.lab.HandMadeCapture.Side.RESPONDER;
import static io.nettyrdma.lab.HandMadeCapture.nullCall;
import static io.nettyrdma.lab.HandMadeCapture.nullReply;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The mistakes the checker is there for. The hand-made replies grant 32 credits. Needs tshark only. */
@Tag("lab")
class CreditCheckTest {
    private static final int GRANTED = 32;

    @TempDir
    Path dir;

    private HandMadeCapture capture;

    @BeforeEach
    void startCapture() throws Exception {
        LabRequirements.requireTshark();
        capture = new HandMadeCapture();
    }

    private CreditCheck.Report check() throws Exception {
        return CreditCheck.of(capture.write(dir.resolve("hand-made.pcap")));
    }

    @Test
    void acceptsOneCallAndThenAsManyAsGranted() throws Exception {
        capture.send(INITIATOR, 1, nullCall(1)).send(RESPONDER, 1, nullReply(1));
        for (int i = 2; i <= GRANTED + 1; i++) {
            capture.send(INITIATOR, i, nullCall(i));
        }
        CreditCheck.Direction report = check().assertGood().forward();
        assertThat(report.callCount()).isEqualTo(GRANTED + 1);
        assertThat(report.replyCount()).isEqualTo(1);
        assertThat(report.mostOutstanding()).isEqualTo(GRANTED);
        assertThat(report.mostGranted()).isEqualTo(GRANTED);
    }

    @Test
    void rejectsASecondCallBeforeTheFirstReply() throws Exception {
        capture.send(INITIATOR, 1, nullCall(1)).send(INITIATOR, 2, nullCall(2));
        assertThatThrownBy(() -> check().assertGood())
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("frame 7: call with 1 outstanding and 1 granted");
    }

    @Test
    void rejectsOneCallMoreThanGranted() throws Exception {
        capture.send(INITIATOR, 1, nullCall(1)).send(RESPONDER, 1, nullReply(1));
        for (int i = 2; i <= GRANTED + 2; i++) {
            capture.send(INITIATOR, i, nullCall(i));
        }
        assertThat(check().problems()).singleElement().asString().contains("32 outstanding and 32 granted");
    }

    /** The reply to the reverse call grants 32, and has the XID of a call that waits for its own. */
    @Test
    void countsTheReverseDirectionByItself() throws Exception {
        capture.send(INITIATOR, 1, nullCall(1)).send(RESPONDER, 1, nullCall(1));
        capture.send(INITIATOR, 2, nullReply(1)).send(RESPONDER, 2, nullCall(2));
        capture.send(RESPONDER, 3, nullCall(3)).send(RESPONDER, 4, nullReply(1));
        CreditCheck.Report report = check().assertGood();
        assertThat(report.forward()).isEqualTo(new CreditCheck.Direction(1, 1, 1, GRANTED));
        assertThat(report.reverse()).isEqualTo(new CreditCheck.Direction(3, 1, 2, GRANTED));
    }

    @Test
    void rejectsASecondReverseCallBeforeTheFirstReply() throws Exception {
        capture.send(INITIATOR, 1, nullCall(1)).send(RESPONDER, 1, nullReply(1));
        capture.send(RESPONDER, 2, nullCall(1)).send(RESPONDER, 3, nullCall(2));
        assertThat(check().problems())
                .singleElement()
                .asString()
                .contains("frame 9: reverse call with 1 outstanding and 1 granted");
    }
}
