// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.cli;

import io.nettyrdma.examples.nfs.client.CopyListener;
import java.io.PrintWriter;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Shows how far a copy is: on a terminal a bar that is drawn again and again, elsewhere a line once a second.
 *
 * <p>Threading: the thread that copies.
 */
final class CopyProgress implements CopyListener {

    private static final long BAR_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
    private static final long LINE_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final int BAR_WIDTH = 30;
    private static final int MIN_BAR_WIDTH = 5;
    private static final String ERASE_TO_END_OF_LINE = "\033[K";

    private final String what;
    private final PrintWriter err;
    private final int columns;
    private final boolean terminal;
    private final LongSupplier nanoClock;
    private final long started;
    private long lastShown;
    private long total;
    private long done;

    /**
     * @param what      the file's name
     * @param columns   width of the terminal that {@code err} is, 0 if it is none
     * @param nanoClock such as {@link System#nanoTime}
     */
    CopyProgress(String what, PrintWriter err, int columns, LongSupplier nanoClock) {
        this.what = what;
        this.err = err;
        this.columns = columns;
        terminal = columns > 0;
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
        if (now - lastShown >= (terminal ? BAR_NANOS : LINE_NANOS)) {
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
        int percent = total == 0 ? 100 : (int) (done * 100 / total);
        if (terminal) {
            err.print("\r" + bar(percent, state) + ERASE_TO_END_OF_LINE);
        } else {
            err.printf("%s: %d%%  %s%n", what, percent, state);
        }
        err.flush();
    }

    /**
     * The bar with all that belongs to it, shorter than the terminal is wide; the name gives way first, then the bar.
     */
    private String bar(int percent, String state) {
        String behind = String.format(Locale.ROOT, "] %3d%%  %s", percent, state);
        int room = columns - 1 - " [".length() - behind.length();
        int width = Math.max(MIN_BAR_WIDTH, Math.min(BAR_WIDTH, room - what.length()));
        int filled = percent * width / 100;
        String name = what.substring(0, Math.max(0, Math.min(what.length(), room - width)));
        String line = name + " [" + "#".repeat(filled) + ".".repeat(width - filled) + behind;
        return line.substring(0, Math.min(line.length(), columns - 1));
    }

    /** Removes the bar, so that something else can take its line. */
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
