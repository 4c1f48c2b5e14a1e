// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.session;

import static io.nettyrdma.rpc.session.ProcessMemory.OWN_BYTES;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.util.concurrent.DefaultEventExecutor;
import io.netty.util.concurrent.ImmediateEventExecutor;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Connections with a limit of 100 for all of them, besides the bytes that each has for itself. */
class ProcessMemoryTest {

    private static final long LIMIT = 100;

    private final List<ProcessMemory> opened = new ArrayList<>();
    private final ProcessMemory first = open();
    private final ProcessMemory second = open();

    private ProcessMemory open() {
        ProcessMemory memory = ProcessMemory.ofMessages(LIMIT);
        memory.take(OWN_BYTES);
        opened.add(memory);
        return memory;
    }

    @AfterEach
    void end() {
        opened.forEach(ProcessMemory::close);
        assertThat(first.processBytes()).isZero();
    }

    @Test
    void sumOfAllConnectionsIsBounded() {
        first.take(60);
        assertThat(second.hasRoomFor(40)).isTrue();
        assertThat(second.hasRoomFor(41)).isFalse();

        first.give(1);
        assertThat(second.hasRoomFor(41)).isTrue();
        assertThat(first.bytes()).isEqualTo(OWN_BYTES + 59);
        assertThat(second.processBytes()).isEqualTo(59);
    }

    @Test
    void firstBytesOfEachConnectionAlwaysHaveRoom() {
        first.take(LIMIT);
        second.give(1);
        assertThat(second.mayTake(2)).isFalse();
        assertThat(second.mayTake(1)).isTrue();
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
        assertThat(first.bytes()).isEqualTo(OWN_BYTES + LIMIT / 2);
        assertThat(second.hasRoomFor(LIMIT / 2)).isTrue();
    }

    @Test
    void sumsTakeNoRoomFromEachOther() {
        List<Function<Long, ProcessMemory>> sums =
                List.of(ProcessMemory::ofMessages, ProcessMemory::ofWaitingCalls, ProcessMemory::ofReads);
        for (Function<Long, ProcessMemory> sum : sums) {
            ProcessMemory memory = sum.apply(LIMIT);
            opened.add(memory);
            assertThat(memory.hasRoomFor(OWN_BYTES + LIMIT)).isTrue();
            memory.take(OWN_BYTES + LIMIT);
            assertThat(memory.processBytes()).isEqualTo(LIMIT);
        }
    }

    @Test
    void closedConnectionHoldsNothing() {
        first.take(LIMIT);
        first.close();
        first.take(10);
        first.give(5);
        assertThat(first.hasRoomFor(1)).isFalse();
        assertThat(second.hasRoomFor(LIMIT + 1)).as("nothing is held").isTrue();
    }

    /** A connection in line, whose turns count. */
    private static AtomicLong await(ProcessMemory memory) {
        AtomicLong turns = new AtomicLong();
        memory.await(ImmediateEventExecutor.INSTANCE, turns::incrementAndGet);
        return turns;
    }

    @Test
    void firstInLineIsServedFirstHoweverMuchItNeeds() {
        ProcessMemory third = open();
        first.take(LIMIT);
        AtomicLong largeTurns = await(second);
        long before = largeTurns.get();
        AtomicLong smallTurns = await(third);
        assertThat(first.isAwaited()).isTrue();
        assertThat(second.isAwaited()).as("holds nothing").isFalse();

        first.give(50);
        assertThat(largeTurns.get()).isGreaterThan(before);
        assertThat(second.mayTake(80)).isFalse();
        assertThat(third.mayTake(10)).as("behind the large one").isFalse();
        assertThat(first.mayTake(10)).as("behind both").isFalse();
        assertThat(smallTurns).hasValue(0);

        first.give(50);
        assertThat(second.mayTake(80)).isTrue();
        second.take(80);
        second.leave();
        assertThat(smallTurns).hasValue(1);
        assertThat(third.mayTake(10)).isTrue();
    }

    @Test
    void connectionThatClosesLeavesTheLine() {
        ProcessMemory third = open();
        first.take(LIMIT);
        AtomicLong closedTurns = await(second);
        AtomicLong turns = await(third);
        second.close();
        long before = closedTurns.get();
        first.give(LIMIT);

        assertThat(third.mayTake(LIMIT)).isTrue();
        assertThat(turns.get()).isPositive();
        assertThat(closedTurns).hasValue(before);
        third.leave();
        assertThat(first.mayTake(LIMIT)).as("nobody is left").isTrue();
    }

    @Test
    void connectionWhoseExecutorHasEndedLeavesTheLine() {
        ProcessMemory third = open();
        first.take(LIMIT);
        DefaultEventExecutor ended = new DefaultEventExecutor();
        ended.shutdownGracefully(0, 0, TimeUnit.SECONDS).syncUninterruptibly();
        second.await(ended, () -> {});
        AtomicLong turns = await(third);
        first.give(LIMIT);

        assertThat(turns.get()).isPositive();
        assertThat(third.mayTake(LIMIT)).isTrue();
    }

    /** Loops that take, wait and give at the same time; a wake-up that is lost ends in the deadline. */
    @Test
    void noTurnIsLostBetweenLoops() throws InterruptedException {
        int loops = 4;
        int rounds = 20_000;
        CountDownLatch done = new CountDownLatch(loops);
        List<DefaultEventExecutor> executors = new ArrayList<>();
        for (int i = 0; i < loops; i++) {
            DefaultEventExecutor executor = new DefaultEventExecutor();
            executors.add(executor);
            ProcessMemory memory = ProcessMemory.ofMessages(LIMIT);
            opened.add(memory);
            executor.execute(new Runnable() {
                private int left = rounds;

                @Override
                public void run() {
                    if (left == 0) {
                        return;
                    }
                    if (!memory.mayTake(OWN_BYTES + LIMIT)) {
                        memory.await(executor, this);
                        return;
                    }
                    memory.take(OWN_BYTES + LIMIT);
                    memory.leave();
                    memory.give(OWN_BYTES + LIMIT);
                    if (--left == 0) {
                        done.countDown();
                    } else {
                        executor.execute(this);
                    }
                }
            });
        }
        assertThat(done.await(1, TimeUnit.MINUTES)).isTrue();
        for (DefaultEventExecutor executor : executors) {
            executor.shutdownGracefully(0, 0, TimeUnit.SECONDS).syncUninterruptibly();
        }
    }
}
