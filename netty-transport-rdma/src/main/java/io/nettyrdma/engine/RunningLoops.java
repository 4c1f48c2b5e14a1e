// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.engine;

import java.util.ArrayList;
import java.util.List;

/**
 * The event loops of this process that run, for those who watch them.
 *
 * <p>Threading: any. A lock, so that a watcher hears of each loop once: of one that starts while it begins to watch,
 * too. Loops take it when they start and end, and watchers when they begin and end.
 */
public final class RunningLoops {

    /** Hears of loops. Called while the lock is held: it must not wait. */
    public interface Watcher {

        /** A loop runs; called once for each that runs already. */
        void onStarted(IoLoop loop);

        /** A loop of which the watcher has heard has ended. */
        void onEnded(IoLoop loop);
    }

    private static final List<IoLoop> RUNNING = new ArrayList<>();
    private static final List<Watcher> WATCHERS = new ArrayList<>();

    private RunningLoops() {}

    /** Tells a watcher of all loops from now on, until {@link #unwatch}. */
    public static synchronized void watch(Watcher watcher) {
        WATCHERS.add(watcher);
        RUNNING.forEach(watcher::onStarted);
    }

    /** Tells a watcher that every loop has ended, and nothing after that. Without effect for one that is unknown. */
    public static synchronized void unwatch(Watcher watcher) {
        if (WATCHERS.remove(watcher)) {
            RUNNING.forEach(watcher::onEnded);
        }
    }

    /** A loop starts, or goes on on another thread. */
    static synchronized void add(IoLoop loop) {
        if (!RUNNING.contains(loop)) {
            RUNNING.add(loop);
            WATCHERS.forEach(watcher -> watcher.onStarted(loop));
        }
    }

    static synchronized void remove(IoLoop loop) {
        if (RUNNING.remove(loop)) {
            WATCHERS.forEach(watcher -> watcher.onEnded(loop));
        }
    }
}
