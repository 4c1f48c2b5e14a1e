// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.socket;

import io.netty.channel.EventLoop;
import io.nettyrdma.engine.LoopTimer;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Has an idle stream send something, if SO_KEEPALIVE is on. It compares the number of requests a few times in the time
 * given, so that requests cost nothing.
 *
 * <p>Threading: the loop's.
 */
final class StreamKeepalive {

    /** How often it looks in the time given; an idle stream sends after that time and at most one such part later. */
    private static final int LOOKS = 4;

    /** Seconds after which a closed stream that still sends asks for a sign of its peer's host. */
    private static final int CLOSED_SECONDS = 60;

    private final RdmaSocketChannelConfig config;
    private final IdleWatched traffic;
    /** There while the channel is active. */
    private @Nullable EventLoop loop;

    private final LoopTimer timer = new LoopTimer();
    private long seen;
    private int quiet;

    StreamKeepalive(RdmaSocketChannelConfig config, IdleWatched traffic) {
        this.config = config;
        this.traffic = traffic;
    }

    /** The channel becomes active. */
    void start(EventLoop eventLoop) {
        loop = eventLoop;
        update();
    }

    /** The options may have changed; the time begins anew. */
    void update() {
        EventLoop present = loop;
        if (present == null) {
            return;
        }
        timer.stop();
        if (config.isKeepAlive()) {
            begin(present, config.getTcpKeepIdle());
        }
    }

    /** The channel has closed, and has bytes for a peer that may have gone without a word. */
    void startBehindClose(EventLoop on) {
        if (!on.isShuttingDown()) {
            begin(on, CLOSED_SECONDS);
        }
    }

    private void begin(EventLoop on, int idleSeconds) {
        seen = traffic.sent();
        quiet = 0;
        watch(on, TimeUnit.SECONDS.toMillis(idleSeconds) / LOOKS);
    }

    private void watch(EventLoop on, long partMillis) {
        timer.start(on, partMillis, () -> look(on, partMillis));
    }

    private void look(EventLoop on, long partMillis) {
        watch(on, partMillis); // first, as a failure to send may end the channel and with it the timer
        long sent = traffic.sent();
        quiet = sent == seen ? quiet + 1 : 0;
        if (quiet == LOOKS) {
            quiet = 0;
            traffic.onIdle();
            sent = traffic.sent();
        }
        seen = sent;
    }

    /** The channel closes. */
    void stop() {
        loop = null;
        timer.stop();
    }
}
