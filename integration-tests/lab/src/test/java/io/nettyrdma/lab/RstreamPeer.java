// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.lab;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.SimpleChannelInboundHandler;
import io.nettyrdma.socket.RdmaServerSocketChannel;
import io.nettyrdma.socket.RdmaSocketChannel;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * The other end of an {@link RstreamRun}, over the byte stream. It sends the bytes that {@code rstream -T v} expects,
 * one write and flush for each transfer, and compares each byte that it receives if {@code rstream} has {@code -T v}.
 * Otherwise it counts bytes. The run fails if a byte comes before its turn, or behind the last one.
 *
 * <p>Threading: the channel's event loop, but for {@link #await}.
 */
final class RstreamPeer extends SimpleChannelInboundHandler<ByteBuf> {

    private enum Role {
        CLIENT,
        SERVER
    }

    private final Role role;
    private final RstreamRun run;
    private final CompletableFuture<Void> result = new CompletableFuture<>();
    private final ChannelFutureListener written = future -> {
        if (!future.isSuccess()) {
            fail(future.cause());
            future.channel().close();
        }
    };

    private volatile int exchange;
    private volatile long receivedBytes;
    private volatile long activeNanos;
    private volatile long firstBytesNanos;
    private long sentBytes;
    private int leftToReceive;
    private int leftToSend;
    private boolean done;

    private RstreamPeer(Role role, RstreamRun run) {
        this.role = role;
        this.run = run;
        leftToReceive = run.bytesOfExchange(0);
        leftToSend = leftToReceive;
    }

    /** The server of a run whose client is {@code rstream}. */
    static RstreamPeer server(RstreamRun run) {
        return new RstreamPeer(Role.SERVER, run);
    }

    /** The client of a run whose server is {@code rstream}. */
    static RstreamPeer client(RstreamRun run) {
        return new RstreamPeer(Role.CLIENT, run);
    }

    /** Returns a bootstrap that gives each connection that it accepts to the next of the servers. */
    static ServerBootstrap listening(EventLoopGroup group, Collection<RstreamPeer> servers) {
        Queue<RstreamPeer> left = new ArrayDeque<>(servers);
        return new ServerBootstrap()
                .group(group)
                .channel(RdmaServerSocketChannel.class)
                .childHandler(new ChannelInitializer<RdmaSocketChannel>() {
                    @Override
                    protected void initChannel(RdmaSocketChannel channel) {
                        channel.pipeline().addLast(next());
                    }

                    private RstreamPeer next() {
                        synchronized (left) { // children may be on several event loops
                            return left.remove();
                        }
                    }
                });
    }

    /** Returns a bootstrap that connects with this client. */
    Bootstrap connecting(EventLoopGroup group) {
        return new Bootstrap().group(group).channel(RdmaSocketChannel.class).handler(this);
    }

    @Override
    public void channelActive(ChannelHandlerContext context) {
        activeNanos = System.nanoTime();
        send(context);
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext context) {
        send(context);
    }

    /** Sends what this side may send in this exchange, as long as the channel is writable. */
    private void send(ChannelHandlerContext context) {
        // Asked each time: a write may change the writability, and with it begin the next exchange.
        while ((role == Role.CLIENT || leftToReceive == 0)
                && leftToSend > 0
                && context.channel().isWritable()) {
            byte[] transfer = new byte[run.bytesOfWrite(exchange)];
            for (int i = 0; i < transfer.length; i++) {
                transfer[i] = (byte) sentBytes++;
            }
            leftToSend -= transfer.length;
            ByteBuf buffer = context.alloc().directBuffer(transfer.length, transfer.length);
            context.writeAndFlush(buffer.writeBytes(transfer)).addListener(written);
        }
        if (leftToSend == 0 && leftToReceive == 0) {
            endExchange(context);
        }
    }

    @Override
    protected void channelRead0(ChannelHandlerContext context, ByteBuf bytes) throws IOException {
        int length = bytes.readableBytes();
        if (length > leftToReceive) {
            throw new IOException("received " + length + " bytes in exchange " + exchange + " (expected: "
                    + leftToReceive + " before it is the turn of this side)");
        }
        if (run.verifies()) {
            verify(bytes);
        }
        if (receivedBytes == 0) {
            firstBytesNanos = System.nanoTime();
        }
        receivedBytes += length; // one writer, the event loop
        leftToReceive -= length;
        if (leftToReceive == 0) {
            send(context);
        }
    }

    private void verify(ByteBuf bytes) throws IOException {
        byte[] received = new byte[bytes.readableBytes()];
        bytes.readBytes(received);
        for (int i = 0; i < received.length; i++) {
            long at = receivedBytes + i;
            if (received[i] != (byte) at) {
                throw new IOException("byte " + at + " of " + run.bytesOfSide() + ": " + (received[i] & 0xff)
                        + " (expected: " + (at & 0xff) + ")");
            }
        }
    }

    private void endExchange(ChannelHandlerContext context) {
        if (done) {
            return;
        }
        if (exchange + 1 < run.exchanges()) {
            exchange++; // one writer, the event loop
            leftToReceive = run.bytesOfExchange(exchange);
            leftToSend = leftToReceive;
            if (role == Role.CLIENT) {
                send(context);
            }
        } else {
            done = true;
            if (role == Role.CLIENT) {
                context.close();
            }
        }
    }

    private void fail(Throwable cause) {
        result.completeExceptionally(cause);
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        if (done) {
            result.complete(null);
        } else {
            fail(new IOException("the connection ended in exchange " + exchange + " with " + leftToReceive
                    + " bytes to receive and " + leftToSend + " to send (expected: the end after " + run.exchanges()
                    + " exchanges)"));
        }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        fail(cause);
        context.close();
    }

    /**
     * Whether a peer has connected in vain, if it has connected. siw delivers bytes that it has overlooked when the
     * peer ends, so bytes as late as that do not count.
     */
    boolean hasReceivedNothing() {
        return receivedBytes == 0 || firstBytesNanos - activeNanos > SiwRepeats.LATE_NANOS;
    }

    /** Waits for the end of the connection, which must come after the last exchange. */
    void await(Duration limit) throws InterruptedException {
        try {
            result.get(limit.toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            throw new AssertionError(
                    this + ": exchange " + exchange + ", " + receivedBytes
                            + " bytes received, and no end of the connection after " + limit.toSeconds() + " s",
                    e);
        } catch (ExecutionException e) {
            throw new AssertionError(this + ": " + e.getCause(), e.getCause());
        }
    }

    @Override
    public String toString() {
        return "Java " + role + " of rstream " + run.options();
    }
}
