// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.embedded.EmbeddedChannel;
import io.nettyrdma.rpc.error.SlowPeerException;
import io.nettyrdma.rpc.session.LoopMemory.Account;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Connections of one event loop, each with a limit of 100 for all of them. The clock moves by hand. */
class LoopMemoryTest {

    private static final long LIMIT = 100;

    private final EmbeddedChannel channel = new EmbeddedChannel();
    private final List<SlowPeerException> evicted = new ArrayList<>();
    private boolean endsAtOnce = true;
    private final Account first = open();
    private final Account second = open();
    private final Account third = open();

    private Account open() {
        Account[] opened = new Account[1];
        opened[0] = LoopMemory.open(LIMIT, channel.eventLoop(), why -> {
            evicted.add(why);
            if (endsAtOnce) {
                opened[0].close();
            }
        });
        return opened[0];
    }

    private static void hold(Account account, int xid, long bytes) {
        account.take(bytes);
        account.onWaiting(xid, bytes);
    }

    @BeforeEach
    void freeze() {
        channel.freezeTime();
    }

    @AfterEach
    void end() {
        first.close();
        second.close();
        third.close();
        channel.runPendingTasks();
        channel.finishAndReleaseAll();
    }

    private void pass(long nanos) {
        channel.advanceTimeBy(nanos, TimeUnit.NANOSECONDS);
        channel.runScheduledPendingTasks();
    }

    @Test
    void sumOfAllConnectionsIsBounded() {
        hold(first, 1, 60);
        assertThat(second.hasRoomFor(40)).isTrue();
        assertThat(second.hasRoomFor(41)).isFalse();

        first.onMoved(1);
        assertThat(second.hasRoomFor(41)).isTrue();
        assertThat(first.bytes()).isEqualTo(59);
        assertThat(evicted).isEmpty();
    }

    /** Or nothing longer than the limit could ever be sent. */
    @Test
    void messageBeyondTheLimitHasRoomAlone() {
        assertThat(first.hasRoomFor(LIMIT + 1)).isTrue();
        hold(first, 1, LIMIT + 1);
        assertThat(second.hasRoomFor(1)).isFalse();
    }

    @Test
    void connectionThatStandsStillForLongestIsEnded() {
        hold(first, 7, 50);
        pass(1);
        hold(second, 8, 50);
        pass(LoopMemory.GRACE_NANOS - 2);
        assertThat(third.hasRoomFor(1)).as("within the time of grace").isFalse();

        pass(1);
        assertThat(third.hasRoomFor(1)).isTrue();
        assertThat(evicted).singleElement().satisfies(why -> assertThat(why.getMessage())
                .contains("0x7"));
        assertThat(first.bytes()).isZero();
        assertThat(second.bytes()).isEqualTo(50);
    }

    @Test
    void connectionWhosePeerGoesOnIsNotEnded() {
        hold(first, 1, LIMIT);
        pass(LoopMemory.GRACE_NANOS);
        first.onMoved(1);
        assertThat(second.hasRoomFor(2)).isFalse();
        assertThat(evicted).isEmpty();
    }

    /** Its peer cannot know how long that takes. */
    @Test
    void connectionIsNotEndedForCallsThatTheApplicationHas() {
        first.take(LIMIT);
        pass(2 * LoopMemory.GRACE_NANOS);
        assertThat(second.hasRoomFor(1)).isFalse();
        assertThat(evicted).isEmpty();

        first.onWaiting(1, LIMIT / 2);
        pass(LoopMemory.GRACE_NANOS);
        assertThat(second.hasRoomFor(1)).isTrue();
        assertThat(evicted).hasSize(1);
    }

    @Test
    void connectionIsNotEndedForItself() {
        hold(first, 1, LIMIT);
        pass(2 * LoopMemory.GRACE_NANOS);
        assertThat(first.hasRoomFor(1)).isFalse();
        assertThat(evicted).isEmpty();
    }

    @Test
    void waitersGetTheirTurnInOrderAsRoomComes() {
        List<String> turns = new ArrayList<>();
        hold(first, 1, LIMIT);
        second.await(() -> {
            turns.add("second");
            return second.hasRoomFor(60);
        });
        third.await(() -> turns.add("third"));

        first.onMoved(50);
        channel.runPendingTasks();
        assertThat(turns).as("the first in line has no room yet").containsExactly("second");

        first.onMoved(10);
        channel.runPendingTasks();
        assertThat(turns).containsExactly("second", "second", "third");
    }

    /** No other connection has to give for that. */
    @Test
    void waiterGetsATurnWhenTheTimeOfGraceIsOver() {
        hold(first, 1, LIMIT);
        List<Boolean> turns = new ArrayList<>();
        second.await(() -> {
            turns.add(second.hasRoomFor(1));
            return turns.get(turns.size() - 1);
        });
        pass(LoopMemory.GRACE_NANOS);
        assertThat(turns).containsExactly(true);
        assertThat(evicted).hasSize(1);
    }

    @Test
    void firstInLineThatStandsStillMakesRoomForTheNext() {
        List<String> turns = new ArrayList<>();
        hold(first, 1, LIMIT);
        first.await(() -> turns.add("first") && first.bytes() == 0 || first.hasRoomFor(10));
        pass(LoopMemory.GRACE_NANOS);
        assertThat(evicted).as("no other connection waits").isEmpty();

        second.await(() -> turns.add("second") && second.hasRoomFor(10));
        pass(LoopMemory.GRACE_NANOS);
        channel.runPendingTasks();

        assertThat(evicted).hasSize(1);
        assertThat(first.bytes()).isZero();
        assertThat(turns).endsWith("first", "second");
    }

    /** Its memory is in use until then, and no other connection needs to end for the same room. */
    @Test
    void connectionThatIsEndedGivesRoomWhenItHasEnded() {
        endsAtOnce = false;
        hold(first, 1, LIMIT / 2);
        hold(second, 2, LIMIT / 2);
        pass(LoopMemory.GRACE_NANOS);

        assertThat(third.hasRoomFor(LIMIT / 2)).isFalse();
        assertThat(third.hasRoomFor(LIMIT / 2)).isFalse();
        assertThat(evicted).hasSize(1);
        assertThat(first.hasRoomFor(1)).as("the one that ends").isFalse();

        first.close();
        assertThat(third.hasRoomFor(LIMIT / 2)).isTrue();
        assertThat(evicted).hasSize(1);
    }

    @Test
    void closedConnectionHoldsNothing() {
        hold(first, 1, LIMIT);
        first.close();
        hold(first, 2, 10);
        first.onMoved(10);
        assertThat(second.hasRoomFor(LIMIT)).isTrue();
        assertThat(second.hasRoomFor(LIMIT + 1)).as("nothing is held").isTrue();
    }
}
