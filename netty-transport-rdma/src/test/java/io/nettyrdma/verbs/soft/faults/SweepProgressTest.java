// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.soft.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

/** A sweep that does not pass says which one it is, and where. */
final class SweepProgressTest {

    private static final String SWEEP = "SweepProgressTest, CLOSE";

    @Test
    void failureNamesTheSweepAndThePosition() {
        AssertionError wrong = new AssertionError("wrong reply");
        assertThatThrownBy(() -> SweepProgress.over(SWEEP, 3, progress -> {
                    progress.at("CLOSE at 0");
                    progress.at("CLOSE at 1");
                    throw wrong;
                }))
                .isInstanceOf(AssertionError.class)
                .hasMessageStartingWith(SWEEP + ", position 2 of 3")
                .hasMessageContaining("latest CLOSE at 1")
                .hasMessageEndingWith("wrong reply")
                .hasCause(wrong);
    }

    @Test
    void waitWithoutEndFailsAtItsPosition() {
        CountDownLatch never = new CountDownLatch(1);
        assertThatThrownBy(() -> SweepProgress.over(SWEEP, 3, Duration.ofMillis(1), progress -> {
                    progress.at("CLOSE at 0");
                    never.await();
                }))
                .isInstanceOf(AssertionError.class)
                .hasMessageStartingWith("stuck: " + SWEEP + ", position")
                .hasCauseInstanceOf(InterruptedException.class);
        assertThat(Thread.currentThread().isInterrupted())
                .as("interrupt that is left for the next test")
                .isFalse();
    }
}
