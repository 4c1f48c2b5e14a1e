/*
 * Copyright 2026 The Netty RDMA authors
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
 * with the License. You may obtain a copy of the License at
 *
 *     https://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software distributed under the License is distributed
 * on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for
 * the specific language governing permissions and limitations under the License.
 */
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
