// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.channel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.nettyrdma.flow.RdmaFlowControlConfig;
import io.nettyrdma.flow.RdmaFlowControlHandler;
import io.nettyrdma.flow.protocol.FlowTrailer;
import java.nio.channels.ClosedChannelException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Messages that wait on either side of a channel with {@link RdmaFlowControlHandler}: programs cancel them, change how
 * long a Send may be, and invalidate a key behind them.
 */
@ExtendWith(LeavesNothingOpen.class)
class FlowWaitingTest {

    private static final int PIECE_BYTES = 4096 - FlowTrailer.BYTES;
    private static final int LEAST_RECEIVES = RdmaFlowControlHandler.RESERVED_RECEIVES + 1;
    private static final RdmaFlowControlConfig CONFIRMING =
            RdmaFlowControlConfig.builder().confirmsDelivery(true).build();

    private final Inbox client = new Inbox();
    private final Inbox server = new Inbox();
    private final WireRecorder wire = new WireRecorder();

    private ChannelPair pair() {
        return new ChannelPair(
                () -> Handlers.adding(wire, new RdmaFlowControlHandler(CONFIRMING), server),
                () -> Handlers.adding(new RdmaFlowControlHandler(CONFIRMING), client));
    }

    private static byte[] random(int bytes) {
        byte[] array = new byte[bytes];
        new Random(bytes).nextBytes(array);
        return array;
    }

    @ParameterizedTest
    @ValueSource(ints = {9, 100, 4095})
    void lowerMaxSendSizeMakesSmallerPieces(int maxSendBytes) throws Exception {
        int bytes = 5 * (maxSendBytes - FlowTrailer.BYTES) + (maxSendBytes == 9 ? 0 : 1);
        int pieces = maxSendBytes == 9 ? 5 : 6;
        try (ChannelPair pair = pair()) {
            RdmaChannel channel = pair.connect();
            channel.config().setMaxSendSize(maxSendBytes);
            byte[] sent = random(bytes);
            ChannelPair.await(channel.writeAndFlush(Unpooled.wrappedBuffer(sent)), "confirmation");
            assertThat(server.next()).isEqualTo(sent);
            assertThat(wire.lengths).hasSize(pieces).allMatch(length -> length <= maxSendBytes);
        }
        assertThat(client.failures).isEmpty();
    }

    @Test
    void restOfAMessageGoesInThePiecesOfTheNewMaxSendSize() throws Exception {
        try (ChannelPair pair = pair().option(RdmaChannelOption.RDMA_RECEIVE_COUNT, LEAST_RECEIVES)) {
            pair.serverBootstrap.childOption(ChannelOption.AUTO_READ, false);
            RdmaChannel channel = pair.connect();
            RdmaChannel reader = pair.accepted();
            byte[] sent = random(2 * PIECE_BYTES);
            channel.write(Unpooled.copyInt(7));
            channel.flush();
            wire.await(1, reader);
            ChannelFuture written = channel.writeAndFlush(Unpooled.wrappedBuffer(sent));
            ChannelFuture later = channel.writeAndFlush(Unpooled.copyInt(8));
            ChannelPair.onLoop(channel, () -> {});
            channel.config().setMaxSendSize(1000);
            reader.config().setAutoRead(true);
            ChannelPair.await(written, "confirmation");
            ChannelPair.await(later, "confirmation");
            assertThat(server.nextInt()).isEqualTo(7);
            assertThat(server.next()).isEqualTo(sent);
            assertThat(server.nextInt()).isEqualTo(8);
        }
        assertThat(client.failures).isEmpty();
    }

    private void expectTooSmall(Inbox inbox, int maxSendBytes) throws InterruptedException {
        assertThat(inbox.nextFailure())
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("RDMA_MAX_SEND_SIZE=" + maxSendBytes + " (expected: at least 9 with flow control)");
        client.awaitInactive();
        server.awaitInactive();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 7, 8})
    void maxSendSizeWithoutRoomForDataIsNamed(int maxSendBytes) throws Exception {
        try (ChannelPair pair = pair()) {
            RdmaChannel channel = pair.connect();
            channel.config().setMaxSendSize(maxSendBytes);
            ByteBuf message = Unpooled.copyInt(1);
            ChannelFuture written = channel.writeAndFlush(message);
            expectTooSmall(client, maxSendBytes);
            assertThatThrownBy(() -> ChannelPair.await(written, "write"))
                    .hasCauseInstanceOf(ClosedChannelException.class);
            assertThat(message.refCnt()).isZero();
        }
        assertThat(client.failures).isEmpty();
        // There is room to tell the peer that a message is missing, or there is not.
        assertThat(server.failures).hasSize(maxSendBytes < FlowTrailer.BYTES ? 0 : 1);
    }

    /** Of an empty message, or of the limit that the peer answers with: counted and then failed, the sides disagree. */
    @ParameterizedTest
    @CsvSource({"1, false", "7, false", "1, true", "7, true"})
    void maxSendSizeWithoutRoomForATrailerIsNamed(int maxSendBytes, boolean ofALimit) throws Exception {
        Inbox failing = ofALimit ? server : client;
        try (ChannelPair pair = pair()) {
            RdmaChannel channel = pair.connect();
            (ofALimit ? pair.accepted() : channel).config().setMaxSendSize(maxSendBytes);
            channel.writeAndFlush(ofALimit ? Unpooled.copyInt(1) : RdmaSend.of(Unpooled.EMPTY_BUFFER));
            expectTooSmall(failing, maxSendBytes);
        }
        assertThat(failing.failures).isEmpty();
    }

    @Test
    void messageThatIsCancelledWhileItWaitsIsNotSent() throws Exception {
        try (ChannelPair pair = pair().option(RdmaChannelOption.RDMA_RECEIVE_COUNT, LEAST_RECEIVES)) {
            pair.serverBootstrap.childOption(ChannelOption.AUTO_READ, false);
            RdmaChannel channel = pair.connect();
            RdmaChannel reader = pair.accepted();
            ByteBuf shorter = Unpooled.copyInt(-1);
            ByteBuf longer = Unpooled.directBuffer().writeZero(3 * PIECE_BYTES);
            ByteBuf inSend = Unpooled.copyInt(-1);
            List<ChannelFuture> sent = new ArrayList<>();
            List<ChannelFuture> cancelled = new ArrayList<>();
            sent.add(channel.write(Unpooled.copyInt(0)));
            cancelled.add(channel.write(shorter));
            sent.add(channel.write(Unpooled.copyInt(1)));
            cancelled.add(channel.write(longer));
            sent.add(channel.write(Unpooled.copyInt(2)));
            cancelled.add(channel.write(RdmaSend.of(inSend)));
            channel.flush();
            wire.await(1, reader);
            ChannelPair.onLoop(channel, () -> {});
            assertThat(cancelled).allMatch(write -> write.cancel(false));
            sent.add(channel.writeAndFlush(Unpooled.copyInt(3)));
            reader.config().setAutoRead(true);
            ChannelPair.awaitAll(sent, "confirmation");
            server.expectNumbers(0, sent.size());
            assertThat(server.messages).isEmpty();
            assertThat(wire.lengths.stream().filter(length -> length > FlowTrailer.BYTES))
                    .hasSize(sent.size());
            assertThat(List.of(shorter, longer, inSend)).allMatch(buffer -> buffer.refCnt() == 0);
        }
        assertThat(client.failures).isEmpty();
    }

    @Test
    void cancellationHasNoEffectOnAMessageThatWasBegun() throws Exception {
        try (ChannelPair pair = pair().option(RdmaChannelOption.RDMA_RECEIVE_COUNT, LEAST_RECEIVES + 1)) {
            pair.serverBootstrap.childOption(ChannelOption.AUTO_READ, false);
            RdmaChannel channel = pair.connect();
            RdmaChannel reader = pair.accepted();
            byte[] bytes = random(3 * PIECE_BYTES);
            channel.writeAndFlush(Unpooled.copyInt(0)); // unread, and so the piece behind it is held
            ChannelFuture begun = channel.writeAndFlush(Unpooled.wrappedBuffer(bytes));
            ChannelFuture later = channel.writeAndFlush(Unpooled.copyInt(1));
            wire.await(2, reader);
            assertThat(begun.cancel(false)).isFalse();
            reader.config().setAutoRead(true);
            ChannelPair.await(begun, "confirmation");
            ChannelPair.await(later, "confirmation");
            assertThat(server.nextInt()).isZero();
            assertThat(server.next()).isEqualTo(bytes);
            assertThat(server.nextInt()).isEqualTo(1);
        }
        assertThat(client.failures).isEmpty();
    }

    /** Also not in the log. */
    @Test
    void cancelledMessageIsNotReportedWhenTheConnectionEnds() throws Exception {
        try (ChannelPair pair = pair().option(RdmaChannelOption.RDMA_RECEIVE_COUNT, LEAST_RECEIVES)) {
            pair.serverBootstrap.childOption(ChannelOption.AUTO_READ, false);
            RdmaChannel channel = pair.connect();
            ByteBuf message = Unpooled.copyInt(1);
            channel.write(Unpooled.copyInt(0));
            ChannelFuture cancelled = channel.write(message);
            ChannelFuture waiting = channel.writeAndFlush(Unpooled.copyInt(2));
            Channel peer = pair.accepted();
            wire.await(1, peer);
            assertThat(cancelled.cancel(false)).isTrue();
            channel.close();
            peer.close(); // or the close would wait for it
            assertThatThrownBy(() -> ChannelPair.await(waiting, "write"))
                    .hasCauseInstanceOf(ClosedChannelException.class);
            assertThat(cancelled.isCancelled()).isTrue();
            assertThat(message.refCnt()).isZero();
        }
    }

    /** The event loop begins messages while another thread cancels them. */
    @Test
    void eachMessageIsEitherCancelledOrArrives() throws Exception {
        int count = 3000;
        List<Integer> expected = new ArrayList<>();
        try (ChannelPair pair = pair().option(RdmaChannelOption.RDMA_RECEIVE_COUNT, LEAST_RECEIVES)) {
            RdmaChannel channel = pair.connect();
            List<ChannelFuture> writes = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                int bytes = i % 5 == 0 ? PIECE_BYTES + 1 : Integer.BYTES;
                writes.add(channel.write(Unpooled.buffer(bytes).writeInt(i).writeZero(bytes - Integer.BYTES)));
            }
            channel.flush();
            for (int i = 0; i < count; i++) {
                if (i % 2 == 0 || !writes.get(i).cancel(false)) {
                    expected.add(i);
                }
            }
            for (int number : expected) {
                ChannelPair.await(writes.get(number), "confirmation");
                assertThat(server.nextInt()).isEqualTo(number);
            }
            assertThat(server.messages).isEmpty();
        }
        assertThat(client.failures).isEmpty();
        assertThat(server.failures).isEmpty();
    }

    /** Keeps which keys and messages the pipeline is told of, in order. */
    private static final class Order extends ChannelInboundHandlerAdapter {
        final List<String> seen = new CopyOnWriteArrayList<>();

        @Override
        public void userEventTriggered(ChannelHandlerContext context, Object event) {
            if (event instanceof RdmaKeyInvalidatedEvent) {
                seen.add(event.toString());
            }
            context.fireUserEventTriggered(event);
        }

        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            seen.add(((ByteBuf) message).readableBytes() + " bytes");
            context.fireChannelRead(message);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, PIECE_BYTES + 1, 2 * PIECE_BYTES + 1})
    void keyThatIsInvalidatedBehindHeldMessagesIsReportedBeforeItsOwn(int bytes) throws Exception {
        try (ChannelPair pair = pair()) {
            pair.serverBootstrap.childOption(ChannelOption.AUTO_READ, false);
            RdmaChannel channel = pair.connect();
            RdmaChannel reader = pair.accepted();
            server.awaitActive();
            Order order = new Order();
            RdmaMemory exposed = ChannelPair.onLoop(reader, () -> {
                reader.pipeline().addBefore(reader.pipeline().context(server).name(), null, order);
                return reader.allocateMemory(64, RdmaAccess.REMOTE_WRITE);
            });
            RdmaKeyInvalidatedEvent event =
                    new RdmaKeyInvalidatedEvent(exposed.segment().key());
            channel.write(Unpooled.buffer().writeZero(11));
            channel.write(Unpooled.buffer().writeZero(12));
            channel.write(RdmaSend.invalidating(Unpooled.buffer().writeZero(bytes), event.key()));
            channel.writeAndFlush(Unpooled.buffer().writeZero(13));
            wire.await(3 + (bytes + PIECE_BYTES - 1) / PIECE_BYTES, reader);
            assertThat(order.seen).isEmpty();
            List<String> expected = new ArrayList<>();
            for (List<String> next : List.of(
                    List.of("11 bytes"),
                    List.of("12 bytes"),
                    List.of(event.toString(), bytes + " bytes"),
                    List.of("13 bytes"))) {
                expected.addAll(next);
                reader.read();
                server.next();
                ChannelPair.onLoop(reader, () -> {});
                assertThat(order.seen).isEqualTo(expected);
            }
            exposed.release();
        }
        assertThat(client.failures).isEmpty();
        assertThat(server.failures).isEmpty();
    }
}
