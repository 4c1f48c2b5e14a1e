// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.disni;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** The pauses of a thread whose native wait does not wait, on a clock that stands still but for what a turn takes. */
class EventWaiterTest {

    private static final int TURN_MILLIS = 8;

    private final List<Long> pausesMillis = new ArrayList<>();
    private long now;
    private int turns;

    private final EventWaiter.Pace pace = new EventWaiter.Pace() {
        @Override
        public long nanoTime() {
            return now;
        }

        @Override
        public void pause(long nanos) {
            pausesMillis.add(TimeUnit.NANOSECONDS.toMillis(nanos));
        }
    };

    /** Turns, given by what each takes in milliseconds, negative if it had an event; then the thread ends. */
    private void run(int... millis) throws InterruptedException {
        EventWaiter waiter = new EventWaiter(
                "waiter",
                TURN_MILLIS,
                () -> {
                    if (turns == millis.length) {
                        throw new IOException("end of the test");
                    }
                    int took = millis[turns++];
                    now += TimeUnit.MILLISECONDS.toNanos(Math.abs(took));
                    return took < 0;
                },
                () -> {},
                pace);
        waiter.join();
        assertThat(waiter.failure()).hasMessage("end of the test");
    }

    @Test
    void waitThatReturnsAtOnceIsSlowedDownToTheLengthOfATurn() throws Exception {
        run(0, 0, 0, 0, 0, 0, 0);
        assertThat(pausesMillis).containsExactly(1L, 2L, 4L, 8L, 8L, 8L, 8L);
    }

    @Test
    void waitThatLastsNeedsNoPauses() throws Exception {
        run(8, 7, 9, 8);
        assertThat(pausesMillis).isEmpty();
    }

    @Test
    void anEventOrAProperWaitEndsThePauses() throws Exception {
        run(0, 0, -1, 0, 0, 8, 0);
        assertThat(pausesMillis).containsExactly(1L, 2L, 1L, 2L, 1L);
    }

    @Test
    void everyThreadHasANameOfItsOwn() throws Exception {
        EventWaiter.Turn ends = () -> {
            throw new IOException("end of the test");
        };
        EventWaiter first = new EventWaiter("waiter", TURN_MILLIS, ends, () -> {}, pace);
        EventWaiter second = new EventWaiter("waiter", TURN_MILLIS, ends, () -> {}, pace);
        assertThat(first.name()).startsWith("waiter-").isNotEqualTo(second.name());
        first.join();
        second.join();
    }
}
