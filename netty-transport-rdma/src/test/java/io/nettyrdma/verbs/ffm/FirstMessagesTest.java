// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.ffm;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class FirstMessagesTest {

    private static final int NUMBER = 2;

    private final SiwQuirks.FirstMessages messages = new SiwQuirks.FirstMessages();
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
