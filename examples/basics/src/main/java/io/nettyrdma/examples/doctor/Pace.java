// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.doctor;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * Keeps a number of messages on their way to an echo and back, and measures in rounds: the first one warms up, and the
 * spread of the others is a part of the result.
 */
final class Pace extends SimpleChannelInboundHandler<ByteBuf> {

    private static final int ROUNDS = 6;
    private static final long ROUND_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    final CompletableFuture<String> result = new CompletableFuture<>();

    private final int inFlight;
    private final int messageBytes;
    private final ArrayDeque<Long> sentAt = new ArrayDeque<>();
    private final List<Long> nanos = new ArrayList<>();
    /** Of each round: median and 99th percentile in microseconds, and the bytes that came back per microsecond. */
    private final List<double[]> rounds = new ArrayList<>();

    private int received;
    private long roundBegan;

    Pace(int inFlight, int messageBytes) {
        this.inFlight = inFlight;
        this.messageBytes = messageBytes;
    }

    @Override
    public void channelActive(ChannelHandlerContext context) {
        roundBegan = System.nanoTime();
        for (int i = 0; i < inFlight; i++) {
            send(context);
        }
        context.flush();
    }

    private void send(ChannelHandlerContext context) {
        sentAt.add(System.nanoTime());
        context.write(context.alloc().directBuffer(messageBytes).writeZero(messageBytes));
    }

    @Override
    protected void channelRead0(ChannelHandlerContext context, ByteBuf bytes) {
        received += bytes.readableBytes();
        for (; received >= messageBytes && !sentAt.isEmpty(); received -= messageBytes) {
            nanos.add(System.nanoTime() - sentAt.remove());
            if (rounds.size() < ROUNDS) {
                send(context);
            }
        }
        long elapsed = System.nanoTime() - roundBegan;
        if (elapsed >= ROUND_NANOS && !nanos.isEmpty()) {
            nanos.sort(null);
            int count = nanos.size();
            rounds.add(new double[] {
                nanos.get(count / 2) / 1e3, nanos.get(count * 99 / 100) / 1e3, 1e3 * count * messageBytes / elapsed
            });
            nanos.clear();
            roundBegan += elapsed;
        }
        if (rounds.size() == ROUNDS) {
            result.complete(inFlight == 1 ? "p50 " + spread(0, "us") + ", p99 " + spread(1, "us") : spread(2, "MB/s"));
        }
    }

    /** The median of the rounds, and in brackets the least and the greatest. */
    private String spread(int column, String unit) {
        double[] sorted = rounds.stream()
                .skip(1)
                .mapToDouble(round -> round[column])
                .sorted()
                .toArray();
        return String.format(
                Locale.ROOT,
                "%,.1f (%,.1f to %,.1f) %s",
                sorted[sorted.length / 2],
                sorted[0],
                sorted[sorted.length - 1],
                unit);
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext context) {
        context.flush();
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        result.completeExceptionally(new IOException("the connection ended"));
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        result.completeExceptionally(cause);
        context.close();
    }
}
