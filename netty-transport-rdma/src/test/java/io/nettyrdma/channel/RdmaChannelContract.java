/*
 * Copyright 2026 The Netty RDMA authors
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
 * with the License. You may obtain a copy of the License at
 *
 *     https://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software distributed under the License is distributed
 * on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for
 * the specific language governing permissions and limitations under the License.
 */
package io.nettyrdma.channel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

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
import io.netty.handler.logging.LoggingHandler;
import io.netty.handler.timeout.IdleStateEvent;
import io.netty.handler.timeout.IdleStateHandler;
import io.nettyrdma.conformance.Requirement;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.channels.ClosedChannelException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What every RDMA channel does, whoever provides the verbs; where a provider cannot, its capabilities say so. */
@Timeout(60)
@ExtendWith(LeavesNothingOpen.class)
abstract class RdmaChannelContract {

    private final TestProvider provider;

    private final Inbox client = new Inbox();
    private final Inbox server = new Inbox();

    RdmaChannelContract(TestProvider provider) {
        this.provider = provider;
    }

    private static ByteBuf text(String text) {
        return Unpooled.copiedBuffer(text, StandardCharsets.UTF_8);
    }

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
        try (ChannelPair pair =
                new ChannelPair(provider, Echo::new, () -> client).option(ChannelOption.ALLOCATOR, allocator)) {
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
    void buffersBuiltOnTheEventLoopComeFromRegisteredMemory() throws Exception {
        try (ChannelPair pair = new ChannelPair(provider, Echo::new, () -> client)
                .option(ChannelOption.ALLOCATOR, RdmaByteBufAllocator.DEFAULT)) {
            RdmaChannel channel = pair.connect();
            ChannelPair.await(
                    channel.eventLoop().submit(() -> {
                        ByteBuf buffer = channel.alloc().buffer().writeBytes(new byte[] {1, 2, 3});
                        channel.writeAndFlush(buffer.slice(1, 2));
                    }),
                    "write");
            assertThat(client.next()).containsExactly(2, 3);
        }
    }

    @Test
    void registeredBufferHasTheCapacityThatWasAskedForAndGrowsInPlace() throws Exception {
        try (ChannelPair pair = new ChannelPair(provider, Echo::new, () -> client)
                .option(ChannelOption.ALLOCATOR, RdmaByteBufAllocator.DEFAULT)) {
            RdmaChannel channel = pair.connect();
            onLoop(channel, () -> {
                ByteBuf buffer = channel.alloc().directBuffer(1000);
                assertThat(buffer.capacity()).isEqualTo(1000);
                RegisteredByteBuf registered = unwrapped(buffer);
                registered.ensureRegistered();
                long address = registered.address(0);
                buffer.writeZero(1000).writeByte(7);
                assertThat(registered.address(0)).isEqualTo(address);
                assertThat(buffer.getByte(1000)).isEqualTo((byte) 7);
                buffer.capacity(10);
                assertThat(buffer.readableBytes()).isEqualTo(10);
                return buffer.release();
            });
        }
    }

    @Test
    void bufferThatGrowsStaysInRegisteredMemoryAndIsSentFromThere() throws Exception {
        try (ChannelPair pair = new ChannelPair(provider, () -> server, () -> client)
                .option(ChannelOption.ALLOCATOR, RdmaByteBufAllocator.DEFAULT)) {
            pair.option(RdmaChannelOption.RDMA_RECEIVE_SIZE, 100_000);
            RdmaChannel channel = pair.connect();
            byte[] octets = new byte[100_000];
            new Random(5).nextBytes(octets);
            onLoop(channel, () -> {
                ByteBuf buffer = channel.alloc().directBuffer(16);
                for (byte octet : octets) {
                    buffer.writeByte(octet);
                }
                RegisteredByteBuf registered = unwrapped(buffer);
                assertThat(registered.isMoved()).isFalse();
                registered.ensureRegistered();
                assertThat(registered.slab().slotBytes()).isEqualTo(131_072);
                return channel.writeAndFlush(buffer);
            });
            assertThat(server.next()).isEqualTo(octets);
        }
    }

    @Test
    void bufferThatGrowsAfterItsWriteWasPostedIsSentAsItWas() throws Exception {
        try (ChannelPair pair = new ChannelPair(provider, () -> server, () -> client)
                .option(ChannelOption.ALLOCATOR, RdmaByteBufAllocator.DEFAULT)) {
            RdmaChannel channel = pair.connect();
            for (int round = 0; round < 50; round++) {
                int number = round;
                onLoop(channel, () -> {
                    ByteBuf buffer = channel.alloc().directBuffer(4).writeInt(number);
                    channel.writeAndFlush(buffer.retainedSlice());
                    channel.writeAndFlush(buffer.retain());
                    buffer.writeZero(5000); // leaves its slot
                    ByteBuf other = channel.alloc().directBuffer(4).writeInt(-1); // would get it
                    buffer.release();
                    return other.release();
                });
                assertThat(server.next()).containsExactly(0, 0, 0, number);
                assertThat(server.next()).containsExactly(0, 0, 0, number);
            }
        }
    }

    private static RegisteredByteBuf unwrapped(ByteBuf buffer) {
        ByteBuf inner = buffer;
        while (!(inner instanceof RegisteredByteBuf)) {
            inner = inner.unwrap();
        }
        return (RegisteredByteBuf) inner;
    }

    @Test
    @Requirement("V1-005")
    void manyMessagesKeepTheirOrderAndBoundaries() throws Exception {
        int count = 10_000;
        try (ChannelPair pair = new ChannelPair(provider, () -> server, () -> client)) {
            RdmaChannel channel = pair.connect();
            for (int i = 0; i < count; i++) {
                ByteBuf message = channel.alloc().buffer().writeInt(i).writeZero(i % 100);
                if (i % 32 == 31) {
                    ChannelPair.await(channel.writeAndFlush(message), "write");
                } else {
                    channel.write(message, channel.voidPromise());
                }
            }
            channel.flush();
            for (int i = 0; i < count; i++) {
                ByteBuf received = Unpooled.wrappedBuffer(server.next());
                assertThat(received.readInt()).isEqualTo(i);
                assertThat(received.readableBytes()).isEqualTo(i % 100);
            }
        }
    }

    @Test
    void privateDataTravelsBothWaysBeforeTheChannelIsActive() throws Exception {
        provider.assumePrivateData();
        byte[] request = "from the active side".getBytes(StandardCharsets.UTF_8);
        byte[] reply = new byte[RdmaChannelConfig.MAX_PRIVATE_DATA_BYTES];
        new Random(1).nextBytes(reply);
        List<String> order = new ArrayList<>();
        ChannelHandler answering = new ChannelInboundHandlerAdapter() {
            @Override
            public void userEventTriggered(ChannelHandlerContext context, Object event) {
                order.add("event active=" + context.channel().isActive());
                context.channel().config().setOption(RdmaChannelOption.RDMA_PRIVATE_DATA, reply);
                server.events.add(event);
            }

            @Override
            public void channelActive(ChannelHandlerContext context) {
                order.add("active");
                server.active.countDown();
            }
        };
        try (ChannelPair pair = new ChannelPair(provider, () -> answering, () -> client)) {
            pair.clientBootstrap.option(RdmaChannelOption.RDMA_PRIVATE_DATA, request);
            RdmaChannel channel = pair.connect();
            assertThat(((RdmaPrivateDataEvent) server.nextEvent()).data()).isEqualTo(request);
            assertThat(((RdmaPrivateDataEvent) client.nextEvent()).data()).isEqualTo(reply);
            assertThat(channel.peerPrivateData()).isEqualTo(reply);
            server.awaitActive();
            assertThat(pair.accepted().peerPrivateData()).isEqualTo(request);
            assertThat(order).containsExactly("event active=false", "active");
        }
    }

    @Test
    void closingOnThePrivateDataRejectsTheConnectionWithData() throws Exception {
        provider.assumeReject();
        ChannelHandler rejecting = new ChannelInboundHandlerAdapter() {
            @Override
            public void userEventTriggered(ChannelHandlerContext context, Object event) {
                context.channel().config().setOption(RdmaChannelOption.RDMA_PRIVATE_DATA, new byte[] {9, 8, 7});
                context.close();
            }
        };
        try (ChannelPair pair = new ChannelPair(provider, () -> rejecting, () -> client)) {
            assertThatThrownBy(pair::connect)
                    .isInstanceOf(ExecutionException.class)
                    .cause()
                    .isInstanceOfSatisfying(RdmaConnectRejectedException.class, e -> assertThat(e.privateData())
                            .containsExactly(9, 8, 7));
        }
    }

    @Test
    void connectingToNobodyIsRefused() throws Exception {
        int port;
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = socket.getLocalPort();
        }
        try (ChannelPair pair = new ChannelPair(provider, Echo::new, () -> client)) {
            ChannelFuture future =
                    pair.clientBootstrap.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
            assertThatThrownBy(() -> ChannelPair.await(future, "connect"))
                    .cause()
                    .isInstanceOf(ConnectException.class)
                    .hasMessageContaining("refused");
            assertThat(future.channel().isOpen()).isFalse();
        }
    }

    @Test
    void connectingToSomebodyWhoDoesNotAnswerTimesOut() throws Exception {
        try (ServerSocket silent = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                ChannelPair pair = new ChannelPair(provider, Echo::new, () -> client)
                        .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, 200)) {
            ChannelFuture future = pair.clientBootstrap.connect(silent.getLocalSocketAddress());
            assertThatThrownBy(() -> ChannelPair.await(future, "connect"))
                    .cause()
                    .isInstanceOf(ConnectException.class)
                    .hasMessageContaining("timed out");
        }
    }

    @Test
    void cancellingAConnectClosesTheChannel() throws Exception {
        try (ServerSocket silent = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                ChannelPair pair = new ChannelPair(provider, Echo::new, () -> client)) {
            ChannelFuture future = pair.clientBootstrap.connect(silent.getLocalSocketAddress());
            future.channel().eventLoop().submit(() -> {}).sync();
            assertThat(future.cancel(false)).isTrue();
            ChannelPair.await(future.channel().closeFuture(), "close");
        }
    }

    @Test
    void addressesAreInetSocketAddresses() throws Exception {
        try (ChannelPair pair = new ChannelPair(provider, Echo::new, () -> client)) {
            RdmaChannel channel = pair.connect();
            RdmaChannel child = pair.accepted();
            assertThat(channel.remoteAddress()).isEqualTo(pair.address());
            assertThat(child.remoteAddress()).isEqualTo(channel.localAddress());
            assertThat(child.parent()).isSameAs(pair.listener);
        }
    }

    @Test
    void tooLongMessageFailsAloneAndNothingIsSent() throws Exception {
        try (ChannelPair pair = new ChannelPair(provider, Echo::new, () -> client)) {
            RdmaChannel channel = pair.connect();
            ByteBuf tooLong = channel.alloc().buffer().writeZero(4097);
            ChannelFuture failed = channel.writeAndFlush(tooLong);
            assertThatThrownBy(() -> ChannelPair.await(failed, "write"))
                    .cause()
                    .isInstanceOf(RdmaMessageTooLongException.class)
                    .hasMessageContaining("4097")
                    .hasMessageContaining("RDMA_MAX_SEND_SIZE=4096");
            assertThat(tooLong.refCnt()).isZero();
            ChannelPair.await(channel.writeAndFlush(text("still here")), "write");
            assertThat(client.nextText()).isEqualTo("still here");
        }
    }

    @Test
    void messageOfAnotherTypeIsRefusedByName() throws Exception {
        try (ChannelPair pair = new ChannelPair(provider, Echo::new, () -> client)) {
            ChannelFuture failed = pair.connect().writeAndFlush("a string");
            assertThatThrownBy(() -> ChannelPair.await(failed, "write"))
                    .cause()
                    .isInstanceOf(UnsupportedOperationException.class)
                    .hasMessageContaining("java.lang.String");
        }
    }

    @Test
    void sendThatInvalidatesFailsAloneWhereTheProviderHasNone() throws Exception {
        try (ChannelPair pair = new ChannelPair(provider, () -> server, () -> client)) {
            RdmaChannel channel = pair.connect();
            server.awaitActive();
            RdmaChannel child = pair.accepted();
            RdmaMemory exposed = onLoop(child, () -> child.allocateMemory(8, RdmaAccess.REMOTE_WRITE));
            ByteBuf message = text("invalidating");
            ChannelFuture before = channel.write(text("before"));
            ChannelFuture sent = channel.write(
                    RdmaSend.invalidating(message, exposed.segment().key()));
            ChannelPair.await(channel.writeAndFlush(text("behind")), "write behind it");
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
        try (ChannelPair pair = new ChannelPair(provider, () -> server, () -> client)) {
            RdmaChannel channel = pair.connect();
            List<String> done = new ArrayList<>();
            ChannelPair.await(
                    channel.eventLoop().submit(() -> {
                        channel.write(text("a")).addListener(f -> done.add("a " + f.isSuccess()));
                        channel.write(Unpooled.EMPTY_BUFFER).addListener(f -> done.add("barrier " + f.isSuccess()));
                        channel.write(RdmaSend.of(Unpooled.EMPTY_BUFFER))
                                .addListener(f -> done.add("empty " + f.isSuccess()));
                    }),
                    "writes");
            ChannelPair.await(channel.writeAndFlush(text("b")), "last write");
            assertThat(server.nextText()).isEqualTo("a");
            assertThat(server.next()).isEmpty();
            assertThat(server.nextText()).isEqualTo("b");
            assertThat(done).containsExactly("a true", "barrier true", "empty true");
            ChannelPair.await(channel.writeAndFlush(Unpooled.EMPTY_BUFFER), "barrier on an idle channel");
        }
    }

    @Test
    void cancelledWriteIsNotSent() throws Exception {
        try (ChannelPair pair = new ChannelPair(provider, () -> server, () -> client)) {
            RdmaChannel channel = pair.connect();
            ChannelPair.await(channel.write(text("a")).channel().eventLoop().submit(() -> {}), "turn");
            ChannelFuture cancelled = channel.write(text("cancelled"));
            ChannelPair.await(channel.eventLoop().submit(() -> {}), "turn");
            assertThat(cancelled.cancel(false)).isTrue();
            ChannelPair.await(channel.writeAndFlush(text("b")), "write");
            assertThat(server.nextText()).isEqualTo("a");
            assertThat(server.nextText()).isEqualTo("b");
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 4096, 65_536, 1_000_000})
    void peerMemoryIsWrittenAndReadBack(int size) throws Exception {
        byte[] octets = new byte[size];
        new Random(size).nextBytes(octets);
        try (ChannelPair pair = new ChannelPair(provider, () -> server, () -> client)) {
            RdmaChannel channel = pair.connect();
            server.awaitActive();
            RdmaChannel child = pair.accepted();
            RdmaMemory exposed = onLoop(child, () -> child.allocateMemory(size, RdmaAccess.REMOTE_READ_WRITE));
            RdmaMemory target = onLoop(channel, () -> channel.allocateMemory(size, RdmaAccess.LOCAL));
            RemoteSegment segment = exposed.segment();

            channel.write(new RdmaWrite(Unpooled.wrappedBuffer(octets), segment));
            ChannelPair.await(
                    channel.writeAndFlush(new RdmaRead(segment, target.content().retain())), "write and read");

            byte[] readBack = new byte[size];
            assertThat(target.content().readableBytes()).isEqualTo(size);
            target.content().readBytes(readBack);
            assertThat(readBack).isEqualTo(octets);
            exposed.release();
            target.release();
        }
    }

    @Test
    @Requirement("V1-006")
    void writesAreInPlaceWhenTheSendBehindThemArrives() throws Exception {
        try (ChannelPair pair = new ChannelPair(provider, () -> server, () -> client)) {
            RdmaChannel channel = pair.connect();
            server.awaitActive();
            RdmaChannel child = pair.accepted();
            RdmaMemory exposed = onLoop(child, () -> child.allocateMemory(100_000, RdmaAccess.REMOTE_WRITE));
            byte[] octets = new byte[100_000];
            new Random(3).nextBytes(octets);
            channel.write(new RdmaWrite(Unpooled.wrappedBuffer(octets), exposed.segment()));
            int key = exposed.segment().key();
            channel.writeAndFlush(
                    provider.canInvalidate() ? RdmaSend.invalidating(text("done"), key) : RdmaSend.of(text("done")));

            assertThat(server.nextText()).isEqualTo("done");
            byte[] placed = new byte[octets.length];
            exposed.content().getBytes(0, placed);
            assertThat(placed).isEqualTo(octets);
            exposed.release();
        }
    }

    @Test
    void invalidatedMemoryIsOutOfReach() throws Exception {
        provider.assumeReasons();
        try (ChannelPair pair = new ChannelPair(provider, () -> server, () -> client)) {
            RdmaChannel channel = pair.connect();
            server.awaitActive();
            RdmaChannel child = pair.accepted();
            RdmaMemory exposed = onLoop(child, () -> child.allocateMemory(64, RdmaAccess.REMOTE_WRITE));
            RemoteSegment segment = exposed.segment();
            onLoop(child, () -> {
                exposed.invalidate();
                return null;
            });
            channel.writeAndFlush(new RdmaWrite(Unpooled.wrappedBuffer(new byte[] {1, 2, 3}), segment));
            client.awaitInactive();
            server.awaitInactive();
            assertThat(client.nextFailure())
                    .isInstanceOf(RdmaConnectionException.class)
                    .hasMessageContaining("Terminate");
            assertThat(exposed.content().getByte(0)).isZero();
            exposed.release();
        }
    }

    @Test
    void readOfMemoryWithoutTheRightFailsThatRead() throws Exception {
        try (ChannelPair pair = new ChannelPair(provider, () -> server, () -> client)) {
            RdmaChannel channel = pair.connect();
            server.awaitActive();
            RdmaChannel child = pair.accepted();
            RdmaMemory exposed = onLoop(child, () -> child.allocateMemory(64, RdmaAccess.REMOTE_WRITE));
            ByteBuf target = Unpooled.directBuffer(64, 64);
            ChannelFuture failed = channel.writeAndFlush(new RdmaRead(exposed.segment(), target.retain()));
            assertThatThrownBy(() -> ChannelPair.await(failed, "read"))
                    .cause()
                    .isInstanceOfSatisfying(RdmaWorkRequestException.class, e -> assertThat(e.status())
                            .isEqualTo(10));
            assertThat(target.readableBytes()).isZero();
            client.awaitInactive();
            assertThat(target.refCnt()).isOne();
            target.release();
            exposed.release();
        }
    }

    @Test
    void nothingIsDeliveredWhileNobodyReads() throws Exception {
        try (ChannelPair pair = new ChannelPair(provider, () -> server, () -> client)) {
            pair.serverBootstrap.childOption(ChannelOption.AUTO_READ, false);
            RdmaChannel channel = pair.connect();
            for (int i = 0; i < 3; i++) {
                ChannelPair.await(channel.writeAndFlush(text("m" + i)), "write");
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
    void messagesKeptByAHandlerSurviveTheChannelAndItsLoop() throws Exception {
        List<ByteBuf> kept = java.util.Collections.synchronizedList(new ArrayList<>());
        ChannelHandler keeping = new ChannelInboundHandlerAdapter() {
            @Override
            public void channelRead(ChannelHandlerContext context, Object message) {
                kept.add((ByteBuf) message);
                context.writeAndFlush(text("got it"));
            }
        };
        try (ChannelPair pair = new ChannelPair(provider, () -> keeping, () -> client)) {
            pair.serverBootstrap.childOption(RdmaChannelOption.RDMA_RECEIVE_COUNT, 4);
            RdmaChannel channel = pair.connect();
            for (int i = 0; i < 20; i++) {
                channel.writeAndFlush(text("message " + i));
                assertThat(client.nextText()).isEqualTo("got it");
            }
        }
        for (int i = 0; i < kept.size(); i++) {
            assertThat(kept.get(i).toString(StandardCharsets.UTF_8)).isEqualTo("message " + i);
            assertThat(kept.get(i).release()).isTrue();
        }
        assertThat(kept).hasSize(20);
    }

    @Test
    void messagesReleasedOnAnotherThreadArePostedAgain() throws Exception {
        java.util.concurrent.BlockingQueue<ByteBuf> handed = new java.util.concurrent.LinkedBlockingQueue<>();
        ChannelHandler handing = new ChannelInboundHandlerAdapter() {
            @Override
            public void channelRead(ChannelHandlerContext context, Object message) {
                handed.add((ByteBuf) message);
            }
        };
        try (ChannelPair pair = new ChannelPair(provider, () -> handing, () -> client)) {
            pair.serverBootstrap.childOption(RdmaChannelOption.RDMA_RECEIVE_COUNT, 1);
            RdmaChannel channel = pair.connect();
            for (int i = 0; i < 50; i++) {
                channel.writeAndFlush(text("message " + i));
                ByteBuf message = handed.poll(ChannelPair.WAIT_SECONDS, TimeUnit.SECONDS);
                assertThat(message).isNotNull();
                assertThat(message.toString(StandardCharsets.UTF_8)).isEqualTo("message " + i);
                message.release();
            }
        }
    }

    @Test
    void moreWritesThanTheSendQueueHoldsAllComplete() throws Exception {
        try (ChannelPair pair = new ChannelPair(provider, Echo::new, () -> client)) {
            pair.option(RdmaChannelOption.RDMA_SEND_DEPTH, 2);
            RdmaChannel channel = pair.connect();
            List<ChannelFuture> writes = new ArrayList<>();
            for (int i = 0; i < 50; i++) {
                writes.add(channel.write(text("m" + i)));
            }
            channel.flush();
            for (int i = 0; i < 50; i++) {
                assertThat(client.nextText()).isEqualTo("m" + i);
            }
            for (ChannelFuture write : writes) {
                ChannelPair.await(write, "write");
            }
        }
    }

    @Test
    void fullOutboundBufferMakesTheChannelUnwritableUntilItDrains() throws Exception {
        java.util.concurrent.BlockingQueue<Boolean> changes = new java.util.concurrent.LinkedBlockingQueue<>();
        ChannelHandler watching = new ChannelInboundHandlerAdapter() {
            @Override
            public void channelWritabilityChanged(ChannelHandlerContext context) {
                changes.add(context.channel().isWritable());
            }
        };
        try (ChannelPair pair = new ChannelPair(provider, () -> server, () -> watching)) {
            pair.clientBootstrap.option(
                    ChannelOption.WRITE_BUFFER_WATER_MARK, new io.netty.channel.WriteBufferWaterMark(1000, 5000));
            RdmaChannel channel = pair.connect();
            for (int i = 0; i < 3; i++) {
                channel.write(channel.alloc().buffer().writeZero(3000));
            }
            assertThat(changes.poll(ChannelPair.WAIT_SECONDS, TimeUnit.SECONDS)).isFalse();
            channel.flush();
            assertThat(changes.poll(ChannelPair.WAIT_SECONDS, TimeUnit.SECONDS)).isTrue();
        }
    }

    @Test
    void writeFollowedByCloseArrives() throws Exception {
        try (ChannelPair pair = new ChannelPair(provider, () -> server, () -> client)) {
            RdmaChannel channel = pair.connect();
            ChannelFuture last = channel.writeAndFlush(text("last words"));
            ChannelPair.await(channel.close(), "close");
            ChannelPair.await(last, "write");
            assertThat(server.nextText()).isEqualTo("last words");
            server.awaitInactive();
            assertThat(server.failures).isEmpty();
        }
    }

    @Test
    void writeAfterCloseFails() throws Exception {
        try (ChannelPair pair = new ChannelPair(provider, () -> server, () -> client)) {
            RdmaChannel channel = pair.connect();
            ChannelPair.await(channel.close(), "close");
            ByteBuf message = text("too late");
            assertThatThrownBy(() -> ChannelPair.await(channel.writeAndFlush(message), "write"))
                    .cause()
                    .isInstanceOf(ClosedChannelException.class);
            assertThat(message.refCnt()).isZero();
        }
    }

    @Test
    void loggingAndIdleHandlersWorkAsEverywhere() throws Exception {
        try (ChannelPair pair = new ChannelPair(provider, Echo::new, () -> client)) {
            RdmaChannel channel = pair.connect();
            channel.pipeline().addFirst(new LoggingHandler(), new IdleStateHandler(0, 0, 50, TimeUnit.MILLISECONDS));
            channel.writeAndFlush(text("hello"));
            assertThat(client.nextText()).isEqualTo("hello");
            Object event;
            do {
                event = client.nextEvent();
            } while (!(event instanceof IdleStateEvent));
        }
    }

    @Test
    void overcommittedCompletionQueueFailsTheConnectionByName() throws Exception {
        RdmaIoHandlerConfig small = RdmaIoHandlerConfig.DEFAULT.withCompletionQueueDepth(100);
        try (ChannelPair pair = new ChannelPair(provider, small, 1, Echo::new, () -> client)) {
            assertThatThrownBy(pair::connect)
                    .cause()
                    .isInstanceOf(RdmaResourceLimitException.class)
                    .hasMessageContaining("completion queue");
        }
    }

    @Test
    void registeringAgainOnAnotherLoopFails() throws Exception {
        try (ChannelPair pair = new ChannelPair(provider, Echo::new, () -> client)) {
            RdmaChannel channel = pair.connect();
            ChannelPair.await(channel.deregister(), "deregister");
            ChannelFuture again = pair.serverGroup.register(channel);
            assertThatThrownBy(() -> ChannelPair.await(again, "register"))
                    .cause()
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("another event loop");
        }
    }

    @FunctionalInterface
    private interface LoopCall<T> {
        T call() throws Exception;
    }

    private static <T> T onLoop(Channel channel, LoopCall<T> call) throws Exception {
        var future = channel.eventLoop().submit(call::call);
        ChannelPair.await(future, "call on the event loop");
        return future.getNow();
    }
}
