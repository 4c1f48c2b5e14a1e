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

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.util.IllegalReferenceCountException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** Buffers in registered memory, in the hands of handlers. */
@Timeout(60)
@ExtendWith(LeavesNothingOpen.class)
class RegisteredMemoryTest {

    private final Inbox client = new Inbox();
    private final Inbox server = new Inbox();

    private static ByteBuf text(String text) {
        return Unpooled.copiedBuffer(text, StandardCharsets.UTF_8);
    }

    @Test
    void releasingAReceivedMessageTwiceFailsAndHarmsNobody() throws Exception {
        List<Throwable> second = new ArrayList<>();
        try (ChannelPair pair = new ChannelPair(
                () -> new ChannelInboundHandlerAdapter() {
                    @Override
                    public void channelRead(ChannelHandlerContext context, Object message) {
                        ByteBuf bare = (ByteBuf) message;
                        while (bare.unwrap() != null) {
                            bare = bare.unwrap();
                        }
                        context.writeAndFlush(Unpooled.copiedBuffer(bare));
                        ((ByteBuf) message).release();
                        try {
                            bare.release();
                        } catch (IllegalReferenceCountException e) {
                            second.add(e);
                        }
                    }
                },
                () -> client)) {
            RdmaChannel channel = pair.connect();
            for (int i = 0; i < 200; i++) {
                channel.writeAndFlush(text("m" + i));
                assertThat(client.nextText()).isEqualTo("m" + i);
            }
        }
        assertThat(second).hasSize(200);
    }

    @Test
    void receivedMessageThatGrowsLeavesItsSlot() throws Exception {
        try (ChannelPair pair = new ChannelPair(
                () -> new ChannelInboundHandlerAdapter() {
                    @Override
                    public void channelRead(ChannelHandlerContext context, Object message) {
                        ByteBuf buffer = (ByteBuf) message;
                        ByteBuf slice = buffer.slice(0, 1);
                        buffer.writeZero(10_000);
                        context.writeAndFlush(slice.retain());
                        buffer.release();
                    }
                },
                () -> client)) {
            pair.option(RdmaChannelOption.RDMA_RECEIVE_COUNT, 2);
            RdmaChannel channel = pair.connect();
            for (int i = 0; i < 20; i++) {
                channel.writeAndFlush(text("" + i % 10));
                assertThat(client.nextText()).isEqualTo("" + i % 10);
            }
        }
    }

    @Test
    void sliceKeepsTheSlotFromBeingPostedAgain() throws Exception {
        BlockingQueue<ByteBuf> slices = new LinkedBlockingQueue<>();
        try (ChannelPair pair = new ChannelPair(
                () -> new ChannelInboundHandlerAdapter() {
                    @Override
                    public void channelRead(ChannelHandlerContext context, Object message) {
                        ByteBuf buffer = (ByteBuf) message;
                        slices.add(buffer.retainedSlice());
                        buffer.release();
                        context.writeAndFlush(text("kept"));
                    }
                },
                () -> client)) {
            RdmaChannel channel = pair.connect();
            List<ByteBuf> kept = new ArrayList<>();
            for (int i = 0; i < 100; i++) {
                channel.writeAndFlush(text("m" + i));
                assertThat(client.nextText()).isEqualTo("kept");
                kept.add(slices.poll(ChannelPair.WAIT_SECONDS, TimeUnit.SECONDS));
            }
            for (int i = 0; i < kept.size(); i++) {
                assertThat(kept.get(i).toString(StandardCharsets.UTF_8)).isEqualTo("m" + i);
                assertThat(kept.get(i).release()).isTrue();
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
                    () -> new ChannelInboundHandlerAdapter() {
                        @Override
                        public void channelRead(ChannelHandlerContext context, Object message) {
                            handed.add((ByteBuf) message);
                        }
                    },
                    Inbox::new)) {
                RdmaChannel channel = pair.connect();
                for (int i = 0; i < 200; i++) {
                    channel.write(text("m" + i));
                }
                ChannelPair.await(channel.writeAndFlush(text("last")), "write");
            }
            handed.add(Unpooled.EMPTY_BUFFER);
            releasing.join();
        }
    }

    @Test
    void exposedMemoryDoesNotGrowAwayFromItsKey() throws Exception {
        try (ChannelPair pair = new ChannelPair(() -> server, () -> client)) {
            RdmaChannel channel = pair.connect();
            onLoop(channel, () -> {
                RdmaMemory memory = channel.allocateMemory(64, RdmaAccess.REMOTE_WRITE);
                memory.content().writeZero(64);
                assertThatThrownBy(() -> memory.content().writeByte(1)).isInstanceOf(IndexOutOfBoundsException.class);
                assertThatThrownBy(() -> memory.content().capacity(32))
                        .isInstanceOf(UnsupportedOperationException.class);
                memory.release();
            });
        }
    }

    @Test
    void memoryIsInvalidatedOnTheEventLoopOnly() throws Exception {
        RdmaMemory outliving;
        try (ChannelPair pair = new ChannelPair(() -> server, () -> client)) {
            RdmaChannel channel = pair.connect();
            BlockingQueue<RdmaMemory> made = new LinkedBlockingQueue<>();
            onLoop(channel, () -> made.add(channel.allocateMemory(64, RdmaAccess.REMOTE_WRITE)));
            outliving = made.take();
            assertThatThrownBy(outliving::invalidate).isInstanceOf(IllegalStateException.class);
        }
        outliving.invalidate(); // ended with the loop: nothing to do
        assertThat(outliving.content().getLong(0)).isZero();
        assertThat(outliving.release()).isTrue();
    }

    @Test
    void writesOfAnyKindOfLargeBufferArrive() throws Exception {
        int size = RegisteredMemoryPool.MAX_SLOT_BYTES + 1;
        try (ChannelPair pair = new ChannelPair(() -> server, () -> client)) {
            RdmaChannel channel = pair.connect();
            server.awaitActive();
            RdmaChannel child = pair.accepted();
            BlockingQueue<RdmaMemory> made = new LinkedBlockingQueue<>();
            onLoop(child, () -> made.add(child.allocateMemory(size, RdmaAccess.REMOTE_WRITE)));
            RdmaMemory exposed = made.take();
            List<ByteBuf> forms = List.of(
                    Unpooled.buffer(size).setByte(size - 1, 1).writerIndex(size),
                    Unpooled.directBuffer(size).setByte(size - 1, 2).writerIndex(size),
                    Unpooled.directBuffer(size)
                            .setByte(size - 1, 3)
                            .writerIndex(size)
                            .asReadOnly());
            for (ByteBuf form : forms) {
                byte last = form.getByte(size - 1);
                channel.write(new RdmaWrite(form, exposed.segment()));
                ChannelPair.await(channel.writeAndFlush(text("written")), "write of " + form);
                assertThat(server.nextText()).isEqualTo("written");
                assertThat(exposed.content().getByte(size - 1)).isEqualTo(last);
            }
            exposed.release();
        }
    }

    @Test
    void octetsOfABufferAreExposedAndNothingAroundThem() throws Exception {
        try (ChannelPair pair = new ChannelPair(() -> server, () -> client)) {
            RdmaChannel channel = pair.connect();
            server.awaitActive();
            RdmaChannel child = pair.accepted();
            ByteBuf buffer = Unpooled.directBuffer(100).writeZero(100).setIndex(10, 30);
            BlockingQueue<RdmaMemory> made = new LinkedBlockingQueue<>();
            onLoop(child, () -> made.add(child.registerMemory(buffer, RdmaAccess.REMOTE_WRITE)));
            RdmaMemory memory = made.take();
            RemoteSegment segment = memory.segment();
            assertThat(segment.lengthBytes()).isEqualTo(20);

            channel.write(new RdmaWrite(Unpooled.copiedBuffer(new byte[] {1, 2}), segment));
            ChannelPair.await(channel.writeAndFlush(text("written")), "write");
            assertThat(server.nextText()).isEqualTo("written");
            assertThat(memory.content().readableBytes()).isEqualTo(20);
            assertThat(memory.content().getShort(0)).isEqualTo((short) 0x102);
            assertThat(buffer.getShort(10)).isEqualTo((short) 0x102);

            RemoteSegment beyond = new RemoteSegment(segment.key(), segment.address() + 19, 2);
            channel.writeAndFlush(new RdmaWrite(Unpooled.copiedBuffer(new byte[2]), beyond));
            ChannelPair.await(channel.closeFuture(), "close");
            assertThat(buffer.refCnt()).isOne();
            assertThat(memory.release()).isTrue();
            ChannelPair.await(child.closeFuture(), "close of the other side");
            onLoop(child, () -> assertThat(buffer.refCnt()).isZero());
        }
    }

    @Test
    void registrationEndsBeforeTheBufferIsReleased() throws Exception {
        try (ChannelPair pair = new ChannelPair(() -> server, () -> client)) {
            RdmaChannel channel = pair.connect();
            ByteBuf buffer = Unpooled.directBuffer(8).writeLong(1);
            onLoop(channel, () -> {
                RdmaMemory memory = channel.registerMemory(buffer.retain(), RdmaAccess.REMOTE_READ);
                memory.invalidate();
                memory.invalidate();
                assertThat(buffer.refCnt()).isEqualTo(2);
                memory.release();
                assertThat(buffer.refCnt()).isOne();
            });
            buffer.release();
        }
    }

    @Test
    void onlyReadableOctetsOfOneWritableDirectBufferAreRegistered() throws Exception {
        List<ByteBuf> unfit = List.of(
                Unpooled.buffer(8).writeLong(1),
                Unpooled.directBuffer(8),
                Unpooled.directBuffer(8).writeLong(1).asReadOnly(),
                Unpooled.wrappedBuffer(
                        Unpooled.directBuffer(8).writeLong(1),
                        Unpooled.directBuffer(8).writeLong(1)));
        try (ChannelPair pair = new ChannelPair(() -> server, () -> client)) {
            RdmaChannel channel = pair.connect();
            onLoop(channel, () -> {
                for (ByteBuf buffer : unfit) {
                    assertThatThrownBy(() -> channel.registerMemory(buffer, RdmaAccess.REMOTE_READ))
                            .isInstanceOf(IllegalArgumentException.class);
                    assertThat(buffer.refCnt()).isZero();
                }
            });
            ByteBuf elsewhere = Unpooled.directBuffer(8).writeLong(1);
            assertThatThrownBy(() -> channel.registerMemory(elsewhere, RdmaAccess.REMOTE_READ))
                    .isInstanceOf(IllegalStateException.class);
            assertThat(elsewhere.refCnt()).isZero();
        }
    }

    private interface LoopCall {
        void run() throws Exception;
    }

    private static void onLoop(RdmaChannel channel, LoopCall call) throws Exception {
        ChannelPair.await(
                channel.eventLoop().submit(() -> {
                    call.run();
                    return null;
                }),
                "call on the event loop");
    }
}
