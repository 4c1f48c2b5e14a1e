// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.channel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.ConnectTimeoutException;
import io.netty.channel.DefaultFileRegion;
import io.netty.util.ReferenceCountUtil;
import io.nettyrdma.deadline.Deadline;
import io.nettyrdma.logs.Logs;
import io.nettyrdma.socket.RdmaSocketChannel;
import java.io.File;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.channels.AlreadyBoundException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ConnectionPendingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * What Netty promises from the making of a channel to its end, and new transports got wrong: the issue that each test
 * comes from stands above it.
 */
final class LifeTest extends ProviderContract {

    private enum Callback {
        REGISTERED,
        ACTIVE,
        READ,
        READ_COMPLETE,
        USER_EVENT,
        INACTIVE,
        UNREGISTERED,
        EXCEPTION,
        WRITE_LISTENER
    }

    /** Those after which the handler closes its channel. */
    private static final Set<Callback> CLOSING =
            EnumSet.of(Callback.ACTIVE, Callback.READ, Callback.USER_EVENT, Callback.EXCEPTION);

    private static final class InjectedError extends Error {
        private static final long serialVersionUID = 1;
    }

    /** Throws an error out of one callback, and does nothing else in any. */
    private static final class Thrower extends ChannelInboundHandlerAdapter {
        private final Callback where;

        Thrower(Callback where) {
            this.where = where;
        }

        private void throwIn(Callback callback) {
            if (callback == where) {
                throw new InjectedError();
            }
        }

        @Override
        public void channelRegistered(ChannelHandlerContext context) {
            throwIn(Callback.REGISTERED);
        }

        @Override
        public void channelActive(ChannelHandlerContext context) {
            context.writeAndFlush(ChannelPair.text("m")).addListener(f -> throwIn(Callback.WRITE_LISTENER));
            throwIn(Callback.ACTIVE);
        }

        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            ReferenceCountUtil.release(message);
            throwIn(Callback.READ);
            if (where == Callback.EXCEPTION) {
                throw new IllegalStateException("for exceptionCaught");
            }
            context.close();
        }

        @Override
        public void channelReadComplete(ChannelHandlerContext context) {
            throwIn(Callback.READ_COMPLETE);
        }

        @Override
        public void userEventTriggered(ChannelHandlerContext context, Object event) {
            throwIn(Callback.USER_EVENT);
        }

        @Override
        public void channelInactive(ChannelHandlerContext context) {
            throwIn(Callback.INACTIVE);
        }

        @Override
        public void channelUnregistered(ChannelHandlerContext context) {
            throwIn(Callback.UNREGISTERED);
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            context.close();
            throwIn(Callback.EXCEPTION);
        }
    }

    static Stream<Arguments> callbacks() {
        return Kind.tested()
                .flatMap(kind -> Stream.of(Callback.values()).map(callback -> Arguments.of(kind, callback)));
    }

    /** netty #14001: what a handler threw ended the event loop, and everything on it stood still. */
    @ParameterizedTest
    @MethodSource("callbacks")
    void errorOutOfACallbackHarmsNoOtherChannelOfTheLoop(Kind kind, Callback callback) throws Exception {
        expectWarningsOfNetty(callback);
        try (LoopbackPair<?, ?> pair = kind.pair(Echo::new, () -> client)) {
            Channel other = pair.connect();
            Channel thrower = pair.clientBootstrap
                    .clone()
                    .handler(new Thrower(callback))
                    .connect(pair.address())
                    .channel();
            // Streams fire no event when they connect.
            if (CLOSING.contains(callback) && (kind == Kind.MESSAGES || callback != Callback.USER_EVENT)) {
                ChannelPair.await(thrower.closeFuture(), "close by exceptionCaught or channelRead");
            } else {
                ChannelPair.until(() -> !thrower.isOpen() || thrower.isActive(), "the channel is there or gone");
            }
            ChannelPair.await(other.writeAndFlush(ChannelPair.text("still here")), "write");
            assertThat(client.nextText()).isEqualTo("still here");
            ChannelPair.await(thrower.close(), "close");
        }
    }

    private static void expectWarningsOfNetty(Callback callback) {
        switch (callback) {
            case EXCEPTION ->
                Logs.expect(
                        "io.netty.channel.AbstractChannelHandlerContext", "exceptionCaught() method while handling");
            case WRITE_LISTENER -> Logs.expect("io.netty.util.concurrent.DefaultPromise", "operationComplete()");
            default -> {}
        }
    }

    private enum Stage {
        IDLE,
        LISTENING,
        CONNECTING_TO_A_SILENT_PEER,
        CONNECTING_WITHOUT_A_TURN,
        CONNECTED,
        WRITING,
        HALF_CLOSED,
        CLOSING;

        void reach(LoopbackPair<?, ?> pair, ServerSocket silent) throws Exception {
            switch (this) {
                case IDLE -> {}
                case LISTENING -> pair.listen();
                case CONNECTING_TO_A_SILENT_PEER -> pair.clientBootstrap.connect(silent.getLocalSocketAddress());
                case CONNECTING_WITHOUT_A_TURN -> pair.listen().clientBootstrap.connect(pair.address());
                case CONNECTED -> pair.connect();
                case WRITING -> write(pair.connect());
                case HALF_CLOSED -> ((RdmaSocketChannel) write(pair.connect())).shutdownOutput();
                case CLOSING -> write(pair.connect()).close();
            }
        }

        private static Channel write(Channel channel) {
            int count = channel instanceof RdmaSocketChannel ? 125 : 20; // no more messages than there are receives
            for (int i = 0; i < count; i++) {
                channel.writeAndFlush(ChannelPair.text("x".repeat(4_000)));
            }
            return channel;
        }
    }

    static Stream<Arguments> stages() {
        return Kind.testedWith(Stage.values(), Stage.HALF_CLOSED);
    }

    /** netty #14872, #14877, #15582, #16174 and others: a group did not end, or only after the whole time given. */
    @ParameterizedTest
    @MethodSource("stages")
    void groupEndsInEveryStageOfAConnection(Kind kind, Stage stage) throws Exception {
        if (stage == Stage.CONNECTING_TO_A_SILENT_PEER) {
            provider.assumeHandshakesCanBeGivenUp();
        }
        // One group ends before the other, which may be in the middle of an answer.
        Logs.allowUnhandledException();
        try (ServerSocket silent = new ServerSocket(0, 50, TestProvider.address())) {
            for (int i = 0; i < 10; i++) {
                try (LoopbackPair<?, ?> pair = kind.pair(Echo::new, Inbox::new)) {
                    stage.reach(pair, silent);
                } // which waits for the end of both groups
            }
        }
    }

    /** Lets several channels share one inbox. */
    private ChannelHandler sharing() {
        return Handlers.onRead(client::channelRead);
    }

    /** netty #14819: after some connections, no more were accepted. */
    @ParameterizedTest
    @MethodSource("io.nettyrdma.channel.Kind#tested")
    void listenerGoesOnWhateverStrangersDo(Kind kind) throws Exception {
        provider.assumeTcp();
        provider.assumeListenersBearStrangers();
        try (LoopbackPair<?, ?> pair = kind.pair(Echo::new, this::sharing).listen()) {
            for (int i = 0; i < 20; i++) {
                callAsStrangers(pair.address());
                Channel channel = pair.connect();
                ChannelPair.await(channel.writeAndFlush(ChannelPair.text("round " + i)), "write");
                assertThat(client.nextText()).isEqualTo("round " + i);
                ChannelPair.await(channel.close(), "close");
            }
        }
    }

    /** Connects by TCP, says nothing or something unfinished, and hangs up or resets. */
    private static void callAsStrangers(InetSocketAddress listener) throws IOException {
        List<Socket> strangers = new ArrayList<>();
        for (int kind = 0; kind < 3; kind++) {
            Socket stranger = new Socket(listener.getAddress(), listener.getPort());
            strangers.add(stranger);
            if (kind == 1) {
                stranger.getOutputStream().write("MPA ID Req Frame".getBytes(StandardCharsets.US_ASCII));
            } else if (kind == 2) {
                stranger.setSoLinger(true, 0); // a reset
            }
        }
        for (Socket stranger : strangers) {
            stranger.close();
        }
    }

    /** As handlers pass a message on. */
    static final List<UnaryOperator<ByteBuf>> FORMS = List.of(
            UnaryOperator.identity(),
            ByteBuf::slice,
            ByteBuf::duplicate,
            ByteBuf::asReadOnly,
            buffer -> {
                ByteBuf slice = buffer.retainedSlice();
                buffer.release();
                return slice;
            },
            buffer -> Unpooled.wrappedBuffer(buffer, Unpooled.EMPTY_BUFFER),
            buffer -> Unpooled.compositeBuffer().addComponent(true, buffer));

    /** netty #14827, #14869, #14873, #14890, #15412: slots of a receive ring were in use twice, or never came back. */
    @Test
    void slotsComeBackHoweverMessagesAreReleased() throws Exception {
        BlockingQueue<ByteBuf> elsewhere = new LinkedBlockingQueue<>();
        try (ChannelPair pair = new ChannelPair(
                provider,
                () -> new ChannelInboundHandlerAdapter() {
                    private int number;

                    @Override
                    public void channelRead(ChannelHandlerContext context, Object message) {
                        ByteBuf answer = Unpooled.copyInt(((ByteBuf) message).getInt(0));
                        ByteBuf form = FORMS.get(number / 2 % FORMS.size()).apply((ByteBuf) message);
                        if (number++ % 2 == 0) {
                            form.release();
                        } else {
                            elsewhere.add(form);
                        }
                        context.writeAndFlush(answer);
                    }
                },
                () -> client)) {
            pair.serverBootstrap.childOption(RdmaChannelOption.RDMA_RECEIVE_COUNT, 2);
            RdmaChannel channel = pair.connect();
            for (int i = 0; i < 10 * FORMS.size(); i++) {
                channel.writeAndFlush(Unpooled.copyInt(i));
                assertThat(client.nextInt()).isEqualTo(i);
                ByteBuf kept = elsewhere.poll();
                if (kept != null) {
                    assertThat(kept.readInt()).isEqualTo(i);
                    assertThat(kept.release()).isTrue(); // on this thread
                }
            }
        }
        elsewhere.forEach(ReferenceCountUtil::release);
    }

    /** io_uring incubator #10, #17, netty #2359, #3328, #3440: addresses were wrong, or gone with the connection. */
    @ParameterizedTest
    @MethodSource("io.nettyrdma.channel.Kind#tested")
    void addressesAreKnownFromActiveToBeyondTheEnd(Kind kind) throws Exception {
        BlockingQueue<InetSocketAddress> seen = new LinkedBlockingQueue<>();
        try (LoopbackPair<?, ?> pair = kind.pair(
                () -> server,
                () -> Handlers.onActive(context -> {
                    seen.add((InetSocketAddress) context.channel().localAddress());
                    seen.add((InetSocketAddress) context.channel().remoteAddress());
                }))) {
            Channel channel = pair.connect();
            InetSocketAddress local = seen.poll(Deadline.SECONDS, TimeUnit.SECONDS);
            assertThat(local).isNotNull();
            assertThat(local.getPort()).isPositive();
            assertThat(seen.poll(Deadline.SECONDS, TimeUnit.SECONDS)).isEqualTo(pair.address());
            server.awaitActive();
            Channel child = pair.accepted();
            assertThat(child.parent()).isSameAs(pair.listener);
            assertThat(child.remoteAddress()).isEqualTo(local);
            assertThat(child.localAddress()).isEqualTo(pair.address());
            ChannelPair.await(channel.close(), "close");
            server.awaitInactive();
            assertThat(channel.localAddress()).isEqualTo(local);
            assertThat(channel.remoteAddress()).isEqualTo(pair.address());
            assertThat(child.remoteAddress()).isEqualTo(local);
        }
    }

    /** As over NIO. */
    @ParameterizedTest
    @MethodSource("io.nettyrdma.channel.Kind#tested")
    void channelIsBoundOnceAndBeforeItConnects(Kind kind) throws Exception {
        try (LoopbackPair<?, ?> pair = kind.pair(Inbox::new, Inbox::new)) {
            InetSocketAddress anyPort = new InetSocketAddress(TestProvider.address(), 0);
            Channel connected = pair.connect();
            Channel bound = pair.clientBootstrap.register().sync().channel();
            ChannelPair.await(bound.bind(anyPort), "bind");
            for (Channel channel : List.of(connected, pair.accepted(), bound)) {
                assertThatThrownBy(() -> ChannelPair.await(channel.bind(anyPort), "second bind"))
                        .cause()
                        .isInstanceOf(AlreadyBoundException.class);
                assertThat(channel.isOpen()).isTrue();
            }
            ChannelPair.await(bound.connect(pair.address()), "connect");
            ChannelFuture[] futures = new ChannelFuture[2];
            Channel connecting = pair.clientBootstrap.register().sync().channel();
            ChannelPair.onLoop(connecting, () -> {
                futures[0] = connecting.connect(pair.address());
                futures[1] = connecting.bind(anyPort);
            });
            assertThatThrownBy(() -> ChannelPair.await(futures[1], "bind"))
                    .cause()
                    .isInstanceOf(ConnectionPendingException.class);
            ChannelPair.await(futures[0], "connect");
        }
    }

    /** netty #16570, #16571, #15817: what cannot be written crashed the channel, or was refused without its name. */
    @Test
    void fileRegionIsRefusedByNameAndReleased() throws Exception {
        try (ChannelPair pair = echoPair()) {
            RdmaChannel channel = pair.connect();
            DefaultFileRegion region = new DefaultFileRegion(new File("/dev/null"), 0, 0);
            ChannelFuture refused = channel.writeAndFlush(region);
            assertThatThrownBy(() -> ChannelPair.await(refused, "write"))
                    .cause()
                    .isInstanceOf(UnsupportedOperationException.class)
                    .hasMessageContaining("DefaultFileRegion")
                    .hasMessageContaining("expected: ByteBuf, RdmaSend, RdmaWrite or RdmaRead")
                    .hasMessageContaining("use RdmaSocketChannel for byte-stream protocols such as HTTP");
            assertThat(region.refCnt()).isZero();
            ChannelPair.await(channel.writeAndFlush(ChannelPair.text("still here")), "write");
            assertThat(client.nextText()).isEqualTo("still here");
        }
    }

    /** netty #15505, #14809, #15502: an overflowing completion queue froze the connections on it. */
    @ParameterizedTest
    @MethodSource("io.nettyrdma.channel.Kind#tested")
    void connectionsBeyondACompletionQueueGetAnother(Kind kind) throws Exception {
        boolean streams = kind == Kind.STREAM;
        try (LoopbackPair<?, ?> pair = kind.pair(Echo::new, this::sharing)
                .clientsOver(provider.newFactoryWithQueuesOf(streams ? 1000 : 20))) { // for two connections
            if (!streams) {
                pair.clientBootstrap
                        .option(RdmaChannelOption.RDMA_RECEIVE_COUNT, 4)
                        .option(RdmaChannelOption.RDMA_SEND_DEPTH, 4);
            }
            List<Channel> channels = new ArrayList<>();
            for (int i = 0; i < 8; i++) {
                channels.add(pair.connect());
            }
            for (Channel channel : channels) {
                for (int i = 0; i < 20; i++) {
                    ChannelPair.await(channel.writeAndFlush(ChannelPair.text("message")), "write");
                    assertThat(client.nextText()).isEqualTo("message");
                }
            }
        }
    }

    /** netty #17237, #17238: memory that the device still used was released when a write behind it failed. */
    @Test
    void bufferOfAPostedRequestOutlivesAFailedWriteBehindIt() throws Exception {
        try (ChannelPair pair = pair()) {
            pair.option(RdmaChannelOption.RDMA_RECEIVE_SIZE, 200_000);
            RdmaChannel channel = pair.connect();
            ByteBuf posted = Unpooled.wrappedBuffer(ByteBuffer.allocateDirect(200_000));
            posted.setLong(199_992, 42);
            ChannelFuture[] writes = new ChannelFuture[2];
            ChannelPair.onLoop(channel, () -> {
                writes[0] = channel.write(posted);
                writes[1] = channel.write("of a type that cannot be written");
                channel.flush();
            });
            ChannelPair.await(writes[0], "write");
            assertThat(ChannelPair.done(writes[1]).isSuccess()).isFalse();
            assertThat(ByteBuffer.wrap(server.next()).getLong(199_992)).isEqualTo(42);
            assertThat(posted.refCnt()).isZero();
        }
    }

    @ParameterizedTest
    @MethodSource("io.nettyrdma.channel.Kind#tested")
    void connectingToNobodyIsRefused(Kind kind) throws Exception {
        int port;
        try (ServerSocket socket = new ServerSocket(0, 1, TestProvider.address())) {
            port = socket.getLocalPort();
        }
        try (LoopbackPair<?, ?> pair = kind.pair(Echo::new, () -> client)) {
            ChannelFuture attempt = pair.clientBootstrap.connect(new InetSocketAddress(TestProvider.address(), port));
            assertThatThrownBy(() -> ChannelPair.await(attempt, "connect"))
                    .cause()
                    .isInstanceOf(ConnectException.class)
                    .hasMessageContaining("refused")
                    .hasMessageContaining(":" + port);
            assertThat(attempt.channel().isOpen()).isFalse();
        }
    }

    @ParameterizedTest
    @MethodSource("io.nettyrdma.channel.Kind#tested")
    void connectingToSomebodyWhoDoesNotAnswerTimesOut(Kind kind) throws Exception {
        provider.assumeTcp();
        if (kind == Kind.MESSAGES) {
            provider.assumeHandshakesCanBeGivenUp();
        }
        try (ServerSocket silent = new ServerSocket(0, 1, TestProvider.address());
                LoopbackPair<?, ?> pair = kind.pair(Echo::new, () -> client)) {
            pair.clientBootstrap.option(ChannelOption.CONNECT_TIMEOUT_MILLIS, 200);
            ChannelFuture attempt = pair.clientBootstrap.connect(silent.getLocalSocketAddress());
            assertThatThrownBy(() -> ChannelPair.await(attempt, "connect"))
                    .cause()
                    .isInstanceOf(ConnectTimeoutException.class)
                    .hasMessageContainingAll("timed out", "does not speak RDMA");
        }
    }

    /** netty #16307, #16330: promises were completed before the last completions of the first registration. */
    @ParameterizedTest
    @MethodSource("io.nettyrdma.channel.Kind#tested")
    void registeringAgainOnAnotherLoopFails(Kind kind) throws Exception {
        try (LoopbackPair<?, ?> pair = kind.pair(() -> server, () -> client)) {
            Channel channel = pair.connect();
            ChannelPair.await(channel.deregister(), "deregister");
            ChannelFuture again = pair.serverGroup.register(channel);
            assertThat(again.await(Deadline.SECONDS, TimeUnit.SECONDS)).isTrue();
            // The peer of a stream may have taken the end already.
            if (kind == Kind.MESSAGES || !(again.cause() instanceof ClosedChannelException)) {
                assertThat(again.cause())
                        .isInstanceOf(IllegalStateException.class)
                        .hasMessageContaining("another event loop");
            }
            server.awaitInactive();
        }
    }
}
