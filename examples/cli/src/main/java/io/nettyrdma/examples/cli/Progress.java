// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.cli;

import java.io.PrintWriter;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;

/**
 * Counts answers, shows how far a run is once a second, and sums it up.
 *
 * <p>Threading: one thread at a time, the event loop of the client.
 */
final class Progress {

    private static final long MAX_NANOS = TimeUnit.MINUTES.toNanos(10);
    private static final long REPORT_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final String what;
    private final int total;
    private final PrintWriter err;
    private final Histogram latencies = new Histogram(MAX_NANOS, 3);
    private final long started = System.nanoTime();
    private long lastReport = started;

    Progress(String what, int total, PrintWriter err) {
        this.what = what;
        this.total = total;
        this.err = err;
    }

    /** One answer, {@code nanos} after its request. */
    void onAnswer(long nanos) {
        latencies.recordValue(Math.min(MAX_NANOS, Math.max(0, nanos)));
        long now = System.nanoTime();
        if (now - lastReport >= REPORT_NANOS) {
            lastReport = now;
            err.printf("%s: %,d of %,d%n", what, latencies.getTotalCount(), total);
            err.flush();
        }
    }

    /** The result in one line: count, rate, percentiles in microseconds. */
    String summary() {
        double seconds = (System.nanoTime() - started) / 1e9;
        return String.format(
                Locale.ROOT,
                "%s: %,d answered in %.3f s, %,.0f/s; latency us min %.1f, p50 %.1f, p90 %.1f, p99 %.1f, p99.9 %.1f,"
                        + " max %.1f",
                what,
                latencies.getTotalCount(),
                seconds,
                latencies.getTotalCount() / seconds,
                latencies.getMinValue() / 1e3,
                latencies.getValueAtPercentile(50) / 1e3,
                latencies.getValueAtPercentile(90) / 1e3,
                latencies.getValueAtPercentile(99) / 1e3,
                latencies.getValueAtPercentile(99.9) / 1e3,
                latencies.getMaxValue() / 1e3);
    }
}
