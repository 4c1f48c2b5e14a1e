// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.channel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.nettyrdma.deadline.Deadline;
import io.nettyrdma.error.RdmaConnectionException;
import io.nettyrdma.verbs.soft.ClockedProvider;
import io.nettyrdma.verbs.soft.SoftProvider;
import io.nettyrdma.verbs.soft.SoftProviderConfig;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A channel that nobody reads, as in a relay to somebody slow: for how long its peer may send, and what that hears. */
class UnreadChannelTest {

    private static final int RECEIVES = 4;
    private static final int MESSAGES = 20;
    private static final ChannelOption<Integer> TIMEOUT = RdmaChannelOption.RDMA_RECEIVER_NOT_READY_TIMEOUT_MILLIS;

    private final Inbox client = new Inbox();
    private final Inbox server = new Inbox();
    private final BlockingQueue<Channel> accepted = new LinkedBlockingQueue<>();
    private final List<EventLoopGroup> groups = new ArrayList<>();
    private ClockedProvider clock;
    private Channel sender;
    private Channel receiver;

    private EventLoopGroup group() {
        EventLoopGroup group = new MultiThreadIoEventLoopGroup(1, LoopsOver.newFactory(clock.provider()));
        groups.add(group);
        return group;
    }

    /** A sender, and a receiver that does not read. No time passes unless the test says so. */
    private void connect(int providersTimeoutMillis, Integer timeoutMillis) throws Exception {
        clock = new ClockedProvider(SoftProviderConfig.builder()
                .receiverNotReadyTimeoutMillis(providersTimeoutMillis)
                .build());
        ServerBootstrap bootstrap = new ServerBootstrap()
                .group(group())
                .channel(RdmaServerChannel.class)
                .childOption(ChannelOption.AUTO_READ, false)
                .childOption(RdmaChannelOption.RDMA_RECEIVE_COUNT, RECEIVES)
                .childHandler(new ChannelInitializer<>() {
                    @Override
                    protected void initChannel(Channel channel) {
                        if (timeoutMillis != null) {
                            assertThat(channel.config().setOption(TIMEOUT, timeoutMillis))
                                    .as(TIMEOUT.name())
                                    .isTrue();
                        }
                        channel.pipeline().addLast(server);
                        accepted.add(channel);
                    }
                });
        Channel listener = ChannelPair.await(bootstrap.bind(TestProvider.address(), 0), "bind")
                .channel();
        sender = ChannelPair.await(
                        new Bootstrap()
                                .group(group())
                                .channel(RdmaChannel.class)
                                .handler(client)
                                .connect(listener.localAddress()),
                        "connect")
                .channel();
        receiver = accepted.poll(Deadline.SECONDS, TimeUnit.SECONDS);
        assertThat(receiver).as("the accepted channel").isNotNull();
    }

    @AfterEach
    void endGroups() throws Exception {
        for (EventLoopGroup group : groups) {
            ChannelPair.await(group.shutdownGracefully(0, 5, TimeUnit.SECONDS), "end of a group");
        }
        assertThat(clock.provider().openResources()).isEqualTo(SoftProvider.OpenResources.NONE);
    }

    /**
     * All promises succeed: a request that completes says nothing of the peer's application, or even of its receives.
     */
    private void sendAll() throws Exception {
        List<ChannelFuture> writes = new ArrayList<>();
        for (int i = 0; i < MESSAGES; i++) {
            writes.add(sender.writeAndFlush(Unpooled.copyInt(i)));
        }
        for (ChannelFuture write : writes) {
            ChannelPair.await(write, "write");
        }
        // Whatever TCP has is there, and a whole turn of the receiver's loop lies behind it.
        ChannelPair.onLoop(receiver, () -> {});
        ChannelPair.onLoop(receiver, () -> {});
    }

    private void expectMessages(int count) throws Exception {
        for (int i = 0; i < count; i++) {
            assertThat(Unpooled.wrappedBuffer(server.next()).readInt()).isEqualTo(i);
        }
        assertThat(server.messages).isEmpty();
    }

    @Test
    void timeoutOfTheChannelKeepsTheConnectionUntilSomebodyReads() throws Exception {
        connect(0, 60_000);
        sendAll();
        receiver.config().setAutoRead(true);
        expectMessages(MESSAGES);
        assertThat(server.failures).isEmpty();
        assertThat(sender.isActive()).isTrue();
    }

    @Test
    void timeoutOfZeroEndsTheConnectionAtOnce() throws Exception {
        connect(1_000, 0);
        sendAll();
        assertThat(client.nextFailure()) // first: a receiver that reads in time makes room for what it has not seen yet
                .isInstanceOf(RdmaConnectionException.class)
                .hasMessageContaining("no buffer")
                .hasMessageContaining("its RDMA_RECEIVE_COUNT")
                .hasMessageContaining("RdmaFlowControlHandler");
        receiver.config().setAutoRead(true);
        expectMessages(RECEIVES);
        assertThat(server.nextFailure())
                .isInstanceOf(RdmaConnectionException.class)
                .hasMessageStartingWith("peer sent into an empty receive queue, and no receive came within 0 ms"
                        + " (RDMA_RECEIVER_NOT_READY_TIMEOUT_MILLIS)");
    }

    @Test
    void timeoutOfTheProviderIsTheDefault() throws Exception {
        connect(1_000, null);
        sendAll();
        ChannelPair.onLoop(receiver, () -> {});
        assertThat(sender.isActive()).as("before the time has passed").isTrue();
        ChannelPair.until(
                () -> {
                    clock.pass(TimeUnit.SECONDS.toNanos(1)); // counts from when the receiver's loop sees the message
                    return !client.failures.isEmpty();
                },
                "the time has passed");
        receiver.config().setAutoRead(true);
        expectMessages(RECEIVES);
        assertThat(server.nextFailure())
                .hasMessageStartingWith("peer sent into an empty receive queue, and no receive came within 1000 ms"
                        + " (RDMA_RECEIVER_NOT_READY_TIMEOUT_MILLIS)");
    }

    @Test
    void timeoutIsInRangeAndBelongsToTheQueuePair() throws Exception {
        connect(1_000, 5);
        assertThat(receiver.config().getOption(TIMEOUT)).isEqualTo(5);
        assertThat(receiver.config().getOptions()).containsEntry(TIMEOUT, 5);
        assertThatThrownBy(() -> receiver.config().setOption(TIMEOUT, 6))
                .hasMessageContaining("RDMA_RECEIVER_NOT_READY_TIMEOUT_MILLIS");
        assertThatThrownBy(() -> new RdmaChannel().config().setOption(TIMEOUT, -2))
                .hasMessage("RDMA_RECEIVER_NOT_READY_TIMEOUT_MILLIS: -2 (expected: -1 to 2147483647)");
    }
}
