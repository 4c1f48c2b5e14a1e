// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.channel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.ConnectTimeoutException;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.channel.socket.ChannelOutputShutdownEvent;
import io.nettyrdma.channel.LifeTest.Callback;
import io.nettyrdma.conformance.Lane;
import io.nettyrdma.contracts.NotOver;
import io.nettyrdma.deadline.Deadline;
import io.nettyrdma.logs.Logs;
import io.nettyrdma.socket.RdmaSocketChannel;
import io.nettyrdma.verbs.soft.faults.FaultPlan;
import io.nettyrdma.verbs.soft.faults.FaultRelay;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.NotYetConnectedException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** As {@link LifeTest} and {@link RdmaChannelReentrancyTest}, for byte streams. */
@NotOver(value = Lane.DISNI, reason = "byte streams have not been run over DiSNI's API")
final class StreamLifeTest extends ProviderContract {

    private StreamPair streams() {
        return new StreamPair(provider, () -> server, () -> client);
    }

    /** netty #14001: what a handler threw ended the event loop, and everything on it stood still. */
    @ParameterizedTest
    @EnumSource(Callback.class)
    void errorOutOfACallbackHarmsNoOtherStreamOfTheLoop(Callback callback) throws Exception {
        LifeTest.expectWarningsOfNetty(callback);
        try (StreamPair pair = new StreamPair(provider, Echo::new, () -> client)) {
            RdmaSocketChannel other = pair.connect();
            Channel thrower = new Bootstrap()
                    .group(pair.clientGroup)
                    .channel(RdmaSocketChannel.class)
                    .handler(new LifeTest.Thrower(callback))
                    .connect(pair.address())
                    .channel();
            if (LifeTest.CLOSING.contains(callback) && callback != Callback.USER_EVENT) {
                ChannelPair.await(thrower.closeFuture(), "close by exceptionCaught or channelRead");
            } else {
                ChannelPair.until(() -> !thrower.isOpen() || thrower.isActive(), "the channel is there or gone");
            }
            ChannelPair.await(other.writeAndFlush(ChannelPair.text("still here")), "write");
            assertThat(client.nextText()).isEqualTo("still here");
            ChannelPair.await(thrower.close(), "close");
        }
    }

    /** netty #15505, #14809, #15502: an overflowing completion queue froze the connections on it. */
    @Test
    void streamsBeyondACompletionQueueGetAnother() throws Exception {
        var group = new MultiThreadIoEventLoopGroup(1, provider.newFactoryWithQueuesOf(1000)); // for two streams
        try (StreamPair pair = new StreamPair(provider, Echo::new, () -> client).listen()) {
            List<Channel> channels = new ArrayList<>();
            for (int i = 0; i < 5; i++) {
                channels.add(ChannelPair.await(
                                new Bootstrap()
                                        .group(group)
                                        .channel(RdmaSocketChannel.class)
                                        .handler(new LifeTest.Echoed(client))
                                        .connect(pair.address()),
                                "connect")
                        .channel());
            }
            for (Channel channel : channels) {
                ChannelPair.await(channel.writeAndFlush(ChannelPair.text("bytes")), "write");
                assertThat(client.nextText()).isEqualTo("bytes");
            }
        } finally {
            ChannelPair.await(group.shutdownGracefully(0, 5, TimeUnit.SECONDS), "end of the group");
        }
    }

    /** netty #14819: after some connections no more were accepted. */
    @Test
    void listenerOfStreamsGoesOnWhateverStrangersDo() throws Exception {
        provider.assumeTcp();
        provider.assumeListenersBearStrangers();
        try (StreamPair pair = new StreamPair(provider, Echo::new, () -> new LifeTest.Echoed(client)).listen()) {
            for (int i = 0; i < 20; i++) {
                LifeTest.callAsStrangers(pair.address());
                RdmaSocketChannel channel = pair.connect();
                ChannelPair.await(channel.writeAndFlush(ChannelPair.text("round")), "write");
                assertThat(client.nextText()).isEqualTo("round");
                ChannelPair.await(channel.close(), "close");
            }
        }
    }

    private enum Closing {
        ACTIVE,
        READ,
        READ_COMPLETE,
        EXCEPTION,
        HALF_CLOSE
    }

    /** Says goodbye and closes in one event, and goes on as if it had not. */
    private static final class Closer extends ChannelInboundHandlerAdapter {
        private final Closing where;

        Closer(Closing where) {
            this.where = where;
        }

        private void on(Closing now, ChannelHandlerContext context) {
            if (now == where) {
                context.writeAndFlush(ChannelPair.text("bye"));
                context.close();
                context.writeAndFlush(ChannelPair.text("too late"));
                context.read();
                context.close();
            }
        }

        @Override
        public void channelActive(ChannelHandlerContext context) {
            on(Closing.ACTIVE, context);
        }

        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            ((ByteBuf) message).release();
            on(Closing.READ, context);
            if (where == Closing.EXCEPTION) {
                throw new IllegalStateException("wanted");
            }
        }

        @Override
        public void channelReadComplete(ChannelHandlerContext context) {
            on(Closing.READ_COMPLETE, context);
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            on(Closing.EXCEPTION, context);
        }

        @Override
        public void userEventTriggered(ChannelHandlerContext context, Object event) {
            if (event == ChannelInputShutdownEvent.INSTANCE) {
                on(Closing.HALF_CLOSE, context);
            }
        }
    }

    @ParameterizedTest
    @EnumSource(Closing.class)
    void closeFromEveryInboundEventEndsBothSidesInOrder(Closing closing) throws Exception {
        try (StreamPair pair = new StreamPair(provider, () -> new Closer(closing), () -> client)) {
            pair.option(ChannelOption.ALLOW_HALF_CLOSURE, closing == Closing.HALF_CLOSE);
            RdmaSocketChannel channel = pair.connect();
            channel.writeAndFlush(ChannelPair.text("words"));
            if (closing == Closing.HALF_CLOSE) {
                channel.shutdownOutput();
            }
            assertThat(client.nextText()).isEqualTo("bye");
            if (closing == Closing.HALF_CLOSE) {
                assertThat(client.nextEvent()).isInstanceOf(ChannelOutputShutdownEvent.class);
                assertThat(client.nextEvent()).isSameAs(ChannelInputShutdownEvent.INSTANCE);
                channel.close(); // as over TCP, nothing else closes it
            }
            client.awaitInactive();
            ChannelPair.await(pair.accepted().closeFuture(), "close");
            assertThat(client.messages).isEmpty();
            assertThat(client.failures).isEmpty();
        }
    }

    @Test
    void listenerOfTheConnectThatClosesSeesActiveBeforeInactive() throws Exception {
        try (StreamPair pair = streams().listen()) {
            ChannelFuture connect = pair.clientBootstrap.connect(pair.address());
            connect.addListener(ChannelFutureListener.CLOSE);
            client.awaitActive();
            client.awaitInactive();
            server.awaitInactive();
            assertThat(server.failures).isEmpty();
        }
    }

    /** netty #14506, #14510, #14913, #14921: requests were counted wrong, and closing twice hung. */
    @Test
    void closingTwiceCompletesBothPromises() throws Exception {
        try (StreamPair pair = streams()) {
            RdmaSocketChannel channel = pair.connect();
            channel.writeAndFlush(ChannelPair.text("last words"));
            ChannelFuture first = channel.close();
            ChannelFuture second = channel.close();
            ChannelFuture shutdown = channel.shutdownOutput();
            ChannelPair.await(first, "first close");
            ChannelPair.await(second, "second close");
            ChannelPair.await(channel.close(), "third close");
            assertThat(shutdown.await(Deadline.SECONDS, TimeUnit.SECONDS)).isTrue();
            assertThat(server.nextText()).isEqualTo("last words");
        }
    }

    @Test
    void writesOfAClosedStreamFail() throws Exception {
        try (StreamPair pair = streams()) {
            RdmaSocketChannel channel = pair.connect();
            ChannelPair.await(channel.close(), "close");
            ByteBuf late = ChannelPair.text("late");
            assertThatThrownBy(() -> ChannelPair.await(channel.writeAndFlush(late), "write"))
                    .cause()
                    .isInstanceOf(ClosedChannelException.class);
            assertThat(late.refCnt()).isZero();
            assertThatThrownBy(() -> ChannelPair.await(channel.shutdownOutput(), "shutdownOutput"))
                    .cause()
                    .isInstanceOf(ClosedChannelException.class);
        }
    }

    @Test
    void writesWithoutAPromiseFailThroughThePipelineOnClose() throws Exception {
        try (StreamPair pair = streams()) {
            RdmaSocketChannel channel = pair.connect();
            ChannelPair.onLoop(channel, () -> {
                channel.writeAndFlush(ChannelPair.text("flushed"), channel.voidPromise());
                channel.write(ChannelPair.text("never flushed"), channel.voidPromise());
                channel.close();
            });
            ChannelPair.await(channel.closeFuture(), "close");
            assertThat(client.nextFailure()).isInstanceOf(ClosedChannelException.class);
            assertThat(server.nextText()).isEqualTo("flushed");
        }
    }

    /** netty #16683, #16689: a reset of a half-closed connection was never seen, and the loop burned. */
    @ParameterizedTest
    @EnumSource(Half.class)
    void resetOfAHalfClosedStreamEndsIt(Half half) throws Exception {
        try (StreamPair pair = streams()) {
            pair.option(ChannelOption.ALLOW_HALF_CLOSURE, true);
            pair.serverBootstrap.childOption(ChannelOption.SO_LINGER, 0);
            RdmaSocketChannel channel = pair.connect();
            RdmaSocketChannel child = pair.accepted();
            server.awaitActive();
            if (half == Half.OF_THE_PEER) {
                ChannelPair.await(child.shutdownOutput(), "shutdownOutput");
                assertThat(client.nextEvent()).isSameAs(ChannelInputShutdownEvent.INSTANCE);
            } else {
                ChannelPair.await(channel.shutdownOutput(), "shutdownOutput");
                assertThat(server.nextEvent()).isSameAs(ChannelInputShutdownEvent.INSTANCE);
            }
            child.close();
            if (half == Half.OF_THE_PEER) {
                // The reader has seen the end; over TCP, only a write meets what came behind it.
                ChannelPair.await(child.closeFuture(), "close");
                Throwable cause = null;
                while (cause == null) {
                    cause = channel.writeAndFlush(ChannelPair.text("late"))
                            .await()
                            .cause();
                }
                assertThat(cause).isInstanceOf(IOException.class);
            } else {
                assertThat(client.nextFailure()).hasMessageStartingWith("Connection reset by peer");
                assertThat(client.nextEvent()).isInstanceOf(ChannelOutputShutdownEvent.class);
                assertThat(client.nextEvent()).isSameAs(ChannelInputShutdownEvent.INSTANCE);
                channel.close();
            }
            client.awaitInactive();
            assertThat(client.failures).isEmpty();
        }
    }

    private enum Half {
        OF_THIS_SIDE,
        OF_THE_PEER
    }

    private enum Stage {
        IDLE,
        LISTENING,
        CONNECTING,
        CONNECTED,
        WRITING,
        HALF_CLOSED,
        CLOSING;

        void reach(StreamPair pair) throws Exception {
            if (this == IDLE) {
                return;
            }
            pair.listen();
            if (this == LISTENING) {
                return;
            }
            ChannelFuture connect = pair.clientBootstrap.connect(pair.address());
            if (this == CONNECTING) {
                return;
            }
            ChannelPair.await(connect, "connect");
            RdmaSocketChannel channel = (RdmaSocketChannel) connect.channel();
            if (this != CONNECTED) {
                channel.writeAndFlush(ChannelPair.text("x".repeat(500_000)));
            }
            if (this == HALF_CLOSED) {
                channel.shutdownOutput();
            } else if (this == CLOSING) {
                channel.close();
            }
        }
    }

    /** netty #14872, #14877, #15582, #16174: a group did not end, or only after the whole time given. */
    @ParameterizedTest
    @EnumSource(Stage.class)
    void groupEndsInEveryStageOfAStream(Stage stage) throws Exception {
        // One group ends before the other, which may be in the middle of an answer.
        Logs.allowUnhandledException();
        for (int i = 0; i < 5; i++) {
            try (StreamPair pair = new StreamPair(provider, Echo::new, Inbox::new)) {
                stage.reach(pair);
            } // which waits for the end of both groups
        }
    }

    private enum Held {
        NOTHING_PASSES(0, 0),
        PART_OF_THE_REQUEST(30, 0),
        THE_REQUEST(1000, 0),
        PART_OF_THE_REPLY(1000, 30);

        final int forth;
        final int back;

        Held(int forth, int back) {
            this.forth = forth;
            this.back = back;
        }
    }

    @ParameterizedTest
    @EnumSource(Held.class)
    void connectThatIsGivenUpAtAnyStageLeavesNothing(Held held) throws Exception {
        provider.assumeTcp();
        provider.assumeHandshakesCanBeGivenUp();
        Logs.allowUnhandledException(); // of what was accepted and is gone
        FaultPlan forth = FaultPlan.none().holdAt(held.forth);
        FaultPlan back = FaultPlan.none().holdAt(held.back);
        List<Inbox> clients = new CopyOnWriteArrayList<>();
        Supplier<ChannelHandler> newClient = () -> {
            Inbox inbox = new Inbox();
            clients.add(inbox);
            return inbox;
        };
        try (StreamPair pair = new StreamPair(provider, Inbox::new, newClient).listen();
                FaultRelay relay = new FaultRelay(pair.address(), forth, back).start()) {
            ChannelFuture cancelled = pair.clientBootstrap.connect(relay.address());
            ChannelFuture closed = pair.clientBootstrap.connect(relay.address());
            ChannelFuture late = pair.clientBootstrap
                    .clone()
                    .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, 200)
                    .connect(relay.address());
            ChannelPair.until(
                    () -> relay.connections() == 3
                            && relay.forthOctets() >= 3L * Math.min(held.forth, 40)
                            && relay.backOctets() >= 3L * held.back,
                    "the stage is reached");
            cancelled.cancel(false);
            closed.channel().close();
            for (ChannelFuture connect : List.of(cancelled, closed, late)) {
                assertThat(connect.await(Deadline.SECONDS, TimeUnit.SECONDS)).isTrue();
                ChannelPair.await(connect.channel().closeFuture(), "close");
            }
            assertThat(cancelled.isCancelled()).isTrue();
            assertThat(closed.cause()).isInstanceOf(ClosedChannelException.class);
            assertThat(late.cause()).isInstanceOf(ConnectTimeoutException.class);
        }
        assertThat(clients).hasSize(3);
        assertThat(clients).allMatch(inbox -> inbox.active.getCount() == 1 && inbox.failures.isEmpty());
    }

    /** netty #16307, #16330: promises were completed before the last completions of the first registration. */
    @Test
    void registeringAgainOnAnotherLoopFails() throws Exception {
        try (StreamPair pair = streams()) {
            RdmaSocketChannel channel = pair.connect();
            ChannelPair.await(channel.deregister(), "deregister");
            ChannelFuture again = pair.serverGroup.register(channel);
            assertThat(again.await(Deadline.SECONDS, TimeUnit.SECONDS)).isTrue();
            if (!(again.cause() instanceof ClosedChannelException)) { // the peer may have taken the end already
                assertThat(again.cause())
                        .isInstanceOf(IllegalStateException.class)
                        .hasMessageContaining("another event loop");
            }
            server.awaitInactive();
        }
    }

    /** io_uring incubator #10, #17, netty #2359, #3440: addresses were wrong, missing, or gone with the connection. */
    @Test
    void addressesAreKnownFromActiveToBeyondTheEnd() throws Exception {
        try (StreamPair pair = streams()) {
            RdmaSocketChannel channel = pair.connect();
            server.awaitActive();
            RdmaSocketChannel child = pair.accepted();
            InetSocketAddress local = channel.localAddress();
            assertThat(local).isNotNull();
            assertThat(local.getPort()).isPositive();
            assertThat(channel.remoteAddress()).isEqualTo(pair.address());
            assertThat(child.remoteAddress()).isEqualTo(local);
            assertThat(child.localAddress()).isEqualTo(pair.address());
            ChannelPair.await(channel.close(), "close");
            server.awaitInactive();
            assertThat(channel.localAddress()).isEqualTo(local);
            assertThat(channel.remoteAddress()).isEqualTo(pair.address());
            assertThat(child.remoteAddress()).isEqualTo(local);
        }
    }

    @Test
    void connectToNobodyIsRefused() throws Exception {
        int port;
        try (ServerSocket socket = new ServerSocket(0, 1, TestProvider.address())) {
            port = socket.getLocalPort();
        }
        try (StreamPair pair = streams()) {
            ChannelFuture attempt = pair.clientBootstrap.connect(new InetSocketAddress(TestProvider.address(), port));
            assertThat(attempt.await(Deadline.SECONDS, TimeUnit.SECONDS)).isTrue();
            assertThat(attempt.cause()).isInstanceOf(ConnectException.class).hasMessageContaining(":" + port);
            assertThat(attempt.channel().isOpen()).isFalse();
        }
    }

    /** As on TCP: what is written waits for a flush of the connected channel, and an earlier flush fails. */
    @Test
    void writesBeforeTheConnectionWaitForAFlushBehindIt() throws Exception {
        try (StreamPair pair = streams()) {
            pair.listen();
            Channel channel = ChannelPair.await(pair.clientBootstrap.register(), "register")
                    .channel();
            ChannelFuture flushed = channel.writeAndFlush(ChannelPair.text("lost"));
            assertThat(flushed.await(Deadline.SECONDS, TimeUnit.SECONDS)).isTrue();
            assertThat(flushed.cause()).isInstanceOf(NotYetConnectedException.class);
            ChannelFuture written = channel.write(ChannelPair.text("kept"));
            ChannelPair.await(channel.connect(pair.address()), "connect");
            channel.flush();
            ChannelPair.await(written, "write");
            assertThat(server.nextText()).isEqualTo("kept");
            assertThat(server.messages).isEmpty();
        }
    }
}
