// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** When a loop spins, by a clock of the test's. */
class SpinningTest {

    private static final long MILLI = TimeUnit.MILLISECONDS.toNanos(1);
    private static final long LONG = MILLI;
    private static final long SHORT = TimeUnit.MICROSECONDS.toNanos(1);

    private final Spinning spinning = new Spinning();
    private long now = 5;

    private void yields(long nanos) {
        long from = now;
        now += nanos;
        spinning.onYielded(from, now);
    }

    /** Lets time pass until the loop may spin again; returns the milliseconds. */
    private long pauseMillis() {
        long from = now;
        while (!spinning.isAllowed(now)) {
            now += MILLI;
        }
        return (now - from) / MILLI;
    }

    @ParameterizedTest
    @ValueSource(longs = {5, Long.MAX_VALUE - 1, Long.MIN_VALUE, -1})
    void yieldsThatComeBackSoonStopNothing(long start) {
        now = start;
        for (int i = 0; i < 1000; i++) {
            yields(Spinning.LONG_YIELD_NANOS);
            assertThat(pauseMillis()).isZero();
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {5, Long.MAX_VALUE - 1, Long.MIN_VALUE, -1})
    void eachLongYieldStopsTheSpinningForTwiceAsLong(long start) {
        now = start;
        for (long millis : new long[] {10, 20, 40, 80, 160, 320, 640, 1000, 1000}) {
            yields(LONG);
            assertThat(pauseMillis()).isEqualTo(millis);
        }
    }

    @Test
    void fewShortYieldsDoNotForgetTheLongOne() {
        yields(LONG);
        assertThat(pauseMillis()).isEqualTo(10);
        yields(SHORT);
        yields(SHORT);
        yields(LONG);
        assertThat(pauseMillis()).isEqualTo(20);
    }

    @Test
    void shortYieldsForAsLongAsThePauseForgetIt() {
        yields(LONG);
        pauseMillis();
        yields(LONG);
        assertThat(pauseMillis()).isEqualTo(20);
        now += 20 * MILLI;
        yields(SHORT);
        yields(LONG);
        assertThat(pauseMillis()).isEqualTo(10);
    }

    @Test
    void longYieldLongAfterThePauseIsTheFirstAgain() {
        yields(LONG);
        pauseMillis();
        now += 3600 * 1000 * MILLI;
        yields(LONG);
        assertThat(pauseMillis()).isEqualTo(10);
    }
}
