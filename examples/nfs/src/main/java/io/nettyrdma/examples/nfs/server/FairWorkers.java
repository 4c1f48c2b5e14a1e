// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.nfs.server;

import io.netty.util.concurrent.DefaultThreadFactory;
import java.util.ArrayDeque;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Threads that take one call of each connection in turn, and run calls of one connection on half of them at most. So
 * whatever one client asks for, a call of another one waits for the calls under way and no others. As many calls wait
 * as connections have credits.
 *
 * <p>Threading: any. The lock guards the queues, as event loops add calls and workers take them.
 */
final class FairWorkers {

    private final ExecutorService threads;
    private final int mostOfOne;
    /** Connections with calls that a worker may take. */
    private final ArrayDeque<Connection> turn = new ArrayDeque<>();

    FairWorkers(int count) {
        threads = Executors.newFixedThreadPool(count, new DefaultThreadFactory("nfs-worker"));
        mostOfOne = Math.max(1, count / 2);
    }

    /** The calls of one connection, in the order in which they begin. */
    final class Connection implements Executor {
        private final ArrayDeque<Runnable> waiting = new ArrayDeque<>();
        private int running;

        @Override
        public void execute(Runnable call) {
            synchronized (FairWorkers.this) {
                waiting.add(call);
                if (waiting.size() == 1 && running < mostOfOne) {
                    turn.add(this);
                }
            }
            threads.execute(FairWorkers.this::work);
        }
    }

    private record Taken(Connection connection, Runnable call) {}

    private void work() {
        for (Taken next = take(null); next != null; next = take(next.connection)) {
            next.call.run();
        }
    }

    /** Ends a call of a connection, if one is given, and takes the next call. */
    private synchronized @Nullable Taken take(@Nullable Connection ended) {
        if (ended != null && ended.running-- == mostOfOne && !ended.waiting.isEmpty()) {
            turn.add(ended);
        }
        Connection next = turn.poll();
        if (next == null) {
            return null;
        }
        Runnable call = next.waiting.remove();
        next.running++;
        if (!next.waiting.isEmpty() && next.running < mostOfOne) {
            turn.add(next);
        }
        return new Taken(next, call);
    }

    /** Waits for the calls under way, and for those that wait. */
    void close(long seconds) throws InterruptedException {
        threads.shutdown();
        threads.awaitTermination(seconds, TimeUnit.SECONDS);
    }
}
