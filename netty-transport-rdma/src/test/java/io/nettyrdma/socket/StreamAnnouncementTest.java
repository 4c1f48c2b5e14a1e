// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.socket;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.embedded.EmbeddedChannel;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Announcements of a stream that has connected, with a clock that only the test moves. */
class StreamAnnouncementTest {

    private final EmbeddedChannel channel = new EmbeddedChannel();
    private int announcements;
    private long sent;
    private long received;

    private final StreamAnnouncement announcement = new StreamAnnouncement(new IdleWatched() {
        @Override
        public long sent() {
            return sent;
        }

        @Override
        public long received() {
            return received;
        }

        @Override
        public void onIdle() {
            announcements++;
            sent++;
        }
    });

    StreamAnnouncementTest() {
        channel.freezeTime();
        announcement.start(channel.eventLoop());
    }

    private void pass(int millis) {
        channel.advanceTimeBy(millis, TimeUnit.MILLISECONDS);
        channel.runScheduledPendingTasks();
    }

    private boolean hasTimer() {
        return channel.runScheduledPendingTasks() >= 0;
    }

    @Test
    void quietStreamAnnouncesItselfThreeTimes() {
        pass(99);
        assertThat(announcements).isZero();
        pass(1);
        assertThat(announcements).isEqualTo(1);
        pass(400);
        assertThat(announcements).isEqualTo(2);
        pass(1_600);
        assertThat(announcements).isEqualTo(3);
        assertThat(hasTimer()).isFalse();
    }

    @Test
    void requestsBeforeTheFirstAnnouncementDoNotReplaceIt() {
        sent++;
        pass(100);
        assertThat(announcements).isEqualTo(1);
    }

    @Test
    void laterRequestsReplaceAnAnnouncement() {
        pass(100);
        sent++;
        pass(400);
        assertThat(announcements).isEqualTo(1);
        pass(1_600);
        assertThat(announcements).isEqualTo(2);
    }

    @Test
    void wordsOfThePeerPutItOff() {
        received++;
        pass(100);
        assertThat(announcements).isZero();
        received++;
        pass(100);
        assertThat(announcements).isZero();
        pass(100);
        assertThat(announcements).isEqualTo(1);
        received++;
        pass(400);
        assertThat(announcements).isEqualTo(1);
        pass(400);
        assertThat(announcements).isEqualTo(2);
    }

    /** One long Write of the peer has no word until its end. */
    @Test
    void requestsBetweenWordsOfThePeerReplaceIt() {
        received++;
        pass(100);
        sent++;
        received++;
        pass(100);
        pass(100);
        assertThat(announcements).isZero();
        pass(400);
        assertThat(announcements).isEqualTo(1);
    }

    @Test
    void closedStreamHasNoTimer() {
        announcement.stop();
        assertThat(hasTimer()).isFalse();
    }
}
