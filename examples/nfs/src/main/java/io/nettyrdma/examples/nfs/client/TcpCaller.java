// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.nfs.client;

import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.handler.timeout.ReadTimeoutException;
import io.netty.handler.timeout.ReadTimeoutHandler;
import io.netty.util.concurrent.Promise;
import io.nettyrdma.examples.guard.Addresses;
import io.nettyrdma.examples.guard.EventLoops;
import io.nettyrdma.examples.guard.PeerText;
import io.nettyrdma.examples.nfs.protocol.RecordMarkCodec;
import java.io.EOFException;
import java.io.IOException;
import java.net.BindException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * Single RPC calls over TCP, each over a connection of its own.
 *
 * <p>Threading: any thread but event loops. Ownership: owns an event loop.
 */
final class TcpCaller implements AutoCloseable {

    private static final long SHUTDOWN_SECONDS = 5;
    private static final int MAX_REPLY_BYTES = 64 * 1024;
    private static final int HIGHEST_RESERVED_PORT = 1023;
    private static final int LOWEST_RESERVED_PORT = 512;

    private final EventLoopGroup group = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
    private final Duration timeout;
    private final boolean reservedPort;

    TcpCaller(Duration timeout, boolean reservedPort) {
        this.timeout = timeout;
        this.reservedPort = reservedPort;
    }

    /** Sends a call, which is taken over, and returns the reply, which is the caller's. */
    ByteBuf call(InetSocketAddress server, ByteBuf call) throws IOException, InterruptedException {
        Promise<ByteBuf> reply = group.next().newPromise();
        Channel channel;
        try {
            channel = connect(server, reply);
        } catch (Throwable e) { // threads may be short, too
            call.release();
            throw e;
        }
        try {
            channel.writeAndFlush(call);
            return Replies.await(reply);
        } catch (InterruptedException e) {
            Replies.discard(reply);
            throw e;
        } finally {
            channel.close();
        }
    }

    private Channel connect(InetSocketAddress server, Promise<ByteBuf> reply) throws IOException, InterruptedException {
        Bootstrap bootstrap = new Bootstrap()
                .group(group)
                .channel(NioSocketChannel.class)
                .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, (int) Math.min(Integer.MAX_VALUE, timeout.toMillis()))
                .handler(new ChannelInitializer<SocketChannel>() {
                    @Override
                    protected void initChannel(SocketChannel channel) {
                        channel.pipeline()
                                .addLast(new RecordMarkCodec(MAX_REPLY_BYTES))
                                .addLast(new ReadTimeoutHandler(timeout.toMillis(), TimeUnit.MILLISECONDS))
                                .addLast(new FirstReply(server, reply));
                    }
                });
        if (!reservedPort) {
            return connected(bootstrap.connect(server));
        }
        for (int port = HIGHEST_RESERVED_PORT; port > LOWEST_RESERVED_PORT; port--) {
            try {
                return connected(bootstrap.connect(server, new InetSocketAddress(port)));
            } catch (BindException e) {
                // Somebody else's; the next may be free.
            }
        }
        return connected(bootstrap.connect(server, new InetSocketAddress(LOWEST_RESERVED_PORT)));
    }

    private static Channel connected(ChannelFuture connect) throws IOException, InterruptedException {
        Replies.await(connect);
        return connect.channel();
    }

    @Override
    public void close() {
        EventLoops.shutDown(group, SHUTDOWN_SECONDS);
    }

    /** Completes a promise with the first message, or with what went wrong instead. */
    private static final class FirstReply extends SimpleChannelInboundHandler<ByteBuf> {

        private final InetSocketAddress server;
        private final Promise<ByteBuf> reply;

        FirstReply(InetSocketAddress server, Promise<ByteBuf> reply) {
            super(false); // the message goes on, in the promise
            this.server = server;
            this.reply = reply;
        }

        @Override
        protected void channelRead0(ChannelHandlerContext ctx, ByteBuf message) {
            if (!reply.trySuccess(message)) {
                message.release();
            }
        }

        @Override
        public void channelInactive(ChannelHandlerContext ctx) {
            reply.tryFailure(new EOFException(Addresses.describe(server) + " closed the connection unanswered"));
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
            String text = cause instanceof ReadTimeoutException
                    ? "no answer from " + Addresses.describe(server) + " in time"
                    : "connection to " + Addresses.describe(server) + " failed: " + PeerText.reason(cause);
            reply.tryFailure(new IOException(text, cause));
            ctx.close();
        }
    }
}
