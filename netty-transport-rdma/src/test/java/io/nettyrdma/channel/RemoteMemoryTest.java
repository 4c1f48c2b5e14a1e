// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.channel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.nettyrdma.conformance.Requirement;
import io.nettyrdma.error.RdmaConnectionException;
import io.nettyrdma.memory.RegisteredMemoryPool;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Memory that a peer is shown, read and written, over each provider. */
final class RemoteMemoryTest extends ProviderContract {

    private interface Body {
        void run(RdmaChannel channel, RdmaChannel child, RdmaMemory exposed) throws Exception;
    }

    /** Runs {@code body} with memory of the server's side that the other side can reach. */
    private void exposing(int bytes, RdmaAccess access, Body body) throws Exception {
        try (ChannelPair pair = pair()) {
            RdmaChannel channel = pair.connect();
            server.awaitActive();
            RdmaChannel child = pair.accepted();
            RdmaMemory exposed = ChannelPair.onLoop(child, () -> child.allocateMemory(bytes, access));
            provider.awaitExposure(child);
            body.run(channel, child, exposed);
            exposed.release();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 4096, 65_536, 1_000_000})
    void peerMemoryIsWrittenAndReadBack(int size) throws Exception {
        byte[] octets = new byte[size];
        new Random(size).nextBytes(octets);
        exposing(size, RdmaAccess.REMOTE_READ_WRITE, (channel, child, exposed) -> {
            RdmaMemory target = ChannelPair.onLoop(channel, () -> channel.allocateMemory(size, RdmaAccess.LOCAL));
            RemoteSegment segment = exposed.segment();

            channel.write(new RdmaWrite(Unpooled.wrappedBuffer(octets), segment));
            ChannelPair.await(
                    channel.writeAndFlush(new RdmaRead(segment, target.content().retain())), "write and read");

            byte[] readBack = new byte[size];
            assertThat(target.content().readableBytes()).isEqualTo(size);
            target.content().readBytes(readBack);
            assertThat(readBack).isEqualTo(octets);
            target.release();
        });
    }

    /** The receiver of a message can compare what the peer says with what it has done. */
    @Test
    void memoryTellsHowFarThePeerHasWritten() throws Exception {
        exposing(1000, RdmaAccess.REMOTE_WRITE, (channel, child, exposed) -> {
            RemoteSegment segment = exposed.segment();
            channel.write(new RdmaWrite(ChannelPair.text("1234567890"), segment));
            channel.write(new RdmaWrite(ChannelPair.text("behind a gap"), segment.slice(100, 900)));
            channel.writeAndFlush(ChannelPair.text("done"));

            assertThat(server.nextText()).isEqualTo("done");
            ByteBuf content = exposed.content();
            assertThat(ChannelPair.onLoop(child, exposed::writtenBytes)).isIn(provider == TestProvider.SOFT ? 10 : -1);
            assertThat(content.getByte(10)).as("zeroed").isZero();
            assertThat(content.getByte(999)).as("zeroed").isZero();
            ChannelPair.onLoop(child, () -> exposed.invalidate());
            assertThat(exposed.writtenBytes()).isIn(provider == TestProvider.SOFT ? 10 : -1);
        });
    }

    @Test
    @Requirement("V1-006")
    void writesAreInPlaceWhenTheSendBehindThemArrives() throws Exception {
        byte[] octets = new byte[100_000];
        new Random(3).nextBytes(octets);
        exposing(octets.length, RdmaAccess.REMOTE_WRITE, (channel, child, exposed) -> {
            channel.write(new RdmaWrite(Unpooled.wrappedBuffer(octets), exposed.segment()));
            int key = exposed.segment().key();
            channel.writeAndFlush(
                    provider.canBeInvalidated()
                            ? RdmaSend.invalidating(ChannelPair.text("done"), key)
                            : RdmaSend.of(ChannelPair.text("done")));

            assertThat(server.nextText()).isEqualTo("done");
            byte[] placed = new byte[octets.length];
            exposed.content().getBytes(0, placed);
            assertThat(placed).isEqualTo(octets);
        });
    }

    @Test
    void handlersHearOfTheKeyThatThePeerHasInvalidatedBeforeTheMessage() throws Exception {
        provider.assumeRemoteInvalidation();
        exposing(64, RdmaAccess.REMOTE_WRITE, (channel, child, exposed) -> {
            List<String> seen = new CopyOnWriteArrayList<>();
            child.pipeline().addFirst(new ChannelInboundHandlerAdapter() {
                @Override
                public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
                    seen.add(event.toString());
                    ctx.fireUserEventTriggered(event);
                }

                @Override
                public void channelRead(ChannelHandlerContext ctx, Object message) {
                    seen.add("message");
                    ctx.fireChannelRead(message);
                }
            });
            int key = exposed.segment().key();
            channel.write(ChannelPair.text("before"));
            channel.write(RdmaSend.invalidating(ChannelPair.text("with"), key));
            channel.writeAndFlush(ChannelPair.text("after"));

            assertThat(server.nextText()).isEqualTo("before");
            assertThat(server.nextText()).isEqualTo("with");
            assertThat(server.nextText()).isEqualTo("after");
            assertThat(seen)
                    .containsExactly(
                            "message",
                            "RdmaKeyInvalidatedEvent[key=0x" + Integer.toHexString(key) + "]",
                            "message",
                            "message");
        });
    }

    @Test
    void invalidatedMemoryIsOutOfReach() throws Exception {
        provider.assumeReasons();
        exposing(64, RdmaAccess.REMOTE_WRITE, (channel, child, exposed) -> {
            RemoteSegment segment = exposed.segment();
            ChannelPair.onLoop(child, () -> {
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
        });
    }

    @Test
    void readOfMemoryWithoutTheRightFailsThatRead() throws Exception {
        provider.assumeReadRights();
        exposing(64, RdmaAccess.REMOTE_WRITE, (channel, child, exposed) -> {
            ByteBuf target = Unpooled.directBuffer(64, 64);
            ChannelFuture failed = channel.writeAndFlush(new RdmaRead(exposed.segment(), target.retain()));
            provider.assertReadRefused(ChannelPair.done(failed).cause());
            assertThat(target.readableBytes()).isZero();
            client.awaitInactive();
            server.awaitInactive();
            // rxe flushes a request after the channel has closed, and the buffer is the device's until then
            ChannelPair.until(() -> target.refCnt() == 1, "release of the target");
            target.release();
        });
    }

    @Test
    void readWhoseTargetHasNoRoomLeftFailsAlone() throws Exception {
        exposing(64, RdmaAccess.REMOTE_READ, (channel, child, exposed) -> {
            ByteBuf target = Unpooled.directBuffer(100, 100);
            ChannelFuture first = channel.write(new RdmaRead(exposed.segment(), target.retain()));
            ChannelFuture second = channel.write(new RdmaRead(exposed.segment(), target.retain()));
            ChannelPair.await(channel.writeAndFlush(ChannelPair.text("behind")), "write");
            ChannelPair.await(first, "first read");
            assertThatThrownBy(() -> ChannelPair.await(second, "second read"))
                    .cause()
                    .isInstanceOf(IndexOutOfBoundsException.class);
            assertThat(server.nextText()).isEqualTo("behind");
            assertThat(channel.isActive()).isTrue();
            assertThat(target.readableBytes()).isEqualTo(64);
            assertThat(target.release()).isTrue();
        });
    }

    @Test
    void exposedMemoryDoesNotGrowAwayFromItsKey() throws Exception {
        try (ChannelPair pair = pair()) {
            RdmaChannel channel = pair.connect();
            ChannelPair.onLoop(channel, () -> {
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
        try (ChannelPair pair = pair()) {
            RdmaChannel channel = pair.connect();
            outliving = ChannelPair.onLoop(channel, () -> channel.allocateMemory(64, RdmaAccess.REMOTE_WRITE));
            assertThatThrownBy(outliving::invalidate).isInstanceOf(IllegalStateException.class);
        }
        outliving.invalidate(); // ended with the loop: nothing to do
        assertThat(outliving.content().getLong(0)).isZero();
        assertThat(outliving.release()).isTrue();
    }

    @Test
    void writesOfAnyKindOfLargeBufferArrive() throws Exception {
        int size = RegisteredMemoryPool.MAX_SLOT_BYTES + 1;
        exposing(size, RdmaAccess.REMOTE_WRITE, (channel, child, exposed) -> {
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
                ChannelPair.await(channel.writeAndFlush(ChannelPair.text("written")), "write of " + form);
                assertThat(server.nextText()).isEqualTo("written");
                assertThat(exposed.content().getByte(size - 1)).isEqualTo(last);
            }
        });
    }

    @Test
    void octetsOfABufferAreExposedAndNothingAroundThem() throws Exception {
        try (ChannelPair pair = pair()) {
            RdmaChannel channel = pair.connect();
            server.awaitActive();
            RdmaChannel child = pair.accepted();
            ByteBuf buffer = Unpooled.directBuffer(100).writeZero(100).setIndex(10, 30);
            RdmaMemory memory = ChannelPair.onLoop(child, () -> child.registerMemory(buffer, RdmaAccess.REMOTE_WRITE));
            provider.awaitExposure(child);
            RemoteSegment segment = memory.segment();
            assertThat(segment.lengthBytes()).isEqualTo(20);

            channel.write(new RdmaWrite(Unpooled.copiedBuffer(new byte[] {1, 2}), segment));
            ChannelPair.await(channel.writeAndFlush(ChannelPair.text("written")), "write");
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
            ChannelPair.until(() -> buffer.refCnt() == 0, "release of the buffer");
        }
    }

    @Test
    void oneBufferIsLentToManyPeers() throws Exception {
        try (ChannelPair pair = pair()) {
            RdmaChannel channel = pair.connect();
            server.awaitActive();
            RdmaChannel child = pair.accepted();
            ByteBuf buffer = Unpooled.directBuffer(16).writeZero(16);
            List<RdmaChannel> lenders = List.of(channel, child);
            for (int i = 0; i < 2; i++) {
                RdmaChannel lender = lenders.get(i);
                RdmaChannel peer = lenders.get(1 - i);
                RdmaMemory lent = ChannelPair.onLoop(
                        lender, () -> lender.registerMemory(buffer.retain(), RdmaAccess.REMOTE_READ_WRITE));
                provider.awaitExposure(lender);
                ByteBuf target = Unpooled.directBuffer(16, 16);
                peer.write(
                        new RdmaWrite(Unpooled.copyLong(i + 1), lent.segment().slice(Long.BYTES * i, Long.BYTES)));
                ChannelPair.await(peer.writeAndFlush(new RdmaRead(lent.segment(), target.retain())), "read");
                assertThat(target.readLong()).isEqualTo(1);
                assertThat(target.readLong()).isEqualTo(i == 0 ? 0 : 2);
                target.release();
                lent.release();
            }
            assertThat(buffer.getLong(0)).isEqualTo(1);
            assertThat(buffer.getLong(8)).isEqualTo(2);
            ChannelPair.until(() -> buffer.refCnt() == 1, "release of the lent memory");
            buffer.release();
        }
    }

    @Test
    void partsOfASegmentLieWithinIt() {
        RemoteSegment whole = new RemoteSegment(1, -8, 16);
        assertThat(whole.slice(0, 16)).isEqualTo(whole);
        assertThat(whole.slice(10, 6)).isEqualTo(new RemoteSegment(1, 2, 6));
        assertThat(whole.slice(16, 0)).isEqualTo(new RemoteSegment(1, 8, 0));
        assertThatThrownBy(() -> whole.slice(10, 7)).hasMessage("lengthBytes: 7 (expected: 0 to 6)");
        assertThatThrownBy(() -> whole.slice(10, Integer.MAX_VALUE)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> whole.slice(17, 0)).hasMessage("offsetBytes: 17 (expected: 0 to 16)");
        assertThatThrownBy(() -> whole.slice(-1, 1)).hasMessage("offsetBytes: -1 (expected: 0 to 16)");
    }

    @Test
    void registrationEndsBeforeTheBufferIsReleased() throws Exception {
        try (ChannelPair pair = pair()) {
            RdmaChannel channel = pair.connect();
            ByteBuf buffer = Unpooled.directBuffer(8).writeLong(1);
            ChannelPair.onLoop(channel, () -> {
                RdmaMemory memory = channel.registerMemory(buffer.retain(), RdmaAccess.REMOTE_READ);
                memory.invalidate();
                memory.invalidate();
                assertThat(buffer.refCnt()).isEqualTo(2);
                memory.release();
                assertThat(buffer.refCnt()).isOne();
                return null;
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
        try (ChannelPair pair = pair()) {
            RdmaChannel channel = pair.connect();
            ChannelPair.onLoop(channel, () -> {
                for (ByteBuf buffer : unfit) {
                    assertThatThrownBy(() -> channel.registerMemory(buffer, RdmaAccess.REMOTE_READ))
                            .isInstanceOf(IllegalArgumentException.class);
                    assertThat(buffer.refCnt()).isZero();
                }
                return null;
            });
            ByteBuf elsewhere = Unpooled.directBuffer(8).writeLong(1);
            assertThatThrownBy(() -> channel.registerMemory(elsewhere, RdmaAccess.REMOTE_READ))
                    .isInstanceOf(IllegalStateException.class);
            assertThat(elsewhere.refCnt()).isZero();
        }
    }
}
