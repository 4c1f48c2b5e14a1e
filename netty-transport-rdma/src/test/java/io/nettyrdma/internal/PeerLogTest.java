// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.util.internal.logging.InternalLogLevel;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Whatever peers do, the log of it stays short, and is what this side wrote. */
class PeerLogTest {

    private final CapturedLog captured = new CapturedLog();
    private final PeerLog log = captured.log();

    @Test
    void floodOfOneKindWritesThreeLinesASecondAndTheNextTellsOfTheOthers() {
        for (int i = 0; i < 1_000; i++) {
            int number = i;
            log.info(() -> "stranger " + number);
        }
        assertThat(captured.texts()).containsExactly("stranger 0", "stranger 1", "stranger 2");
        captured.pass(1, TimeUnit.SECONDS);
        log.info(() -> "another");
        log.info(() -> "and another");
        assertThat(captured.texts().subList(3, 5))
                .containsExactly("another (997 lines of this kind were left out before)", "and another");
    }

    @Test
    void anySecondHasTenLinesOfAllKindsAtMost() {
        PeerLog[] kinds = new PeerLog[8];
        for (int i = 0; i < kinds.length; i++) {
            kinds[i] = captured.log();
        }
        int[] written = new int[100];
        for (int tenth = 0; tenth < written.length; tenth++) {
            int before = captured.lines.size();
            for (int i = 0; i < 100; i++) {
                kinds[i % kinds.length].warn(() -> "flood");
                kinds[i % kinds.length].error(() -> "fault", new IllegalStateException("oops"));
            }
            written[tenth] = captured.lines.size() - before;
            captured.pass(100, TimeUnit.MILLISECONDS);
        }
        for (int from = 0; from + 10 <= written.length; from++) {
            int sum = 0;
            for (int tenth = from; tenth < from + 10; tenth++) {
                sum += written[tenth];
            }
            assertThat(sum).as("lines in the second from tenth " + from).isEqualTo(10);
        }
    }

    @Test
    void floodOfOneKindLeavesRoomForAnother() {
        PeerLog other = captured.log();
        for (int i = 0; i < 1_000; i++) {
            log.info(() -> "flood");
        }
        other.warn(() -> "something else");
        assertThat(captured.texts()).endsWith("something else");
    }

    @Test
    void floodsOfAllKindsLeaveRoomForAFaultOfThisSide() {
        PeerLog[] kinds = {log, captured.log(), captured.log(), captured.log(), captured.log()};
        for (int i = 0; i < 1_000; i++) {
            for (PeerLog each : kinds) {
                each.info(() -> "flood");
            }
        }
        log.error(() -> "internal error", new IllegalStateException("oops"));
        assertThat(captured.texts()).endsWith("internal error: java.lang.IllegalStateException: oops");
        assertThat(captured.texts()).hasSizeLessThanOrEqualTo(10);
    }

    @Test
    void linesOfAPeerCannotBeForged() {
        log.info(() -> "got 'x\r\nERROR all is lost\u001b[2J\u202e\u2028'");
        log.warn(() -> "accept failed", new IOException("one\ntwo"));
        assertThat(captured.texts())
                .containsExactly(
                        "got 'x\\r\\nERROR all is lost\\x1b[2J\\u202e\\u2028'",
                        "accept failed: java.io.IOException: one\\ntwo");
    }

    @Test
    void lineIsBounded() {
        log.info(() -> "\n".repeat(100_000));
        assertThat(captured.texts().get(0).length()).isLessThanOrEqualTo(PeerLog.MAX_CHARACTERS + 8);
    }

    @Test
    void faultOfThisSideShowsItsStackTraceOnceAMinute() {
        IllegalStateException fault = new IllegalStateException("oops");
        log.error(() -> "internal error", fault);
        log.error(() -> "internal error", fault);
        captured.pass(59, TimeUnit.SECONDS);
        log.error(() -> "internal error", fault);
        captured.pass(1, TimeUnit.SECONDS);
        log.error(() -> "internal error", fault);
        assertThat(captured.lines).extracting(CapturedLog.Line::trace).containsExactly(fault, null, null, fault);
        assertThat(captured.lines).allSatisfy(line -> {
            assertThat(line.level()).isEqualTo(InternalLogLevel.ERROR);
            assertThat(line.text()).isEqualTo("internal error: java.lang.IllegalStateException: oops");
        });
    }
}
