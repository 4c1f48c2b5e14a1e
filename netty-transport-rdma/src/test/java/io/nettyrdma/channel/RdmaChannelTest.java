// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.channel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.netty.buffer.AdaptiveByteBufAllocator;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.CompositeByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.socket.nio.NioChannelOption;
import io.netty.handler.logging.LoggingHandler;
import io.netty.handler.timeout.IdleStateEvent;
import io.netty.handler.timeout.IdleStateHandler;
import io.nettyrdma.conformance.Requirement;
import io.nettyrdma.deadline.Deadline;
import io.nettyrdma.error.RdmaMessageTooLongException;
import io.nettyrdma.error.RdmaUnsupportedException;
import io.nettyrdma.error.RdmaWorkRequestException;
import java.nio.channels.ClosedChannelException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import jdk.net.ExtendedSocketOptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What every RDMA channel does with messages over each provider; where one cannot, its capabilities say
 * so.
 */
final class RdmaChannelTest extends ProviderContract {

    static List<ByteBufAllocator> allocators() {
        return List.of(
                UnpooledByteBufAllocator.DEFAULT,
                PooledByteBufAllocator.DEFAULT,
                new AdaptiveByteBufAllocator(),
                RdmaByteBufAllocator.DEFAULT);
    }

    @ParameterizedTest
    @MethodSource("allocators")
    void everyKindOfBufferArrivesUnchanged(ByteBufAllocator allocator) throws Exception {
        Random random = new Random(7);
        try (ChannelPair pair = echoPair().option(ChannelOption.ALLOCATOR, allocator)) {
            RdmaChannel channel = pair.connect();
            List<byte[]> sent = new ArrayList<>();
            for (int size : new int[] {1, 2, 3, 64, 1000, 4095, 4096}) {
                byte[] octets = new byte[size];
                random.nextBytes(octets);
                CompositeByteBuf composite = allocator.compositeBuffer();
                composite.addComponent(true, Unpooled.copiedBuffer(octets, 0, size / 2));
                composite.addComponent(true, allocator.directBuffer().writeBytes(octets, size / 2, size - size / 2));
                List<ByteBuf> forms = List.of(
                        allocator.heapBuffer().writeBytes(octets),
                        allocator.directBuffer().writeBytes(octets),
                        allocator.directBuffer().writeZero(3).writeBytes(octets).skipBytes(3),
                        composite,
                        Unpooled.wrappedBuffer(octets).asReadOnly());
                for (ByteBuf form : forms) {
                    sent.add(octets);
                    channel.write(form);
                }
                channel.flush();
                for (int i = 0; i < forms.size(); i++) {
                    assertThat(client.next()).isEqualTo(octets);
                }
            }
        }
        assertThat(client.failures).isEmpty();
    }

    @Test
    @Requirement("V1-005")
    void manyMessagesKeepTheirOrderAndBoundaries() throws Exception {
        int count = 10_000;
        try (ChannelPair pair = pair()) {
            RdmaChannel channel = pair.connect();
            for (int i = 0; i < count; i++) {
                ByteBuf message = channel.alloc().buffer().writeInt(i).writeZero(i % 100);
                if (i % 32 == 31) {
                    ChannelPair.await(channel.writeAndFlush(message), "write");
                    if (!provider.waitsForReceives()) {
                        checkMessages(
                                i - 31, i + 1); // siw and rxe end a connection that has more under way than is posted
                    }
                } else {
                    channel.write(message, channel.voidPromise());
                }
            }
            channel.flush();
            checkMessages(provider.waitsForReceives() ? 0 : count / 32 * 32, count);
        }
    }

    /** From memory that is registered, so that nothing moves them; siw has a way of its own for these. */
    @Test
    void shortMessagesInWhichAPageEndsArriveUnchanged() throws Exception {
        int pageBytes = 4096;
        int longest = 40;
        byte[] octets = new byte[2 * pageBytes];
        new Random(2).nextBytes(octets);
        try (ChannelPair pair = pair()) {
            RdmaChannel channel = pair.connect();
            RdmaMemory memory =
                    ChannelPair.onLoop(channel, () -> channel.allocateMemory(octets.length, RdmaAccess.LOCAL));
            memory.content().writeBytes(octets);
            int pageEnd = pageBytes - (int) (memory.segment().address() & pageBytes - 1);
            for (int length = 2; length <= longest; length++) {
                ChannelFuture last = channel.newSucceededFuture();
                int from = Math.max(0, pageEnd - length);
                int to = Math.min(pageEnd + 1, from + 32); // no more than there are receives
                for (int at = from; at < to; at++) {
                    last = channel.write(memory.content().retainedSlice(at, length));
                }
                channel.flush();
                ChannelPair.await(last, "write");
                for (int at = from; at < to; at++) {
                    assertThat(server.next())
                            .as("octets %d to %d", at, at + length)
                            .isEqualTo(Arrays.copyOfRange(octets, at, at + length));
                }
            }
            memory.release();
        }
    }

    private void checkMessages(int from, int to) throws Exception {
        for (int i = from; i < to; i++) {
            ByteBuf received = Unpooled.wrappedBuffer(server.next());
            assertThat(received.readInt()).isEqualTo(i);
            assertThat(received.readableBytes()).isEqualTo(i % 100);
        }
    }

    @Test
    void tooLongMessageFailsAloneAndNothingIsSent() throws Exception {
        try (ChannelPair pair = echoPair()) {
            RdmaChannel channel = pair.connect();
            ByteBuf tooLong = channel.alloc().buffer().writeZero(4097);
            ChannelFuture failed = channel.writeAndFlush(tooLong);
            assertThatThrownBy(() -> ChannelPair.await(failed, "write"))
                    .cause()
                    .isInstanceOf(RdmaMessageTooLongException.class)
                    .hasMessageContaining("4097")
                    .hasMessageContaining("RDMA_MAX_SEND_SIZE=4096");
            assertThat(tooLong.refCnt()).isZero();
            ChannelPair.await(channel.writeAndFlush(ChannelPair.text("still here")), "write");
            assertThat(client.nextText()).isEqualTo("still here");
        }
    }

    @Test
    void sendThatInvalidatesFailsAloneWhereTheProviderHasNone() throws Exception {
        assumeTrue(provider.canInvalidate() == provider.canBeInvalidated(), "needs a peer that it may be sent to");
        try (ChannelPair pair = pair()) {
            RdmaChannel channel = pair.connect();
            server.awaitActive();
            RdmaChannel child = pair.accepted();
            RdmaMemory exposed = ChannelPair.onLoop(child, () -> child.allocateMemory(8, RdmaAccess.REMOTE_WRITE));
            provider.awaitExposure(child);
            ByteBuf message = ChannelPair.text("invalidating");
            ChannelFuture before = channel.write(ChannelPair.text("before"));
            ChannelFuture sent = channel.write(
                    RdmaSend.invalidating(message, exposed.segment().key()));
            ChannelPair.await(channel.writeAndFlush(ChannelPair.text("behind")), "write behind it");
            ChannelPair.await(before, "write before it");
            assertThat(server.nextText()).isEqualTo("before");
            if (provider.canInvalidate()) {
                ChannelPair.await(sent, "write");
                assertThat(server.nextText()).isEqualTo("invalidating");
            } else {
                assertThatThrownBy(() -> ChannelPair.await(sent, "write"))
                        .cause()
                        .isInstanceOf(RdmaUnsupportedException.class)
                        .hasMessageContaining("Send with Invalidate");
            }
            assertThat(message.refCnt()).isZero();
            assertThat(server.nextText()).isEqualTo("behind");
            exposed.release();
        }
    }

    @Test
    void emptyBufferIsABarrierAndEmptySendIsAMessage() throws Exception {
        try (ChannelPair pair = pair()) {
            RdmaChannel channel = pair.connect();
            List<String> done = new ArrayList<>();
            ChannelPair.await(
                    channel.eventLoop().submit(() -> {
                        channel.write(ChannelPair.text("a")).addListener(f -> done.add("a " + f.isSuccess()));
                        channel.write(Unpooled.EMPTY_BUFFER).addListener(f -> done.add("barrier " + f.isSuccess()));
                        channel.write(RdmaSend.of(Unpooled.EMPTY_BUFFER))
                                .addListener(f -> done.add("empty " + f.isSuccess()));
                    }),
                    "writes");
            ChannelPair.await(channel.writeAndFlush(ChannelPair.text("b")), "last write");
            assertThat(server.nextText()).isEqualTo("a");
            assertThat(server.next()).isEmpty();
            assertThat(server.nextText()).isEqualTo("b");
            assertThat(done).containsExactly("a true", "barrier true", "empty true");
            ChannelPair.await(channel.writeAndFlush(Unpooled.EMPTY_BUFFER), "barrier on an idle channel");
        }
    }

    @Test
    void cancelledWriteIsNotSent() throws Exception {
        try (ChannelPair pair = pair()) {
            RdmaChannel channel = pair.connect();
            ChannelPair.await(
                    channel.write(ChannelPair.text("a")).channel().eventLoop().submit(() -> {}), "turn");
            ChannelFuture cancelled = channel.write(ChannelPair.text("cancelled"));
            ChannelPair.await(channel.eventLoop().submit(() -> {}), "turn");
            assertThat(cancelled.cancel(false)).isTrue();
            ChannelPair.await(channel.writeAndFlush(ChannelPair.text("b")), "write");
            assertThat(server.nextText()).isEqualTo("a");
            assertThat(server.nextText()).isEqualTo("b");
        }
    }

    @Test
    void nothingIsDeliveredWhileNobodyReads() throws Exception {
        try (ChannelPair pair = pair()) {
            pair.serverBootstrap.childOption(ChannelOption.AUTO_READ, false);
            RdmaChannel channel = pair.connect();
            for (int i = 0; i < 3; i++) {
                ChannelPair.await(channel.writeAndFlush(ChannelPair.text("m" + i)), "write");
            }
            server.awaitActive();
            Channel child = pair.accepted();
            ChannelPair.await(channel.close(), "close");
            ChannelPair.await(child.eventLoop().submit(() -> {}), "turn");
            assertThat(server.messages).isEmpty();
            assertThat(child.isActive()).isTrue();

            child.config().setAutoRead(true);
            assertThat(server.nextText()).isEqualTo("m0");
            assertThat(server.nextText()).isEqualTo("m1");
            assertThat(server.nextText()).isEqualTo("m2");
            server.awaitInactive();
        }
    }

    @Test
    void moreWritesThanTheSendQueueHoldsAllComplete() throws Exception {
        try (ChannelPair pair = echoPair()) {
            pair.option(RdmaChannelOption.RDMA_SEND_DEPTH, 2);
            RdmaChannel channel = pair.connect();
            List<ChannelFuture> writes = new ArrayList<>();
            for (int i = 0; i < 50; i++) {
                writes.add(channel.write(ChannelPair.text("m" + i)));
            }
            channel.flush();
            for (int i = 0; i < 50; i++) {
                assertThat(client.nextText()).isEqualTo("m" + i);
            }
            ChannelPair.awaitAll(writes, "write");
        }
    }

    @Test
    void fullOutboundBufferMakesTheChannelUnwritableUntilItDrains() throws Exception {
        BlockingQueue<Boolean> changes = new LinkedBlockingQueue<>();
        ChannelHandler watching = new ChannelInboundHandlerAdapter() {
            @Override
            public void channelWritabilityChanged(ChannelHandlerContext context) {
                changes.add(context.channel().isWritable());
            }
        };
        try (ChannelPair pair = new ChannelPair(provider, () -> server, () -> watching)) {
            pair.clientBootstrap.option(ChannelOption.WRITE_BUFFER_WATER_MARK, new WriteBufferWaterMark(1000, 5000));
            RdmaChannel channel = pair.connect();
            for (int i = 0; i < 3; i++) {
                channel.write(channel.alloc().buffer().writeZero(3000));
            }
            assertThat(changes.poll(Deadline.SECONDS, TimeUnit.SECONDS)).isFalse();
            channel.flush();
            assertThat(changes.poll(Deadline.SECONDS, TimeUnit.SECONDS)).isTrue();
        }
    }

    @Test
    void loggingAndIdleHandlersWorkAsEverywhere() throws Exception {
        try (ChannelPair pair = echoPair()) {
            RdmaChannel channel = pair.connect();
            channel.pipeline().addFirst(new LoggingHandler(), new IdleStateHandler(0, 0, 50, TimeUnit.MILLISECONDS));
            channel.writeAndFlush(ChannelPair.text("hello"));
            assertThat(client.nextText()).isEqualTo("hello");
            Object event;
            do {
                event = client.nextEvent();
            } while (!(event instanceof IdleStateEvent));
        }
    }

    @Test
    void requestThatFailsInTheMiddleOfABatchTakesThoseBehindWithIt() throws Exception {
        provider.assumeReadRights();
        try (ChannelPair pair = pair()) {
            RdmaChannel channel = pair.connect();
            server.awaitActive();
            RdmaChannel child = pair.accepted();
            RdmaMemory unreadable = ChannelPair.onLoop(child, () -> child.allocateMemory(64, RdmaAccess.REMOTE_WRITE));
            provider.awaitExposure(child);
            ByteBuf target = Unpooled.directBuffer(64, 64);
            List<ByteBuf> buffers = new ArrayList<>();
            List<ChannelFuture> writes = new ArrayList<>();
            ChannelPair.onLoop(channel, () -> {
                for (int i = 0; i < 41; i++) {
                    if (i == 20) {
                        writes.add(channel.write(new RdmaRead(unreadable.segment(), target.retain())));
                    } else {
                        buffers.add(ChannelPair.text("m" + i));
                        writes.add(channel.write(buffers.get(buffers.size() - 1)));
                    }
                }
                channel.flush();
            });
            for (ChannelFuture write : writes) {
                assertThat(write.await(Deadline.SECONDS, TimeUnit.SECONDS)).isTrue();
            }
            for (int i = 0; i < 20; i++) {
                assertThat(writes.get(i).isSuccess() || !provider.tellsWhatWasDoneBeforeARefusal())
                        .isTrue();
                assertThat(server.nextText()).isEqualTo("m" + i);
            }
            provider.assertReadRefused(writes.get(20).cause());
            client.awaitInactive();
            server.awaitInactive();
            // rxe flushes requests after the channel has closed, and their buffers are the device's until then
            ChannelPair.until(
                    () -> buffers.stream().allMatch(buffer -> buffer.refCnt() == 0), "release of the buffers");
            ChannelPair.until(() -> target.refCnt() == 1, "release of the target");
            assertThat(target.release()).isTrue();
            unreadable.release();
        }
    }

    /** A warning would fail the test, as any that is not declared. */
    @Test
    void optionsOfTcpAreAcceptedAndDoNothing() throws Exception {
        try (ChannelPair pair = pair()) {
            pair.serverBootstrap.option(ChannelOption.SO_REUSEADDR, true).option(ChannelOption.SO_RCVBUF, 1_000);
            RdmaChannel channel = pair.option(ChannelOption.TCP_NODELAY, false)
                    .option(ChannelOption.SO_KEEPALIVE, false)
                    .option(ChannelOption.SO_LINGER, 0)
                    .option(ChannelOption.SO_SNDBUF, 1_000)
                    .option(ChannelOption.IP_TOS, 8)
                    .option(NioChannelOption.of(ExtendedSocketOptions.TCP_KEEPIDLE), 60)
                    .connect();
            ChannelPair.await(channel.writeAndFlush(ChannelPair.text("message")), "write");
            ChannelPair.await(channel.close(), "close");
            assertThat(server.nextText()).isEqualTo("message");
            assertThat(channel.config().getOptions()).doesNotContainKey(ChannelOption.TCP_NODELAY);
        }
    }

    @Test
    void messageThatIsLongerThanTheReceiveIsNamedWithTheOption() throws Exception {
        try (ChannelPair pair = pair()) {
            pair.serverBootstrap.childOption(RdmaChannelOption.RDMA_RECEIVE_SIZE, 1_000);
            pair.clientBootstrap.option(RdmaChannelOption.RDMA_MAX_SEND_SIZE, 6_000);
            RdmaChannel channel = pair.connect();
            server.awaitActive();
            channel.writeAndFlush(Unpooled.directBuffer(5_000).writeZero(5_000));

            // The receiver knows its own size on every device, and the peer's where the provider tells reasons.
            assertThat(server.nextFailure())
                    .hasMessageContaining("RDMA_RECEIVE_SIZE")
                    .hasMessageMatching(".*\\b1000\\b.*");
            if (provider == TestProvider.SOFT) {
                assertThat(client.nextFailure())
                        .hasMessageContaining("RDMA_RECEIVE_SIZE")
                        .hasMessageContaining("RDMA_MAX_SEND_SIZE")
                        .hasMessageMatching(".*\\b5000\\b.*");
            }
            server.awaitInactive();
            client.awaitInactive();
            // iWARP says nothing to the sender but that the connection is over; InfiniBand has a status for it.
            for (Throwable failure : client.failures) {
                assertThat(failure).hasMessageContaining("RDMA_MAX_SEND_SIZE");
            }
        }
    }

    @Test
    void closeWithWorkThatThePeerDoesNotTakeEndsAndCompletesEveryPromise() throws Exception {
        List<ByteBuf> buffers = new ArrayList<>();
        try (ChannelPair pair = pair()) {
            pair.serverBootstrap.childOption(ChannelOption.AUTO_READ, false);
            pair.serverBootstrap.childOption(RdmaChannelOption.RDMA_RECEIVE_COUNT, 1);
            pair.option(RdmaChannelOption.RDMA_RECEIVE_SIZE, 131_072);
            RdmaChannel channel = pair.connect();
            List<ChannelFuture> writes = new ArrayList<>();
            ChannelPair.onLoop(channel, () -> {
                for (int i = 0; i < 200; i++) { // more than the send queue and TCP take
                    buffers.add(Unpooled.directBuffer(131_072).writeZero(131_072));
                    writes.add(channel.write(buffers.get(i)));
                }
                channel.flush();
            });
            ChannelPair.await(channel.close(), "close");
            for (ChannelFuture write : writes) {
                assertThat(write.await(Deadline.SECONDS, TimeUnit.SECONDS)).isTrue();
                // siw and rxe end the connection over the missing receive: what was posted is flushed, and siw refuses
                // what is posted from then on.
                boolean lost = !provider.waitsForReceives()
                        && (write.cause() instanceof RdmaWorkRequestException
                                || String.valueOf(write.cause()).contains("ibv_post_send"));
                assertThat(write.isSuccess() || lost || write.cause() instanceof ClosedChannelException)
                        .as("%s", write.cause())
                        .isTrue();
            }
            assertThat(writes.get(199).isSuccess()).isFalse();
        }
        assertThat(buffers).allSatisfy(buffer -> assertThat(buffer.refCnt()).isZero());
    }

    /** What proxies do: the client's loop owns one channel, the server's another. */
    @ParameterizedTest
    @ValueSource(ints = {1, 4096, 200_000})
    void messageReceivedOnOneEventLoopIsWrittenToAChannelOfAnother(int size) throws Exception {
        byte[] octets = new byte[size];
        new Random(size).nextBytes(octets);
        CompletableFuture<Channel> onwards = new CompletableFuture<>();
        Queue<ChannelHandler> servers = new ConcurrentLinkedQueue<>(List.of(new Forwarder(onwards), server));
        try (ChannelPair pair = new ChannelPair(provider, servers::remove, Inbox::new)
                .option(RdmaChannelOption.RDMA_RECEIVE_SIZE, 200_000)
                .option(RdmaChannelOption.RDMA_RECEIVE_COUNT, provider.waitsForReceives() ? 4 : 8)) {
            RdmaChannel first = pair.connect();
            RdmaChannel second = pair.connect();
            assertThat(second.eventLoop()).isNotSameAs(pair.accepted().eventLoop());
            onwards.complete(second);
            for (int i = 0; i < 20; i++) { // more often than there are receives
                ChannelPair.await(first.writeAndFlush(Unpooled.wrappedBuffer(octets)), "write");
                for (int form = 0; form < Forwarder.FORMS; form++) {
                    assertThat(server.next()).isEqualTo(octets);
                }
            }
            assertThat(second.isActive()).isTrue();
        }
    }

    /**
     * Writes each message it gets to another channel: the buffer itself, a slice of it, and as part of another buffer.
     */
    private static final class Forwarder extends ChannelInboundHandlerAdapter {

        static final int FORMS = 3;

        private final CompletableFuture<Channel> onwards;

        Forwarder(CompletableFuture<Channel> onwards) {
            this.onwards = onwards;
        }

        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            ByteBuf received = (ByteBuf) message;
            Channel target = onwards.getNow(null);
            target.write(received.retainedSlice());
            target.write(Unpooled.wrappedBuffer(Unpooled.EMPTY_BUFFER, received.retainedDuplicate()));
            target.writeAndFlush(received);
        }
    }

    @Test
    void strangersAllocatorMakesWhatIsRead() throws Exception {
        int total = 100 + 4000;
        StrangersAllocator allocator = new StrangersAllocator();
        try (ChannelPair pair = new ChannelPair(provider, Echo::new, () -> allocator.reader(total))) {
            pair.clientBootstrap.option(ChannelOption.ALLOCATOR, allocator);
            Channel channel = pair.connect();
            channel.writeAndFlush(Unpooled.buffer().writeZero(100));
            channel.writeAndFlush(Unpooled.buffer().writeZero(4000));
            allocator.assertMadeAll(total);
        }
    }
}
