// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.guard;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Lines that peers cause, by a clock that the test moves. */
class PeerLogTest {

    private static final long MILLI = 1_000_000;

    private final List<String> lines = new ArrayList<>();
    private long nanos = Long.MAX_VALUE - 1_500 * MILLI; // it may run over at any time
    private final PeerLog log = new PeerLog(lines::add, 10, () -> nanos);

    /** A second begins with its first line, so that two such seconds may meet in one of the clock. */
    @Test
    void inNoTwoSecondsAreThereMoreLinesThanTheyAllow() {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        List<Long> printedAt = new ArrayList<>();
        for (int i = 0; i < 20_000; i++) {
            nanos += random.nextInt(10) == 0 ? random.nextInt(400) * MILLI : random.nextInt(20) * MILLI;
            int before = lines.size();
            log.accept("line");
            if (lines.size() > before) {
                printedAt.add(nanos);
            }
        }
        for (int i = 14; i < printedAt.size(); i++) {
            assertThat(printedAt.get(i) - printedAt.get(i - 14))
                    .as("lines %d to %d, seed %d", i - 14, i, seed)
                    .isGreaterThanOrEqualTo(1000 * MILLI);
        }
        assertThat(printedAt).hasSizeGreaterThan(1000);
    }

    @Test
    void theNextLineSaysHowManyWereLeftOut() {
        for (int i = 0; i < 25; i++) {
            log.accept("line " + i);
        }
        nanos += 1000 * MILLI;
        log.accept("next");
        log.accept("last");
        assertThat(lines).hasSize(9).endsWith("line 6", "(18 lines omitted) next", "last");
    }

    @Test
    void floodLeavesRoomForFaultsOfThisSide() {
        for (int second = 0; second < 3; second++) {
            int before = lines.size();
            for (int i = 0; i < 1_000; i++) {
                log.accept("flood");
            }
            log.fault("fault");
            for (int i = 0; i < 1_000; i++) {
                log.accept("flood");
            }
            assertThat(lines.subList(before, lines.size()))
                    .hasSizeLessThanOrEqualTo(10)
                    .anyMatch(line -> line.endsWith("fault"));
            nanos += 1000 * MILLI;
        }
    }

    @Test
    void anySecondHasTenLinesOfBothKindsAtMost() {
        for (int i = 0; i < 1_000; i++) {
            log.accept("flood");
            log.fault("fault");
        }
        assertThat(lines).hasSize(10).contains("flood", "fault");
    }

    /** With one line in a second there is no room that could be kept for faults. */
    @Test
    void oneLineIsSharedByBothKinds() {
        PeerLog other = new PeerLog(lines::add, 1, () -> nanos);
        other.fault("fault");
        other.accept("line");
        assertThat(lines).containsExactly("fault");
        nanos += 1000 * MILLI;
        other.accept("line");
        assertThat(lines).containsExactly("fault", "(1 line omitted) line");
    }

    @Test
    void stackTracesOfALoggerAreLinesAsAllOthers() {
        PrintStream stream = new PrintStream(log.stream(), true);
        for (int i = 0; i < 100; i++) {
            new IllegalStateException("one\u001btwo").printStackTrace(stream);
        }
        assertThat(lines).hasSize(7).startsWith("java.lang.IllegalStateException: one\\u001btwo");
        assertThat(lines.get(1)).startsWith("    at " + PeerLogTest.class.getName());
    }

    @Test
    void whatATerminalWouldObeyIsSpelledOut() {
        String[][] cases = {
            {"a\nb\r\tc", "a\\u000ab\\u000d\\u0009c"},
            {"\u001b[31mred\u0007\u007f\u0000", "\\u001b[31mred\\u0007\\u007f\\u0000"},
            {"\u009b2J\u0085", "\\u009b2J\\u0085"},
            {"\u2028\u2029", "\\u2028\\u2029"},
            {"\u202eexe.txt\u2066\u200f\ufeff", "\\u202eexe.txt\\u2066\\u200f\\ufeff"},
            {"\ud800x\udc00", "\\ud800x\\udc00"},
            {"\udb40\udc41", "\\udb40\\udc41"}, // an invisible letter
            {"Gr\u00fc\u00dfe \ud83d\ude00 \\n", "Gr\u00fc\u00dfe \ud83d\ude00 \\n"},
        };
        for (String[] one : cases) {
            assertThat(PeerText.escape(one[0])).isEqualTo(one[1]);
            assertThat(PeerText.escape(one[1])).as("escaped again").isEqualTo(one[1]);
        }
        assertThat(PeerText.escape("x".repeat(100_000))).hasSize(1003).endsWith("x...");
    }
}
