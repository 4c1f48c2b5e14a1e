// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.guard;

import io.nettyrdma.internal.RateLimit;
import java.util.function.LongSupplier;

/**
 * Counts lines that peers cause, so that there are few in any second, whatever the peers do. A part of them, three in
 * ten and at least one if there are two, is kept for faults of this side, which a flood of others would hide.
 *
 * <p>Threading: any thread.
 */
public final class LineLimit {

    /** Lines in any second unless said otherwise. */
    public static final int DEFAULT_LINES_PER_SECOND = 10;

    private static final long SECOND_NANOS = 1_000_000_000;

    /** Part of the lines that is kept for faults. */
    private static final double FAULTS_SHARE = 0.3;

    private final LongSupplier nanoClock;
    private RateLimit all;
    private RateLimit ofPeers;
    private long leftOut;

    /**
     * A limit for one program.
     *
     * @param linesPerSecond lines in any second, positive
     * @param nanoClock      such as {@link System#nanoTime}
     */
    public LineLimit(int linesPerSecond, LongSupplier nanoClock) {
        this.nanoClock = nanoClock;
        all = limit(linesPerSecond);
        ofPeers = limit(withoutFaults(linesPerSecond));
    }

    /** The default limit by the clock of the system. */
    public static LineLimit ofSystem() {
        return new LineLimit(DEFAULT_LINES_PER_SECOND, System::nanoTime);
    }

    private RateLimit limit(int linesPerSecond) {
        return new RateLimit(linesPerSecond, SECOND_NANOS, nanoClock);
    }

    private static int withoutFaults(int linesPerSecond) {
        int faults = Math.max(1, (int) (linesPerSecond * FAULTS_SHARE));
        return Math.max(1, linesPerSecond - faults);
    }

    /** Another number of lines in any second, positive; what was printed before does not count. */
    public synchronized void setLinesPerSecond(int linesPerSecond) {
        all = limit(linesPerSecond);
        ofPeers = limit(withoutFaults(linesPerSecond));
    }

    /**
     * Asks for a line.
     *
     * @return how many were left out since the last one if this one may be printed, or -1 if it is to be left out
     *         itself
     */
    synchronized long take() {
        return enter() ? forget() : leaveOut();
    }

    /** The same for a line about a fault of this side. */
    synchronized long takeFault() {
        return all.tryTake() ? forget() : leaveOut();
    }

    /** Asks for a line about those that were left out; returns how many, 0 if none or if there is no room to say it. */
    synchronized long takeLeftOut() {
        return leftOut > 0 && enter() ? forget() : 0;
    }

    private boolean enter() {
        return all.hasRoom() && ofPeers.tryTake() && all.tryTake();
    }

    private long leaveOut() {
        leftOut++;
        return -1;
    }

    private long forget() {
        long before = leftOut;
        leftOut = 0;
        return before;
    }
}
