// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.embedded.EmbeddedChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The clock of the channel moves by hand. */
class StandstillTimerTest {

    private static final long TIMEOUT = TimeUnit.SECONDS.toNanos(10);

    private final EmbeddedChannel channel = new EmbeddedChannel(new ChannelInboundHandlerAdapter());
    private final ChannelHandlerContext ctx = channel.pipeline().firstContext();
    private final List<ChannelHandlerContext> standstills = new ArrayList<>();
    private final StandstillTimer timer = new StandstillTimer(TIMEOUT, standstills::add);

    @BeforeEach
    void freeze() {
        channel.freezeTime();
    }

    @AfterEach
    void end() {
        timer.close();
        channel.finishAndReleaseAll();
    }

    private void pass(long nanos) {
        channel.advanceTimeBy(nanos, TimeUnit.NANOSECONDS);
        channel.runScheduledPendingTasks();
    }

    @Test
    void standstillIsNoticedOnceForEachStart() {
        timer.start(ctx);
        pass(TIMEOUT - 1);
        assertThat(standstills).isEmpty();
        assertThat(timer.isRunning()).isTrue();

        pass(1);
        assertThat(standstills).containsExactly(ctx);
        assertThat(timer.isRunning()).isFalse();
        pass(10 * TIMEOUT);
        assertThat(standstills).hasSize(1);

        timer.start(ctx);
        pass(TIMEOUT);
        assertThat(standstills).hasSize(2);
    }

    @Test
    void startAgainCountsFromThenOn() {
        timer.start(ctx);
        for (int i = 0; i < 3; i++) {
            pass(TIMEOUT - 1);
            timer.start(ctx);
        }
        assertThat(standstills).isEmpty();

        pass(TIMEOUT);
        assertThat(standstills).hasSize(1);
    }

    @Test
    void stoppedTimerNoticesNothingUntilItStartsAgain() {
        timer.start(ctx);
        timer.stop();
        pass(2 * TIMEOUT);
        assertThat(standstills).isEmpty();

        timer.start(ctx);
        pass(TIMEOUT);
        assertThat(standstills).hasSize(1);
    }

    @Test
    void closedTimerLeavesNoTaskAndDoesNotStart() {
        timer.start(ctx);
        timer.close();
        assertThat(channel.hasPendingTasks()).isFalse();

        timer.start(ctx);
        pass(TIMEOUT);
        assertThat(standstills).isEmpty();
        assertThat(timer.isRunning()).isFalse();
    }
}
