// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.verbs.soft.faults;

import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;

/**
 * One pass over the positions of a sweep. A failure names the sweep and how far it came. If the build tries every
 * position, standard output says so every few seconds, and a sweep that reaches no further position for
 * {@value #STUCK_SECONDS} seconds fails: the thread that sweeps is interrupted and its stack is printed. Every wait of
 * a test is shorter than that by itself, so this ends only waits that have forgotten their limit.
 *
 * <p>Threading: the one that sweeps.
 */
public final class SweepProgress {

    /** What tries the positions. */
    @FunctionalInterface
    public interface Body {
        /** Tries every position, and calls {@link #at} in front of each. */
        void run(SweepProgress progress) throws Exception;
    }

    static final long STUCK_SECONDS = 180;
    private static final long LINE_NANOS = TimeUnit.SECONDS.toNanos(10);

    private final String sweep;
    private final int positions;
    private final Thread sweeper = Thread.currentThread();
    private final long begin = System.nanoTime();

    private long lastLine = begin;
    private int tried;
    private String latest = "none";
    private boolean over;
    private boolean stuck;

    private SweepProgress(String sweep, int positions) {
        this.sweep = sweep;
        this.positions = positions;
    }

    /**
     * Runs a sweep.
     *
     * @param sweep names the test and its parameters
     * @param positions how many there are
     */
    public static void over(String sweep, int positions, Body body) throws Exception {
        SweepProgress progress = new SweepProgress(sweep, positions);
        if (Sweep.isOfEverything()) {
            progress.startWatch(TimeUnit.SECONDS.toNanos(STUCK_SECONDS));
        }
        progress.run(body);
    }

    /** The same with a limit for each position, whether the build tries every position or not. */
    static void over(String sweep, int positions, Duration limit, Body body) throws Exception {
        SweepProgress progress = new SweepProgress(sweep, positions);
        progress.startWatch(limit.toNanos());
        progress.run(body);
    }

    private void startWatch(long limitNanos) {
        Thread watch = new Thread(() -> watch(limitNanos), "sweep-watch");
        watch.setDaemon(true);
        watch.start();
    }

    private void run(Body body) throws Exception {
        try {
            body.run(this);
        } catch (Exception | AssertionError e) {
            throw new AssertionError(failure() + ": " + e.getMessage(), e);
        } finally {
            end();
        }
        say(text() + ", ended");
    }

    private static void say(String line) {
        if (Sweep.isOfEverything()) {
            System.out.println("Sweep: " + line);
        }
    }

    private synchronized void end() {
        over = true;
        notifyAll();
        if (stuck) {
            Thread.interrupted(); // the interrupt was for the sweep, and not for the tests behind it
        }
    }

    private synchronized String failure() {
        return (stuck ? "stuck: " : "") + text() + ", latest " + latest;
    }

    /**
     * Says which position is tried next.
     *
     * @param position with the fault and where it is
     */
    public synchronized void at(String position) {
        tried++;
        latest = position;
        notifyAll();
        if (System.nanoTime() - lastLine >= LINE_NANOS) {
            lastLine = System.nanoTime();
            say(text());
        }
    }

    private String text() {
        long seconds = TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - begin);
        return sweep + ", position " + tried + " of " + positions + ", " + seconds + " s";
    }

    private synchronized void watch(long limitNanos) {
        try {
            while (!over) {
                int before = tried;
                long end = System.nanoTime() + limitNanos;
                for (long left = end - System.nanoTime();
                        !over && tried == before && left > 0;
                        left = end - System.nanoTime()) {
                    TimeUnit.NANOSECONDS.timedWait(this, left);
                }
                if (!over && tried == before) {
                    stuck = true;
                    say(failure() + " in " + Arrays.toString(sweeper.getStackTrace()));
                    sweeper.interrupt();
                    return;
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
