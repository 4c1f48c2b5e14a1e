// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.socket;

import io.netty.channel.EventLoop;
import io.netty.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Flushes again a little later, as a {@link io.netty.channel.FileRegion} has given no bytes and does not say when it
 * will. A socket channel of Netty asks such a region in each turn of its loop, which keeps a processor busy.
 *
 * <p>Threading: the loop's.
 */
final class StreamRetry {

    private static final long MILLIS = 1;

    private final Runnable flush;
    private @Nullable Future<?> timer;

    StreamRetry(Runnable flush) {
        this.flush = flush;
    }

    /** A region has given nothing. */
    void start(EventLoop loop) {
        if (timer == null && !loop.isShuttingDown()) {
            timer = loop.schedule(this::retry, MILLIS, TimeUnit.MILLISECONDS);
        }
    }

    private void retry() {
        timer = null; // first, as the flush may start it again
        flush.run();
    }

    /** The channel closes; a timer left behind would keep it in memory. */
    void stop() {
        Future<?> present = timer;
        timer = null;
        if (present != null) {
            present.cancel(false);
        }
    }
}
