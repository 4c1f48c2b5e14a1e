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
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

/** Buffers of the application that are shown to a peer. */
@Timeout(60)
@ExtendWith(LeavesNothingOpen.class)
class RegisteredBufferTest {

    private final Inbox client = new Inbox();
    private final Inbox server = new Inbox();

    private static ByteBuf text(String text) {
        return Unpooled.copiedBuffer(text, StandardCharsets.UTF_8);
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
