// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandler.Sharable;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.nettyrdma.channel.RdmaIoHandler;
import io.nettyrdma.deadline.Deadline;
import io.nettyrdma.socket.RdmaSocketChannel;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Byte streams that come and go, and many at a time, with server and client in a process each. */
@Tag("long")
class ManyStreamsTest {

    private static final int CYCLES = 10_000;
    private static final int OPEN = 8_000;
    /** Connections that come and go together; a divisor of all numbers of them. */
    private static final int AT_ONCE = 50;

    private static final long FLAT_BYTES = 2 * 1024 * 1024;
    /** Each of two loops keeps 16 MiB of registered memory of each size for later, and a stream takes four sizes. */
    private static final long KEPT_BYTES = 2 * 4 * 16 * 1024 * 1024;

    private EventLoopGroup group;
    private ManyStreamsServer.Running server;
    private Bootstrap client;

    /** Checks that the answer is what was sent. */
    @Sharable
    private static final class Answers extends ChannelInboundHandlerAdapter {
        private volatile CountDownLatch missing = new CountDownLatch(0);

        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            ByteBuf bytes = (ByteBuf) message;
            if (bytes.readableBytes() == Integer.BYTES
                    && bytes.readInt() == context.channel().hashCode()) {
                missing.countDown();
            }
            bytes.release();
        }
    }

    private final Answers answers = new Answers();

    @BeforeEach
    void start() throws Exception {
        server = ManyStreamsServer.start();
        group = new MultiThreadIoEventLoopGroup(2, RdmaIoHandler.newFactory());
        client = new Bootstrap()
                .group(group)
                .channel(RdmaSocketChannel.class)
                .remoteAddress(new InetSocketAddress(ManyStreamsServer.ADDRESS, server.port()))
                .handler(answers);
    }

    @AfterEach
    void end() throws Exception {
        group.shutdownGracefully(0, Deadline.SECONDS, TimeUnit.SECONDS).sync();
        server.close();
    }

    private void exchange(List<Channel> channels) throws InterruptedException {
        answers.missing = new CountDownLatch(channels.size());
        for (Channel channel : channels) {
            channel.writeAndFlush(channel.alloc().directBuffer(Integer.BYTES).writeInt(channel.hashCode()));
        }
        assertThat(answers.missing.await(Deadline.SECONDS, TimeUnit.SECONDS))
                .as("%d connections did not answer", answers.missing.getCount())
                .isTrue();
    }

    private void exchanges(List<Channel> channels) throws InterruptedException {
        for (int i = 0; i < 10; i++) {
            exchange(channels);
        }
    }

    private List<Channel> connect(int count) throws InterruptedException {
        List<ChannelFuture> connects = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            connects.add(client.connect());
        }
        List<Channel> channels = new ArrayList<>();
        for (ChannelFuture connect : connects) {
            channels.add(connect.sync().channel());
        }
        return channels;
    }

    private void cycles(int count) throws InterruptedException {
        for (int i = 0; i < count; i += AT_ONCE) {
            List<Channel> channels = connect(AT_ONCE);
            exchange(channels);
            for (Channel channel : channels) {
                channel.close();
            }
            for (Channel channel : channels) {
                channel.closeFuture().sync();
            }
        }
    }

    @Test
    void memoryStaysFlatWhileConnectionsComeAndGo() throws Exception {
        cycles(2_000); // whatever grows to its working size does so here
        long here = ManyStreamsServer.usedBytes();
        long there = server.usedBytes(0);
        cycles(CYCLES);
        assertThat(ManyStreamsServer.usedBytes() - here).as("client's bytes").isLessThan(FLAT_BYTES);
        assertThat(server.usedBytes(0) - there).as("server's bytes").isLessThan(FLAT_BYTES);
    }

    @Test
    void manyConnectionsAreOpenAndAnswer() throws Exception {
        cycles(200);
        long here = ManyStreamsServer.usedBytes();
        long there = server.usedBytes(0);
        List<Channel> channels = new ArrayList<>();
        for (int i = 0; i < OPEN; i += AT_ONCE) {
            channels.addAll(connect(AT_ONCE));
        }
        System.out.printf(
                "%,d byte streams: %,d bytes each at the client, %,d at the server%n",
                OPEN, (ManyStreamsServer.usedBytes() - here) / OPEN, (server.usedBytes(OPEN) - there) / OPEN);
        exchanges(channels); // whatever grows to its working size does so here
        long opened = ManyStreamsServer.usedBytes();
        exchanges(channels);
        assertThat(ManyStreamsServer.usedBytes() - opened)
                .as("bytes of ten more messages each")
                .isLessThan(FLAT_BYTES);
        for (Channel channel : channels) {
            channel.close();
        }
        for (Channel channel : channels) {
            channel.closeFuture().sync();
        }
        assertThat(server.usedBytes(0) - there).as("server's bytes afterwards").isLessThan(KEPT_BYTES);
    }
}
