// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.channel;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelOption;
import io.netty.util.IllegalReferenceCountException;
import io.nettyrdma.memory.LoopAllocator;
import io.nettyrdma.memory.RegisteredByteBuf;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.Test;

/** Buffers in registered memory, in the hands of handlers, over each provider. */
final class RegisteredMemoryTest extends ProviderContract {

    @Test
    void buffersBuiltOnTheEventLoopComeFromRegisteredMemory() throws Exception {
        try (ChannelPair pair = echoPair().option(ChannelOption.ALLOCATOR, RdmaByteBufAllocator.DEFAULT)) {
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
        try (ChannelPair pair = echoPair().option(ChannelOption.ALLOCATOR, RdmaByteBufAllocator.DEFAULT)) {
            RdmaChannel channel = pair.connect();
            ChannelPair.onLoop(channel, () -> {
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
        try (ChannelPair pair = pair().option(ChannelOption.ALLOCATOR, RdmaByteBufAllocator.DEFAULT)) {
            pair.option(RdmaChannelOption.RDMA_RECEIVE_SIZE, 100_000);
            RdmaChannel channel = pair.connect();
            byte[] octets = new byte[100_000];
            new Random(5).nextBytes(octets);
            ChannelPair.onLoop(channel, () -> {
                ByteBuf buffer = channel.alloc().directBuffer(16);
                for (byte octet : octets) {
                    buffer.writeByte(octet);
                }
                RegisteredByteBuf registered = unwrapped(buffer);
                assertThat(LoopAllocator.pool().find(registered)).isSameAs(registered);
                registered.ensureRegistered();
                assertThat(registered.capacity()).isEqualTo(131_072);
                return channel.writeAndFlush(buffer);
            });
            assertThat(server.next()).isEqualTo(octets);
        }
    }

    @Test
    void bufferThatGrowsAfterItsWriteWasPostedIsSentAsItWas() throws Exception {
        try (ChannelPair pair = pair().option(ChannelOption.ALLOCATOR, RdmaByteBufAllocator.DEFAULT)) {
            RdmaChannel channel = pair.connect();
            for (int round = 0; round < 50; round++) {
                int number = round;
                ChannelPair.onLoop(channel, () -> {
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
    void messagesAndSlicesKeptByAHandlerSurviveTheChannelAndItsLoop() throws Exception {
        List<ByteBuf> kept = Collections.synchronizedList(new ArrayList<>());
        ChannelHandler keeping = Handlers.onRead((context, message) -> {
            kept.add(kept.size() % 2 == 0 ? message.retain() : message.retainedSlice());
            message.release();
            context.writeAndFlush(ChannelPair.text("got it"));
        });
        try (ChannelPair pair = new ChannelPair(provider, () -> keeping, () -> client)) {
            pair.serverBootstrap.childOption(RdmaChannelOption.RDMA_RECEIVE_COUNT, 4);
            RdmaChannel channel = pair.connect();
            for (int i = 0; i < 20; i++) {
                channel.writeAndFlush(ChannelPair.text("message " + i));
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
    void messagesThatNobodyReadsCostNoMoreThanTheirSlots() throws Exception {
        Inbox unread = new Inbox();
        try (ChannelPair pair = new ChannelPair(provider, () -> unread, () -> client)) {
            pair.serverBootstrap.childOption(ChannelOption.AUTO_READ, false);
            pair.serverBootstrap.childOption(RdmaChannelOption.RDMA_RECEIVE_COUNT, 4);
            RdmaChannel channel = pair.connect();
            RdmaChannel accepted = pair.accepted();
            for (int i = 0; i < 100; i++) {
                channel.writeAndFlush(ChannelPair.text("message " + i));
            }

            ChannelPair.await(channel.closeFuture(), "end of a flood that nobody reads");
            accepted.config().setAutoRead(true);

            for (int i = 0; i < 4; i++) {
                assertThat(unread.nextText()).isEqualTo("message " + i);
            }
            ChannelPair.await(accepted.closeFuture(), "close");
            assertThat(unread.messages).isEmpty();
        }
    }

    @Test
    void releasingAReceivedMessageTwiceFailsAndHarmsNobody() throws Exception {
        List<Throwable> second = new ArrayList<>();
        try (ChannelPair pair = new ChannelPair(
                provider,
                () -> Handlers.onRead((context, message) -> {
                    ByteBuf bare = message;
                    while (bare.unwrap() != null) {
                        bare = bare.unwrap();
                    }
                    context.writeAndFlush(Unpooled.copiedBuffer(bare));
                    message.release();
                    try {
                        bare.release();
                    } catch (IllegalReferenceCountException e) {
                        second.add(e);
                    }
                }),
                () -> client)) {
            RdmaChannel channel = pair.connect();
            for (int i = 0; i < 200; i++) {
                channel.writeAndFlush(ChannelPair.text("m" + i));
                assertThat(client.nextText()).isEqualTo("m" + i);
            }
        }
        assertThat(second).hasSize(200);
    }

    @Test
    void receivedMessageThatGrowsLeavesItsSlot() throws Exception {
        try (ChannelPair pair = new ChannelPair(
                provider,
                () -> Handlers.onRead((context, buffer) -> {
                    ByteBuf slice = buffer.slice(0, 1);
                    buffer.writeZero(10_000);
                    context.writeAndFlush(slice.retain());
                    buffer.release();
                }),
                () -> client)) {
            pair.option(RdmaChannelOption.RDMA_RECEIVE_COUNT, 2);
            RdmaChannel channel = pair.connect();
            for (int i = 0; i < 20; i++) {
                channel.writeAndFlush(ChannelPair.text("" + i % 10));
                assertThat(client.nextText()).isEqualTo("" + i % 10);
            }
        }
    }

    @Test
    void buffersReleasedByManyThreadsWhileTheLoopEndsAreFreed() throws Exception {
        for (int round = 0; round < 10; round++) {
            BlockingQueue<ByteBuf> handed = new LinkedBlockingQueue<>();
            Thread releasing = new Thread(() -> {
                try {
                    for (ByteBuf next; (next = handed.take()) != Unpooled.EMPTY_BUFFER; ) {
                        next.release();
                    }
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            });
            releasing.start();
            try (ChannelPair pair = new ChannelPair(
                    provider,
                    () -> Handlers.onRead((context, message) -> {
                        handed.add(message);
                    }),
                    Inbox::new)) {
                provider.postReceivesFor(201, pair.serverBootstrap);
                RdmaChannel channel = pair.connect();
                for (int i = 0; i < 200; i++) {
                    channel.write(ChannelPair.text("m" + i));
                }
                ChannelPair.await(channel.writeAndFlush(ChannelPair.text("last")), "write");
            }
            handed.add(Unpooled.EMPTY_BUFFER);
            releasing.join();
        }
    }
}
