// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.channel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.Unpooled;
import io.netty.channel.AbstractChannel;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.nettyrdma.deadline.Deadline;
import io.nettyrdma.engine.RdmaLoops;
import io.nettyrdma.error.RdmaConnectRejectedException;
import io.nettyrdma.logs.ExpectedLog;
import io.nettyrdma.logs.LogLine;
import io.nettyrdma.logs.Logs;
import io.nettyrdma.socket.RdmaServerSocketChannel;
import java.io.IOException;
import java.net.BindException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.channels.AlreadyBoundException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What a listener does, over each provider. */
final class RdmaServerChannelTest extends ProviderContract {

    private static InetSocketAddress anyPort() {
        return new InetSocketAddress(TestProvider.address(), 0);
    }

    private ChannelPair pairOfManyClients() {
        return new ChannelPair(provider, () -> server, Inbox::new);
    }

    @Test
    void bindingTwiceFailsAndLeavesTheFirstBindingAlone() throws Exception {
        try (ChannelPair pair = pairOfManyClients().listen()) {
            InetSocketAddress first = pair.address();
            assertThatThrownBy(() -> ChannelPair.await(pair.listener.bind(anyPort()), "second bind"))
                    .cause()
                    .isInstanceOf(AlreadyBoundException.class);
            assertThat(pair.listener.localAddress()).isEqualTo(first);
            pair.connect();
            server.awaitActive();
        }
    }

    @Test
    void bindingToAPortInUseFailsAndCanBeTriedAgain() throws Exception {
        provider.assumeTcp();
        try (ServerSocket taken = new ServerSocket(0, 1, TestProvider.address());
                ChannelPair pair = pairOfManyClients()) {
            Channel listener = pair.serverBootstrap.register().sync().channel();
            assertThatThrownBy(() -> ChannelPair.await(listener.bind(taken.getLocalSocketAddress()), "bind"))
                    .cause()
                    .isInstanceOf(BindException.class);
            assertThat(listener.isActive()).isFalse();
            ChannelPair.await(listener.bind(anyPort()), "second bind");
            pair.listener = listener;
            pair.connect();
            server.awaitActive();
        }
    }

    @Test
    void deregisteredListenerGivesItsPortBackWhenItIsClosed() throws Exception {
        try (ChannelPair pair = pairOfManyClients().listen()) {
            ChannelPair.await(pair.listener.deregister(), "deregister");
            ChannelPair.await(pair.listener.close(), "close");
            // The selector gives the port back in one of the loop's next turns.
            long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(Deadline.SECONDS);
            ChannelFuture again;
            do {
                again = pair.serverBootstrap.bind(pair.address()).awaitUninterruptibly();
            } while (!again.isSuccess() && System.nanoTime() - end < 0);
            ChannelPair.await(again, "bind to the same port");
        }
    }

    @Test
    void boundListenerCannotMoveToAnotherLoop() throws Exception {
        try (ChannelPair pair = pairOfManyClients().listen()) {
            ChannelPair.await(pair.listener.deregister(), "deregister");
            assertThatThrownBy(() -> ChannelPair.await(pair.clientGroup.register(pair.listener), "register"))
                    .cause()
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("another event loop");
        }
    }

    @Test
    void backlogIsThatOfNioUnlessSet() {
        NioServerSocketChannel nio = new NioServerSocketChannel();
        try {
            int expected = nio.config().getBacklog();
            assertThat(new RdmaServerChannel().config().getOption(ChannelOption.SO_BACKLOG))
                    .isEqualTo(expected);
            assertThat(new RdmaServerSocketChannel().config().getBacklog()).isEqualTo(expected);
        } finally {
            nio.unsafe().closeForcibly();
        }
    }

    @ParameterizedTest
    @MethodSource("io.nettyrdma.channel.Kind#tested")
    void burstOfMoreThanTheBacklogWaits(Kind kind) throws Exception {
        provider.assumeBacklogOfUnansweredRequests();
        try (LoopbackPair<?, ?> pair = kind.pair(Inbox::new, Inbox::new)) {
            pair.serverBootstrap.option(ChannelOption.SO_BACKLOG, 2);
            pair.listen();
            List<ChannelFuture> connects = new ArrayList<>();
            for (int i = 0; i < 40; i++) {
                connects.add(pair.clientBootstrap.connect(pair.address()));
            }
            ChannelPair.awaitAll(connects, "connect");
        }
    }

    @Test
    void requestsWaitWhileNobodyReadsAndAreAcceptedWhenSomebodyDoes() throws Exception {
        try (ChannelPair pair = new ChannelPair(provider, Inbox::new, Inbox::new)) {
            pair.serverBootstrap.option(ChannelOption.AUTO_READ, false);
            pair.listen();
            List<ChannelFuture> connects = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                connects.add(pair.clientBootstrap.connect(pair.address()));
            }
            pair.listener.read();
            pair.accepted();
            assertThat(pair.accepted).isEmpty();
            pair.listener.config().setAutoRead(true);
            ChannelPair.awaitAll(connects, "connect");
        }
    }

    @Test
    void requestsThatWaitAreRejectedWhenTheListenerCloses() throws Exception {
        try (ChannelPair pair = pairOfManyClients()) {
            pair.serverBootstrap.option(ChannelOption.AUTO_READ, false);
            pair.listen();
            List<ChannelFuture> connects = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                connects.add(pair.clientBootstrap.connect(pair.address()));
            }
            pair.listener.read();
            ChannelPair.await(
                    pair.accepted().closeFuture().channel().eventLoop().submit(() -> {}), "turn");
            // read() takes the next one out of the queue, and the listener closes before it is handed on.
            ChannelPair.await(
                    pair.listener.eventLoop().submit(() -> {
                        pair.listener.read();
                        pair.listener.close();
                    }),
                    "read and close");
            int failed = 0;
            for (ChannelFuture connect : connects) {
                assertThat(connect.await(Deadline.SECONDS, TimeUnit.SECONDS)).isTrue();
                failed += connect.isSuccess() ? 0 : 1;
            }
            assertThat(failed).isEqualTo(2);
            assertThat(pair.accepted).isEmpty();
        }
    }

    @Test
    void childWhoseLoopsCannotDriveItIsRejected() throws Exception {
        Logs.expect(RdmaLoops.class, "RdmaChannel needs an event loop of RdmaIoHandler.newFactory()");
        ExpectedLog log = Logs.expect(ServerBootstrap.class, "Failed to register an accepted channel");
        EventLoopGroup nio = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
        try (ChannelPair pair = pairOfManyClients()) {
            pair.listener =
                    ChannelPair.await(listenerWithChildrenOn(nio, pair), "bind").channel();
            assertThatThrownBy(pair::connect).cause().isInstanceOf(RdmaConnectRejectedException.class);
            assertThat(log.await().thrown()).hasMessageContaining("incompatible event loop type");
        } finally {
            ChannelPair.await(nio.shutdownGracefully(0, 5, TimeUnit.SECONDS), "end of the other group");
        }
    }

    @Test
    void childWhoseLoopHasEndedIsRejected() throws Exception {
        expectRegistrationOnALoopThatHasEnded();
        EventLoopGroup ended = new MultiThreadIoEventLoopGroup(1, provider.newFactory());
        ChannelPair.await(ended.next().submit(() -> {}), "start");
        try (ChannelPair pair = pairOfManyClients()) {
            pair.listener = ChannelPair.await(listenerWithChildrenOn(ended, pair), "bind")
                    .channel();
            ChannelPair.await(ended.shutdownGracefully(0, 5, TimeUnit.SECONDS), "end of the children's group");
            assertThatThrownBy(pair::connect).cause().isInstanceOf(RdmaConnectRejectedException.class);
        }
    }

    /** Netty closes the child, and cannot tell the child's loop of it. */
    private static void expectRegistrationOnALoopThatHasEnded() {
        Logs.expect(AbstractChannel.class, "registration task was not accepted by an event loop");
        Logs.expect(
                "io.netty.util.concurrent.DefaultPromise.rejectedExecution",
                "Failed to submit a listener notification task. Event loop shut down?");
    }

    private static ChannelFuture listenerWithChildrenOn(EventLoopGroup children, ChannelPair pair) {
        return new ServerBootstrap()
                .group(pair.serverGroup, children)
                .channel(RdmaServerChannel.class)
                .childHandler(Handlers.adding())
                .bind(anyPort());
    }

    @Test
    void closedListenerLeavesItsConnectionsAlone() throws Exception {
        try (ChannelPair pair = pairOfManyClients()) {
            RdmaChannel channel = pair.connect();
            server.awaitActive();
            ChannelPair.await(pair.listener.close(), "close");
            ChannelPair.await(
                    channel.writeAndFlush(Unpooled.copiedBuffer("still here", StandardCharsets.UTF_8)), "write");
            assertThat(server.nextText()).isEqualTo("still here");
            assertThatThrownBy(pair::connect).cause().isInstanceOf(ConnectException.class);
        }
    }

    @Test
    void acceptedChannelsWorkOnTheLoopsOfTheirOwnGroup() throws Exception {
        provider.assumeMigration();
        EventLoopGroup children = new MultiThreadIoEventLoopGroup(3, provider.newFactory());
        try (ChannelPair pair = pairOfManyClients()) {
            pair.listener = ChannelPair.await(
                            new ServerBootstrap()
                                    .group(pair.serverGroup, children)
                                    .channel(RdmaServerChannel.class)
                                    .childHandler(new ChannelInitializer<>() {
                                        @Override
                                        protected void initChannel(Channel channel) {
                                            channel.pipeline().addLast(new Echo());
                                            pair.accepted.add(channel);
                                        }
                                    })
                                    .bind(anyPort()),
                            "bind")
                    .channel();
            for (int i = 0; i < 9; i++) {
                RdmaChannel channel = pair.connect();
                channel.writeAndFlush(ChannelPair.text("message " + i));
                assertThat(channel.pipeline().get(Inbox.class).nextText()).isEqualTo("message " + i);
                assertThat(children).contains(pair.accepted().eventLoop());
            }
            // Their listener's loop was only needed to bring them here.
            RdmaChannel last = pair.connect();
            ChannelPair.await(
                    pair.serverGroup.shutdownGracefully(0, 5, TimeUnit.SECONDS), "end of the listener's loop");
            last.writeAndFlush(ChannelPair.text("still here"));
            assertThat(last.pipeline().get(Inbox.class).nextText()).isEqualTo("still here");
        } finally {
            ChannelPair.await(children.shutdownGracefully(0, 5, TimeUnit.SECONDS), "end of the children's group");
        }
    }

    @Test
    void childThatCannotMoveIsRejectedAndTheListenerGoesOn() throws Exception {
        assumeFalse(provider.serverLoops > 1, "moves connections");
        ExpectedLog log = Logs.expect(ServerBootstrap.class, "Failed to register an accepted channel");
        EventLoopGroup children = new MultiThreadIoEventLoopGroup(1, provider.newFactory());
        try (ChannelPair pair = pairOfManyClients()) {
            pair.listener = ChannelPair.await(listenerWithChildrenOn(children, pair), "bind")
                    .channel();
            for (int i = 0; i < 3; i++) {
                assertThatThrownBy(pair::connect).cause().isInstanceOf(IOException.class);
            }
            assertThat(pair.listener.isActive()).isTrue();
            assertThat(log.await(3)).extracting(LogLine::thrown).allMatch(IOException.class::isInstance);
        } finally {
            ChannelPair.await(children.shutdownGracefully(0, 5, TimeUnit.SECONDS), "end of the children's group");
        }
    }

    @Test
    void childWhoseHandlerIsNotSharableIsRejectedAndNotLeftWaiting() throws Exception {
        Logs.expectUnhandledException();
        try (ChannelPair pair = pairOfManyClients()) {
            pair.serverBootstrap.childHandler(new ChannelInboundHandlerAdapter());
            pair.connect();
            assertThatThrownBy(pair::connect).cause().isInstanceOf(RdmaConnectRejectedException.class);
        }
    }

    @Test
    void endOfTheChildrensLoopsWhileTheyAreHandedOverLeavesNobodyWaiting() throws Exception {
        provider.assumeMigration();
        // With children of that time, one of these or none: how far each has come is the threads' affair.
        Logs.allow(AbstractChannel.class.getName(), "registration task was not accepted by an event loop");
        Logs.allow(
                "io.netty.util.concurrent.DefaultPromise.rejectedExecution",
                "Failed to submit a listener notification task. Event loop shut down?");
        Logs.allow(ServerBootstrap.class.getName(), "Failed to register an accepted channel");
        for (int round : new int[] {0, 7, 9}) {
            EventLoopGroup children = new MultiThreadIoEventLoopGroup(1, provider.newFactory());
            List<ChannelFuture> connects = new ArrayList<>();
            try (ChannelPair pair = pairOfManyClients()) {
                pair.listener = ChannelPair.await(listenerWithChildrenOn(children, pair), "bind")
                        .channel();
                for (int i = 0; i < 10; i++) {
                    connects.add(pair.clientBootstrap.connect(pair.address()));
                    if (i == round) {
                        children.shutdownGracefully(0, 5, TimeUnit.SECONDS);
                    }
                }
                for (ChannelFuture connect : connects) {
                    assertThat(connect.await(Deadline.SECONDS, TimeUnit.SECONDS))
                            .isTrue();
                    // Connected ones hear that their peer's loop has ended.
                    ChannelPair.await(connect.channel().closeFuture(), "close");
                }
                ChannelPair.await(children.terminationFuture(), "end of the children's group");
            }
        }
    }
}
