// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.lab;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.nettyrdma.deadline.Deadline;
import java.io.IOException;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;

/**
 * The Java end of a connection to {@code lab/rsockets-peer.c}: compares and counts bytes, and remembers the end.
 *
 * <p>Threading: the channel's event loop, but for the waits.
 */
final class StreamJournal extends SimpleChannelInboundHandler<ByteBuf> {

    private final CompletableFuture<Channel> active = new CompletableFuture<>();
    private final CompletableFuture<Void> inputEnd = new CompletableFuture<>();
    private final CompletableFuture<Void> inactive = new CompletableFuture<>();
    private final Queue<Throwable> failures = new ConcurrentLinkedQueue<>();

    private volatile long receivedBytes;

    /** Returns bytes of a direction, which count from 0 to 255 again and again. */
    static ByteBuf counting(int from, int bytes) {
        byte[] content = new byte[bytes];
        for (int i = 0; i < bytes; i++) {
            content[i] = (byte) (from + i);
        }
        return Unpooled.wrappedBuffer(content);
    }

    @Override
    public void channelActive(ChannelHandlerContext context) {
        active.complete(context.channel());
        context.fireChannelActive();
    }

    @Override
    protected void channelRead0(ChannelHandlerContext context, ByteBuf bytes) throws IOException {
        long at = receivedBytes;
        while (bytes.isReadable()) {
            byte received = bytes.readByte();
            if (received != (byte) at) {
                throw new IOException("byte " + at + ": " + (received & 0xff) + " (expected: " + (at & 0xff) + ")");
            }
            at++;
        }
        receivedBytes = at; // one writer, the event loop
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext context, Object event) {
        if (event == ChannelInputShutdownEvent.INSTANCE) {
            inputEnd.complete(null);
        }
        context.fireUserEventTriggered(event);
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        failures.add(cause);
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        inactive.complete(null);
        context.fireChannelInactive();
    }

    Channel awaitActive() throws Exception {
        return await(active);
    }

    /** Waits for the bytes that the peer sends in all until now. */
    void awaitBytes(long bytes) throws IOException {
        Await.until(bytes + " bytes", Deadline.DURATION, () -> receivedBytes >= bytes, this::toString);
    }

    /** Waits until the peer has ended its direction; the channel must allow half closure. */
    void awaitInputEnd() throws Exception {
        await(inputEnd);
    }

    void awaitInactive() throws Exception {
        await(inactive);
    }

    long receivedBytes() {
        return receivedBytes;
    }

    List<Throwable> failures() {
        return List.copyOf(failures);
    }

    private static <T> T await(CompletableFuture<T> future) throws Exception {
        return future.get(Deadline.MILLIS, TimeUnit.MILLISECONDS);
    }

    @Override
    public String toString() {
        return receivedBytes + " bytes received, inactive: " + inactive.isDone() + ", failures: " + failures;
    }
}
