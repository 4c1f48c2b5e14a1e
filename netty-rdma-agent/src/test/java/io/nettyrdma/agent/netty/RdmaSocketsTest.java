// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.agent.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.Channel;
import io.netty.channel.ChannelFactory;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.nettyrdma.socket.RdmaSocketChannel;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.channels.ServerSocketChannel;
import org.junit.jupiter.api.Test;

class RdmaSocketsTest {

    private static final InetSocketAddress PEER = new InetSocketAddress(InetAddress.getLoopbackAddress(), 7077);

    private final RdmaSockets sockets = new RdmaSockets();

    private Channel make(ChannelFactory<Channel> factory) {
        return (Channel) sockets.newChannel(factory, PEER);
    }

    @Test
    void channelThatItsFactoryOnlyMakesBecomesRdma() {
        Channel made = make(NioSocketChannel::new);
        assertThat(made).isInstanceOf(RdmaSocketChannel.class);
        made.unsafe().closeForcibly();
    }

    @Test
    void channelThatItsFactoryGivesHandlersStays() {
        Channel made = make(() -> {
            Channel channel = new NioSocketChannel();
            channel.pipeline().addLast(new ChannelInboundHandlerAdapter());
            return channel;
        });
        assertThat(made).isInstanceOf(NioSocketChannel.class);
        assertThat(made.isOpen()).isTrue();
        made.unsafe().closeForcibly();
    }

    @Test
    void channelOfASocketInUseStays() throws Exception {
        try (ServerSocketChannel bound = ServerSocketChannel.open().bind(new InetSocketAddress("127.0.0.1", 0))) {
            Channel made = make(() -> new NioServerSocketChannel(bound));
            assertThat(made).isInstanceOf(NioServerSocketChannel.class);
            assertThat(bound.isOpen()).isTrue();
        }
    }

    /** Holds the promise of a connect. */
    private static final class Connecting extends ChannelOutboundHandlerAdapter {

        private ChannelPromise promise;

        @Override
        public void connect(
                ChannelHandlerContext ctx, SocketAddress remote, SocketAddress local, ChannelPromise connected) {
            promise = connected;
        }
    }

    @Test
    void connectThatSucceedsAfterItWasCancelledClosesTheChannel() {
        Connecting connecting = new Connecting();
        EmbeddedChannel channel = new EmbeddedChannel(connecting, new ConnectAdvice(PEER));
        ChannelFuture connected = channel.connect(PEER);
        connecting.promise.setUncancellable(); // the transport has it under way
        connected.cancel(false);
        connecting.promise.setSuccess();
        channel.runPendingTasks();
        assertThat(channel.isOpen()).isFalse();
    }

    @Test
    void adviceNamesTheAddressThatTheOptionsWereComparedWith() {
        assertThat(failure(new InetSocketAddress("127.0.0.1", 5432)))
                .isInstanceOf(ConnectException.class)
                .hasMessageEndingWith("leave it to TCP by the agent's option tcp=127.0.0.1:5432");
        assertThat(failure(null)).hasMessageContaining("option rdma=").hasMessageContaining("tcp= has no effect");
    }

    private static Throwable failure(InetSocketAddress compared) {
        Connecting connecting = new Connecting();
        EmbeddedChannel channel = new EmbeddedChannel(connecting, new ConnectAdvice(compared));
        ChannelFuture connected = channel.connect(PEER);
        connecting.promise.setFailure(new ConnectException("peer does not speak MPA"));
        channel.runPendingTasks();
        return connected.cause();
    }
}
