// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.channel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.CompositeByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.nettyrdma.conformance.Lane;
import io.nettyrdma.contracts.NotOver;
import io.nettyrdma.deadline.Deadline;
import io.nettyrdma.error.RdmaFlowControlException;
import io.nettyrdma.error.RdmaMessageTooLongException;
import io.nettyrdma.flow.RdmaFlowControlConfig;
import io.nettyrdma.flow.RdmaFlowControlHandler;
import io.nettyrdma.flow.protocol.FlowOffer;
import java.nio.channels.ClosedChannelException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What messages of a channel with {@link RdmaFlowControlHandler} may rely on, over each provider. */
@NotOver(value = Lane.DISNI, reason = "DiSNI's API carries no private data, by which the two sides agree")
final class FlowControlTest extends ProviderContract {

    private static final RdmaFlowControlConfig DEFAULTS = RdmaFlowControlConfig.defaults();

    private static ChannelHandler controlled(RdmaFlowControlConfig config, ChannelHandler... handlers) {
        return Handlers.adding(new RdmaFlowControlHandler(config), Handlers.adding(handlers));
    }

    private ChannelPair controlledPair(RdmaFlowControlConfig config) {
        return new ChannelPair(provider, () -> controlled(config, server), () -> controlled(config, client));
    }

    /** Without a device's waiting for receives, one message too many would end the connection. */
    private ChannelPair withoutWaiting(ChannelPair pair) {
        return pair.option(RdmaChannelOption.RDMA_RECEIVER_NOT_READY_TIMEOUT_MILLIS, 0);
    }

    /** Writes numbers as long as the channel is writable. */
    private static final class Counting extends ChannelInboundHandlerAdapter {
        final CountDownLatch stopped = new CountDownLatch(1);
        final AtomicInteger succeeded = new AtomicInteger();
        private final int count;
        private int next;

        Counting(int count) {
            this.count = count;
        }

        @Override
        public void channelActive(ChannelHandlerContext context) {
            write(context);
            context.fireChannelActive();
        }

        @Override
        public void channelWritabilityChanged(ChannelHandlerContext context) {
            write(context);
            context.fireChannelWritabilityChanged();
        }

        private void write(ChannelHandlerContext context) {
            while (next < count && context.channel().isWritable()) {
                context.write(context.alloc().directBuffer().writeInt(next++)).addListener(written -> {
                    if (written.isSuccess()) {
                        succeeded.incrementAndGet();
                    }
                });
            }
            context.flush();
            if (!context.channel().isWritable()) {
                stopped.countDown();
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {4, 7, 64})
    void senderThatFollowsIsWritableLosesNothing(int receives) throws Exception {
        int count = provider == TestProvider.NATIVE ? 2000 : 20_000; // guests are emulated
        Counting counting = new Counting(count);
        try (ChannelPair pair = withoutWaiting(new ChannelPair(
                        provider, () -> controlled(DEFAULTS, server), () -> controlled(DEFAULTS, client, counting)))
                .option(RdmaChannelOption.RDMA_RECEIVE_COUNT, receives)) {
            pair.serverBootstrap.childOption(ChannelOption.AUTO_READ, false);
            Channel sender = pair.connect();
            Channel reader = pair.accepted();
            assertThat(counting.stopped.await(Deadline.SECONDS, TimeUnit.SECONDS))
                    .isTrue();
            assertThat(server.messages).isEmpty();
            reader.config().setAutoRead(true);
            server.expectNumbers(0, count / 4);
            reader.config().setAutoRead(false);
            ChannelPair.until(() -> counting.succeeded.get() >= count || !sender.isWritable(), "pause of the sender");
            reader.config().setAutoRead(true);
            server.expectNumbers(count / 4, count);
            ChannelPair.until(() -> counting.succeeded.get() == count, () -> counting.succeeded + " promises");
            assertThat(server.messages).isEmpty();
        }
        assertThat(client.failures).isEmpty();
        assertThat(server.failures).isEmpty();
    }

    /** Writes numbers in messages of 64 bytes, writable or not: the next batch when the one before the last is out. */
    private static final class Pressing extends ChannelInboundHandlerAdapter {
        private static final int BATCH = 500;
        private final int count;
        private int next;

        Pressing(int count) {
            this.count = count;
        }

        @Override
        public void channelActive(ChannelHandlerContext context) {
            write(context);
            write(context);
            context.fireChannelActive();
        }

        private void write(ChannelHandlerContext context) {
            ChannelFuture last = null;
            for (int end = Math.min(count, next + BATCH); next < end; next++) {
                last = context.write(
                        context.alloc().directBuffer(64).writeInt(next).writeZero(60));
            }
            context.flush();
            if (last != null) {
                last.addListener(written -> {
                    if (written.isSuccess()) {
                        write(context);
                    }
                });
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {4, 64})
    void senderThatDoesNotLookAtIsWritableLosesNothing(int receives) throws Exception {
        int count = provider == TestProvider.NATIVE ? 2000 : 20_000; // guests are emulated
        try (ChannelPair pair = withoutWaiting(new ChannelPair(
                        provider,
                        () -> controlled(DEFAULTS, server),
                        () -> controlled(DEFAULTS, client, new Pressing(count))))
                .option(RdmaChannelOption.RDMA_RECEIVE_COUNT, receives)) {
            pair.connect();
            server.expectNumbers(0, count);
        }
        assertThat(client.failures).isEmpty();
        assertThat(server.failures).isEmpty();
    }

    /** As a relay does that reads only when its own messages are out. */
    @Test
    void sideThatDoesNotReadMaySend() throws Exception {
        int count = 1000;
        Counting counting = new Counting(count);
        Counting answering = new Counting(count);
        try (ChannelPair pair = withoutWaiting(new ChannelPair(
                provider,
                () -> controlled(DEFAULTS, server, answering),
                () -> controlled(DEFAULTS, client, counting)))) {
            pair.serverBootstrap.childOption(ChannelOption.AUTO_READ, false);
            pair.connect();
            Channel silent = pair.accepted();
            client.expectNumbers(0, count);
            assertThat(server.messages).isEmpty();
            silent.config().setAutoRead(true);
            server.expectNumbers(0, count);
        }
    }

    /** A relay turns reading off and on while nothing arrives. The limits of the peer arrive all the same. */
    @Test
    void readingMayBeTurnedOffAndOnAtAnyTime() throws Exception {
        int count = 1000;
        try (ChannelPair pair = controlledPair(DEFAULTS)) {
            RdmaChannel channel = pair.connect();
            Channel peer = pair.accepted();
            channel.writeAndFlush(ChannelPair.text("first"));
            assertThat(server.nextText()).isEqualTo("first");
            peer.config().setAutoRead(false);
            ChannelPair.onLoop(peer, () -> {
                for (int i = 0; i < count; i++) {
                    peer.write(Unpooled.copyInt(i));
                }
                peer.flush();
            });
            client.expectNumbers(0, count);
            channel.writeAndFlush(ChannelPair.text("second"));
            peer.config().setAutoRead(true);
            assertThat(server.nextText()).isEqualTo("second");
        }
    }

    /** Answers each message, and flushes only from time to time. */
    private static final class SeldomFlushing extends ChannelInboundHandlerAdapter {
        private int written;

        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            context.write(message);
            if (++written % 200 == 0) {
                context.flush();
            }
        }
    }

    @Test
    void limitsThatAHandlerHasNotFlushedAreSent() throws Exception {
        int count = 1000;
        Counting counting = new Counting(count);
        try (ChannelPair pair = withoutWaiting(new ChannelPair(
                provider,
                () -> controlled(DEFAULTS, new SeldomFlushing()),
                () -> controlled(DEFAULTS, client, counting)))) {
            pair.connect();
            client.expectNumbers(0, count);
        }
    }

    @Test
    void listenerOfAConnectMayWrite() throws Exception {
        try (ChannelPair pair = controlledPair(DEFAULTS).listen()) {
            pair.clientBootstrap.connect(pair.address()).addListener((ChannelFutureListener)
                    connected -> connected.channel().writeAndFlush(ChannelPair.text("at once")));
            assertThat(server.nextText()).isEqualTo("at once");
        }
    }

    /** The answer says that the peer has the request. */
    @Test
    void closeBehindTheAnswerFailsNoConfirmedWrite() throws Exception {
        RdmaFlowControlConfig confirming =
                RdmaFlowControlConfig.builder().confirmsDelivery(true).build();
        ChannelHandler closing = Handlers.onRead((context, message) -> {
            message.release();
            context.close();
        });
        try (ChannelPair pair = new ChannelPair(
                provider, () -> controlled(confirming, new Echo()), () -> controlled(confirming, closing))) {
            ChannelPair.await(pair.connect().writeAndFlush(ChannelPair.text("request")), "request");
        }
    }

    @Test
    void closeOfThisSideDropsWhatIsHeld() throws Exception {
        try (ChannelPair pair = controlledPair(DEFAULTS)) {
            pair.serverBootstrap.childOption(ChannelOption.AUTO_READ, false);
            RdmaChannel channel = pair.connect();
            Channel reader = pair.accepted();
            for (int i = 0; i < 10; i++) {
                channel.write(Unpooled.copyInt(i));
            }
            channel.flush();
            reader.read();
            server.expectNumbers(0, 1);
            reader.close();
            server.awaitInactive();
            assertThat(server.messages).isEmpty();
        }
    }

    @Test
    void handlerThatHoldsBackReadHoldsBackMessages() throws Exception {
        Holding holding = new Holding();
        try (ChannelPair pair = new ChannelPair(
                provider, () -> controlled(DEFAULTS, holding, server), () -> controlled(DEFAULTS, client))) {
            RdmaChannel channel = pair.connect();
            channel.writeAndFlush(ChannelPair.text("first"));
            assertThat(server.nextText()).isEqualTo("first");
            Channel reader = pair.accepted();
            ChannelPair.onLoop(reader, () -> {}); // the batch has ended
            channel.writeAndFlush(ChannelPair.text("second"));
            ChannelPair.await(channel.writeAndFlush(Unpooled.EMPTY_BUFFER), "write");
            ChannelPair.onLoop(reader, () -> {});
            assertThat(server.messages).isEmpty();
            ChannelPair.onLoop(reader, () -> holding.release());
            assertThat(server.nextText()).isEqualTo("second");
        }
    }

    /** Passes on the first read, and the others when it is told to. */
    private static final class Holding extends ChannelOutboundHandlerAdapter {
        private ChannelHandlerContext context;
        private boolean passed;

        @Override
        public void read(ChannelHandlerContext reading) {
            context = reading;
            if (!passed) {
                passed = true;
                reading.read();
            }
        }

        void release() {
            context.read();
        }
    }

    @Test
    void messageForEachReadWithoutAutoRead() throws Exception {
        try (ChannelPair pair = controlledPair(DEFAULTS)) {
            pair.serverBootstrap.childOption(ChannelOption.AUTO_READ, false);
            RdmaChannel channel = pair.connect();
            Channel reader = pair.accepted();
            for (int i = 0; i < 40; i++) {
                channel.write(Unpooled.copyInt(i));
            }
            ChannelPair.await(channel.writeAndFlush(Unpooled.EMPTY_BUFFER), "write");
            for (int i = 0; i < 40; i++) {
                reader.read();
                server.expectNumbers(i, i + 1);
                ChannelPair.onLoop(reader, () -> {});
                assertThat(server.messages).isEmpty();
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {4, 64})
    void longMessagesArriveWhole(int receives) throws Exception {
        Random random = new Random(receives);
        try (ChannelPair pair = withoutWaiting(new ChannelPair(
                        provider, () -> controlled(DEFAULTS, new Echo()), () -> controlled(DEFAULTS, client)))
                .option(RdmaChannelOption.RDMA_RECEIVE_COUNT, receives)) {
            RdmaChannel channel = pair.connect();
            List<byte[]> sent = new ArrayList<>();
            for (int size : new int[] {1, 4087, 4088, 4089, 8176, 100_000, 64, 1024 * 1024, 3}) {
                byte[] bytes = new byte[size];
                random.nextBytes(bytes);
                sent.add(bytes);
                channel.write(size % 2 == 0 ? Unpooled.wrappedBuffer(bytes) : Unpooled.copiedBuffer(bytes));
            }
            channel.flush();
            for (byte[] bytes : sent) {
                assertThat(client.next()).isEqualTo(bytes);
            }
        }
        assertThat(client.failures).isEmpty();
    }

    @Test
    void emptySendIsAMessageAndAnEmptyBufferIsNone() throws Exception {
        try (ChannelPair pair = controlledPair(DEFAULTS)) {
            RdmaChannel channel = pair.connect();
            channel.write(Unpooled.EMPTY_BUFFER);
            channel.write(RdmaSend.of(Unpooled.EMPTY_BUFFER));
            channel.writeAndFlush(RdmaSend.of(ChannelPair.text("x")));
            assertThat(server.next()).isEmpty();
            assertThat(server.nextText()).isEqualTo("x");
        }
    }

    @Test
    void tooLongMessageFailsAlone() throws Exception {
        RdmaFlowControlConfig config =
                RdmaFlowControlConfig.builder().maxMessageBytes(5000).build();
        try (ChannelPair pair = controlledPair(config)) {
            RdmaChannel channel = pair.connect();
            ByteBuf tooLong = channel.alloc().directBuffer().writeZero(5001);
            assertThatThrownBy(() -> ChannelPair.await(channel.writeAndFlush(tooLong), "write"))
                    .cause()
                    .isInstanceOf(RdmaMessageTooLongException.class)
                    .hasMessageContaining("5001 bytes exceeds the 5000 bytes");
            assertThat(tooLong.refCnt()).isZero();
            channel.writeAndFlush(Unpooled.wrappedBuffer(new byte[5000]));
            assertThat(server.next()).hasSize(5000);
        }
    }

    /** A buffer with another reference is not written behind its end. */
    @Test
    void sharedBuffersStayAsTheyAre() throws Exception {
        try (ChannelPair pair = controlledPair(DEFAULTS)) {
            RdmaChannel channel = pair.connect();
            ByteBuf shared = Unpooled.directBuffer(64).writeLong(1).writeLong(2);
            channel.write(shared.retainedDuplicate().writerIndex(8));
            channel.write(shared.retainedSlice(8, 8));
            ChannelPair.await(channel.writeAndFlush(shared.retain()), "write");
            assertThat(ChannelPair.take(Unpooled.copyLong(1))).isEqualTo(server.next());
            assertThat(ChannelPair.take(Unpooled.copyLong(2))).isEqualTo(server.next());
            assertThat(server.next()).hasSize(16);
            assertThat(shared.refCnt()).isEqualTo(1);
            assertThat(shared.readableBytes()).isEqualTo(16);
            shared.release();
        }
    }

    @Test
    void memoryOfOthersIsNotWrittenBehindAMessage() throws Exception {
        byte[] array = new byte[16];
        ByteBuf others = Unpooled.directBuffer(16).writeZero(16);
        try (ChannelPair pair = controlledPair(DEFAULTS)) {
            RdmaChannel channel = pair.connect();
            channel.write(Unpooled.wrappedBuffer(array).writerIndex(8));
            CompositeByteBuf composite = Unpooled.compositeBuffer().addComponent(true, others.retainedDuplicate());
            ChannelPair.await(channel.writeAndFlush(composite.writerIndex(8)), "write");
            assertThat(server.next()).hasSize(8);
            assertThat(server.next()).hasSize(8);
            assertThat(array).containsOnly(0);
            assertThat(ChannelPair.take(others)).containsOnly(0);
        }
    }

    @Test
    void promiseWaitsForThePeersHandler() throws Exception {
        RdmaFlowControlConfig confirming =
                RdmaFlowControlConfig.builder().confirmsDelivery(true).build();
        try (ChannelPair pair = controlledPair(confirming)) {
            pair.serverBootstrap.childOption(ChannelOption.AUTO_READ, false);
            RdmaChannel channel = pair.connect();
            Channel reader = pair.accepted();
            ChannelFuture[] written = new ChannelFuture[10];
            for (int i = 0; i < written.length; i++) {
                written[i] = channel.writeAndFlush(Unpooled.copyInt(i));
            }
            ChannelPair.await(channel.writeAndFlush(Unpooled.EMPTY_BUFFER), "write");
            reader.read();
            ChannelPair.await(written[0], "first message");
            assertThat(server.next()).hasSize(4);
            assertThat(written[1].isDone()).isFalse();
            reader.config().setAutoRead(true);
            ChannelPair.awaitAll(List.of(written), "write");
            reader.config().setAutoRead(false);
            ChannelFuture last = channel.writeAndFlush(Unpooled.copyInt(99));
            channel.close();
            reader.close(); // or the close would wait for it
            assertThat(ChannelPair.done(last).cause()).isInstanceOf(ClosedChannelException.class);
        }
    }

    @Test
    void messagesThatHaveArrivedAreDeliveredBeforeTheEnd() throws Exception {
        try (ChannelPair pair = controlledPair(DEFAULTS)) {
            pair.serverBootstrap.childOption(ChannelOption.AUTO_READ, false);
            RdmaChannel channel = pair.connect();
            for (int i = 0; i < 10; i++) {
                channel.writeAndFlush(Unpooled.copyInt(i));
            }
            channel.close();
            server.expectNumbers(0, 10);
            server.awaitInactive();
        }
    }

    @Test
    void messageThatWaitsForCreditsFailsWithTheChannel() throws Exception {
        Counting counting = new Counting(Integer.MAX_VALUE);
        try (ChannelPair pair = new ChannelPair(
                provider, () -> controlled(DEFAULTS, server), () -> controlled(DEFAULTS, client, counting))) {
            pair.serverBootstrap.childOption(ChannelOption.AUTO_READ, false);
            RdmaChannel channel = pair.connect();
            assertThat(counting.stopped.await(Deadline.SECONDS, TimeUnit.SECONDS))
                    .isTrue();
            ByteBuf late = channel.alloc().directBuffer().writeInt(1);
            ChannelFuture written = channel.writeAndFlush(late);
            ChannelPair.onLoop(channel, () -> {});
            assertThat(written.isDone()).isFalse();
            channel.close();
            pair.accepted().close(); // or the close would wait for it
            assertThat(ChannelPair.done(written).cause()).isInstanceOf(ClosedChannelException.class);
            assertThat(late.refCnt()).isZero();
        }
    }

    @Test
    void privateDataOfTheApplicationFollowsTheOffer() throws Exception {
        byte[] asks = {1, 2, 3};
        byte[] answers = {4, 5};
        try (ChannelPair pair = controlledPair(DEFAULTS)) {
            pair.clientBootstrap.option(RdmaChannelOption.RDMA_PRIVATE_DATA, asks);
            pair.serverBootstrap.childOption(RdmaChannelOption.RDMA_PRIVATE_DATA, answers);
            pair.connect();
            assertThat(privateData(server)).startsWith(asks); // some devices pad it with zeros
            assertThat(privateData(client)).startsWith(answers);
        }
    }

    private static byte[] privateData(Inbox inbox) throws InterruptedException {
        assertThat(inbox.nextEvent()).isInstanceOf(RdmaDeviceEvent.class);
        return ((RdmaPrivateDataEvent) inbox.nextEvent()).data();
    }

    @Test
    void serverWithoutFlowControlIsRefusedByName() throws Exception {
        try (ChannelPair pair = new ChannelPair(provider, () -> server, () -> controlled(DEFAULTS, client))) {
            assertThatThrownBy(pair::connect)
                    .isInstanceOf(ExecutionException.class)
                    .hasCauseInstanceOf(RdmaFlowControlException.class);
            assertThat(client.nextFailure())
                    .isInstanceOf(RdmaFlowControlException.class)
                    .hasMessageContaining("offers no flow control; add RdmaFlowControlHandler to its pipeline");
            client.awaitInactive();
            server.awaitInactive();
        }
    }

    @Test
    void clientWithoutFlowControlIsRefusedByName() throws Exception {
        provider.assumeReject();
        try (ChannelPair pair = new ChannelPair(provider, () -> controlled(DEFAULTS, server), () -> client)) {
            assertThatThrownBy(pair::connect).isInstanceOf(ExecutionException.class);
            assertThat(server.nextFailure())
                    .isInstanceOf(RdmaFlowControlException.class)
                    .hasMessageContaining("offers no flow control");
        }
    }

    /** Which side has flow control. */
    private enum Controlled {
        CLIENT,
        SERVER
    }

    @ParameterizedTest
    @EnumSource
    void peerWithoutFlowControlIsSpokenToIfThatIsAllowed(Controlled side) throws Exception {
        RdmaFlowControlConfig allowing =
                RdmaFlowControlConfig.builder().allowsPeersWithout(true).build();
        try (ChannelPair pair = new ChannelPair(
                provider,
                () -> side == Controlled.SERVER ? controlled(allowing, new Echo()) : new Echo(),
                () -> side == Controlled.CLIENT ? controlled(allowing, client) : client)) {
            RdmaChannel channel = pair.connect();
            channel.writeAndFlush(ChannelPair.text("plain"));
            assertThat(client.nextText()).isEqualTo("plain");
        }
        assertThat(client.failures).isEmpty();
    }

    /** What a peer may do that it must not do. */
    private enum Violation {
        NO_TRAILER("7 bytes (expected: at least 8", Unpooled.wrappedBuffer(new byte[7])),
        EMPTY_PIECE("piece of the peer's message: 0 bytes", Unpooled.copyLong(1L << 63 | 61)),
        FLAGS("flags of the peer's message: 0xfff", Unpooled.copyLong(-1)),
        DATA_WITHOUT_DATA("4 bytes of data", Unpooled.copyInt(1, 0x2000_0000, 61)),
        LIMIT("limit of the peer: 1 (expected: 61 to 61", Unpooled.copyLong(1)),
        LENGTH(
                "501 bytes or more (expected: at most 500",
                Unpooled.buffer().writeZero(501).writeLong(61)),
        LENGTH_OF_PIECES(
                "501 bytes or more (expected: at most 500",
                Unpooled.buffer().writeZero(500).writeLong(1L << 63 | 61),
                Unpooled.buffer().writeZero(1).writeLong(61));

        final String message;
        final ByteBuf[] sent;

        Violation(String message, ByteBuf... sent) {
            this.message = message;
            this.sent = sent;
        }
    }

    @ParameterizedTest
    @EnumSource
    void violationEndsTheConnectionByName(Violation violation) throws Exception {
        RdmaFlowControlConfig config =
                RdmaFlowControlConfig.builder().maxMessageBytes(500).build();
        try (ChannelPair pair = new ChannelPair(provider, () -> controlled(config, server), () -> client)) {
            pair.clientBootstrap.option(RdmaChannelOption.RDMA_PRIVATE_DATA, offer(61));
            RdmaChannel channel = pair.connect();
            for (ByteBuf message : violation.sent) {
                channel.writeAndFlush(message.retainedDuplicate());
            }
            assertThat(server.nextFailure())
                    .isInstanceOf(RdmaFlowControlException.class)
                    .hasMessageContaining(violation.message);
            server.awaitInactive();
            assertThat(server.messages).isEmpty();
            assertThat(server.failures).isEmpty();
        }
    }

    /** A message is whole, or it does not arrive. */
    @Test
    void piecesBeforeAViolationAreNotDelivered() throws Exception {
        RdmaFlowControlConfig config =
                RdmaFlowControlConfig.builder().maxMessageBytes(500).build();
        try (ChannelPair pair = new ChannelPair(provider, () -> controlled(config, server), () -> client)) {
            pair.clientBootstrap.option(RdmaChannelOption.RDMA_PRIVATE_DATA, offer(61));
            pair.serverBootstrap.childOption(ChannelOption.AUTO_READ, false);
            RdmaChannel channel = pair.connect();
            channel.write(Unpooled.buffer().writeInt(0).writeLong(61));
            channel.write(Unpooled.buffer().writeZero(400).writeLong(1L << 63 | 61));
            channel.write(Unpooled.buffer().writeZero(200).writeLong(1L << 63 | 61));
            channel.write(Unpooled.buffer().writeZero(50).writeLong(61));
            ChannelPair.await(channel.writeAndFlush(Unpooled.EMPTY_BUFFER), "write");
            pair.accepted().read();
            server.expectNumbers(0, 1);
            assertThat(server.nextFailure())
                    .isInstanceOf(RdmaFlowControlException.class)
                    .hasMessageContaining("600 bytes or more");
            server.awaitInactive();
            assertThat(server.messages).isEmpty();
            assertThat(server.failures).isEmpty();
        }
    }

    private static byte[] offer(int window) {
        ByteBuf out = Unpooled.buffer();
        new FlowOffer(window, 4096, 500).encode(out);
        return ChannelPair.take(out);
    }

    @Test
    void peerThatSendsBeyondItsLimitLosesItsConnection() throws Exception {
        try (ChannelPair pair = new ChannelPair(provider, () -> controlled(DEFAULTS, server), () -> client)) {
            pair.clientBootstrap.option(RdmaChannelOption.RDMA_PRIVATE_DATA, offer(61));
            pair.serverBootstrap.childOption(ChannelOption.AUTO_READ, false);
            RdmaChannel channel = pair.connect();
            for (int i = 0; i <= 61; i++) {
                channel.writeAndFlush(Unpooled.copyLong(61));
            }
            assertThat(server.nextFailure())
                    .isInstanceOf(RdmaFlowControlException.class)
                    .hasMessageContaining("more than the 61 messages of its limit");
            server.awaitInactive();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 3})
    void tooFewReceivesAreNamed(int receives) throws Exception {
        try (ChannelPair pair = controlledPair(DEFAULTS).listen()) {
            pair.clientBootstrap.option(RdmaChannelOption.RDMA_RECEIVE_COUNT, receives);
            assertThatThrownBy(pair::connect).isInstanceOf(ExecutionException.class);
            assertThat(client.nextFailure())
                    .hasMessageContaining("RDMA_RECEIVE_COUNT=" + receives + " (expected: at least 4");
        }
    }

    @Test
    void handlerIsForChannelsThatAreNotConnected() throws Exception {
        try (ChannelPair pair = pair()) {
            RdmaChannel channel = pair.connect();
            ChannelPair.onLoop(channel, () -> {
                channel.pipeline().addLast(new RdmaFlowControlHandler());
            });
            assertThat(client.nextFailure()).hasStackTraceContaining("add flow control in the channel's initializer");
        }
    }
}
