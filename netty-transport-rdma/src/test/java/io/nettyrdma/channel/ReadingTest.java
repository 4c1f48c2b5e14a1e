// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.channel;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.FixedRecvByteBufAllocator;
import io.netty.util.ReferenceCountUtil;
import io.netty.util.concurrent.GlobalEventExecutor;
import io.nettyrdma.deadline.Deadline;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What Netty promises those who read, and new transports got wrong: the issue that each test comes from stands above
 * it.
 */
final class ReadingTest extends ProviderContract {

    private static final int WINDOW = 16;

    /** Answers with as many messages as it is asked for, each saying which of them it is. */
    private static final class Source extends ChannelInboundHandlerAdapter {
        private int sent;

        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            int wanted = ((ByteBuf) message).readInt();
            ReferenceCountUtil.release(message);
            for (int i = 0; i < wanted; i++) {
                context.write(Unpooled.copyInt(sent++));
            }
            context.flush();
        }
    }

    /**
     * netty #17049, #17087, #17090: a read() was lost when a read that was taken back ended late, and all stood still.
     */
    @Test
    void messagesGoOnComingHoweverReadingIsSwitchedOnAndOff() throws Exception {
        int messages = 5_000;
        long seed = System.nanoTime();
        CountDownLatch all = new CountDownLatch(messages);
        List<Integer> seen = new ArrayList<>();
        try (ChannelPair pair = new ChannelPair(provider, Source::new, () -> new ChannelInboundHandlerAdapter() {
            private final Random random = new Random(seed);
            private int unanswered;

            @Override
            public void channelActive(ChannelHandlerContext context) {
                context.writeAndFlush(Unpooled.copyInt(WINDOW));
            }

            @Override
            public void channelRead(ChannelHandlerContext context, Object message) {
                if (all.getCount() == 0) {
                    ReferenceCountUtil.release(message); // what is still on its way when the test is over
                    return;
                }
                seen.add(((ByteBuf) message).readInt());
                ReferenceCountUtil.release(message);
                if (++unanswered == WINDOW) {
                    unanswered = 0;
                    context.writeAndFlush(Unpooled.copyInt(WINDOW));
                }
                Channel channel = context.channel();
                switch (random.nextInt(5)) {
                    case 0 -> {
                        channel.config().setAutoRead(false);
                        channel.eventLoop().execute(() -> channel.config().setAutoRead(true));
                    }
                    case 1 -> {
                        channel.config().setAutoRead(false);
                        GlobalEventExecutor.INSTANCE.execute(
                                () -> channel.config().setAutoRead(true));
                    }
                    case 2 -> {
                        channel.config().setAutoRead(false);
                        channel.eventLoop().schedule(channel::read, 10, TimeUnit.MICROSECONDS);
                        channel.eventLoop().execute(() -> channel.config().setAutoRead(true));
                    }
                    case 3 -> {
                        channel.config().setAutoRead(false);
                        channel.config().setAutoRead(true);
                    }
                    default -> channel.read();
                }
                all.countDown();
            }
        })) {
            pair.connect();
            assertThat(all.await(2 * Deadline.SECONDS, TimeUnit.SECONDS))
                    .as("%d of %d messages, seed %d", seen.size(), messages, seed)
                    .isTrue();
            // What was asked for last is not to come after the loop has ended.
            ChannelPair.await(GlobalEventExecutor.INSTANCE.submit(() -> {}), "other thread's turn");
        }
        for (int i = 0; i < messages; i++) {
            assertThat(seen.get(i)).isEqualTo(i);
        }
    }

    /** netty #15510, #15541, #14860: reading did not stop. */
    @Test
    void readingStopsWithTheMessageThatSwitchesItOff() throws Exception {
        BlockingQueue<Integer> seen = new LinkedBlockingQueue<>();
        try (ChannelPair pair = new ChannelPair(provider, Source::new, () -> new ChannelInboundHandlerAdapter() {
            @Override
            public void channelActive(ChannelHandlerContext context) {
                context.writeAndFlush(Unpooled.copyInt(WINDOW));
            }

            @Override
            public void channelRead(ChannelHandlerContext context, Object message) {
                context.channel().config().setAutoRead(false);
                seen.add(((ByteBuf) message).readInt());
                ReferenceCountUtil.release(message);
            }
        })) {
            RdmaChannel channel = pair.connect();
            for (int i = 0; i < WINDOW; i++) {
                Integer next = seen.poll(Deadline.SECONDS, TimeUnit.SECONDS);
                assertThat(next).isEqualTo(i);
                ChannelPair.onLoop(channel, () -> {}); // a turn, in which no other message may come
                assertThat(seen).isEmpty();
                channel.read();
            }
        }
    }

    /** netty #14989: switched off in channelRead, a read() in channelReadComplete counted for nothing. */
    @Test
    void readInChannelReadCompleteCountsAlthoughChannelReadHasSwitchedReadingOff() throws Exception {
        BlockingQueue<Integer> seen = new LinkedBlockingQueue<>();
        try (ChannelPair pair = new ChannelPair(provider, Source::new, () -> new ChannelInboundHandlerAdapter() {
            @Override
            public void channelActive(ChannelHandlerContext context) {
                context.writeAndFlush(Unpooled.copyInt(WINDOW));
            }

            @Override
            public void channelRead(ChannelHandlerContext context, Object message) {
                context.channel().config().setAutoRead(false);
                seen.add(((ByteBuf) message).readInt());
                ReferenceCountUtil.release(message);
            }

            @Override
            public void channelReadComplete(ChannelHandlerContext context) {
                context.read();
            }
        })) {
            pair.connect();
            for (int i = 0; i < WINDOW; i++) {
                assertThat(seen.poll(Deadline.SECONDS, TimeUnit.SECONDS)).isEqualTo(i);
            }
        }
    }

    /** netty #4317, #6303, #3729: the end overtook what was received and not yet read. */
    @Test
    void allThatAPeerSentBeforeItClosedArrivesOneReadAtATime() throws Exception {
        int messages = 50;
        try (ChannelPair pair = pair()) {
            pair.serverBootstrap.childOption(ChannelOption.AUTO_READ, false);
            pair.option(ChannelOption.RECVBUF_ALLOCATOR, new FixedRecvByteBufAllocator(64).maxMessagesPerRead(1));
            RdmaChannel channel = pair.connect();
            Channel child = pair.accepted();
            for (int i = 0; i < messages; i++) {
                channel.write(Unpooled.copyInt(i));
            }
            ChannelPair.await(channel.writeAndFlush(Unpooled.EMPTY_BUFFER), "writes");
            ChannelPair.await(channel.close(), "close");
            server.awaitActive();
            for (int i = 0; i < messages; i++) {
                assertThat(server.messages).isEmpty();
                child.read();
                assertThat(Unpooled.wrappedBuffer(server.next()).readInt()).isEqualTo(i);
            }
            server.awaitInactive();
        }
    }

    /**
     * io_uring incubator #191, netty #14867, #14859: channelReadComplete came never, or for batches of another size.
     */
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 16})
    void batchesAreNoLongerThanTheAllocatorSays(int most) throws Exception {
        BlockingQueue<Integer> batches = new LinkedBlockingQueue<>();
        try (ChannelPair pair = new ChannelPair(provider, Source::new, () -> new ChannelInboundHandlerAdapter() {
            private int batch;

            @Override
            public void channelActive(ChannelHandlerContext context) {
                context.writeAndFlush(Unpooled.copyInt(WINDOW));
            }

            @Override
            public void channelRead(ChannelHandlerContext context, Object message) {
                batch++;
                ReferenceCountUtil.release(message);
            }

            @Override
            public void channelReadComplete(ChannelHandlerContext context) {
                batches.add(batch);
                batch = 0;
            }
        })) {
            pair.clientBootstrap.option(
                    ChannelOption.RECVBUF_ALLOCATOR, new FixedRecvByteBufAllocator(64).maxMessagesPerRead(most));
            pair.connect();
            int received = 0;
            while (received < WINDOW) {
                Integer batch = batches.poll(Deadline.SECONDS, TimeUnit.SECONDS);
                assertThat(batch).isNotNull().isBetween(1, most);
                received += batch;
            }
            assertThat(received).isEqualTo(WINDOW);
        }
    }
}
