// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.ends;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.util.ReferenceCountUtil;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/** One side of a connection, which notes what happens there. */
final class EndSide extends ChannelInboundHandlerAdapter {

    /** What a handler throws to make its channel close. */
    static final class Thrown extends RuntimeException {

        private static final long serialVersionUID = 1;
    }

    private static final int PERIOD = 256 * 256;
    private static final byte[] PATTERN = period();

    final CompletableFuture<ChannelHandlerContext> active = new CompletableFuture<>();

    private final boolean isOneAtATime;
    private final List<String> events = new ArrayList<>();
    private long receivedBytes;
    private long wrongBytes;
    private long inactiveNanos;
    private boolean isUnregistered;
    private Consumer<ChannelHandlerContext> onFirstRead = context -> {};
    private Consumer<ChannelHandlerContext> onThrown = context -> {};

    EndSide(boolean isOneAtATime) {
        this.isOneAtATime = isOneAtATime;
    }

    /** The bytes that {@link #channelRead} expects from the place {@code from} of the stream on. */
    static ByteBuf pattern(int from, int length) {
        ByteBuf bytes = Unpooled.buffer(length);
        for (int place = from % PERIOD; bytes.writableBytes() > 0; place = 0) {
            bytes.writeBytes(PATTERN, place, Math.min(PERIOD - place, length - bytes.writerIndex()));
        }
        return bytes;
    }

    private static byte[] period() {
        byte[] bytes = new byte[PERIOD];
        for (int i = 0; i < PERIOD; i++) {
            bytes[i] = (byte) (i * 31 + (i >> 8) + 7);
        }
        return bytes;
    }

    synchronized void onFirstRead(Consumer<ChannelHandlerContext> action) {
        onFirstRead = action;
    }

    synchronized void onThrown(Consumer<ChannelHandlerContext> action) {
        onThrown = action;
    }

    private synchronized void note(String event) {
        if (active.isDone()) {
            events.add(event);
        }
    }

    /** The events, with runs of reads as one. */
    synchronized String events() {
        return (String.join(" ", events) + " ")
                .replaceAll("(read )+", "read ")
                .replaceAll("(complete )+", "complete ")
                .replaceAll("(read complete )+", "read complete ")
                .trim();
    }

    synchronized long receivedBytes() {
        return receivedBytes;
    }

    synchronized long wrongBytes() {
        return wrongBytes;
    }

    /** When channelInactive came, or 0. */
    synchronized long inactiveNanos() {
        return inactiveNanos;
    }

    synchronized boolean isUnregistered() {
        return isUnregistered;
    }

    @Override
    public void channelActive(ChannelHandlerContext context) {
        active.complete(context);
        if (isOneAtATime) {
            context.read();
        }
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        note("read");
        Consumer<ChannelHandlerContext> action;
        try {
            action = count((ByteBuf) message);
        } finally {
            ReferenceCountUtil.release(message);
        }
        action.accept(context);
    }

    private synchronized Consumer<ChannelHandlerContext> count(ByteBuf bytes) {
        ByteBuf expected = pattern((int) receivedBytes, bytes.readableBytes());
        if (!expected.equals(bytes)) {
            wrongBytes += bytes.readableBytes();
        }
        receivedBytes += bytes.readableBytes();
        Consumer<ChannelHandlerContext> action = onFirstRead;
        onFirstRead = context -> {};
        return action;
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext context) {
        note("complete");
        if (isOneAtATime) {
            context.read();
        }
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext context, Object event) {
        note("event:" + event.getClass().getSimpleName());
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        note("caught:" + EndWords.of(cause));
        if (cause instanceof Thrown) {
            Consumer<ChannelHandlerContext> action;
            synchronized (this) {
                action = onThrown;
            }
            action.accept(context);
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        synchronized (this) {
            inactiveNanos = System.nanoTime();
        }
        note("inactive");
    }

    @Override
    public void channelUnregistered(ChannelHandlerContext context) {
        note("unregistered");
        synchronized (this) {
            isUnregistered = true;
        }
    }
}
