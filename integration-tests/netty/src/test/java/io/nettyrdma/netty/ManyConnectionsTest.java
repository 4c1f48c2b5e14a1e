// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandler.Sharable;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.util.ReferenceCountUtil;
import io.netty.util.internal.PlatformDependent;
import io.nettyrdma.channel.RdmaChannel;
import io.nettyrdma.channel.RdmaChannelOption;
import io.nettyrdma.channel.RdmaIoHandler;
import io.nettyrdma.channel.RdmaServerChannel;
import io.nettyrdma.deadline.Deadline;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Memory stays flat however many connections come and go, and an idle one costs little beyond its receives. */
class ManyConnectionsTest {

    private static final int RECEIVE_COUNT = 4;
    private static final int RECEIVE_SIZE = 4096;
    /** Connections that come and go together; a divisor of all numbers of them. */
    private static final int AT_ONCE = 50;

    private final Semaphore accepted = new Semaphore(0);
    private final Semaphore ended = new Semaphore(0);
    private EventLoopGroup group;
    private Bootstrap client;
    private InetSocketAddress address;

    @Sharable
    private final class Counting extends ChannelInboundHandlerAdapter {
        @Override
        public void channelActive(ChannelHandlerContext context) {
            accepted.release();
        }

        @Override
        public void channelInactive(ChannelHandlerContext context) {
            ended.release();
        }

        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            context.writeAndFlush(message, context.voidPromise());
        }
    }

    @Sharable
    private static final class Quiet extends ChannelInboundHandlerAdapter {}

    @BeforeEach
    void listen() throws Exception {
        group = new MultiThreadIoEventLoopGroup(2, RdmaIoHandler.newFactory());
        Channel listener = new ServerBootstrap()
                .group(group)
                .channel(RdmaServerChannel.class)
                .option(ChannelOption.SO_BACKLOG, 1024)
                .childOption(RdmaChannelOption.RDMA_RECEIVE_COUNT, RECEIVE_COUNT)
                .childHandler(new Counting())
                .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                .sync()
                .channel();
        address = (InetSocketAddress) listener.localAddress();
        client = new Bootstrap()
                .group(group)
                .channel(RdmaChannel.class)
                .option(RdmaChannelOption.RDMA_RECEIVE_COUNT, RECEIVE_COUNT)
                .handler(new Quiet());
    }

    @AfterEach
    void end() throws Exception {
        group.shutdownGracefully(0, Deadline.SECONDS, TimeUnit.SECONDS).sync();
    }

    @Test
    void tenThousandConnectionsLeaveNothingBehind() throws Exception {
        cycles(2_000); // whatever grows to its working size does so here
        long before = usedBytes();
        cycles(10_000);
        assertThat(usedBytes() - before)
                .as("bytes of heap and direct memory gained over 10,000 connections")
                .isLessThan(2 * 1024 * 1024);
    }

    /** Many at once, so that the switches between threads, slow on a busy machine, are shared by them. */
    private void cycles(int count) throws Exception {
        for (int i = 0; i < count; i += AT_ONCE) {
            List<ChannelFuture> connects = new ArrayList<>();
            for (int j = 0; j < AT_ONCE; j++) {
                connects.add(client.connect(address));
            }
            for (ChannelFuture connect : connects) {
                connect.sync();
                take(accepted, "connection to be accepted");
            }
            for (ChannelFuture connect : connects) {
                connect.channel().close();
            }
            for (ChannelFuture connect : connects) {
                connect.channel().closeFuture().sync();
                take(ended, "connection to end");
            }
        }
    }

    @Test
    void idleConnectionCostsLittleBeyondItsReceives() throws Exception {
        int connections = 1000;
        List<Channel> channels = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            channels.add(client.connect(address).sync().channel());
            take(accepted, "connection to be accepted");
        }
        long before = usedBytes();
        for (int i = 0; i < connections; i++) {
            channels.add(client.connect(address).sync().channel());
            take(accepted, "connection to be accepted");
        }
        double perSide = (usedBytes() - before) / (2.0 * connections) - (double) RECEIVE_COUNT * RECEIVE_SIZE;
        System.out.printf("idle connection: %,.0f bytes per side beyond its posted receives%n", perSide);
        assertThat(perSide).as("bytes per side beyond posted receives").isLessThan(32 * 1024);

        // All of them work, too.
        CountDownLatch answers = new CountDownLatch(channels.size());
        for (Channel channel : channels) {
            channel.pipeline().addLast(new ChannelInboundHandlerAdapter() {
                @Override
                public void channelRead(ChannelHandlerContext context, Object message) {
                    ReferenceCountUtil.release(message);
                    answers.countDown();
                }
            });
            channel.writeAndFlush(Unpooled.copyInt(1));
        }
        assertThat(answers.await(Deadline.SECONDS, TimeUnit.SECONDS))
                .as("%d connections did not answer", answers.getCount())
                .isTrue();
    }

    private static void take(Semaphore semaphore, String what) throws InterruptedException {
        if (!semaphore.tryAcquire(Deadline.SECONDS, TimeUnit.SECONDS)) {
            throw new AssertionError("waited " + Deadline.SECONDS + " s for a " + what);
        }
    }

    /** Heap after collection, plus direct memory of both kinds of bookkeeping. */
    private static long usedBytes() {
        long least = Long.MAX_VALUE;
        for (int i = 0; i < 4; i++) {
            System.gc();
            long used = ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
            for (BufferPoolMXBean pool : ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class)) {
                used += pool.getMemoryUsed();
            }
            // Direct memory without a cleaner is counted by Netty alone; -1 if there is none of it.
            used += Math.max(0, PlatformDependent.usedDirectMemory());
            least = Math.min(least, used);
        }
        return least;
    }
}
