// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.engine;

import io.netty.channel.EventLoop;

/**
 * Detects that the requests of a queue pair make no more progress. It checks a few times per time limit; a request only
 * checks whether the timer runs.
 *
 * <p>Threading: the loop's.
 */
public final class SendProgress {

    /** Checks per time limit. Requests are stuck after that limit, or at most one such part later. */
    private static final int LOOKS = 4;

    /** The watched requests. */
    public interface Requests {

        /** Whether requests wait for their completion. */
        boolean areOutstanding();

        /** A number that changes with every completion and with the octets of requests. */
        long moved();

        /** It has not changed for that time, although requests were outstanding. */
        void onStuck(int timeoutMillis);
    }

    private final Requests requests;
    private final LoopTimer timer = new LoopTimer();
    private long seen;
    private int quiet;

    public SendProgress(Requests requests) {
        this.requests = requests;
    }

    /**
     * Requests were posted.
     *
     * @param timeoutMillis 0 for no limit
     */
    public void onPosted(EventLoop loop, int timeoutMillis) {
        if (!timer.isRunning() && timeoutMillis > 0 && requests.areOutstanding()) {
            seen = requests.moved();
            quiet = 0;
            watch(loop, timeoutMillis);
        }
    }

    private void watch(EventLoop loop, int timeoutMillis) {
        long partMillis = Math.max(1, timeoutMillis / LOOKS);
        timer.start(loop, partMillis, () -> look(loop, timeoutMillis));
    }

    private void look(EventLoop loop, int timeoutMillis) {
        if (!requests.areOutstanding()) {
            return;
        }
        long moved = requests.moved();
        quiet = moved == seen ? quiet + 1 : 0;
        seen = moved;
        if (quiet == LOOKS) {
            requests.onStuck(timeoutMillis);
        } else {
            watch(loop, timeoutMillis);
        }
    }

    /** Ends the watch. */
    public void stop() {
        timer.stop();
    }
}
