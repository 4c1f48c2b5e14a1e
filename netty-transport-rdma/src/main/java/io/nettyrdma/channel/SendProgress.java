// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.channel;

import io.netty.channel.EventLoop;
import io.nettyrdma.engine.LoopTimer;
import java.util.function.IntConsumer;
import java.util.function.IntSupplier;
import java.util.function.LongSupplier;

/**
 * Detects that the requests of a queue pair make no more progress. It checks a few times per time limit; a request only
 * checks whether the timer runs.
 *
 * <p>Threading: the loop's.
 */
final class SendProgress {

    /** Checks per time limit. Requests are stuck after that limit, or at most one such part later. */
    private static final int LOOKS = 4;

    private final IntSupplier outstanding;
    private final LongSupplier moved;
    private final IntConsumer onStuck;
    private final LoopTimer timer = new LoopTimer();
    private long seen;
    private int quiet;

    /**
     * @param outstanding requests that wait for their completion
     * @param moved       a number that changes with every completion and with the octets of requests
     * @param onStuck     takes the milliseconds for which it has not changed, although requests were outstanding
     */
    SendProgress(IntSupplier outstanding, LongSupplier moved, IntConsumer onStuck) {
        this.outstanding = outstanding;
        this.moved = moved;
        this.onStuck = onStuck;
    }

    /**
     * Requests were posted.
     *
     * @param timeoutMillis 0 for no limit
     */
    void onPosted(EventLoop loop, int timeoutMillis) {
        if (!timer.isRunning() && timeoutMillis > 0 && outstanding.getAsInt() > 0) {
            seen = moved.getAsLong();
            quiet = 0;
            watch(loop, timeoutMillis);
        }
    }

    private void watch(EventLoop loop, int timeoutMillis) {
        long partMillis = Math.max(1, timeoutMillis / LOOKS);
        timer.start(loop, partMillis, () -> look(loop, timeoutMillis));
    }

    private void look(EventLoop loop, int timeoutMillis) {
        if (outstanding.getAsInt() == 0) {
            return;
        }
        long present = moved.getAsLong();
        quiet = present == seen ? quiet + 1 : 0;
        seen = present;
        if (quiet == LOOKS) {
            onStuck.accept(timeoutMillis);
        } else {
            watch(loop, timeoutMillis);
        }
    }

    /** Ends the watch. */
    void stop() {
        timer.stop();
    }
}
