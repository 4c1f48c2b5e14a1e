// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.dropin;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.nettyrdma.deadline.Deadline;
import java.net.SocketAddress;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * The other end of a connection of the transport under test, with the calls that the suite makes on a
 * {@link java.net.ServerSocket} and the socket that it accepts. It keeps its half of the connection open when the other
 * half ends.
 *
 * <p>Threading: one thread, which is not an event loop. Ownership: the test that opens it closes it.
 */
final class BlockingPeer implements AutoCloseable {

    /** What {@link #read()} returns at the end of the stream. */
    static final int END = -1;

    private final BlockingQueue<Channel> accepted = new LinkedBlockingQueue<>();
    private final BlockingQueue<Integer> received = new LinkedBlockingQueue<>();
    private final Channel listener;
    private Channel connection;

    private BlockingPeer(SocketAddress address) {
        listener = Transport.UNDER_TEST
                .newServer()
                .childOption(ChannelOption.ALLOW_HALF_CLOSURE, true)
                .childHandler(new ChannelInitializer<>() {
                    @Override
                    protected void initChannel(Channel channel) {
                        channel.pipeline().addLast(new Receiver());
                    }
                })
                .bind(address)
                .syncUninterruptibly()
                .channel();
    }

    static BlockingPeer open(SocketAddress address) {
        return new BlockingPeer(address);
    }

    SocketAddress address() {
        return listener.localAddress();
    }

    /** Waits for the connection that the test makes. */
    void accept() throws InterruptedException {
        connection = accepted.poll(Deadline.SECONDS, TimeUnit.SECONDS);
        assertThat(connection).as("accepted connection").isNotNull();
    }

    /** Waits for the next byte, or for {@link #END}. */
    int read() throws InterruptedException {
        Integer next = received.poll(Deadline.SECONDS, TimeUnit.SECONDS);
        assertThat(next).as("received byte or end of the stream").isNotNull();
        return next;
    }

    void write(int data) {
        connection.writeAndFlush(connection.alloc().buffer(1).writeByte(data)).syncUninterruptibly();
    }

    @Override
    public void close() {
        if (connection != null) {
            connection.close().syncUninterruptibly();
        }
        listener.close().syncUninterruptibly();
    }

    private final class Receiver extends SimpleChannelInboundHandler<ByteBuf> {

        @Override
        public void channelActive(ChannelHandlerContext context) {
            accepted.add(context.channel());
        }

        @Override
        protected void channelRead0(ChannelHandlerContext context, ByteBuf bytes) {
            while (bytes.isReadable()) {
                received.add((int) bytes.readUnsignedByte());
            }
        }

        @Override
        public void userEventTriggered(ChannelHandlerContext context, Object event) {
            if (event instanceof ChannelInputShutdownEvent) {
                received.add(END);
            }
        }
    }
}
