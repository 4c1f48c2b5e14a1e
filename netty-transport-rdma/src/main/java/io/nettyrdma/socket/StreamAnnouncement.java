// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.socket;

import io.netty.channel.EventLoop;
import io.nettyrdma.engine.LoopTimer;

/**
 * Empty RDMA Writes of a stream that has connected over iWARP. Linux's siw hands the socket of a connection over to its
 * receiver only after it has sent the MPA Reply. Segments that arrive in between stay unread until the next one. For a
 * stream that waits for an answer to its first bytes, that would be never. Providers send such Writes to a peer that
 * has sent nothing yet. But rsockets as the passive side sends an entry before it has received anything, so a stream
 * sends them whatever the peer has sent, unless it has posted other requests since the last one. While words of the
 * peer come, it waits: Linux loses what it has not transmitted if a segment comes in after its program has closed, and
 * words that come lead to limits, which are requests.
 *
 * <p>Threading: the loop's.
 */
final class StreamAnnouncement {

    /** When the first Write is due; each further one is due after four times as long. */
    private static final long FIRST_MILLIS = 100;

    private static final int WRITES = 3;

    private final IdleWatched traffic;
    private final LoopTimer timer = new LoopTimer();
    private int left;
    private long seen;
    private long seenReceived;

    StreamAnnouncement(IdleWatched traffic) {
        this.traffic = traffic;
    }

    /** The channel becomes active. */
    void start(EventLoop loop) {
        left = WRITES;
        seen = -1; // requests before the first look may be the unread ones
        seenReceived = traffic.received();
        watch(loop, FIRST_MILLIS);
    }

    private void watch(EventLoop loop, long millis) {
        timer.start(loop, millis, () -> look(loop, millis));
    }

    private void look(EventLoop loop, long millis) {
        long received = traffic.received();
        if (received != seenReceived) {
            seenReceived = received;
            if (seen < 0) {
                seen = traffic.sent();
            }
            watch(loop, millis);
            return;
        }
        left--;
        if (left > 0) {
            watch(loop, 4 * millis); // first, as a failure to send may end the channel and with it the timer
        }
        long sent = traffic.sent();
        if (seen < 0 || sent == seen) {
            traffic.onIdle();
            sent = traffic.sent();
        }
        seen = sent;
    }

    /** The channel closes. */
    void stop() {
        timer.stop();
    }
}
