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
import io.netty.channel.ChannelOption;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.nettyrdma.error.RdmaProgressTimeoutException;
import io.nettyrdma.verbs.soft.SoftProvider;
import io.nettyrdma.verbs.soft.SoftProviderConfig;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A peer that stops reading cannot hold what was sent to it for ever. */
class StuckPeerTest {

    private static final int BYTES = 131_072;
    private static final int MESSAGES = 400; // more than the send queue and TCP take

    static {
        Rdma.ensureAvailability(); // DiSNI's objects ask for an installed provider, whichever they belong to
    }

    private final SoftProvider provider = new SoftProvider(
            SoftProviderConfig.builder().receiverNotReadyTimeoutMillis(600_000).build());
    private final MultiThreadIoEventLoopGroup group =
            new MultiThreadIoEventLoopGroup(2, LoopsOver.newFactory(provider));

    @AfterEach
    void end() throws Exception {
        ChannelPair.await(group.shutdownGracefully(0, 5, TimeUnit.SECONDS), "end of the group");
        assertThat(provider.openResources()).isEqualTo(SoftProvider.OpenResources.NONE);
    }

    @Test
    void connectionWhoseOctetsDoNotMoveEndsByName() throws Exception {
        Channel listener = ChannelPair.await(
                        new ServerBootstrap()
                                .group(group)
                                .channel(RdmaServerChannel.class)
                                .childOption(ChannelOption.AUTO_READ, false)
                                .childOption(RdmaChannelOption.RDMA_RECEIVE_COUNT, 1)
                                .childOption(RdmaChannelOption.RDMA_RECEIVE_SIZE, BYTES)
                                .childHandler(new Inbox())
                                .bind(TestProvider.address(), 0),
                        "bind")
                .channel();
        Inbox client = new Inbox();
        Channel channel = ChannelPair.await(
                        new Bootstrap()
                                .group(group)
                                .channel(RdmaChannel.class)
                                .option(RdmaChannelOption.RDMA_RECEIVE_SIZE, BYTES)
                                .option(RdmaChannelOption.RDMA_PROGRESS_TIMEOUT_MILLIS, 400)
                                .handler(client)
                                .connect(listener.localAddress()),
                        "connect")
                .channel();
        List<ByteBuf> buffers = new ArrayList<>();
        ChannelFuture last = null;
        for (int i = 0; i < MESSAGES; i++) {
            buffers.add(Unpooled.directBuffer(BYTES).writeZero(BYTES));
            last = channel.write(buffers.get(i));
        }
        channel.flush();

        Throwable failure = client.nextFailure();
        assertThat(failure)
                .isInstanceOf(RdmaProgressTimeoutException.class)
                .hasMessageContaining("RDMA_PROGRESS_TIMEOUT_MILLIS=400")
                .returns(Duration.ofMillis(400), it -> ((RdmaProgressTimeoutException) it).timeout())
                .hasMessageContaining(listener.localAddress().toString());
        client.awaitInactive();
        ChannelFuture lost = last;
        assertThatThrownBy(() -> ChannelPair.await(lost, "write"))
                .cause()
                .isInstanceOf(RdmaProgressTimeoutException.class);
        ChannelPair.until(() -> buffers.stream().allMatch(buffer -> buffer.refCnt() == 0), "every buffer is released");
    }
}
