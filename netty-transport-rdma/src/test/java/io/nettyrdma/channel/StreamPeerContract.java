// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.channel;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.nettyrdma.deadline.Deadline;
import io.nettyrdma.error.RdmaStreamProtocolException;
import io.nettyrdma.socket.RdmaServerSocketChannel;
import io.nettyrdma.socket.RdmaSocketChannel;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.provider.Arguments;

/**
 * One byte stream between a channel and a {@link StreamPeer}, in either role, and a second one between two channels on
 * the same event loop. The second one has to go on, whatever happens to the first.
 */
abstract class StreamPeerContract extends ProviderContract {

    /** What the raw peer does. */
    enum Role {
        /** It connects to an RdmaServerSocketChannel. */
        INITIATOR,
        /** An RdmaSocketChannel connects to it. */
        RESPONDER
    }

    static Stream<Arguments> inBothRoles(Object... rows) {
        return Arrays.stream(rows).flatMap(row -> Arrays.stream(Role.values()).map(role -> Arguments.of(role, row)));
    }

    /** Handler of the channel that is tested. */
    final Inbox tested = new Inbox();

    EventLoopGroup group;
    ServerBootstrap serverBootstrap;
    Bootstrap clientBootstrap;
    /** The channel that is tested. */
    RdmaSocketChannel channel;

    StreamPeer peer;
    /** Of the tested channel, if it connects. */
    ChannelFuture connected;

    private final BlockingQueue<RdmaSocketChannel> accepted = new LinkedBlockingQueue<>();
    private Channel bystander;

    @BeforeEach
    void open() throws Exception {
        group = new MultiThreadIoEventLoopGroup(1, provider.newFactory());
        ServerBootstrap echoes = new ServerBootstrap()
                .group(group)
                .channel(RdmaServerSocketChannel.class)
                .childHandler(new Echo());
        Bootstrap caller =
                new Bootstrap().group(group).channel(RdmaSocketChannel.class).handler(client);
        bystander = ChannelPair.await(caller.connect(bind(echoes).localAddress()), "connect")
                .channel();
        handle(tested);
    }

    /** Chooses the handlers of the channel that is tested. */
    void handle(ChannelHandler... handlers) {
        ChannelInitializer<RdmaSocketChannel> initializer = new ChannelInitializer<>() {
            @Override
            protected void initChannel(RdmaSocketChannel made) {
                made.pipeline().addLast(handlers);
                accepted.add(made);
            }
        };
        serverBootstrap = new ServerBootstrap()
                .group(group)
                .channel(RdmaServerSocketChannel.class)
                .childHandler(initializer);
        clientBootstrap =
                new Bootstrap().group(group).channel(RdmaSocketChannel.class).handler(initializer);
    }

    <T> void option(ChannelOption<T> option, T value) {
        serverBootstrap.childOption(option, value);
        clientBootstrap.option(option, value);
    }

    private static Channel bind(ServerBootstrap server) throws Exception {
        return ChannelPair.await(server.bind(TestProvider.address(), 0), "bind").channel();
    }

    @AfterEach
    void end() throws Exception {
        List<Throwable> failures = List.copyOf(tested.failures); // before the peer goes
        try {
            if (!group.isShuttingDown()) {
                ChannelPair.await(bystander.writeAndFlush(ChannelPair.text("still there")), "write");
                assertThat(client.nextText()).isEqualTo("still there");
            }
        } finally {
            if (peer != null) {
                peer.close();
            }
            ChannelPair.await(group.shutdownGracefully(0, 5, TimeUnit.SECONDS), "end of the loop");
        }
        assertThat(client.failures).isEmpty();
        assertThat(failures).as("what no test has looked at").isEmpty();
    }

    /** Lets the peer ask, or be asked; what it answers is left to the caller. */
    void meet(Role role, byte[] offer) throws Exception {
        if (role == Role.INITIATOR) {
            peer = StreamPeer.connect((InetSocketAddress) bind(serverBootstrap).localAddress());
            peer.request(offer);
        } else {
            try (ServerSocket socket = new ServerSocket(0, 1, TestProvider.address())) {
                connected = clientBootstrap.connect(socket.getLocalSocketAddress());
                peer = StreamPeer.accept(socket);
            }
        }
        channel = accepted.poll(Deadline.SECONDS, TimeUnit.SECONDS);
        assertThat(channel).isNotNull();
    }

    /** Makes a connection as it should be. */
    void establish(Role role, byte[] offer) throws Exception {
        meet(role, offer);
        if (role == Role.INITIATOR) {
            peer.takeReply();
        } else {
            peer.reply(offer);
            peer.awaitLimit();
            peer.publish();
            ChannelPair.await(connected, "connect");
        }
        tested.awaitActive();
    }

    /** Makes a connection as it should be, and sends a text each way. */
    void establish(Role role) throws Exception {
        establish(role, StreamPeer.offer());
        exchange();
    }

    void exchange() throws Exception {
        peer.data("question");
        assertThat(tested.nextText()).isEqualTo("question");
        ChannelPair.await(channel.writeAndFlush(ChannelPair.text("answer")), "write");
        assertThat(peer.receiveText(6)).isEqualTo("answer");
    }

    /** Adds a handler that gets everything from now on. */
    void addFirst(ChannelHandler handler) throws Exception {
        ChannelPair.onLoop(channel, () -> {
            channel.pipeline().addFirst(handler);
        });
    }

    /** Nothing is read from now on. */
    void stopReading() throws Exception {
        ChannelPair.onLoop(channel, () -> {
            channel.config().setAutoRead(false);
        });
    }

    /** The tested channel has ended, after one exception, and with the last word that it has to say. */
    void expectViolation(String message) throws Exception {
        peer.expectDisconnect();
        expectFailure(RdmaStreamProtocolException.class, message);
    }

    /** The tested channel has ended after one exception. */
    void expectFailure(Class<? extends IOException> type, String message) throws Exception {
        assertThat(tested.nextFailure()).isInstanceOf(type).hasMessageContaining(message);
        expectInactive();
    }

    /** The tested channel has ended, and there is no exception but those that were looked at. */
    void expectInactive() throws Exception {
        tested.awaitInactive();
        expectClosed();
    }

    void expectClosed() throws Exception {
        ChannelPair.await(channel.closeFuture(), "close");
        assertThat(tested.failures).isEmpty();
        assertThat(channel.isActive()).isFalse();
    }
}
