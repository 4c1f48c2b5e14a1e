// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;

class CopyProgressTest {

    private final StringWriter err = new StringWriter();
    private long nanos;

    private CopyProgress progress(boolean terminal) {
        return new CopyProgress("file", new PrintWriter(err), terminal, () -> nanos);
    }

    private void copied(CopyProgress progress, long bytes, double seconds) {
        nanos += (long) (seconds * 1e9);
        progress.onCopied(bytes);
    }

    @Test
    void printsALineASecondIfNobodyWatches() {
        CopyProgress progress = progress(false);
        progress.onStarted(10 << 20);
        copied(progress, 1 << 20, 0.5);
        copied(progress, 1 << 20, 0.5);
        copied(progress, 1 << 20, 0.5);
        progress.end();
        assertThat(err).hasToString("file: 20%  2.00 MiB of 10.0 MiB  2.00 MiB/s  ETA 0:04" + System.lineSeparator());
    }

    @Test
    void writesALineOverItselfOnATerminalAndRemovesIt() {
        CopyProgress progress = progress(true);
        progress.onStarted(4000);
        copied(progress, 1000, 0.05);
        copied(progress, 1000, 0.95);
        progress.end();
        assertThat(err).hasToString("\rfile: 50%  1.95 KiB of 3.91 KiB  1.95 KiB/s  ETA 0:01" + "\033[K\r\033[K");
    }

    @Test
    void longNameGivesWayToTheRest() {
        CopyProgress progress = new CopyProgress("name".repeat(30), new PrintWriter(err), true, () -> nanos);
        progress.onStarted(4000);
        copied(progress, 1000, 1);
        String line = err.toString().replace("\r", "").replace("\033[K", "");
        assertThat(line)
                .hasSizeLessThan(80)
                .startsWith("namename")
                .endsWith("25%  0.98 KiB of 3.91 KiB  0.98 KiB/s  ETA 0:03");
    }

    @Test
    void whatHasToBeCopiedAgainIsTakenBack() {
        CopyProgress progress = progress(false);
        progress.onStarted(1000);
        copied(progress, 1000, 0.5);
        copied(progress, -500, 0.5);
        assertThat(err.toString()).startsWith("file: 50%  500 B of 0.98 KiB");
        assertThat(progress.summary()).isEqualTo("file: 500 B (500 bytes) in 1.000 s, 500 B/s");
    }

    @Test
    void timesHaveHoursOnlyIfNeeded() {
        assertThat(CopyProgress.time(59)).isEqualTo("0:59");
        assertThat(CopyProgress.time(3599)).isEqualTo("59:59");
        assertThat(CopyProgress.time(3661)).isEqualTo("1:01:01");
    }

    @Test
    void sizesHaveThreeDigits() {
        assertThat(CopyProgress.size(999)).isEqualTo("999 B");
        assertThat(CopyProgress.size(1023 << 10)).isEqualTo("1.00 MiB");
        assertThat(CopyProgress.size(15_000)).isEqualTo("14.6 KiB");
        assertThat(CopyProgress.size(Long.MAX_VALUE)).isEqualTo("8.00 EiB");
    }
}
