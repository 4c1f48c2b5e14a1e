// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.disni;

import java.io.IOException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * A daemon thread that sits in a blocking native wait on behalf of an event loop, because that wait cannot be woken. It
 * waits in short turns, so that it ends soon after it is told to. A turn that fails ends it too, and its owner is told.
 * A native wait that returns at once for nothing, as on a file that is broken, does not make it spin: it pauses, for
 * the length of a turn in the end.
 *
 * <p>Threading: {@link #close()} and {@link #failure()} may be called from any thread; the former returns when the
 * thread is out of native code.
 */
final class EventWaiter implements AutoCloseable {

    /** Longest native wait for a completion in milliseconds, which bounds the time {@link #close()} takes. */
    static final int TURN_MILLIS = 50;

    /** One bounded wait, with whatever is to be done about its outcome. */
    interface Turn {
        boolean run() throws IOException;
    }

    /** The clock of a waiter, and what it does instead of spinning. */
    interface Pace {
        long nanoTime();

        /** Pauses the calling thread; may return early. */
        void pause(long nanos);
    }

    private static final Pace SYSTEM = new Pace() {
        @Override
        public long nanoTime() {
            return System.nanoTime();
        }

        @Override
        public void pause(long nanos) {
            LockSupport.parkNanos(EventWaiter.class, nanos);
        }
    };

    /** First pause after a wait that returned at once for nothing; each further one is twice as long. */
    private static final long MIN_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    private static final AtomicInteger COUNT = new AtomicInteger();

    private final long turnNanos;
    private final int turnMillis;
    private final Pace pace;
    private final Thread thread;
    private volatile boolean closed;
    private volatile @Nullable Throwable failure;

    /**
     * @param turnMillis longest wait of a turn
     * @param died       told on the waiting thread when {@link #failure()} is there
     */
    EventWaiter(String name, int turnMillis, Turn turn, Runnable died) {
        this(name, turnMillis, turn, died, SYSTEM);
    }

    EventWaiter(String name, int turnMillis, Turn turn, Runnable died, Pace pace) {
        this.turnMillis = turnMillis;
        turnNanos = TimeUnit.MILLISECONDS.toNanos(turnMillis);
        this.pace = pace;
        thread = new Thread(() -> loop(turn, died), name + '-' + COUNT.incrementAndGet());
        thread.setDaemon(true);
        thread.start();
    }

    private void loop(Turn turn, Runnable died) {
        long pauseNanos = 0;
        while (!closed) {
            try {
                long began = pace.nanoTime();
                boolean waited = turn.run() || pace.nanoTime() - began >= turnNanos / 2;
                if (waited) {
                    pauseNanos = 0;
                } else {
                    pauseNanos = Math.min(turnNanos, Math.max(MIN_PAUSE_NANOS, 2 * pauseNanos));
                    pace.pause(pauseNanos);
                }
            } catch (Throwable e) { // of any kind: this thread does not wait any more
                if (!closed) {
                    failure = e;
                    died.run();
                }
                return;
            }
        }
    }

    String name() {
        return thread.getName();
    }

    /** Waits for the end of the thread. */
    void join() throws InterruptedException {
        thread.join();
    }

    /** Returns why the waiting thread ended; {@code null} while it runs, or after it was told to stop. */
    @Nullable
    Throwable failure() {
        return failure;
    }

    @Override
    public void close() {
        closed = true;
        boolean interrupted = false;
        while (thread.isAlive() && thread != Thread.currentThread()) {
            try {
                thread.join(10L * turnMillis);
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
