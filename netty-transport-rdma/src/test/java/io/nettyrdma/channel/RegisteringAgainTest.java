// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.channel;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelOption;
import io.nettyrdma.conformance.Lane;
import io.nettyrdma.contracts.NotOver;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** What becomes of a channel of every kind that is deregistered and registered again. */
@NotOver(value = Lane.DISNI, reason = "byte streams have not been run over DiSNI's API")
final class RegisteringAgainTest extends ProviderContract {

    private enum Loop {
        SAME,
        OTHER
    }

    /** As NIO and epoll: the end of one registration leaves nothing behind that the next would find. */
    @ParameterizedTest
    @CsvSource({"MESSAGES, SAME", "MESSAGES, OTHER", "STREAM, SAME", "STREAM, OTHER"})
    void channelThatWasDeregisteredBeforeItConnectedConnects(Kind kind, Loop loop) throws Exception {
        try (LoopbackPair<?, ?> pair = kind.pair(() -> server, () -> client).listen()) {
            Channel channel = ChannelPair.await(pair.clientBootstrap.register(), "register")
                    .channel();
            for (int i = 0; i < 2; i++) {
                ChannelPair.await(channel.deregister(), "deregister");
                ChannelFuture again = (loop == Loop.SAME ? pair.clientGroup : pair.serverGroup).register(channel);
                ChannelPair.await(again, "register again");
            }
            ChannelPair.await(channel.connect(pair.address()), "connect");
            ChannelPair.await(channel.writeAndFlush(ChannelPair.text("hello")), "write");
            assertThat(server.nextText()).isEqualTo("hello");
            Channel child = pair.accepted();
            ChannelPair.await(child.writeAndFlush(ChannelPair.text("hello yourself")), "answer");
            assertThat(client.nextText()).isEqualTo("hello yourself");
            ChannelPair.await(channel.close(), "close");
            server.awaitInactive();
        }
        assertThat(client.failures).isEmpty();
    }

    /** As with NIO and epoll, whose connections wait in the kernel. */
    @ParameterizedTest
    @EnumSource(Kind.class)
    void requestsWaitUntilTheListenerIsRegisteredAgain(Kind kind) throws Exception {
        try (LoopbackPair<?, ?> pair = kind.pair(() -> server, () -> client)) {
            pair.serverBootstrap.option(ChannelOption.SO_BACKLOG, 8);
            pair.listen();
            ChannelPair.await(pair.listener.deregister(), "deregister");
            ChannelFuture connect = pair.clientBootstrap.connect(pair.address());
            ChannelPair.await(pair.listener.eventLoop().register(pair.listener), "register again");
            ChannelPair.await(connect, "connect");
            ChannelPair.await(connect.channel().writeAndFlush(ChannelPair.text("hello")), "write");
            assertThat(server.nextText()).isEqualTo("hello");
        }
    }

    /** The listener closes on its own loop, and then the peer does not wait for it any more. */
    @ParameterizedTest
    @EnumSource(Kind.class)
    void requestsThatWaitAreRejectedWhenTheListenerCannotBeRegisteredAgain(Kind kind) throws Exception {
        try (LoopbackPair<?, ?> pair = kind.pair(() -> server, () -> client).listen()) {
            ChannelPair.await(pair.listener.deregister(), "deregister");
            ChannelFuture connect = pair.clientBootstrap.connect(pair.address());
            ChannelFuture moved = pair.clientGroup.register(pair.listener);
            assertThat(ChannelPair.done(moved).cause())
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("another event loop: its port belongs to the first");
            assertThat(pair.listener.isOpen()).isFalse();
            assertThat(ChannelPair.done(connect).isSuccess()).isFalse();
            assertThat(pair.accepted).isEmpty();
        }
    }
}
