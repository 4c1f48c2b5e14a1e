// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.channel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.nettyrdma.error.RdmaConnectionException;
import io.nettyrdma.flow.FlowHandlers;
import io.nettyrdma.flow.RdmaFlowControlConfig;
import io.nettyrdma.flow.RdmaFlowControlHandler;
import io.nettyrdma.flow.protocol.FlowTrailer;
import java.nio.channels.ClosedChannelException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Memory that is missing on a channel with {@link RdmaFlowControlHandler}, on either side. */
@ExtendWith(LeavesNothingOpen.class)
class FlowFaultTest {

    private static final int RECEIVE_BYTES = 4096;
    private static final int PIECE_BYTES = RECEIVE_BYTES - FlowTrailer.BYTES;
    /** A message of three pieces. */
    private static final int LONG_BYTES = 2 * PIECE_BYTES + 1000;
    /** With a window of one message, a message that is counted and not sent is the last one. */
    private static final int LEAST_RECEIVES = RdmaFlowControlHandler.RESERVED_RECEIVES + 1;

    private static final RdmaFlowControlConfig CONFIRMING =
            RdmaFlowControlConfig.builder().confirmsDelivery(true).build();

    private final Inbox client = new Inbox();
    private final Inbox server = new Inbox();
    private final RefusingAllocator ofClient = new RefusingAllocator(RdmaByteBufAllocator.DEFAULT);
    private final RefusingAllocator ofServer = new RefusingAllocator(RdmaByteBufAllocator.DEFAULT);
    private final WireRecorder wire = new WireRecorder();

    private ChannelPair pair() {
        return new ChannelPair(
                () -> Handlers.adding(wire, FlowHandlers.copyingTo(CONFIRMING, ofServer::directBuffer), server),
                () -> Handlers.adding(FlowHandlers.copyingTo(CONFIRMING, ofClient::directBuffer), client));
    }

    private static ByteBuf message(int bytes) {
        return Unpooled.buffer(bytes).writeZero(bytes); // on the heap, where no trailer is appended
    }

    private static void expectNoMemory(ChannelFuture write) {
        assertThatThrownBy(() -> ChannelPair.await(write, "write"))
                .cause()
                .isInstanceOf(OutOfMemoryError.class)
                .hasMessageContaining("injected");
    }

    private static void expectClosed(ChannelFuture write) {
        assertThatThrownBy(() -> ChannelPair.await(write, "write")).hasCauseInstanceOf(ClosedChannelException.class);
    }

    @Test
    void messageWithoutMemoryFailsAlone() throws Exception {
        try (ChannelPair pair = pair().option(RdmaChannelOption.RDMA_RECEIVE_COUNT, LEAST_RECEIVES)) {
            RdmaChannel channel = pair.connect();
            ofClient.refuse(100 + FlowTrailer.BYTES, 0);
            for (int i = 0; i < 5; i++) {
                ByteBuf refused = message(100);
                expectNoMemory(channel.writeAndFlush(refused));
                assertThat(refused.refCnt()).isZero();
                ByteBuf inSend = message(100);
                expectNoMemory(channel.writeAndFlush(RdmaSend.of(inSend)));
                assertThat(inSend.refCnt()).isZero();
                ChannelPair.await(channel.writeAndFlush(message(i + 1)), "confirmation");
                assertThat(server.next()).hasSize(i + 1);
            }
            assertThat(channel.isActive()).isTrue();
        }
        assertThat(client.failures).isEmpty();
        assertThat(server.failures).isEmpty();
    }

    @Test
    void messageThatHasWaitedForACreditFailsAloneWithoutMemory() throws Exception {
        try (ChannelPair pair = pair().option(RdmaChannelOption.RDMA_RECEIVE_COUNT, LEAST_RECEIVES)) {
            pair.serverBootstrap.childOption(ChannelOption.AUTO_READ, false);
            RdmaChannel channel = pair.connect();
            List<ByteBuf> refused = new ArrayList<>();
            List<ChannelFuture> failing = new ArrayList<>();
            List<ChannelFuture> arriving = new ArrayList<>();
            for (int i = 0; i < 5; i++) {
                arriving.add(channel.write(message(i + 1)));
                refused.add(message(100));
                failing.add(channel.write(refused.get(i)));
            }
            channel.flush();
            ChannelPair.onLoop(channel, () -> {});
            assertThat(failing).noneMatch(ChannelFuture::isDone);
            ofClient.refuse(100 + FlowTrailer.BYTES, 0);
            pair.accepted().config().setAutoRead(true);
            ChannelPair.awaitAll(arriving, "confirmation");
            failing.forEach(FlowFaultTest::expectNoMemory);
            assertThat(refused).allMatch(buffer -> buffer.refCnt() == 0);
            for (int i = 0; i < 5; i++) {
                assertThat(server.next()).hasSize(i + 1);
            }
            assertThat(server.messages).isEmpty();
            assertThat(channel.isActive()).isTrue();
        }
        assertThat(client.failures).isEmpty();
        assertThat(server.failures).isEmpty();
    }

    /** Without the rest of a message that was begun, the peer would take the next one for it. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2})
    void pieceWithoutMemoryEndsTheConnection(int piecesBefore) throws Exception {
        try (ChannelPair pair = pair()) {
            RdmaChannel channel = pair.connect();
            ChannelPair.await(channel.writeAndFlush(message(1)), "message before");
            int last = LONG_BYTES % PIECE_BYTES + FlowTrailer.BYTES;
            ofClient.refuse(piecesBefore == 2 ? last : RECEIVE_BYTES, piecesBefore % 2);
            ByteBuf cut = message(LONG_BYTES);
            ByteBuf later = message(2);
            ChannelFuture[] writes = ChannelPair.onLoop(channel, () -> {
                ChannelFuture first = channel.write(cut);
                return new ChannelFuture[] {first, channel.writeAndFlush(later)};
            });
            assertThat(client.nextFailure()).isInstanceOf(OutOfMemoryError.class);
            for (ChannelFuture write : writes) {
                expectClosed(write);
            }
            client.awaitInactive();
            server.awaitInactive();
            assertThat(server.nextFailure()).isInstanceOf(RdmaConnectionException.class);
            assertThat(cut.refCnt()).isZero();
            assertThat(later.refCnt()).isZero();
            assertThat(server.next()).hasSize(1);
            assertThat(server.messages).isEmpty();
        }
        assertThat(client.failures).isEmpty();
        assertThat(server.failures).isEmpty();
        assertThat(wire.buffers).allMatch(buffer -> buffer.refCnt() == 0);
    }

    @Test
    void limitWithoutMemoryEndsTheConnection() throws Exception {
        try (ChannelPair pair = pair()) {
            RdmaChannel channel = pair.connect();
            ofServer.refuse(FlowTrailer.BYTES, 0);
            ChannelFuture unconfirmed = channel.writeAndFlush(message(1));
            assertThat(server.nextFailure()).isInstanceOf(OutOfMemoryError.class);
            expectClosed(unconfirmed);
            server.awaitInactive();
            client.awaitInactive();
            assertThat(server.next()).hasSize(1);
        }
        assertThat(client.failures).isEmpty();
        assertThat(server.failures).isEmpty();
    }

    private static void refuseToJoin(ChannelPair pair) {
        RefusingAllocator allocator = new RefusingAllocator(PooledByteBufAllocator.DEFAULT);
        allocator.refuse(2 * PIECE_BYTES, 0);
        pair.serverBootstrap.childOption(ChannelOption.ALLOCATOR, allocator);
    }

    /** Keeps in which order the pipeline calls. */
    private static final class Order extends ChannelInboundHandlerAdapter {
        private final List<String> seen;

        Order(List<String> seen) {
            this.seen = seen;
        }

        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            seen.add(String.valueOf(((ByteBuf) message).readableBytes()));
            context.fireChannelRead(message);
        }

        @Override
        public void channelReadComplete(ChannelHandlerContext context) {
            seen.add("complete");
            context.fireChannelReadComplete();
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            seen.add(cause.getMessage());
            context.fireExceptionCaught(cause);
        }

        @Override
        public void channelInactive(ChannelHandlerContext context) {
            seen.add("inactive");
            context.fireChannelInactive();
        }
    }

    @Test
    void longMessageOfThePeerThatHasNoMemoryEndsTheConnection() throws Exception {
        try (ChannelPair pair = pair()) {
            refuseToJoin(pair);
            RdmaChannel channel = pair.connect();
            ChannelPair.await(channel.writeAndFlush(message(1)), "message before");
            ChannelFuture cut = channel.write(message(LONG_BYTES));
            ChannelFuture later = channel.writeAndFlush(message(2));
            assertThat(server.nextFailure()).isInstanceOf(OutOfMemoryError.class);
            expectClosed(cut);
            expectClosed(later);
            server.awaitInactive();
            client.awaitInactive();
            assertThat(server.next()).hasSize(1);
            assertThat(server.messages).isEmpty();
        }
        assertThat(server.failures).isEmpty();
        assertThat(client.failures).isEmpty();
        assertThat(wire.buffers).hasSizeGreaterThan(1).allMatch(buffer -> buffer.refCnt() == 0);
    }

    /** The handler behind sees the end of a batch in which it got a message. */
    @Test
    void heldMessagesBeforeALongOneWithoutMemoryAreDeliveredAtTheEnd() throws Exception {
        List<String> seen = new CopyOnWriteArrayList<>();
        try (ChannelPair pair = pair()) {
            pair.serverBootstrap.childOption(ChannelOption.AUTO_READ, false);
            refuseToJoin(pair);
            RdmaChannel channel = pair.connect();
            RdmaChannel reader = pair.accepted();
            ChannelPair.onLoop(reader, () -> {
                reader.pipeline().addBefore(reader.pipeline().context(server).name(), null, new Order(seen));
            });
            channel.write(message(1));
            channel.write(message(LONG_BYTES));
            channel.writeAndFlush(message(2));
            wire.await(5, reader);
            assertThat(server.messages).isEmpty();
            channel.close();
            ChannelPair.await(reader.closeFuture(), "end");
            ChannelPair.until(() -> seen.contains("inactive"), "inactive");
            assertThat(seen).containsExactly("1", "complete", "injected: " + 2 * PIECE_BYTES, "inactive");
        }
        assertThat(client.failures).isEmpty();
        assertThat(wire.buffers).hasSize(5).allMatch(buffer -> buffer.refCnt() == 0);
    }
}
