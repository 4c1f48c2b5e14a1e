// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.guard;

import io.netty.channel.ChannelHandler.Sharable;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.io.ByteArrayOutputStream;
import java.io.OutputStream;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * Prints lines that peers cause, as {@link PeerText} spells them, and so many a second at most. Three in ten are kept
 * for faults of this side, which a flood would hide. The next line says how many were left out.
 *
 * <p>As the last handler of a connection it says what went wrong on it, and closes it.
 *
 * <p>Threading: any thread; the object's monitor guards the counts, and is held while a line is printed.
 */
@Sharable
public final class PeerLog extends ChannelInboundHandlerAdapter implements Consumer<String> {

    /** Lines a second unless said otherwise. */
    public static final int DEFAULT_LINES_PER_SECOND = 10;

    private static final int MAX_LINE_BYTES = 4096;

    private final Consumer<String> sink;
    private final int linesPerSecond;
    private final LongSupplier nanoTime;
    private long secondNanos;
    private int printed;
    private long omitted;

    /** A log with the default limit, which prints by {@code sink}. */
    public PeerLog(Consumer<String> sink) {
        this(sink, DEFAULT_LINES_PER_SECOND);
    }

    /** @param linesPerSecond positive */
    public PeerLog(Consumer<String> sink, int linesPerSecond) {
        this(sink, linesPerSecond, System::nanoTime);
    }

    PeerLog(Consumer<String> sink, int linesPerSecond, LongSupplier nanoTime) {
        this.sink = sink;
        this.linesPerSecond = linesPerSecond;
        this.nanoTime = nanoTime;
        secondNanos = nanoTime.getAsLong();
    }

    /** Says what a peer causes. */
    @Override
    public void accept(String line) {
        print(line, Math.max(1, linesPerSecond * 7 / 10));
    }

    /** Says that something is wrong on this side, also if a peer has caused it. */
    public void fault(String line) {
        print(line, linesPerSecond);
    }

    private synchronized void print(String line, int most) {
        long now = nanoTime.getAsLong();
        if (now - secondNanos >= TimeUnit.SECONDS.toNanos(1)) {
            secondNanos = now;
            printed = 0;
        }
        if (printed >= most) {
            omitted++;
            return;
        }
        String before = omitted == 0 ? "" : "(" + omitted + (omitted == 1 ? " line" : " lines") + " omitted) ";
        printed++;
        omitted = 0;
        sink.accept(before + PeerText.escape(line));
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        accept(context.channel().remoteAddress() + " closed: " + PeerText.reason(cause));
        context.close();
    }

    /**
     * Takes the place of {@code System.err}, so that what the loggers of libraries say about a peer, stack traces for
     * example, is limited as well.
     */
    public OutputStream stream() {
        return new OutputStream() {
            private final ByteArrayOutputStream line = new ByteArrayOutputStream();

            @Override
            public synchronized void write(int octet) {
                if (octet == '\n') {
                    accept(line.toString().replace("\t", "    ").stripTrailing());
                    line.reset();
                } else if (line.size() < MAX_LINE_BYTES) {
                    line.write(octet);
                }
            }
        };
    }
}
