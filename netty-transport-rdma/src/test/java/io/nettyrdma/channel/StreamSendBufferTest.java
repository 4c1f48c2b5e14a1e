// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.channel;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.nettyrdma.conformance.Lane;
import io.nettyrdma.contracts.NotOver;
import io.nettyrdma.deadline.Deadline;
import io.nettyrdma.socket.RdmaSocketChannel;
import io.nettyrdma.socket.RdmaSocketChannelOption;
import java.nio.channels.ClosedChannelException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** SO_SNDBUF: what a stream takes before its peer does, and what becomes of that at the end. */
@NotOver(value = Lane.DISNI, reason = "byte streams have not been run over DiSNI's API")
final class StreamSendBufferTest extends ProviderContract {

    /** More than the peer publishes, and less than the send buffer. */
    private static final int BYTES = 1_000_000;

    /** A pair whose server does not read before it is told to. */
    private StreamPair unread() {
        StreamPair pair = streams();
        pair.serverBootstrap.childOption(ChannelOption.AUTO_READ, false);
        return pair;
    }

    private static void expect(Inbox inbox, int bytes) throws Exception {
        for (int left = bytes; left > 0; ) {
            byte[] next = inbox.next();
            assertThat(next).containsOnly(0).hasSizeLessThanOrEqualTo(left);
            left -= next.length;
        }
    }

    private static ByteBuf zeros(int bytes) {
        return Unpooled.directBuffer(bytes).writeZero(bytes);
    }

    @ParameterizedTest
    @ValueSource(ints = {1_000, 33_000, 260_000, BYTES, 2_600_000})
    void bytesThatWereFlushedArriveBeforeTheEnd(int bytes) throws Exception {
        try (StreamPair pair = streams()) {
            RdmaSocketChannel channel = pair.connect();
            ChannelFuture written = ChannelPair.onLoop(channel, () -> {
                ChannelFuture write = channel.writeAndFlush(zeros(bytes));
                channel.close();
                return write;
            });
            expect(server, bytes);
            server.awaitInactive();
            assertThat(server.failures).isEmpty();
            ChannelPair.await(written, "write");
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1_000, 100_000, BYTES})
    void lastAnswerArrivesBeforeTheEnd(int bytes) throws Exception {
        int requests = 8;
        AtomicInteger asked = new AtomicInteger();
        ChannelInboundHandlerAdapter answering = Handlers.onRead((context, message) -> {
            message.release();
            boolean last = asked.incrementAndGet() == requests;
            context.writeAndFlush(zeros(last ? bytes : 3_000));
            if (last) {
                context.close();
            }
        });
        try (StreamPair pair = new StreamPair(provider, () -> answering, () -> client)) {
            RdmaSocketChannel channel = pair.connect();
            for (int i = 1; i <= requests; i++) {
                channel.writeAndFlush(zeros(1));
                expect(client, i == requests ? bytes : 3_000);
            }
            client.awaitInactive();
            assertThat(client.failures).isEmpty();
        }
    }

    @Test
    void bytesArriveAlsoIfThePeerReadsAfterTheChannelHasClosed() throws Exception {
        try (StreamPair pair = unread()) {
            RdmaSocketChannel channel = pair.connect();
            Channel child = pair.accepted();
            channel.writeAndFlush(zeros(BYTES)).addListener(ChannelFutureListener.CLOSE);
            ChannelPair.await(channel.closeFuture(), "close");
            assertThat(server.messages).isEmpty();
            child.config().setAutoRead(true);
            expect(server, BYTES);
            server.awaitInactive();
            assertThat(server.failures).isEmpty();
        }
    }

    /** What the peer sends meanwhile is dropped, and does not keep it from reading. */
    @Test
    void bytesArriveAlsoIfThePeerWritesBehindTheClose() throws Exception {
        try (StreamPair pair = unread()) {
            pair.option(RdmaSocketChannelOption.RDMA_STREAM_CREDITS, 16);
            RdmaSocketChannel channel = pair.connect();
            RdmaSocketChannel child = pair.accepted();
            channel.writeAndFlush(zeros(BYTES)).addListener(ChannelFutureListener.CLOSE);
            ChannelPair.await(channel.closeFuture(), "close");
            List<ChannelFuture> writes = new ArrayList<>();
            for (int i = 0; i < 200; i++) {
                writes.add(child.writeAndFlush(zeros(10_000)));
            }
            ChannelPair.until(() -> writes.stream().allMatch(ChannelFuture::isDone), "all writes complete");
            assertThat(writes).allMatch(ChannelFuture::isSuccess);
            child.config().setAutoRead(true);
            expect(server, BYTES);
            server.awaitInactive();
            assertThat(server.failures).isEmpty();
        }
    }

    @Test
    void closeWithoutLingeringDropsTheBufferAndThePeerSeesAReset() throws Exception {
        try (StreamPair pair = unread()) {
            pair.clientBootstrap.option(ChannelOption.SO_LINGER, 0);
            RdmaSocketChannel channel = pair.connect();
            Channel child = pair.accepted();
            ChannelPair.await(channel.writeAndFlush(zeros(BYTES)), "write");
            ChannelPair.await(channel.close(), "close");
            child.config().setAutoRead(true);
            assertThat(server.nextFailure()).hasMessageStartingWith("Connection reset by peer");
            server.awaitInactive();
        }
    }

    @Test
    void writeSucceedsWithinTheBufferAndFailsBeyondItAtTheClose() throws Exception {
        try (StreamPair pair = unread()) {
            pair.clientBootstrap.option(ChannelOption.SO_SNDBUF, BYTES);
            RdmaSocketChannel channel = pair.connect();
            Channel child = pair.accepted();
            ChannelPair.await(channel.writeAndFlush(zeros(BYTES)), "write");
            ChannelFuture beyond = ChannelPair.onLoop(channel, () -> {
                ChannelFuture write = channel.writeAndFlush(zeros(BYTES));
                assertThat(write.isDone()).isFalse();
                channel.close();
                assertThat(write.cause()).isInstanceOf(ClosedChannelException.class);
                return write;
            });
            assertThat(beyond.isDone()).isTrue();
            child.config().setAutoRead(true);
            server.awaitInactive();
            assertThat(server.failures).isEmpty();
        }
    }

    /** As over TCP, which copies. */
    @Test
    void bufferThatTheProgramKeepsMayBeChangedWhenItsWriteHasSucceeded() throws Exception {
        ByteBufAllocator allocator = PooledByteBufAllocator.DEFAULT;
        int bytes = 200_000;
        List<ByteBuf> kept = List.of(
                allocator.directBuffer(bytes).writeZero(bytes).retain(),
                allocator.heapBuffer(bytes).writeZero(bytes).retain(),
                Unpooled.directBuffer(bytes).writeZero(bytes).retain(),
                Unpooled.wrappedBuffer(new byte[bytes]).retain());
        ByteBuf constant = allocator.directBuffer(bytes).writeZero(bytes);
        ByteBuf sliced = allocator.directBuffer(bytes).writeZero(bytes);
        try (StreamPair pair = unread()) {
            RdmaSocketChannel channel = pair.connect();
            Channel child = pair.accepted();
            for (ByteBuf buffer : kept) {
                ChannelPair.await(channel.writeAndFlush(buffer.duplicate()), "write");
                buffer.setZero(0, bytes).setByte(bytes - 1, 1).setByte(0, 1);
            }
            ChannelPair.await(channel.writeAndFlush(Unpooled.unreleasableBuffer(constant)), "write of a constant");
            constant.setByte(bytes - 1, 1);
            ChannelPair.await(channel.writeAndFlush(sliced.retainedSlice()), "write of a slice");
            sliced.setByte(bytes - 1, 1);
            child.config().setAutoRead(true);
            expect(server, 6 * bytes);
        }
        kept.forEach(ByteBuf::release);
        constant.release();
        sliced.release();
    }

    /** The rest of a message whose first bytes were taken as they are follows it in the same way. */
    @Test
    void pooledBufferLongerThanTheSendBufferArrivesWhole() throws Exception {
        int bytes = 3 * BYTES;
        ByteBuf pooled = PooledByteBufAllocator.DEFAULT.directBuffer(bytes).writeZero(bytes);
        try (StreamPair pair = streams()) {
            pair.clientBootstrap.option(ChannelOption.SO_SNDBUF, BYTES);
            RdmaSocketChannel channel = pair.connect();
            ChannelPair.await(channel.writeAndFlush(pooled), "write");
            expect(server, bytes);
            ChannelPair.until(() -> pooled.refCnt() == 0, "the buffer is released");
        }
    }

    /** A broker that sends only while {@code isWritable()} loses nothing to a pause of its peer. */
    @ParameterizedTest
    @ValueSource(ints = {100, 1024})
    void burstIsTakenWhileThePeersLoopIsBusy(int bytes) throws Exception {
        int messages = 2_000;
        CountDownLatch busy = new CountDownLatch(1);
        CountDownLatch taken = new CountDownLatch(1);
        try (StreamPair pair = streams()) {
            RdmaSocketChannel channel = pair.connect();
            RdmaSocketChannel child = pair.accepted();
            channel.writeAndFlush(zeros(1)); // an accepted channel is there
            expect(server, 1);
            child.eventLoop().submit(() -> {
                busy.countDown();
                return taken.await(Deadline.SECONDS, TimeUnit.SECONDS);
            });
            assertThat(busy.await(Deadline.SECONDS, TimeUnit.SECONDS)).isTrue();
            List<ChannelFuture> writes = new ArrayList<>();
            try {
                ChannelPair.onLoop(channel, () -> {
                    for (int i = 0; i < messages && channel.isWritable(); i++) {
                        writes.add(channel.writeAndFlush(zeros(bytes)));
                    }
                });
                assertThat(writes).hasSize(messages).allMatch(ChannelFuture::isSuccess);
            } finally {
                taken.countDown();
            }
            expect(server, messages * bytes);
        }
    }

    @Test
    void outputIsShutDownBehindTheBuffer() throws Exception {
        try (StreamPair pair = unread()) {
            pair.serverBootstrap.childOption(ChannelOption.ALLOW_HALF_CLOSURE, true);
            RdmaSocketChannel channel = pair.connect();
            Channel child = pair.accepted();
            ChannelPair.await(channel.writeAndFlush(zeros(BYTES)), "write");
            ChannelPair.await(channel.shutdownOutput(), "shutdownOutput");
            child.config().setAutoRead(true);
            expect(server, BYTES);
            assertThat(server.nextEvent()).isSameAs(ChannelInputShutdownEvent.INSTANCE);
        }
    }
}
