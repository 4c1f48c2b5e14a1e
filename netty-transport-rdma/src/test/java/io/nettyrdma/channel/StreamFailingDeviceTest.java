// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.channel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.nettyrdma.deadline.Deadline;
import io.nettyrdma.engine.OrderlyClose;
import io.nettyrdma.socket.RdmaServerSocketChannel;
import io.nettyrdma.socket.RdmaSocketChannel;
import io.nettyrdma.verbs.strict.StrictDevice;
import io.nettyrdma.verbs.strict.Trait;
import io.nettyrdma.verbs.strict.Verb;
import java.io.IOException;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** {@link FailingDeviceTest} with a byte stream: each call fails that it makes from bind to close. */
final class StreamFailingDeviceTest extends FailingDeviceTest {

    private static final int BYTES = 100_000;

    @Override
    void exchange(Life life, EventLoopGroup group) throws Exception {
        ChannelFuture bound = listen(group, new Echo());
        if (!life.succeeds(bound)) {
            return;
        }
        ChannelFuture connected = connect(group, bound.channel());
        if (!life.succeeds(connected)) {
            return;
        }
        RdmaSocketChannel channel = (RdmaSocketChannel) connected.channel();
        life.expect(channel.closeFuture());
        life.succeeds(channel.writeAndFlush(ChannelPair.text("bytes")));
        life.succeeds(channel.writeAndFlush(Unpooled.directBuffer(BYTES).writeZero(BYTES)));
        life.succeeds(channel.shutdownOutput());
        life.expect(channel.close());
        life.expect(bound.channel().close());
    }

    private static ChannelFuture listen(EventLoopGroup group, ChannelHandler child) {
        return new ServerBootstrap()
                .group(group)
                .channel(RdmaServerSocketChannel.class)
                .childHandler(child)
                .bind(TestProvider.address(), 0);
    }

    private static ChannelFuture connect(EventLoopGroup group, Channel listener) {
        return new Bootstrap()
                .group(group)
                .channel(RdmaSocketChannel.class)
                .handler(new Inbox())
                .connect(listener.localAddress());
    }

    /** There is no connection that a close could wait for. */
    @Test
    void refusedAcceptEndsTheChannelAtOnce() throws Exception {
        StrictDevice device = new StrictDevice(Set.of(Trait.KEYS_CHECKED), 1);
        EventLoopGroup group = new MultiThreadIoEventLoopGroup(
                1, RdmaIoHandler.newFactory(RdmaIoHandlerConfig.defaults(), device.extensions()));
        CompletableFuture<Throwable> failure = new CompletableFuture<>();
        CompletableFuture<Boolean> waited = new CompletableFuture<>();
        ChannelHandler refused = new ChannelInboundHandlerAdapter() {
            private Future<?> waiting;

            @Override
            public void channelRegistered(ChannelHandlerContext context) {
                device.calls().failNext(Verb.ACCEPT, () -> new IOException("injected"));
                // On the same loop, just before a close would stop waiting.
                waiting = context.executor().schedule(() -> {}, OrderlyClose.FLUSH_MILLIS - 1, TimeUnit.MILLISECONDS);
            }

            @Override
            public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
                waited.complete(waiting.isDone());
                failure.complete(cause);
            }
        };
        try {
            connect(group, ChannelPair.await(listen(group, refused), "bind").channel());
            assertThat(failure.get(Deadline.SECONDS, TimeUnit.SECONDS)).hasMessage("injected");
            assertThat(waited.get()).isFalse();
        } finally {
            ChannelPair.await(group.shutdownGracefully(0, 5, TimeUnit.SECONDS), "end of the group");
        }
    }

    /** Netty by itself would close the channel, and tell nothing but the promise. */
    @Test
    void refusedPostOfAWriteIsTheReasonOfTheEnd() throws Exception {
        StrictDevice device = new StrictDevice(Set.of(Trait.KEYS_CHECKED), 1);
        Inbox client = new Inbox();
        try (StreamPair pair =
                new StreamPair(TestProvider.SOFT, Echo::new, () -> client).clientsOver(device.extensions())) {
            Channel channel = pair.connect();
            ByteBuf first = ChannelPair.text("bytes");
            ChannelFuture[] writes = new ChannelFuture[2];
            ChannelPair.onLoop(channel, () -> {
                device.calls().failNext(Verb.POST_SENDS, () -> new IOException("injected"));
                writes[0] = channel.writeAndFlush(first);
                writes[1] = channel.writeAndFlush(ChannelPair.text("more"));
            });
            assertThatThrownBy(() -> ChannelPair.await(writes[0], "write"))
                    .rootCause()
                    .hasMessage("injected");
            assertThat(writes[1].await(Deadline.SECONDS, TimeUnit.SECONDS)).isTrue();
            assertThat(client.nextFailure()).hasMessage("injected");
            client.awaitInactive();
            assertThat(client.failures).isEmpty();
            assertThat(first.refCnt()).isZero();
        }
    }
}
