// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.channel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.handler.logging.LogLevel;
import io.netty.handler.logging.LoggingHandler;
import io.netty.handler.timeout.IdleStateHandler;
import java.net.BindException;
import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Where {@link RdmaFlowControlHandler} may stand, and when it may be added. */
final class HandlerPlaceTest {

    private final Inbox server = new Inbox();
    private final Inbox client = new Inbox();

    private static ChannelHandler initializer(ChannelHandler... handlers) {
        return new ChannelInitializer<>() {
            @Override
            protected void initChannel(Channel channel) {
                channel.pipeline().addLast(handlers);
            }
        };
    }

    @Test
    void handlersInFrontMayWatch() throws Exception {
        try (ChannelPair pair = new ChannelPair(
                () -> initializer(
                        new IdleStateHandler(60, 0, 0),
                        new ChannelInboundHandlerAdapter(),
                        new RdmaFlowControlHandler(),
                        server),
                () -> initializer(new LoggingHandler(LogLevel.TRACE), new RdmaFlowControlHandler(), client))) {
            pair.connect().writeAndFlush(ChannelPair.text("0123456789"));
            assertThat(server.nextText()).isEqualTo("0123456789");
            assertThat(server.messages).isEmpty();
        }
        assertThat(server.failures).isEmpty();
        assertThat(client.failures).isEmpty();
    }

    @Test
    void connectOfAByteStreamFailsWithTheReason() throws Exception {
        EventLoopGroup group = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
        try {
            ChannelFuture connect = new Bootstrap()
                    .group(group)
                    .channel(NioSocketChannel.class)
                    .option(ChannelOption.TCP_NODELAY, true)
                    .handler(initializer(new RdmaFlowControlHandler(), client))
                    .connect(new InetSocketAddress(TestProvider.address(), 1));
            assertThatThrownBy(() -> ChannelPair.await(connect, "connect"))
                    .cause()
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("flow control is for " + RdmaChannel.class.getName());
            assertThat(connect.channel().isOpen()).isFalse();
        } finally {
            group.shutdownGracefully(0, 5, TimeUnit.SECONDS).awaitUninterruptibly();
        }
    }

    @Test
    void privateDataThatLeavesFlowControlNoRoomIsNamed() throws Exception {
        try (ChannelPair pair =
                new ChannelPair(() -> server, () -> initializer(new RdmaFlowControlHandler(), client))) {
            pair.clientBootstrap.option(RdmaChannelOption.RDMA_PRIVATE_DATA, new byte[250]);
            assertThatThrownBy(pair::connect)
                    .cause()
                    .hasMessage("RDMA_PRIVATE_DATA length: 250 (expected: 0 to 235 with flow control, which needs 16 of"
                            + " the 251 bytes)");
            assertThat(client.nextFailure()).hasMessageContaining("with flow control");
        }
    }

    @Test
    void addressThatIsTakenIsNamed() throws Exception {
        try (ChannelPair pair = new ChannelPair(() -> server, () -> client).listen()) {
            InetSocketAddress taken = pair.address();
            assertThatThrownBy(() -> ChannelPair.await(pair.serverBootstrap.bind(taken), "bind"))
                    .cause()
                    .isInstanceOf(BindException.class)
                    .hasMessage("Address already in use: " + taken);
        }
    }

    @Test
    void optionsThatAreTooLateSayWhereToSetThem() throws Exception {
        try (ChannelPair pair = new ChannelPair(() -> server, () -> client)) {
            RdmaChannel channel = pair.connect();
            assertThatThrownBy(() -> channel.config().setReceiveSize(8192))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessage("RDMA_RECEIVE_SIZE cannot change once the queue pair exists; set it as an option of"
                            + " the bootstrap, or in the channel's initializer");
        }
    }
}
