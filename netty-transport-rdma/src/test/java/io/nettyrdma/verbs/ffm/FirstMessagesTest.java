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
package io.nettyrdma.verbs.ffm;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class FirstMessagesTest {

    private static final int NUMBER = 2;

    private final FirstMessages messages = new FirstMessages();
    private final Object queuePair = new Object();

    @Test
    void areAwaitedUntilOneComes() {
        assertThat(messages.awaits(NUMBER, queuePair)).isFalse();
        messages.await(NUMBER, queuePair);
        messages.onReceived(NUMBER + 1);
        assertThat(messages.awaits(NUMBER, queuePair)).isTrue();
        messages.onReceived(NUMBER);
        assertThat(messages.awaits(NUMBER, queuePair)).isFalse();
        messages.await(NUMBER, queuePair);
        messages.forget(NUMBER, queuePair);
        assertThat(messages.awaits(NUMBER, queuePair)).isFalse();
    }

    @Test
    void ofTheNextQueuePairOfANumberAreItsOwn() {
        messages.await(NUMBER, queuePair);
        messages.onReceived(NUMBER);
        Object next = new Object();
        messages.await(NUMBER, next);
        assertThat(messages.awaits(NUMBER, queuePair)).isFalse();
        messages.forget(NUMBER, queuePair);
        assertThat(messages.awaits(NUMBER, next)).isTrue();
    }
}
