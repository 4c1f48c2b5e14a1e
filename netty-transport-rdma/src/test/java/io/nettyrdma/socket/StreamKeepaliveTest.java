// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.socket;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.embedded.EmbeddedChannel;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** When an idle stream sends something, by a clock that stands still unless the test moves it. */
class StreamKeepaliveTest {

    private static final int IDLE = 7_200;

    private final EmbeddedChannel channel = new EmbeddedChannel();
    private final RdmaSocketChannelConfig config = new RdmaSocketChannel().config();
    private long sent;
    private int probes;

    private final StreamKeepalive keepalive = new StreamKeepalive(config, new IdleWatched() {
        @Override
        public long sent() {
            return sent;
        }

        @Override
        public long received() {
            return 0;
        }

        @Override
        public void onIdle() {
            probes++;
            sent++;
        }
    });

    StreamKeepaliveTest() {
        channel.freezeTime();
    }

    private void turn(boolean on) {
        config.setKeepAlive(on);
        keepalive.update();
    }

    private void pass(int seconds) {
        passParts(4 * seconds);
    }

    private void passParts(int quarters) {
        for (int i = 0; i < quarters; i++) {
            channel.advanceTimeBy(250, TimeUnit.MILLISECONDS);
            channel.runScheduledPendingTasks();
        }
    }

    private boolean hasTimer() {
        return channel.runScheduledPendingTasks() >= 0;
    }

    @Test
    void idleStreamSendsEachTimeTheTimeIsOver() {
        turn(true);
        keepalive.start(channel.eventLoop());
        for (int i = 1; i <= 3; i++) {
            pass(IDLE - 1);
            assertThat(probes).isEqualTo(i - 1);
            pass(1);
            assertThat(probes).isEqualTo(i);
        }
    }

    @Test
    void streamThatSendsIsNotIdleForTheTimeAndAtMostAQuarterLonger() {
        turn(true);
        keepalive.start(channel.eventLoop());
        pass(IDLE - 1);
        sent++;
        pass(IDLE - 1);
        assertThat(probes).isZero();
        pass(IDLE / 4 + 1);
        assertThat(probes).isOne();
    }

    @Test
    void thereIsATimerOnlyWhileTheOptionIsOnAndTheChannelActive() {
        turn(true);
        assertThat(hasTimer()).isFalse();
        turn(false);
        keepalive.start(channel.eventLoop());
        assertThat(hasTimer()).isFalse();
        turn(true);
        assertThat(hasTimer()).isTrue();
        turn(false);
        assertThat(hasTimer()).isFalse();
        turn(true);
        keepalive.stop();
        assertThat(hasTimer()).isFalse();
        keepalive.update(); // the program changes an option of a closed channel
        assertThat(hasTimer()).isFalse();
        assertThat(probes).isZero();
    }

    @Test
    void timeCanChangeAndBeginsAnew() {
        turn(true);
        keepalive.start(channel.eventLoop());
        pass(IDLE - 1);
        config.setTcpKeepIdle(1);
        keepalive.update();
        passParts(3);
        assertThat(probes).isZero();
        passParts(1);
        assertThat(probes).isOne();
    }
}
