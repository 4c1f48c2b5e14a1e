// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.logs;

import io.nettyrdma.deadline.Deadline;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * The lines that a test has declared with {@link Logs#expect} or {@link Logs#allow}.
 *
 * <p>Threading: any.
 */
public final class ExpectedLog {

    private final String logger;
    private final String part;
    private boolean required;
    private final List<LogLine> lines = new ArrayList<>();

    ExpectedLog(String logger, String part, boolean required) {
        this.logger = logger;
        this.part = part;
        this.required = required;
    }

    /** Whether the line is one of these, in which case it is kept. */
    synchronized boolean take(LogLine line) {
        if (!line.logger().equals(logger) || !line.message().contains(part)) {
            return false;
        }
        lines.add(line);
        notifyAll();
        return true;
    }

    /** At the end of its test: waits for a line if there has to be one. Further ones may come until the class ends. */
    synchronized void settle() {
        if (required) {
            required = false; // for later tests of the class, also if it does not come
            await(1);
        }
    }

    /** At the end of a test that has failed otherwise: nothing is waited for. */
    synchronized void forgo() {
        required = false;
    }

    /** Waits for the first line. */
    public LogLine await() {
        return await(1).get(0);
    }

    /**
     * Waits until so many lines have been written.
     *
     * @return these and any further ones, in their order
     * @throws AssertionError if they are not written within the {@link Deadline}
     */
    public synchronized List<LogLine> await(int count) {
        long deadline = System.nanoTime() + Deadline.DURATION.toNanos();
        while (lines.size() < count) {
            long left = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
            if (left <= 0) {
                throw new AssertionError(
                        this + " was to be written " + count + " times, not " + lines.size() + ": " + lines);
            }
            try {
                wait(left);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new AssertionError("interrupted while waiting for " + this, e);
            }
        }
        return List.copyOf(lines);
    }

    /** What has been written up to now. */
    public synchronized List<LogLine> lines() {
        return List.copyOf(lines);
    }

    @Override
    public String toString() {
        return "\"" + part + "\" by " + logger;
    }
}
