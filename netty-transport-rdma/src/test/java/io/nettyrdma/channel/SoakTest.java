// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.channel;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.AdaptiveByteBufAllocator;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufAllocatorMetricProvider;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.util.concurrent.AutoScalingEventExecutorChooserFactory;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.ThreadPerTaskExecutor;
import io.nettyrdma.deadline.Deadline;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * What shows after a long time only. As many minutes for each test as {@code -Dlong.soak.minutes} says, 20 unless set:
 * an hour for the three allocators.
 */
@Tag("long")
@ExtendWith(LeavesNothingOpen.class)
class SoakTest {

    private static final long NANOS = TimeUnit.MINUTES.toNanos(Long.getLong("long.soak.minutes", 20));
    private static final int CONNECTIONS = 8;
    private static final int IN_FLIGHT = 32;
    private static final int LONGEST_MESSAGE_BYTES = 4096;
    /** Echoes of a connection, after which another takes its place. */
    private static final int ECHOES = 20_000;
    /** Every how many messages the server keeps one, and how many of a connection it has at most. */
    private static final int KEEP_INTERVAL = 50;

    private static final int KEPT = 200;
    private static final long MAX_DIRECT_BYTES = 64 * 1024 * 1024;

    enum Allocators {
        ADAPTIVE(() -> new AdaptiveByteBufAllocator(true)),
        POOLED(() -> new PooledByteBufAllocator(true)),
        UNPOOLED(() -> new UnpooledByteBufAllocator(true));

        private final Supplier<ByteBufAllocator> make;

        Allocators(Supplier<ByteBufAllocator> make) {
            this.make = make;
        }
    }

    /** Echoes all but some messages, of which it answers with a copy and keeps the original for long. */
    private static final class KeepingEcho extends ChannelInboundHandlerAdapter {
        private final ArrayDeque<ByteBuf> kept = new ArrayDeque<>();
        private int received;

        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            ByteBuf content = (ByteBuf) message;
            if (++received % KEEP_INTERVAL != 0) {
                context.write(content);
                return;
            }
            context.write(content.copy());
            kept.add(content);
            if (kept.size() > KEPT) {
                kept.remove().release();
            }
        }

        @Override
        public void channelReadComplete(ChannelHandlerContext context) {
            context.flush();
        }

        @Override
        public void channelInactive(ChannelHandlerContext context) {
            kept.forEach(ByteBuf::release);
            kept.clear();
        }
    }

    /** Has messages of all lengths echoed, and closes the connection after some. */
    private static final class Caller extends ChannelInboundHandlerAdapter {
        private final Random random;
        private final ArrayDeque<Integer> expected = new ArrayDeque<>();
        private final AtomicLong echoes;
        private int left;
        private int unsent;

        Caller(long seed, int messages, AtomicLong echoes) {
            random = new Random(seed);
            left = messages;
            unsent = messages;
            this.echoes = echoes;
        }

        @Override
        public void channelActive(ChannelHandlerContext context) {
            for (int i = 0; i < IN_FLIGHT; i++) {
                send(context);
            }
            context.flush();
        }

        private void send(ChannelHandlerContext context) {
            if (unsent > 0) {
                unsent--;
                int bytes = Integer.BYTES + random.nextInt(LONGEST_MESSAGE_BYTES - Integer.BYTES + 1);
                int number = random.nextInt();
                expected.add(bytes);
                expected.add(number);
                context.write(
                        context.alloc().directBuffer(bytes).writeInt(number).writerIndex(bytes));
            }
        }

        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            ByteBuf content = (ByteBuf) message;
            int bytes = content.readableBytes();
            int number = content.readInt();
            content.release();
            assertThat(bytes).isEqualTo(expected.remove());
            assertThat(number).isEqualTo(expected.remove());
            echoes.incrementAndGet();
            send(context);
            if (--left == 0) {
                context.close();
            }
        }

        @Override
        public void channelReadComplete(ChannelHandlerContext context) {
            context.flush();
        }
    }

    /** netty #15311, #15691, #15850, #17107: buffers that live long made an allocator keep ten times their memory. */
    @ParameterizedTest
    @EnumSource(Allocators.class)
    void directMemoryStaysBoundedWhileSomeMessagesLiveLong(Allocators allocators) throws Exception {
        ByteBufAllocator allocator = allocators.make.get();
        AtomicLong echoes = new AtomicLong();
        Random seeds = new Random(1);
        long peak = 0;
        int connections = 0;
        try (ChannelPair pair = new ChannelPair(KeepingEcho::new, () -> new Caller(seeds.nextLong(), ECHOES, echoes))
                .option(ChannelOption.ALLOCATOR, allocator)
                .listen()) {
            BlockingQueue<Channel> closed = new LinkedBlockingQueue<>();
            long end = System.nanoTime() + NANOS;
            int open = 0;
            while (open > 0 || System.nanoTime() - end < 0) {
                while (open < CONNECTIONS && System.nanoTime() - end < 0) {
                    Channel channel = pair.connect();
                    channel.closeFuture().addListener(future -> closed.add(channel));
                    open++;
                    connections++;
                }
                assertThat(closed.take()).isNotNull();
                open--;
                peak = Math.max(
                        peak,
                        ((ByteBufAllocatorMetricProvider) allocator).metric().usedDirectMemory());
            }
        }
        assertThat(echoes).hasValue((long) connections * ECHOES);
        System.out.printf(
                "%s allocator: %,d echoes over %,d connections, at most %,d octets of direct memory%n",
                allocators, echoes.get(), connections, peak);
        assertThat(peak).isLessThanOrEqualTo(MAX_DIRECT_BYTES);
    }

    /**
     * netty #15603, #15813: a group that suspends and resumes loops by their load lost channels, or did not wake up.
     */
    @Test
    void groupThatScalesByItselfLosesNothing() throws Exception {
        int loops = 4;
        int burstEchoes = 2_000;
        EventLoopGroup group = new MultiThreadIoEventLoopGroup(
                loops,
                new ThreadPerTaskExecutor(new DefaultThreadFactory("soak")),
                new AutoScalingEventExecutorChooserFactory(
                        1, loops, 100, TimeUnit.MILLISECONDS, 0.02, 0.1, loops, loops, 1),
                RdmaIoHandler.newFactory());
        AtomicLong echoes = new AtomicLong();
        Random random = new Random(2);
        long bursts = 0;
        long connections = 0;
        int mostSuspended = 0;
        int leastSuspended = loops;
        try (ChannelPair pair = new ChannelPair(Echo::new, Inbox::new).listen()) {
            long end = System.nanoTime() + NANOS;
            while (System.nanoTime() - end < 0) {
                List<Channel> channels = new ArrayList<>();
                int count = 1 + random.nextInt(2 * loops);
                CountDownLatch closed = new CountDownLatch(count);
                for (int i = 0; i < count; i++) {
                    channels.add(ChannelPair.await(
                                    new Bootstrap()
                                            .group(group)
                                            .channel(RdmaChannel.class)
                                            .handler(new Caller(random.nextLong(), burstEchoes, echoes))
                                            .connect(pair.address()),
                                    "connect")
                            .channel());
                }
                for (Channel channel : channels) {
                    channel.closeFuture().addListener(future -> closed.countDown());
                }
                assertThat(closed.await(5 * Deadline.SECONDS, TimeUnit.SECONDS))
                        .as("all echoes of burst %d", bursts)
                        .isTrue();
                bursts++;
                connections += count;
                leastSuspended = Math.min(leastSuspended, suspended(group));
                // Long enough, at times, for the group to find its loops idle.
                ChannelPair.await(
                        pair.serverGroup.next().schedule(() -> {}, random.nextInt(2_000), TimeUnit.MILLISECONDS),
                        "pause");
                mostSuspended = Math.max(mostSuspended, suspended(group));
            }
        } finally {
            ChannelPair.await(group.shutdownGracefully(0, 5, TimeUnit.SECONDS), "end of the group");
        }
        assertThat(echoes).hasValue(connections * burstEchoes);
        System.out.printf(
                "group that scales: %,d bursts, %,d connections, %d to %d of %d loops suspended%n",
                bursts, connections, leastSuspended, mostSuspended, loops);
        assertThat(mostSuspended).isGreaterThan(leastSuspended);
    }

    private static int suspended(EventLoopGroup group) {
        int count = 0;
        for (EventExecutor loop : group) {
            count += loop.isSuspended() ? 1 : 0;
        }
        return count;
    }
}
