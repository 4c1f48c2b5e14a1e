// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.channel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelOption;
import io.nettyrdma.error.RdmaConnectionException;
import io.nettyrdma.verbs.soft.ClockedProvider;
import io.nettyrdma.verbs.soft.SoftProvider;
import io.nettyrdma.verbs.soft.SoftProviderConfig;
import java.util.ArrayList;
import java.util.List;
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
    private ClockedProvider clock;
    private ChannelPair pair;
    private Channel sender;
    private Channel receiver;

    /** A sender, and a receiver that does not read. No time passes unless the test says so. */
    private void connect(int providersTimeoutMillis, Integer timeoutMillis) throws Exception {
        clock = new ClockedProvider(SoftProviderConfig.builder()
                .receiverNotReadyTimeoutMillis(providersTimeoutMillis)
                .build());
        pair = new ChannelPair(LoopsOver.newFactory(clock.provider()), 1, () -> server, () -> client);
        pair.serverBootstrap
                .childOption(ChannelOption.AUTO_READ, false)
                .childOption(RdmaChannelOption.RDMA_RECEIVE_COUNT, RECEIVES);
        if (timeoutMillis != null) {
            pair.serverBootstrap.childOption(TIMEOUT, timeoutMillis);
        }
        sender = pair.connect();
        receiver = pair.accepted();
    }

    @AfterEach
    void end() {
        pair.close();
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
        ChannelPair.awaitAll(writes, "write");
        // Whatever TCP has is there, and a whole turn of the receiver's loop lies behind it.
        ChannelPair.onLoop(receiver, () -> {});
        ChannelPair.onLoop(receiver, () -> {});
    }

    private void expectMessages(int count) throws Exception {
        server.expectNumbers(0, count);
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
