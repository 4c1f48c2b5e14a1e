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
import io.netty.util.concurrent.GlobalEventExecutor;
import io.nettyrdma.deadline.Deadline;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * What Netty promises those who read, and new transports got wrong: the issue that each test comes from stands above
 * it. Messages have as many bytes as a read of a stream takes at most.
 */
final class ReadingTest extends ProviderContract {

    private static final int READ_BYTES = 4;
    private static final int WINDOW = 16 * READ_BYTES;

    static byte at(int position) {
        return (byte) (position * 31 + (position >>> 8) * 7);
    }

    static ByteBuf pattern(int from, int bytes) {
        byte[] octets = new byte[bytes];
        for (int i = 0; i < bytes; i++) {
            octets[i] = at(from + i);
        }
        return Unpooled.directBuffer(bytes).writeBytes(octets);
    }

    /** Sends a window of the pattern when it is connected, and another one for each byte that it gets. */
    private static final class Source extends ChannelInboundHandlerAdapter {
        private int sent;

        @Override
        public void channelActive(ChannelHandlerContext context) {
            send(context);
        }

        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            for (int i = ChannelPair.take((ByteBuf) message).length; i > 0; i--) {
                send(context);
            }
        }

        private void send(ChannelHandlerContext context) {
            for (int end = sent + WINDOW; sent < end; sent += READ_BYTES) {
                context.write(pattern(sent, READ_BYTES));
            }
            context.flush();
        }
    }

    private static LoopbackPair<?, ?> smallReads(Kind kind, int most, ChannelInboundHandlerAdapter client) {
        LoopbackPair<?, ?> pair = kind.pair(Source::new, () -> client);
        pair.clientBootstrap.option(
                ChannelOption.RECVBUF_ALLOCATOR, new FixedRecvByteBufAllocator(READ_BYTES).maxMessagesPerRead(most));
        return pair;
    }

    /** Switches reading off and on as it reads, and asks for windows until it has had all bytes. */
    private static final class Switching extends ChannelInboundHandlerAdapter {
        final CompletableFuture<Integer> all = new CompletableFuture<>();
        private final Random random;
        private final int total;
        private int received;

        Switching(Random random, int total) {
            this.random = random;
            this.total = total;
        }

        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            int windows = received / WINDOW;
            for (byte value : ChannelPair.take((ByteBuf) message)) {
                if (value != at(received++)) {
                    all.completeExceptionally(new AssertionError("byte " + received));
                }
            }
            if (received == total) {
                all.complete(received);
                return;
            }
            if (received / WINDOW > windows) {
                context.writeAndFlush(Unpooled.directBuffer(1).writeByte(0));
            }
            toggle(context.channel());
        }

        private void toggle(Channel channel) {
            switch (random.nextInt(5)) {
                case 0 -> {
                    channel.config().setAutoRead(false);
                    channel.eventLoop().execute(() -> channel.config().setAutoRead(true));
                }
                case 1 -> {
                    channel.config().setAutoRead(false);
                    GlobalEventExecutor.INSTANCE.execute(() -> channel.config().setAutoRead(true));
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
        }
    }

    /** netty #17049, #17087, #17090, vert.x #6253: a read() was lost when a read that was taken back ended late. */
    @ParameterizedTest
    @MethodSource("io.nettyrdma.channel.Kind#tested")
    void allGoesOnComingHoweverReadingIsSwitchedOnAndOff(Kind kind) throws Exception {
        int total = 312 * WINDOW;
        long seed = System.nanoTime();
        Switching client = new Switching(new Random(seed), total);
        try (LoopbackPair<?, ?> pair = smallReads(kind, 16, client)) {
            pair.connect();
            assertThat(client.all.get(2 * Deadline.SECONDS, TimeUnit.SECONDS))
                    .as("seed %d", seed)
                    .isEqualTo(total);
            // What was asked for last is not to come after the loop has ended.
            ChannelPair.await(GlobalEventExecutor.INSTANCE.submit(() -> {}), "other thread's turn");
        }
    }

    /** Switches reading off with each read. */
    private static class Stopping extends ChannelInboundHandlerAdapter {
        final BlockingQueue<byte[]> seen = new LinkedBlockingQueue<>();
        private int received;

        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            context.channel().config().setAutoRead(false);
            seen.add(ChannelPair.take((ByteBuf) message));
        }

        /** Returns whether all of a window was read. */
        boolean awaitNext() throws InterruptedException {
            byte[] bytes = seen.poll(Deadline.SECONDS, TimeUnit.SECONDS);
            assertThat(bytes).isNotNull();
            for (byte value : bytes) {
                assertThat(value).isEqualTo(at(received++));
            }
            return received == WINDOW;
        }
    }

    /** netty #15510, #15541, #14860: reading did not stop. */
    @ParameterizedTest
    @MethodSource("io.nettyrdma.channel.Kind#tested")
    void readingStopsWithTheReadThatSwitchesItOff(Kind kind) throws Exception {
        Stopping client = new Stopping();
        try (LoopbackPair<?, ?> pair = smallReads(kind, 16, client)) {
            Channel channel = pair.connect();
            while (!client.awaitNext()) {
                ChannelPair.onLoop(channel, () -> {}); // a turn, in which nothing else may come
                assertThat(client.seen).isEmpty();
                channel.read();
            }
        }
    }

    /** netty #14989: switched off in channelRead, a read() in channelReadComplete counted for nothing. */
    @ParameterizedTest
    @MethodSource("io.nettyrdma.channel.Kind#tested")
    void readInChannelReadCompleteCountsAlthoughChannelReadHasSwitchedReadingOff(Kind kind) throws Exception {
        Stopping client = new Stopping() {
            @Override
            public void channelReadComplete(ChannelHandlerContext context) {
                context.read();
            }
        };
        try (LoopbackPair<?, ?> pair = smallReads(kind, 16, client)) {
            pair.connect();
            while (!client.awaitNext()) {
                assertThat(client.received).isLessThan(WINDOW);
            }
        }
    }

    /** A read() inside channelRead is the read at hand, and no call of channelRead inside another. */
    @ParameterizedTest
    @MethodSource("io.nettyrdma.channel.Kind#tested")
    void readInsideChannelReadDoesNotRecurse(Kind kind) throws Exception {
        BlockingQueue<Integer> depths = new LinkedBlockingQueue<>();
        try (LoopbackPair<?, ?> pair = smallReads(kind, 1, new ChannelInboundHandlerAdapter() {
            private int depth;

            @Override
            public void channelRead(ChannelHandlerContext context, Object message) {
                depth++;
                ((ByteBuf) message).release();
                context.read();
                depths.add(depth);
                depth--;
            }
        })) {
            pair.clientBootstrap.option(ChannelOption.AUTO_READ, false);
            pair.connect().read();
            for (int i = 0; i < WINDOW / READ_BYTES; i++) {
                assertThat(depths.poll(Deadline.SECONDS, TimeUnit.SECONDS)).isEqualTo(1);
            }
        }
    }

    /** netty #4317, #6303, #3729: the end overtook what was received and not yet read. */
    @ParameterizedTest
    @MethodSource("io.nettyrdma.channel.Kind#tested")
    void allThatAPeerSentBeforeItClosedArrivesOneReadAtATime(Kind kind) throws Exception {
        int reads = 50;
        try (LoopbackPair<?, ?> pair = kind.pair(() -> server, () -> client)) {
            pair.serverBootstrap
                    .childOption(ChannelOption.AUTO_READ, false)
                    .childOption(
                            ChannelOption.RECVBUF_ALLOCATOR,
                            new FixedRecvByteBufAllocator(READ_BYTES).maxMessagesPerRead(1));
            Channel channel = pair.connect();
            Channel child = pair.accepted();
            server.awaitActive();
            for (int i = 0; i < reads; i++) {
                channel.write(Unpooled.copyInt(i));
            }
            ChannelPair.await(channel.writeAndFlush(Unpooled.EMPTY_BUFFER), "writes");
            ChannelPair.await(channel.close(), "close");
            for (int i = 0; i < reads; i++) {
                assertThat(server.messages).isEmpty();
                assertThat(child.isActive()).isTrue();
                child.read();
                assertThat(server.next()).isEqualTo(ChannelPair.take(Unpooled.copyInt(i)));
            }
            child.read();
            server.awaitInactive();
        }
    }

    static Stream<Arguments> batches() {
        return Kind.tested().flatMap(kind -> Stream.of(1, 2, 16).map(most -> Arguments.of(kind, most)));
    }

    /**
     * io_uring incubator #191, netty #14867, #14859: channelReadComplete came never, or for batches of another size.
     */
    @ParameterizedTest
    @MethodSource("batches")
    void batchesAreNoLongerThanTheAllocatorSays(Kind kind, int most) throws Exception {
        BlockingQueue<Integer> batches = new LinkedBlockingQueue<>();
        try (LoopbackPair<?, ?> pair = smallReads(kind, most, new ChannelInboundHandlerAdapter() {
            private int batch;

            @Override
            public void channelRead(ChannelHandlerContext context, Object message) {
                assertThat(ChannelPair.take((ByteBuf) message)).hasSize(READ_BYTES);
                batch++;
            }

            @Override
            public void channelReadComplete(ChannelHandlerContext context) {
                batches.add(batch);
                batch = 0;
            }
        })) {
            pair.connect();
            for (int received = 0; received < WINDOW / READ_BYTES; ) {
                Integer batch = batches.poll(Deadline.SECONDS, TimeUnit.SECONDS);
                assertThat(batch).isNotNull().isBetween(1, most);
                received += batch;
            }
        }
    }
}
