// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.soft.rdmap;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Growth, shrinking and order of a completion queue. */
class CompletionRingTest {

    private final CompletionRing ring = new CompletionRing();
    private long pushed;
    private long taken;

    private void push(int count) {
        for (int i = 0; i < count; i++) {
            ring.add(pushed++, 1, 2, 3, 4, 5, 6);
        }
    }

    private void takeAll() {
        while (!ring.isEmpty()) {
            assertThat(ring.id()).isEqualTo(taken++);
            ring.removeHead();
        }
        assertThat(taken).isEqualTo(pushed);
    }

    @Test
    void fieldsComeOutAsTheyWentIn() {
        ring.add(-7, 1, 2, 3, 4, 5, 6);
        assertThat(ring.id()).isEqualTo(-7);
        assertThat(ring.status()).isEqualTo(1);
        assertThat(ring.opcode()).isEqualTo(2);
        assertThat(ring.bytes()).isEqualTo(3);
        assertThat(ring.immediate()).isEqualTo(4);
        assertThat(ring.queuePair()).isEqualTo(5);
        assertThat(ring.flags()).isEqualTo(6);
    }

    @Test
    void ringOfABurstShrinksAgainAndKeepsTheOrder() {
        push(10);
        takeAll();
        assertThat(ring.capacity()).isEqualTo(16);
        push(100_000);
        takeAll();
        assertThat(ring.capacity()).isEqualTo(131_072);
        for (int i = 0; i < 10; i++) {
            push(1000);
            takeAll();
        }
        assertThat(ring.capacity()).isEqualTo(CompletionRing.KEPT_CAPACITY);
        push(5000);
        takeAll();
    }
}
