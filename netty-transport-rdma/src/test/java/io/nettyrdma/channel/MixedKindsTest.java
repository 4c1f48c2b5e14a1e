// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.channel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.ServerChannel;
import io.nettyrdma.error.RdmaConnectRejectedException;
import io.nettyrdma.error.RdmaStreamProtocolException;
import io.nettyrdma.socket.RdmaServerSocketChannel;
import io.nettyrdma.socket.RdmaSocketChannel;
import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A channel that keeps messages apart meets a byte stream. */
final class MixedKindsTest {

    private final EventLoopGroup group =
            new MultiThreadIoEventLoopGroup(1, TestProvider.tested().newFactory());

    private final Inbox server = new Inbox();

    @AfterEach
    void endLoop() {
        group.shutdownGracefully(0, 5, TimeUnit.SECONDS).awaitUninterruptibly();
    }

    private InetSocketAddress listen(Class<? extends ServerChannel> kind) throws Exception {
        var bound = new ServerBootstrap()
                .group(group)
                .channel(kind)
                .childHandler(Handlers.adding(server))
                .bind(new InetSocketAddress(TestProvider.address(), 0));
        return (InetSocketAddress) ChannelPair.await(bound, "bind").channel().localAddress();
    }

    private void connect(Class<? extends Channel> kind, InetSocketAddress address) throws Exception {
        var connect = new Bootstrap()
                .group(group)
                .channel(kind)
                .handler(new ChannelInboundHandlerAdapter())
                .connect(address);
        ChannelPair.await(connect, "connect");
    }

    @Test
    void clientOfMessagesLearnsThatTheListenerMayBeOfByteStreams() throws Exception {
        InetSocketAddress address = listen(RdmaServerSocketChannel.class);
        assertThatThrownBy(() -> connect(RdmaChannel.class, address))
                .cause()
                .isInstanceOf(RdmaConnectRejectedException.class)
                .hasMessage("the peer rejected the connection: " + address + "; its log may say why, for example that"
                        + " only one of the two sides is a byte stream (RdmaSocketChannel, RdmaServerSocketChannel)"
                        + " or has flow control (RdmaFlowControlHandler), or that the initializer of the peer's channel"
                        + " failed");
    }

    @Test
    void byteStreamLearnsThatTheListenerIsOfMessages() throws Exception {
        InetSocketAddress address = listen(RdmaServerChannel.class);
        assertThatThrownBy(() -> connect(RdmaSocketChannel.class, address))
                .cause()
                .isInstanceOf(RdmaStreamProtocolException.class)
                .hasMessage("the peer is no byte stream, such as RdmaSocketChannel: it may be an RdmaChannel, which"
                        + " keeps messages apart; use the same kind on both sides (octets of the peer's private data:"
                        + " 0, expected: 40 or more)");
    }

    /** Its words are data for a channel of messages. */
    @Test
    void listenerOfMessagesReadsNothingOfAByteStream() throws Exception {
        InetSocketAddress address = listen(RdmaServerChannel.class);
        assertThatThrownBy(() -> connect(RdmaSocketChannel.class, address))
                .cause()
                .isInstanceOf(RdmaStreamProtocolException.class);
        server.awaitInactive();
        assertThat(server.messages).isEmpty();
    }
}
