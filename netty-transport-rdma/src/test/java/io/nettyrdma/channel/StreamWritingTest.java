// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.channel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.ChannelProgressiveFuture;
import io.netty.channel.ChannelProgressiveFutureListener;
import io.netty.channel.ChannelProgressivePromise;
import io.netty.channel.DefaultFileRegion;
import io.netty.channel.FileRegion;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.channel.socket.ChannelOutputShutdownException;
import io.netty.util.AbstractReferenceCounted;
import io.nettyrdma.conformance.Lane;
import io.nettyrdma.contracts.NotOver;
import io.nettyrdma.deadline.Deadline;
import io.nettyrdma.socket.RdmaSocketChannel;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.WritableByteChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What Netty promises those who write to a byte stream, and new transports got wrong: the issue that a test comes from
 * stands above it.
 */
@NotOver(value = Lane.DISNI, reason = "byte streams have not been run over DiSNI's API")
final class StreamWritingTest extends ProviderContract {

    /** netty #17237, #17238: memory that the device still used was released when the output was shut down. */
    @Test
    void shutdownOutputFailsWhatIsNotTakenAndAResetFreesTheRest() throws Exception {
        try (StreamPair pair = streams()) {
            pair.serverBootstrap.childOption(ChannelOption.AUTO_READ, false).childOption(ChannelOption.SO_LINGER, 0);
            RdmaSocketChannel channel = pair.connect();
            RdmaSocketChannel child = pair.accepted();
            ByteBuf bytes = Unpooled.directBuffer(5_000_000).writeZero(5_000_000);
            ChannelFuture write = channel.writeAndFlush(bytes);
            ChannelFuture shutdown = channel.shutdownOutput();
            ChannelFuture late = channel.writeAndFlush(ChannelPair.text("late"));
            assertThat(ChannelPair.done(late).cause()).isInstanceOf(IOException.class);
            ChannelPair.await(shutdown, "shutdownOutput");
            assertThat(ChannelPair.done(write).cause()).isInstanceOf(ChannelOutputShutdownException.class);
            child.close();
            ChannelPair.await(channel.closeFuture(), "close");
            assertThat(client.nextFailure()).hasMessageStartingWith("Connection reset by peer");
            ChannelPair.until(() -> bytes.refCnt() == 0, "the buffer is released");
        }
    }

    /** The loop ran for ever: each write failed at once, and the channel stayed writable. */
    @Test
    void writerThatWritesWhileItMayEndsWhenThePeerHasGone() throws Exception {
        try (StreamPair pair = streams()) {
            pair.serverBootstrap.childOption(ChannelOption.AUTO_READ, false);
            pair.clientBootstrap.option(ChannelOption.AUTO_READ, false);
            RdmaSocketChannel channel = pair.connect();
            channel.pipeline().addLast(new ChannelInboundHandlerAdapter() {
                @Override
                public void channelWritabilityChanged(ChannelHandlerContext context) {
                    while (context.channel().isActive() && context.channel().isWritable()) {
                        context.writeAndFlush(Unpooled.wrappedBuffer(new byte[1024]));
                    }
                }
            });
            ChannelPair.onLoop(channel, () -> channel.pipeline().fireChannelWritabilityChanged());
            assertThat(channel.isWritable()).isFalse();
            ChannelPair.await(pair.accepted().close(), "close");
            ChannelPair.await(channel.closeFuture(), "close, because the write that waits has met the peer's end");
            assertThat(channel.isWritable()).isFalse();
        }
    }

    /** netty #16438: a write of nothing ran for ever. */
    @Test
    void emptyBuffersCompleteInTheirTurn() throws Exception {
        List<Integer> order = new CopyOnWriteArrayList<>();
        try (StreamPair pair = streams()) {
            RdmaSocketChannel channel = pair.connect();
            ChannelPair.await(channel.writeAndFlush(Unpooled.EMPTY_BUFFER), "empty write alone");
            ChannelPair.onLoop(channel, () -> {
                channel.write(Unpooled.EMPTY_BUFFER).addListener(done -> order.add(0));
                channel.write(ChannelPair.text("a")).addListener(done -> order.add(1));
                channel.write(Unpooled.buffer(0)).addListener(done -> order.add(2));
                channel.write(Unpooled.compositeBuffer()).addListener(done -> order.add(3));
                channel.write(ChannelPair.text("b")).addListener(done -> order.add(4));
                channel.writeAndFlush(Unpooled.directBuffer(0)).addListener(done -> order.add(5));
            });
            assertThat(server.nextText(2)).isEqualTo("ab");
            ChannelPair.until(() -> order.size() == 6, "all promises complete");
            assertThat(order).isSorted();
        }
    }

    @Test
    void buffersOfAnyKindArriveInOrder() throws Exception {
        String text = "x".repeat(70_000);
        byte[] octets = text.getBytes(StandardCharsets.US_ASCII);
        List<ByteBuf> buffers = List.of(
                Unpooled.copiedBuffer(octets),
                Unpooled.directBuffer().writeBytes(octets),
                Unpooled.directBuffer().writeBytes(octets).asReadOnly(),
                Unpooled.wrappedBuffer(ByteBuffer.wrap(octets).asReadOnlyBuffer()),
                Unpooled.directBuffer().writeByte('-').writeBytes(octets).readerIndex(1),
                Unpooled.directBuffer().writeBytes(octets).slice(),
                Unpooled.wrappedBuffer(
                        Unpooled.directBuffer().writeBytes(octets, 0, 30_000),
                        Unpooled.copiedBuffer(octets, 30_000, 40_000)),
                Unpooled.compositeBuffer()
                        .addComponent(true, Unpooled.directBuffer().writeBytes(octets))
                        .addComponent(true, Unpooled.EMPTY_BUFFER));
        try (StreamPair pair = streams()) {
            RdmaSocketChannel channel = pair.connect();
            for (int i = 0; i < buffers.size(); i++) {
                channel.write(ChannelPair.text("" + i));
                ChannelFuture write = channel.writeAndFlush(buffers.get(i));
                assertThat(server.nextText(text.length() + 1)).isEqualTo(i + text);
                ChannelPair.await(write, "write");
                assertThat(buffers.get(i).refCnt()).isZero();
            }
        }
    }

    /** A region of spaces that a test has control of. */
    private static class Region extends AbstractReferenceCounted implements FileRegion {
        private final long count;
        long transferred;

        Region(long count) {
            this.count = count;
        }

        @Override
        public long position() {
            return 0;
        }

        @Override
        @Deprecated
        public long transfered() {
            return transferred;
        }

        @Override
        public long transferred() {
            return transferred;
        }

        @Override
        public long count() {
            return count;
        }

        @Override
        public long transferTo(WritableByteChannel target, long position) throws IOException {
            ByteBuffer spaces = ByteBuffer.wrap(
                    " ".repeat((int) Math.min(100, count - position)).getBytes());
            int bytes = target.write(spaces);
            transferred += bytes;
            return bytes;
        }

        @Override
        public FileRegion retain() {
            super.retain();
            return this;
        }

        @Override
        public FileRegion retain(int increment) {
            super.retain(increment);
            return this;
        }

        @Override
        public FileRegion touch() {
            return this;
        }

        @Override
        public FileRegion touch(Object hint) {
            return this;
        }

        @Override
        protected void deallocate() {
            // Nothing is held.
        }
    }

    /** Gives its first bytes, and then fails. */
    private static final class FailingRegion extends Region {

        FailingRegion() {
            super(250);
        }

        @Override
        public long transferTo(WritableByteChannel target, long position) throws IOException {
            if (position > 0) {
                throw new IOException("injected");
            }
            return super.transferTo(target, position);
        }
    }

    /** netty #16570, #16571, #15022, io_uring incubator #210: only files were taken, or only regions of some bytes. */
    @Test
    void regionsOfAnyKindArriveInOrder(@TempDir Path directory) throws Exception {
        Path file = Files.writeString(directory.resolve("file"), "f".repeat(200_000));
        Region reluctant = new Region(250) {
            private boolean gives;

            @Override
            public long transferTo(WritableByteChannel target, long position) throws IOException {
                gives = !gives;
                return gives ? super.transferTo(target, position) : 0;
            }
        };
        try (StreamPair pair = streams()) {
            RdmaSocketChannel channel = pair.connect();
            List<ChannelFuture> writes = new ArrayList<>();
            ChannelPair.onLoop(channel, () -> {
                writes.add(channel.write(new DefaultFileRegion(file.toFile(), 0, 200_000)));
                writes.add(channel.write(new Region(0)));
                writes.add(channel.write(ChannelPair.text("a")));
                writes.add(channel.write(new Region(250)));
                writes.add(channel.write(reluctant));
                writes.add(channel.writeAndFlush(ChannelPair.text("b")));
            });
            ChannelPair.until(() -> writes.stream().allMatch(ChannelFuture::isDone), "all promises complete");
            assertThat(writes).allMatch(ChannelFuture::isSuccess);
            assertThat(server.nextText(200_000 + 1 + 500 + 1))
                    .isEqualTo("f".repeat(200_000) + "a" + " ".repeat(500) + "b");
            assertThat(reluctant.refCnt()).isZero();
        }
    }

    @Test
    void progressOfLongMessagesIsReportedStepByStep(@TempDir Path directory) throws Exception {
        int total = 300_000;
        Path file = Files.writeString(directory.resolve("file"), "f".repeat(total));
        try (StreamPair pair = streams()) {
            pair.clientBootstrap.option(ChannelOption.SO_SNDBUF, 10_000);
            RdmaSocketChannel channel = pair.connect();
            List<Object> messages = List.of(
                    Unpooled.directBuffer().writeZero(total),
                    Unpooled.buffer().writeZero(total),
                    new DefaultFileRegion(file.toFile(), 0, total));
            for (Object message : messages) {
                List<Long> steps = new ArrayList<>();
                ChannelProgressivePromise promise = channel.newProgressivePromise();
                promise.addListener(new ChannelProgressiveFutureListener() {
                    @Override
                    public void operationProgressed(ChannelProgressiveFuture future, long progress, long of) {
                        steps.add(of == total ? progress : -of);
                    }

                    @Override
                    public void operationComplete(ChannelProgressiveFuture future) {
                        steps.add(total + 1L);
                    }
                });
                channel.writeAndFlush(message, promise);
                assertThat(server.nextText(total)).hasSize(total);
                ChannelPair.await(promise, "write");
                ChannelPair.onLoop(channel, () -> {}); // the listener has run
                assertThat(steps).doesNotHaveDuplicates().isSorted().endsWith((long) total, total + 1L);
                assertThat(steps.get(0)).isBetween(1L, 10_000L);
                assertThat(steps).hasSizeGreaterThan(total / 10_000);
            }
        }
    }

    /** The output is shut down behind the region, even if its last call completes it without bytes. */
    @Test
    void regionThatGivesNothingForAWhileIsAskedAgainUntilTheStreamEnds() throws Exception {
        AtomicInteger asked = new AtomicInteger();
        Region late = new Region(250) {
            @Override
            public long transferTo(WritableByteChannel target, long position) throws IOException {
                if (asked.incrementAndGet() % 5 != 0) {
                    return 0;
                }
                if (position < 200) {
                    return super.transferTo(target, position);
                }
                transferred = 250;
                return 50;
            }
        };
        Region never = new Region(1) {
            @Override
            public long transferTo(WritableByteChannel target, long position) {
                asked.incrementAndGet();
                return 0;
            }
        };
        try (StreamPair pair = streams()) {
            pair.serverBootstrap.childOption(ChannelOption.ALLOW_HALF_CLOSURE, true);
            RdmaSocketChannel channel = pair.connect();
            RdmaSocketChannel child = pair.accepted();
            ChannelPair.await(channel.writeAndFlush(late), "write");
            ChannelPair.await(channel.shutdownOutput(), "end of the output");
            assertThat(server.nextText(200)).isBlank();
            asked.set(0);
            ChannelFuture unfinished = child.writeAndFlush(never);
            ChannelPair.until(() -> asked.get() >= 10, "the region is asked again");
            ChannelPair.await(child.close(), "close");
            assertThat(ChannelPair.done(unfinished).isSuccess()).isFalse();
            assertThat(never.refCnt()).isZero();
        }
    }

    /** The same, of a region that fails in the middle: what a reader would take for the rest must not follow. */
    @Test
    void regionThatFailsInTheMiddleFailsItsWriteAndClosesTheChannel() throws Exception {
        Region failing = new FailingRegion();
        try (StreamPair pair = streams()) {
            RdmaSocketChannel channel = pair.connect();
            ChannelFuture before = channel.write(ChannelPair.text("before"));
            ChannelFuture write = channel.write(failing);
            ChannelFuture behind = channel.writeAndFlush(ChannelPair.text("behind"));
            ChannelPair.await(before, "write before the region");
            assertThatThrownBy(() -> ChannelPair.await(write, "write"))
                    .rootCause()
                    .hasMessage("injected");
            ChannelPair.await(channel.closeFuture(), "close");
            assertThat(ChannelPair.done(behind).isSuccess()).isFalse();
            assertThat(failing.refCnt()).isZero();
            assertThat(server.nextText(106)).isEqualTo("before" + " ".repeat(100)); // as over TCP
            server.awaitInactive();
            assertThat(server.messages).isEmpty();
        }
    }

    /** Without AUTO_CLOSE, a write that fails ends the output only: the answer of the peer still comes. */
    @Test
    void failedWriteEndsTheOutputOnlyWithoutAutoClose() throws Exception {
        ChannelInboundHandlerAdapter answering = new ChannelInboundHandlerAdapter() {
            @Override
            public void channelRead(ChannelHandlerContext context, Object message) {
                ((ByteBuf) message).release();
            }

            @Override
            public void userEventTriggered(ChannelHandlerContext context, Object event) {
                if (event == ChannelInputShutdownEvent.INSTANCE) {
                    context.writeAndFlush(ChannelPair.text("answer")).addListener(ChannelFutureListener.CLOSE);
                }
            }
        };
        try (StreamPair pair = new StreamPair(provider, () -> answering, () -> client)) {
            pair.option(ChannelOption.ALLOW_HALF_CLOSURE, true).option(ChannelOption.AUTO_CLOSE, false);
            RdmaSocketChannel channel = pair.connect();
            ChannelFuture write = channel.writeAndFlush(new FailingRegion());
            assertThatThrownBy(() -> ChannelPair.await(write, "write"))
                    .rootCause()
                    .hasMessage("injected");
            assertThat(client.nextText()).isEqualTo("answer");
            assertThat(channel.isActive()).isTrue();
        }
    }

    /** netty #15599, #15600, #15692, #15709: a second notification was taken for the first; close waited for it. */
    @Test
    void closeBetweenPostAndCompletionWaitsForThatCompletion() throws Exception {
        int rounds = 50;
        AtomicInteger received = new AtomicInteger();
        Supplier<ChannelHandler> counting = () -> Handlers.onRead((context, message) -> {
            received.addAndGet(ChannelPair.take(message).length);
        });
        try (StreamPair pair = new StreamPair(provider, counting, ChannelInboundHandlerAdapter::new)) {
            pair.clientBootstrap.option(ChannelOption.SO_LINGER, Deadline.SECONDS);
            List<ChannelFuture> writes = new ArrayList<>();
            List<Channel> channels = new ArrayList<>();
            for (int i = 0; i < rounds; i++) {
                RdmaSocketChannel channel = pair.connect();
                channels.add(channel);
                ChannelPair.onLoop(channel, () -> {
                    writes.add(channel.writeAndFlush(ChannelPair.text("first")));
                    writes.add(channel.writeAndFlush(ChannelPair.text("then")));
                    channel.close();
                });
            }
            for (Channel channel : channels) {
                ChannelPair.await(channel.closeFuture(), "close");
            }
            assertThat(writes).hasSize(2 * rounds).allMatch(ChannelFuture::isSuccess);
            ChannelPair.until(() -> received.get() == 9 * rounds, "all bytes arrive");
        }
    }

    /** Writes as long as it may, and goes on when it may again. */
    private static final class Writer extends ChannelInboundHandlerAdapter {
        final List<Boolean> told = new CopyOnWriteArrayList<>();

        @Override
        public void channelActive(ChannelHandlerContext context) {
            write(context);
        }

        @Override
        public void channelWritabilityChanged(ChannelHandlerContext context) {
            told.add(context.channel().isWritable());
            write(context);
        }

        private static void write(ChannelHandlerContext context) {
            if (context.channel().isWritable()) {
                context.writeAndFlush(Unpooled.directBuffer(100_000).writeZero(100_000));
            }
        }
    }

    @Test
    void writabilityIsToldWhenAPeerReadsNotAndReadsAgain() throws Exception {
        Writer writer = new Writer();
        try (StreamPair pair = new StreamPair(provider, () -> server, () -> writer)) {
            pair.option(ChannelOption.WRITE_BUFFER_WATER_MARK, new WriteBufferWaterMark(1000, 2000));
            pair.serverBootstrap.childOption(ChannelOption.AUTO_READ, false);
            RdmaSocketChannel channel = pair.connect();
            Channel child = pair.accepted();
            ChannelPair.until(() -> !channel.isWritable(), "the peer takes no more");
            child.config().setAutoRead(true);
            ChannelPair.until(() -> writer.told.size() >= 20, "the writer goes on");
            for (int i = 1; i < 20; i++) {
                assertThat(writer.told.get(i)).isNotEqualTo(writer.told.get(i - 1));
            }
            ChannelPair.await(channel.close(), "close"); // the writer goes on until then
            server.awaitInactive();
        }
    }

    /** A flush of another thread wakes the loop, however often it comes while the loop is about to wait. */
    @Test
    void flushesOfOtherThreadsAreNotLost() throws Exception {
        try (StreamPair pair = new StreamPair(provider, Echo::new, () -> client)) {
            RdmaSocketChannel channel = pair.connect();
            for (int i = 0; i < 500; i++) {
                channel.writeAndFlush(ChannelPair.text("x"));
                assertThat(client.nextText()).isEqualTo("x");
            }
        }
    }

    @Test
    void manyMessagesOfOneFlushArriveInOrder() throws Exception {
        StringBuilder expected = new StringBuilder();
        try (StreamPair pair = streams()) {
            RdmaSocketChannel channel = pair.connect();
            ChannelPair.onLoop(channel, () -> {
                for (int i = 0; i < 10_000; i++) {
                    String text = i + ",";
                    expected.append(text);
                    channel.write(ChannelPair.text(text));
                }
                channel.flush();
            });
            assertThat(server.nextText(expected.length())).isEqualTo(expected.toString());
        }
    }

    /** netty #15817: a message of another type was refused without its name. */
    @Test
    void messageOfAnotherTypeIsRefusedByName() throws Exception {
        try (StreamPair pair = streams()) {
            RdmaSocketChannel channel = pair.connect();
            ChannelFuture refused = channel.writeAndFlush("text");
            assertThatThrownBy(() -> ChannelPair.await(refused, "write"))
                    .cause()
                    .isInstanceOf(UnsupportedOperationException.class)
                    .hasMessageContaining("String")
                    .hasMessageContaining("expected: ByteBuf or FileRegion");
            ChannelPair.await(channel.writeAndFlush(ChannelPair.text("still here")), "write");
            assertThat(server.nextText(10)).isEqualTo("still here");
        }
    }
}
