/*
 * Copyright 2026 The Netty RDMA authors
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
 * with the License. You may obtain a copy of the License at
 *
 *     https://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software distributed under the License is distributed
 * on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for
 * the specific language governing permissions and limitations under the License.
 */
package io.nettyrdma.channel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.channels.AlreadyBoundException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;

@Timeout(60)
@ExtendWith(LeavesNothingOpen.class)
class RdmaServerChannelTest {

    private final Inbox server = new Inbox();

    private static InetSocketAddress anyPort() {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    }

    private ChannelPair pair() {
        return new ChannelPair(() -> server, Inbox::new);
    }

    @Test
    void bindingTwiceFailsAndLeavesTheFirstBindingAlone() throws Exception {
        try (ChannelPair pair = pair().listen()) {
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
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                ChannelPair pair = pair()) {
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
        try (ChannelPair pair = pair().listen()) {
            ChannelPair.await(pair.listener.deregister(), "deregister");
            ChannelPair.await(pair.listener.close(), "close");
            // The selector gives the port back in one of the loop's next turns.
            long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(ChannelPair.WAIT_SECONDS);
            ChannelFuture again;
            do {
                again = pair.serverBootstrap.bind(pair.address()).awaitUninterruptibly();
            } while (!again.isSuccess() && System.nanoTime() - end < 0);
            ChannelPair.await(again, "bind to the same port");
        }
    }

    @Test
    void boundListenerCannotMoveToAnotherLoop() throws Exception {
        try (ChannelPair pair = pair().listen()) {
            ChannelPair.await(pair.listener.deregister(), "deregister");
            assertThatThrownBy(() -> ChannelPair.await(pair.clientGroup.register(pair.listener), "register"))
                    .cause()
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("another event loop");
        }
    }

    @Test
    void requestsWaitWhileNobodyReadsAndAreAcceptedWhenSomebodyDoes() throws Exception {
        try (ChannelPair pair = new ChannelPair(Inbox::new, Inbox::new)) {
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
            for (ChannelFuture connect : connects) {
                ChannelPair.await(connect, "connect");
            }
        }
    }

    @Test
    void requestsThatWaitAreRejectedWhenTheListenerCloses() throws Exception {
        try (ChannelPair pair = pair()) {
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
                assertThat(connect.await(ChannelPair.WAIT_SECONDS, TimeUnit.SECONDS))
                        .isTrue();
                failed += connect.isSuccess() ? 0 : 1;
            }
            assertThat(failed).isEqualTo(2);
            assertThat(pair.accepted).isEmpty();
        }
    }

    @Test
    void childWhoseLoopsCannotDriveItIsRejected() throws Exception {
        EventLoopGroup nio = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
        try (ChannelPair pair = pair()) {
            pair.listener =
                    ChannelPair.await(listenerWithChildrenOn(nio, pair), "bind").channel();
            assertThatThrownBy(pair::connect).cause().isInstanceOf(RdmaConnectRejectedException.class);
        } finally {
            ChannelPair.await(nio.shutdownGracefully(0, 5, TimeUnit.SECONDS), "end of the other group");
        }
    }

    @Test
    void childWhoseLoopHasEndedIsRejected() throws Exception {
        EventLoopGroup ended = new MultiThreadIoEventLoopGroup(1, RdmaIoHandler.newFactory());
        ChannelPair.await(ended.next().submit(() -> {}), "start");
        try (ChannelPair pair = pair()) {
            pair.listener = ChannelPair.await(listenerWithChildrenOn(ended, pair), "bind")
                    .channel();
            ChannelPair.await(ended.shutdownGracefully(0, 5, TimeUnit.SECONDS), "end of the children's group");
            assertThatThrownBy(pair::connect).cause().isInstanceOf(RdmaConnectRejectedException.class);
        }
    }

    private static ChannelFuture listenerWithChildrenOn(EventLoopGroup children, ChannelPair pair) {
        return new ServerBootstrap()
                .group(pair.serverGroup, children)
                .channel(RdmaServerChannel.class)
                .childHandler(new ChannelHandlerAdapter() {})
                .bind(anyPort());
    }

    @Test
    void closedListenerLeavesItsConnectionsAlone() throws Exception {
        try (ChannelPair pair = pair()) {
            RdmaChannel channel = pair.connect();
            server.awaitActive();
            ChannelPair.await(pair.listener.close(), "close");
            ChannelPair.await(
                    channel.writeAndFlush(Unpooled.copiedBuffer("still here", StandardCharsets.UTF_8)), "write");
            assertThat(server.nextText()).isEqualTo("still here");
            assertThatThrownBy(pair::connect).cause().isInstanceOf(java.net.ConnectException.class);
        }
    }
}
