// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.guard;

import java.util.function.Consumer;

/**
 * Prints lines that peers cause: each as {@link PeerText} spells it, and no more of them than a {@link LineLimit}
 * allows. The next line that is printed says how many were left out.
 *
 * <p>Threading: any thread, as far as the sink allows it.
 */
public final class PeerLog implements ServerLog {

    private final Consumer<String> sink;
    private final LineLimit limit;

    /**
     * A log.
     *
     * @param sink  prints a line
     * @param limit shared by all that print to the same place
     */
    public PeerLog(Consumer<String> sink, LineLimit limit) {
        this.sink = sink;
        this.limit = limit;
    }

    @Override
    public void accept(String line) {
        print(line, limit.take());
    }

    @Override
    public void fault(String line) {
        print(line, limit.takeFault());
    }

    private void print(String line, long leftOut) {
        if (leftOut >= 0) {
            sink.accept((leftOut > 0 ? leftOut(leftOut) + ' ' : "") + PeerText.escape(line));
        }
    }

    /**
     * Says how many lines were left out since the last one, if any; for those who print a summary from time to time.
     */
    public void flush() {
        long leftOut = limit.takeLeftOut();
        if (leftOut > 0) {
            sink.accept(leftOut(leftOut));
        }
    }

    private static String leftOut(long lines) {
        return "(" + lines + (lines == 1 ? " line" : " lines") + " omitted)";
    }
}
