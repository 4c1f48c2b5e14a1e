// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.session;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Connections with a limit of 100 for all of them. */
class ProcessMemoryTest {

    private static final long LIMIT = 100;

    private final List<ProcessMemory> opened = new ArrayList<>();
    private final ProcessMemory first = open();
    private final ProcessMemory second = open();

    private ProcessMemory open() {
        ProcessMemory memory = ProcessMemory.ofMessages(LIMIT);
        opened.add(memory);
        return memory;
    }

    @AfterEach
    void end() {
        opened.forEach(ProcessMemory::close);
    }

    @Test
    void sumOfAllConnectionsIsBounded() {
        first.take(60);
        assertThat(second.hasRoomFor(40)).isTrue();
        assertThat(second.hasRoomFor(41)).isFalse();

        first.give(1);
        assertThat(second.hasRoomFor(41)).isTrue();
        assertThat(first.bytes()).isEqualTo(59);
        assertThat(second.processBytes()).isEqualTo(59);
    }

    /** Or nothing longer than the limit could ever be sent. */
    @Test
    void messageBeyondTheLimitHasRoomAlone() {
        assertThat(first.hasRoomFor(LIMIT + 1)).isTrue();
        first.take(LIMIT + 1);
        assertThat(second.hasRoomFor(1)).isFalse();
    }

    @Test
    void connectionTakesNoMoreThanItLeavesFreeForOthers() {
        for (int i = 0; i < 1000 && first.hasRoomFor(1); i++) {
            first.take(1);
        }
        assertThat(first.bytes()).isEqualTo(LIMIT / 2);
        assertThat(second.hasRoomFor(LIMIT / 2)).isTrue();
    }

    @Test
    void callsThatWaitTakeNoRoomFromReplies() {
        ProcessMemory calls = ProcessMemory.ofWaitingCalls(LIMIT);
        opened.add(calls);
        calls.take(LIMIT);
        assertThat(first.hasRoomFor(LIMIT)).isTrue();
        first.take(LIMIT);
        calls.close();
        assertThat(calls.hasRoomFor(1)).as("closed").isFalse();
        assertThat(ProcessMemory.ofWaitingCalls(LIMIT).hasRoomFor(LIMIT)).isTrue();
    }

    @Test
    void closedConnectionHoldsNothing() {
        first.take(LIMIT);
        first.close();
        first.take(10);
        first.give(5);
        assertThat(second.hasRoomFor(LIMIT + 1)).as("nothing is held").isTrue();
    }
}
