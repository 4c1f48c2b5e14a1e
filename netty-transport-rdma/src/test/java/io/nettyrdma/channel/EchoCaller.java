// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.channel;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.nettyrdma.deadline.Deadline;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.IntUnaryOperator;

/**
 * Has messages echoed, some at a time, and compares each octet; a message of no octets is one, too.
 *
 * <p>Threading: the channel's event loop, but {@link #await}.
 */
final class EchoCaller extends ChannelInboundHandlerAdapter {

    private final IntUnaryOperator bytes;
    private final int inFlight;
    private final CompletableFuture<Integer> echoed = new CompletableFuture<>();
    private int count;
    private int sent;
    private int received;

    EchoCaller(int bytes, int count, int inFlight) {
        this(number -> bytes, count, inFlight);
    }

    /**
     * @param bytes how long the message of some number is, from 0 on
     */
    EchoCaller(IntUnaryOperator bytes, int count, int inFlight) {
        this.bytes = bytes;
        this.count = count;
        this.inFlight = inFlight;
    }

    /** Sends back what it receives, also what is empty, which is no message as a buffer. */
    static final class Server extends ChannelInboundHandlerAdapter {
        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            context.write(RdmaSend.of((ByteBuf) message));
        }

        @Override
        public void channelReadComplete(ChannelHandlerContext context) {
            context.flush();
        }
    }

    @Override
    public void channelActive(ChannelHandlerContext context) {
        for (int i = 0; i < inFlight; i++) {
            send(context);
        }
        context.flush();
    }

    private void send(ChannelHandlerContext context) {
        if (sent < count) {
            context.write(RdmaSend.of(Unpooled.wrappedBuffer(octets(sent++)))).addListener(future -> {
                if (!future.isSuccess()) {
                    echoed.completeExceptionally(future.cause());
                }
            });
        }
    }

    private byte[] octets(int number) {
        byte[] octets = new byte[bytes.applyAsInt(number)];
        new Random(number).nextBytes(octets);
        return octets;
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        ByteBuf content = (ByteBuf) message;
        byte[] echo = ByteBufUtil.getBytes(content);
        content.release();
        if (!Arrays.equals(echo, octets(received++))) {
            echoed.completeExceptionally(
                    new AssertionError("echo " + received + " of " + echo.length + " octets is another message"));
        } else if (received == count) {
            echoed.complete(received);
        }
        send(context);
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext context) {
        context.flush();
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        echoed.completeExceptionally(cause);
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        echoed.completeExceptionally(new AssertionError("the connection ended after echo " + received));
    }

    /** Sends no more. */
    void endAfterWhatIsUnderWay(Channel channel) {
        channel.eventLoop().execute(() -> count = sent);
    }

    /** Waits until all were echoed, and returns how many that are. */
    int await() throws Exception {
        return echoed.get(Deadline.SECONDS, TimeUnit.SECONDS);
    }
}
