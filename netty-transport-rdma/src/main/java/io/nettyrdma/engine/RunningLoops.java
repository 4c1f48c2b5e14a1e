// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.engine;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The event loops of this process that run, for those who watch them.
 *
 * <p>Threading: any. A lock, so that a watcher hears of each loop once: of one that starts while it begins to watch,
 * too. Loops take it when they start and end, and watchers when they begin and end.
 */
public final class RunningLoops {

    /** Hears of loops. Called while the lock is held: it must not wait. */
    public interface Watcher {

        /**
         * A loop runs; called once for each that runs already.
         *
         * @param name its thread's, made different from those of other loops
         */
        void onStarted(IoLoop loop, String name);

        /** A loop of which the watcher has heard has ended. */
        void onEnded(IoLoop loop);
    }

    private static final Map<IoLoop, String> RUNNING = new LinkedHashMap<>();
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
            RUNNING.keySet().forEach(watcher::onEnded);
        }
    }

    /** The loop of this thread starts, or goes on on it. */
    static synchronized void add(IoLoop loop) {
        if (!RUNNING.containsKey(loop)) {
            String name = unused(Thread.currentThread().getName());
            RUNNING.put(loop, name);
            WATCHERS.forEach(watcher -> watcher.onStarted(loop, name));
        }
    }

    private static String unused(String threadName) {
        String first = threadName.isEmpty() ? "rdma" : threadName; // virtual threads have none
        String name = first;
        for (int i = 2; RUNNING.containsValue(name); i++) {
            name = first + '-' + i;
        }
        return name;
    }

    static synchronized void remove(IoLoop loop) {
        if (RUNNING.remove(loop) != null) {
            WATCHERS.forEach(watcher -> watcher.onEnded(loop));
        }
    }
}
