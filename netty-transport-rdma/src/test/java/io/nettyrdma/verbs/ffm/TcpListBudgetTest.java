// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.ffm;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** How often an event loop reads the kernel's list of TCP connections. */
class TcpListBudgetTest {

    private static final long BURST = TcpListBudget.BURST_NANOS;

    private final TcpListBudget budget = new TcpListBudget();

    @ParameterizedTest
    @ValueSource(longs = {0, 1_000_000, Long.MAX_VALUE - 10, Long.MIN_VALUE})
    void listIsReadForATwentiethOfTheTime(long begun) {
        assertThat(budget.mayRead(begun)).isTrue();

        budget.onRead(begun, begun + BURST);

        assertThat(budget.mayRead(begun)).isFalse();
        assertThat(budget.mayRead(begun + 1)).isTrue();
        budget.onRead(begun + 1, begun + 1 + BURST);
        assertThat(budget.mayRead(begun + 1 + BURST)).isFalse();
        assertThat(budget.mayRead(begun + 20 * BURST)).isFalse();
        assertThat(budget.mayRead(begun + 20 * BURST + 1)).isTrue();
        assertThat(budget.mayRead(begun + 1_000 * BURST)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(longs = {0, Long.MAX_VALUE - 10, Long.MIN_VALUE})
    void listIsReadForSeveralConnectionsInARow(long begun) {
        long took = BURST / 10;
        for (int i = 0; i < 10; i++) {
            long now = begun + i * took;
            assertThat(budget.mayRead(now)).as("connection %d", i).isTrue();
            budget.onRead(now, now + took);
        }
        assertThat(budget.mayRead(begun + 10 * took)).isTrue();
        budget.onRead(begun + 10 * took, begun + 11 * took);
        assertThat(budget.mayRead(begun + 11 * took)).isFalse();
    }

    @ParameterizedTest
    @ValueSource(longs = {0, Long.MAX_VALUE - 10, Long.MIN_VALUE})
    void timeWithoutAQuestionSavesNoMoreThanTheBurst(long begun) {
        budget.onRead(begun, begun + 1);
        long later = begun + 1_000_000 * BURST;

        budget.onRead(later, later + BURST);

        assertThat(budget.mayRead(later)).isFalse();
    }
}
