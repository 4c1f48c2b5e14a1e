// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.socket;

import io.netty.channel.EventLoop;
import io.netty.util.concurrent.Future;
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

    private final RdmaSocketChannelConfig config;
    private final StreamTraffic traffic;
    /** There while the channel is active. */
    private @Nullable EventLoop loop;

    private @Nullable Future<?> timer;
    private long seen;
    private int quiet;

    StreamKeepalive(RdmaSocketChannelConfig config, StreamTraffic traffic) {
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
        cancel();
        if (config.isKeepAlive()) {
            seen = traffic.sent();
            quiet = 0;
            watch(present, TimeUnit.SECONDS.toMillis(config.getTcpKeepIdle()) / LOOKS);
        }
    }

    private void watch(EventLoop on, long partMillis) {
        timer = on.schedule(() -> look(on, partMillis), partMillis, TimeUnit.MILLISECONDS);
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

    /** The channel closes; a timer left behind would keep it in memory. */
    void stop() {
        loop = null;
        cancel();
    }

    private void cancel() {
        Future<?> present = timer;
        timer = null;
        if (present != null) {
            present.cancel(false);
        }
    }
}
