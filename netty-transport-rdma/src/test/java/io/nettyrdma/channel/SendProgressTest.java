// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.channel;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.embedded.EmbeddedChannel;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** When a connection counts as stuck, by a clock that stands still unless the test moves it. */
class SendProgressTest {

    private static final int TIMEOUT_MILLIS = 60_000;

    private final EmbeddedChannel channel = new EmbeddedChannel();
    private int outstanding;
    private long moved;
    private int stuck;

    private final SendProgress progress = new SendProgress(() -> outstanding, () -> moved, timeoutMillis -> {
        assertThat(timeoutMillis).isEqualTo(TIMEOUT_MILLIS);
        stuck++;
    });

    SendProgressTest() {
        channel.freezeTime();
    }

    private void post() {
        outstanding++;
        progress.onPosted(channel.eventLoop(), TIMEOUT_MILLIS);
    }

    private void pass(long millis) {
        for (long i = 0; i < millis; i += 500) {
            channel.advanceTimeBy(500, TimeUnit.MILLISECONDS);
            channel.runScheduledPendingTasks();
        }
    }

    @Test
    void requestsThatDoNotMoveAreStuckAfterTheTimeAndAtMostAQuarterLater() {
        post();
        pass(TIMEOUT_MILLIS - 500);
        assertThat(stuck).isZero();
        pass(TIMEOUT_MILLIS / 4 + 500);
        assertThat(stuck).isOne();
        pass(10 * TIMEOUT_MILLIS);
        assertThat(stuck).isOne();
    }

    @Test
    void requestPostedLongAfterOthersGetsItsWholeTime() {
        post();
        pass(TIMEOUT_MILLIS / 8);
        outstanding = 0;
        moved++;
        pass(TIMEOUT_MILLIS / 8 - 500);
        post(); // just before the next look
        pass(TIMEOUT_MILLIS - 500);
        assertThat(stuck).isZero();
        pass(TIMEOUT_MILLIS / 4 + 500);
        assertThat(stuck).isOne();
    }

    @Test
    void oneOctetInTimeIsEnough() {
        post();
        for (int i = 0; i < 20; i++) {
            pass(TIMEOUT_MILLIS - 500);
            moved++;
        }
        assertThat(stuck).isZero();
    }

    @Test
    void nothingIsScheduledWhileNothingIsOutstanding() {
        post();
        outstanding = 0;
        pass(TIMEOUT_MILLIS);
        assertThat(channel.runScheduledPendingTasks()).isEqualTo(-1);
        assertThat(stuck).isZero();
    }

    @Test
    void stoppedWatchLeavesNoTimer() {
        post();
        progress.stop();
        assertThat(channel.runScheduledPendingTasks()).isEqualTo(-1);
    }

    @Test
    void timeOfZeroIsForEver() {
        outstanding++;
        progress.onPosted(channel.eventLoop(), 0);
        assertThat(channel.runScheduledPendingTasks()).isEqualTo(-1);
    }
}
