// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.channel;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.nettyrdma.deadline.Deadline;
import io.nettyrdma.memory.Poison;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** Collects what arrives: messages as octets, user events, failures, and the end. */
final class Inbox extends ChannelInboundHandlerAdapter {

    final BlockingQueue<byte[]> messages = new LinkedBlockingQueue<>();
    final BlockingQueue<Object> events = new LinkedBlockingQueue<>();
    final BlockingQueue<Throwable> failures = new LinkedBlockingQueue<>();
    final CountDownLatch active = new CountDownLatch(1);
    final CountDownLatch inactive = new CountDownLatch(1);
    /** The failures that came before {@code channelInactive}. */
    volatile List<Throwable> failuresBeforeTheEnd = List.of();

    @Override
    public void channelActive(ChannelHandlerContext context) {
        active.countDown();
        context.fireChannelActive();
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        failuresBeforeTheEnd = List.copyOf(failures);
        inactive.countDown();
        context.fireChannelInactive();
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        Poison.requireNoneIn((ByteBuf) message);
        messages.add(ChannelPair.take((ByteBuf) message));
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext context, Object event) {
        events.add(event);
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        failures.add(cause);
    }

    byte[] next() throws InterruptedException {
        return take(messages, "message");
    }

    String nextText() throws InterruptedException {
        return new String(next(), StandardCharsets.UTF_8);
    }

    /** Returns the next bytes of a stream, or the next messages, as one text. */
    String nextText(int length) throws InterruptedException {
        StringBuilder text = new StringBuilder();
        while (text.length() < length) {
            text.append(nextText());
        }
        return text.toString();
    }

    int nextInt() throws InterruptedException {
        return Unpooled.wrappedBuffer(next()).readInt();
    }

    /** Takes messages that are these numbers, in their order. */
    void expectNumbers(int from, int end) throws InterruptedException {
        for (int i = from; i < end; i++) {
            assertThat(nextInt()).isEqualTo(i);
        }
    }

    Object nextEvent() throws InterruptedException {
        return take(events, "user event");
    }

    Throwable nextFailure() throws InterruptedException {
        return take(failures, "failure");
    }

    void awaitActive() throws InterruptedException {
        await(active, "channelActive");
    }

    void awaitInactive() throws InterruptedException {
        await(inactive, "channelInactive");
    }

    private static void await(CountDownLatch latch, String what) throws InterruptedException {
        if (!latch.await(Deadline.SECONDS, TimeUnit.SECONDS)) {
            throw new AssertionError("no " + what + " within " + Deadline.SECONDS + " s");
        }
    }

    private static <T> T take(BlockingQueue<T> queue, String what) throws InterruptedException {
        T item = queue.poll(Deadline.SECONDS, TimeUnit.SECONDS);
        if (item == null) {
            throw new AssertionError("no " + what + " within " + Deadline.SECONDS + " s");
        }
        return item;
    }
}
