// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.cli;

import io.nettyrdma.examples.nfs.client.CopyListener;
import java.io.PrintWriter;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Shows how far a copy is, once a second: on a terminal in a line that is written again and again.
 *
 * <p>Threading: the thread that copies.
 */
final class CopyProgress implements CopyListener {

    private static final long REPORT_NANOS = TimeUnit.SECONDS.toNanos(1);
    /** A line that is longer than the terminal is wide would be drawn below itself. */
    private static final int MAX_COLUMNS = 79;

    private static final String ERASE_TO_END_OF_LINE = "\033[K";

    private final String what;
    private final PrintWriter err;
    private final boolean terminal;
    private final LongSupplier nanoClock;
    private final long started;
    private long lastShown;
    private long total;
    private long done;

    /**
     * @param what      the file's name
     * @param terminal  whether {@code err} is one
     * @param nanoClock such as {@link System#nanoTime}
     */
    CopyProgress(String what, PrintWriter err, boolean terminal, LongSupplier nanoClock) {
        this.what = what;
        this.err = err;
        this.terminal = terminal;
        this.nanoClock = nanoClock;
        started = nanoClock.getAsLong();
        lastShown = started;
    }

    @Override
    public void onStarted(long totalBytes) {
        total = totalBytes;
    }

    @Override
    public void onCopied(long bytes) {
        done += bytes;
        long now = nanoClock.getAsLong();
        if (now - lastShown >= REPORT_NANOS) {
            lastShown = now;
            show(now);
        }
    }

    private void show(long now) {
        double seconds = seconds(now);
        String state = String.format(
                Locale.ROOT,
                "%s of %s  %s/s  ETA %s",
                size(done),
                size(total),
                size((long) (done / seconds)),
                done <= 0 ? "?" : time((long) ((total - done) * seconds / done)));
        state = ": " + (total == 0 ? 100 : done * 100 / total) + "%  " + state;
        if (terminal) {
            String name = what.substring(0, Math.max(0, Math.min(what.length(), MAX_COLUMNS - state.length())));
            err.print("\r" + name + state + ERASE_TO_END_OF_LINE);
        } else {
            err.println(what + state);
        }
        err.flush();
    }

    /** Removes the line, so that something else can take its place. */
    void end() {
        if (terminal && lastShown != started) {
            err.print("\r" + ERASE_TO_END_OF_LINE);
            err.flush();
        }
    }

    /** The result in one line. */
    String summary() {
        double seconds = seconds(nanoClock.getAsLong());
        return String.format(
                Locale.ROOT, "%s: %s (%,d bytes) in %.3f s, %s/s", what, size(done), done, seconds, size((long)
                        (done / seconds)));
    }

    private double seconds(long now) {
        return Math.max(1, now - started) / 1e9;
    }

    /** A number of octets with three digits and a unit. */
    static String size(long bytes) {
        String[] units = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
        double value = bytes;
        int unit = 0;
        for (; value >= 1000 && unit < units.length - 1; unit++) {
            value /= 1024;
        }
        String digits = unit == 0 || value >= 100 ? "%.0f %s" : value >= 10 ? "%.1f %s" : "%.2f %s";
        return String.format(Locale.ROOT, digits, value, units[unit]);
    }

    /** Minutes and seconds, and hours if there are any. */
    static String time(long seconds) {
        return seconds < 3600
                ? String.format(Locale.ROOT, "%d:%02d", seconds / 60, seconds % 60)
                : String.format(Locale.ROOT, "%d:%02d:%02d", seconds / 3600, seconds / 60 % 60, seconds % 60);
    }
}
