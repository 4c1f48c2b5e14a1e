// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.channel;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.nettyrdma.conformance.Lane;
import io.nettyrdma.contracts.NotOver;
import io.nettyrdma.deadline.Deadline;
import io.nettyrdma.socket.RdmaSocketChannelOption;
import java.io.IOException;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.IntSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What a byte stream has to do over every provider of verbs. */
@NotOver(value = Lane.DISNI, reason = "byte streams have not been run over DiSNI's API")
final class StreamTest extends ProviderContract {

    /** Sends back what comes, and stops to read now and then. */
    private static final class StoppingEcho extends ChannelInboundHandlerAdapter {

        private final Random random;

        StoppingEcho(Random random) {
            this.random = random;
        }

        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            context.write(message);
        }

        @Override
        public void channelReadComplete(ChannelHandlerContext context) {
            context.flush();
            if (random.nextInt(20) == 0) {
                context.channel().config().setAutoRead(false);
                Runnable goOn = () -> context.channel().config().setAutoRead(true);
                context.executor().schedule(goOn, random.nextInt(10), TimeUnit.MILLISECONDS);
            }
        }
    }

    /** Sends a pattern in pieces, and compares what comes back. */
    private static final class Pattern extends ChannelInboundHandlerAdapter {

        final CompletableFuture<Long> done = new CompletableFuture<>();
        private final long total;
        private final IntSupplier piece;
        private long sent;
        private long received;

        Pattern(long total, int piece) {
            this(total, () -> piece);
        }

        /** @param piece length of the next piece */
        Pattern(long total, IntSupplier piece) {
            this.total = total;
            this.piece = piece;
        }

        private static byte at(long position) {
            return (byte) (position * 31 + (position >>> 8) * 7 + (position >>> 16));
        }

        @Override
        public void channelActive(ChannelHandlerContext context) {
            send(context);
        }

        @Override
        public void channelWritabilityChanged(ChannelHandlerContext context) {
            send(context);
        }

        private void send(ChannelHandlerContext context) {
            while (sent < total && context.channel().isWritable()) {
                byte[] bytes = new byte[(int) Math.min(piece.getAsInt(), total - sent)];
                for (int i = 0; i < bytes.length; i++) {
                    bytes[i] = at(sent + i);
                }
                ByteBuf buffer = (sent & 1) == 0 ? Unpooled.directBuffer(bytes.length) : Unpooled.buffer(bytes.length);
                sent += bytes.length;
                context.write(buffer.writeBytes(bytes));
            }
            context.flush();
        }

        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            for (byte value : ChannelPair.take((ByteBuf) message)) {
                if (value != at(received)) {
                    done.completeExceptionally(new AssertionError("byte " + received + " is " + value));
                }
                received++;
            }
            if (received == total) {
                done.complete(received);
            }
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            done.completeExceptionally(cause);
        }

        @Override
        public void channelInactive(ChannelHandlerContext context) {
            done.completeExceptionally(new AssertionError("inactive after " + received + " of " + total));
        }
    }

    @ParameterizedTest
    @CsvSource({"1, 1", "1000, 1000", "70000, 1", "65536, 65536", "1000000, 777", "5000000, 50000", "20000000, 1000000"
    })
    void echoesAreTheBytesThatWereSent(long total, int piece) throws Exception {
        Pattern pattern = new Pattern(total, piece);
        try (StreamPair pair = new StreamPair(provider, Echo::new, () -> pattern)) {
            pair.connect();
            assertThat(pattern.done.get(2 * Deadline.SECONDS, TimeUnit.SECONDS)).isEqualTo(total);
        }
    }

    @ParameterizedTest
    @CsvSource({"16, 2, 1024, 20000", "16, 2, 64, 20000", "16, 4, 5, 2000", "112, 16, 65536, 20000"})
    void smallWindowsLoseNothing(int credits, int buffers, int receiveBytes, long total) throws Exception {
        Pattern pattern = new Pattern(total, 777);
        try (StreamPair pair = new StreamPair(provider, Echo::new, () -> pattern)) {
            pair.option(RdmaSocketChannelOption.RDMA_STREAM_CREDITS, credits)
                    .option(RdmaSocketChannelOption.RDMA_STREAM_BUFFERS, buffers)
                    .option(ChannelOption.SO_RCVBUF, receiveBytes)
                    .connect();
            assertThat(pattern.done.get(Deadline.SECONDS, TimeUnit.SECONDS)).isEqualTo(total);
        }
    }

    /** Readers that stop at random, buffers of 4 bytes and more, pieces of any length. */
    @Test
    void manyStreamsEchoTheirBytes() throws Exception {
        long seed = Long.getLong("stream.seed", System.nanoTime());
        Random random = new Random(seed);
        Queue<Pattern> patterns = new ConcurrentLinkedQueue<>();
        try (StreamPair pair = new StreamPair(provider, () -> new StoppingEcho(new Random(random.nextLong())), () -> {
            Random own = new Random(random.nextLong());
            Pattern pattern = new Pattern(300_000, () -> 1 + own.nextInt(1 + own.nextInt(40_000)));
            patterns.add(pattern);
            return pattern;
        })) {
            for (int i = 0; i < 50; i++) {
                pair.clientBootstrap.option(ChannelOption.SO_RCVBUF, 4 + random.nextInt(200_000));
                pair.connect();
            }
            for (Pattern pattern : patterns) {
                pattern.done.get(2 * Deadline.SECONDS, TimeUnit.SECONDS);
            }
        } catch (ExecutionException | TimeoutException e) {
            throw new AssertionError("-Dstream.seed=" + seed + ": " + e, e);
        }
    }

    /** Counts what comes, reading each time when it has had the last. */
    private static final class Counting extends ChannelInboundHandlerAdapter {

        final CompletableFuture<Long> done = new CompletableFuture<>();
        private long received;

        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            received += ChannelPair.take((ByteBuf) message).length;
        }

        @Override
        public void channelReadComplete(ChannelHandlerContext context) {
            context.executor().execute(context::read);
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            done.completeExceptionally(cause);
        }

        @Override
        public void channelInactive(ChannelHandlerContext context) {
            done.complete(received);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void allBytesOfALongWriteComeBeforeTheCloseOfItsListener(boolean autoRead) throws Exception {
        int bytes = 64 * 1024 * 1024;
        Counting counting = new Counting();
        ChannelInboundHandlerAdapter writing = Handlers.onActive(context -> {
            context.writeAndFlush(Unpooled.directBuffer(bytes).writeZero(bytes))
                    .addListener(ChannelFutureListener.CLOSE);
        });
        try (StreamPair pair = new StreamPair(provider, () -> writing, () -> counting)) {
            pair.clientBootstrap.option(ChannelOption.AUTO_READ, autoRead);
            pair.connect().read();
            assertThat(counting.done.get(2 * Deadline.SECONDS, TimeUnit.SECONDS))
                    .isEqualTo(bytes);
        }
    }

    @Test
    void streamsThatTheServerClosesAtOnceEndInOrder() throws Exception {
        int streams = provider == TestProvider.SOFT ? 500 : 80; // the completion queues of devices are smaller
        List<Counting> clients = new CopyOnWriteArrayList<>();
        try (StreamPair pair = new StreamPair(provider, Inbox::new, () -> {
            Counting made = new Counting();
            clients.add(made);
            return made;
        })) {
            for (int i = 0; i < streams; i++) {
                pair.connect();
            }
            for (int i = 0; i < streams; i++) {
                pair.accepted().close();
            }
            for (Counting each : clients) {
                assertThat(each.done.get(Deadline.SECONDS, TimeUnit.SECONDS)).isZero();
            }
        }
    }

    @Test
    void eachCloseWithoutLingeringIsAReset() throws Exception {
        BlockingQueue<Inbox> servers = new LinkedBlockingQueue<>();
        try (StreamPair pair = new StreamPair(
                provider,
                () -> {
                    Inbox made = new Inbox();
                    servers.add(made);
                    return made;
                },
                Inbox::new)) {
            pair.clientBootstrap.option(ChannelOption.SO_LINGER, 0);
            for (int i = 0; i < 200; i++) {
                ChannelPair.await(pair.connect().close(), "close");
                Inbox closed = servers.take();
                assertThat(closed.nextFailure())
                        .isInstanceOf(IOException.class)
                        .hasMessageStartingWith("Connection reset by peer");
                closed.awaitInactive();
            }
        }
    }
}
