// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.embedded.EmbeddedChannel;
import io.nettyrdma.rpc.error.SlowPeerException;
import io.nettyrdma.rpc.session.LoopMemory.Account;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Two event loops with a connection each, and a limit of 100 for both. Their tasks and clocks run by hand. */
class ProcessMemoryTest {

    private static final long LIMIT = 100;

    private final List<SlowPeerException> evicted = new ArrayList<>();
    private final EmbeddedChannel ownLoop = new EmbeddedChannel();
    private final EmbeddedChannel otherLoop = new EmbeddedChannel();
    private final Account own = open(ownLoop);
    private final Account other;

    ProcessMemoryTest() throws Exception {
        FutureTask<Account> opening = new FutureTask<>(() -> open(otherLoop)); // a thread is a loop
        new Thread(opening).start();
        other = opening.get(1, TimeUnit.MINUTES);
        ownLoop.freezeTime();
        otherLoop.freezeTime();
    }

    private Account open(EmbeddedChannel loop) {
        Account[] opened = new Account[1];
        opened[0] = LoopMemory.open(LIMIT, loop.eventLoop(), why -> {
            evicted.add(why);
            opened[0].close();
        });
        return opened[0];
    }

    private static void hold(Account account, long bytes) {
        account.take(bytes);
        account.onWaiting(7, bytes);
    }

    @AfterEach
    void end() {
        own.close();
        other.close();
        ownLoop.finishAndReleaseAll();
        otherLoop.finishAndReleaseAll();
    }

    @Test
    void loopsShareTheSum() {
        hold(other, 60);
        assertThat(own.hasRoomFor(40)).isTrue();
        assertThat(own.hasRoomFor(41)).isFalse();

        other.close();
        assertThat(own.hasRoomFor(LIMIT)).isTrue();
    }

    @Test
    void loopEndsConnectionsThatStandStillForAnotherLoop() {
        hold(other, LIMIT);
        assertThat(own.hasRoomFor(1)).isFalse();
        otherLoop.runPendingTasks();
        assertThat(evicted).as("within the time of grace").isEmpty();
        otherLoop.advanceTimeBy(LoopMemory.GRACE_NANOS, TimeUnit.NANOSECONDS);

        assertThat(own.hasRoomFor(1)).as("before the other loop knows").isFalse();
        otherLoop.runPendingTasks();

        assertThat(own.hasRoomFor(1)).isTrue();
        assertThat(evicted).singleElement().satisfies(why -> assertThat(why.getMessage())
                .contains("0x7"));
    }

    @Test
    void waiterGetsItsTurnWhenAnotherLoopGivesRoom() {
        List<Boolean> turns = new ArrayList<>();
        hold(other, LIMIT);
        own.await(() -> turns.add(own.hasRoomFor(50)));

        other.onMoved(50);
        ownLoop.runPendingTasks();

        assertThat(turns).containsExactly(true);
    }
}
