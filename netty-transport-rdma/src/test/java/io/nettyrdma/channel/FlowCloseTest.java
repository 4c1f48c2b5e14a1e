// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.channel;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.nettyrdma.error.RdmaConnectionException;
import io.nettyrdma.flow.RdmaFlowControlConfig;
import io.nettyrdma.flow.RdmaFlowControlHandler;
import io.nettyrdma.flow.protocol.FlowTrailer;
import java.nio.channels.ClosedChannelException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A {@code close()} right behind messages that {@link RdmaFlowControlHandler} may not send yet. */
@ExtendWith(LeavesNothingOpen.class)
class FlowCloseTest {

    private static final int PIECE_BYTES = 4096 - FlowTrailer.BYTES;
    private static final int RECEIVES = RdmaFlowControlHandler.RESERVED_RECEIVES + 4;

    private final Inbox client = new Inbox();
    private final Inbox server = new Inbox();

    private ChannelPair pair(boolean confirms) {
        RdmaFlowControlConfig config =
                RdmaFlowControlConfig.builder().confirmsDelivery(confirms).build();
        return new ChannelPair(() -> controlled(config, server), () -> controlled(config, client))
                .option(RdmaChannelOption.RDMA_RECEIVE_COUNT, RECEIVES);
    }

    private static ChannelInitializer<Channel> controlled(RdmaFlowControlConfig config, Inbox inbox) {
        return Handlers.adding(new RdmaFlowControlHandler(config), inbox);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void peerThatReadsGetsAllMessagesBeforeAClose(boolean confirms) throws Exception {
        int count = 50 * RECEIVES;
        try (ChannelPair pair = pair(confirms)) {
            RdmaChannel channel = pair.connect();
            List<ChannelFuture> writes = new ArrayList<>();
            ChannelFuture closed = ChannelPair.onLoop(channel, () -> {
                for (int i = 0; i < count; i++) {
                    writes.add(channel.write(Unpooled.copyInt(i)));
                }
                channel.flush();
                return channel.close();
            });
            server.expectNumbers(0, count);
            server.awaitInactive();
            ChannelPair.await(closed, "close");
            assertThat(writes).hasSize(count).allMatch(ChannelFuture::isSuccess);
        }
        assertThat(client.failures).isEmpty();
        assertThat(server.failures).isEmpty();
    }

    @Test
    void longMessageIsSentWholeBeforeAClose() throws Exception {
        byte[] sent = new byte[20 * RECEIVES * PIECE_BYTES + 1];
        Arrays.fill(sent, (byte) 'x');
        try (ChannelPair pair = pair(false)) {
            RdmaChannel channel = pair.connect();
            ChannelPair.onLoop(channel, () -> {
                channel.writeAndFlush(Unpooled.wrappedBuffer(sent));
                channel.close();
            });
            assertThat(server.next()).isEqualTo(sent);
            server.awaitInactive();
        }
    }

    /** Both sides close, and drop what the other one sends. */
    @Test
    void sidesThatCloseTogetherWaitForEachOtherNoLongerThanForAPeerThatTakesNothing() throws Exception {
        try (ChannelPair pair = pair(false)) {
            RdmaChannel channel = pair.connect();
            RdmaChannel other = pair.accepted();
            for (RdmaChannel side : List.of(channel, other)) {
                side.eventLoop().execute(() -> {
                    for (int i = 0; i < 50 * RECEIVES; i++) {
                        side.write(Unpooled.copyInt(i));
                    }
                    side.flush();
                    side.close();
                });
            }
            ChannelPair.await(channel.closeFuture(), "close");
            ChannelPair.await(other.closeFuture(), "close");
        }
    }

    @Test
    void writesBehindACloseThatWaitsFail() throws Exception {
        try (ChannelPair pair = pair(false)) {
            pair.serverBootstrap.childOption(ChannelOption.AUTO_READ, false);
            RdmaChannel channel = pair.connect();
            RdmaChannel reader = pair.accepted();
            List<ChannelFuture> flushed = new ArrayList<>();
            List<ChannelFuture> late = new ArrayList<>();
            List<ChannelFuture> closes = new ArrayList<>();
            ChannelPair.onLoop(channel, () -> {
                for (int i = 0; i < 2 * RECEIVES; i++) {
                    flushed.add(channel.write(Unpooled.copyInt(i)));
                }
                channel.flush();
                late.add(channel.write(Unpooled.copyInt(-1))); // and not flushed
                closes.add(channel.close());
                late.add(channel.write(Unpooled.copyInt(-1)));
                late.add(channel.writeAndFlush(Unpooled.copyInt(-1)));
                closes.add(channel.close());
                assertThat(closes).noneMatch(ChannelFuture::isDone);
            });
            reader.config().setAutoRead(true);
            server.expectNumbers(0, flushed.size());
            server.awaitInactive();
            ChannelPair.awaitAll(closes, "close");
            assertThat(flushed).allMatch(ChannelFuture::isSuccess);
            for (ChannelFuture write : late) {
                assertThat(ChannelPair.done(write).cause()).isInstanceOf(ClosedChannelException.class);
            }
            assertThat(server.messages).isEmpty();
        }
    }

    /** The removal ends the wait at once; the peer gets what has arrived, and sees that it was not all. */
    @Test
    void readerSeesThatACloseHasGivenUp() throws Exception {
        try (ChannelPair pair = pair(false)) {
            pair.serverBootstrap.childOption(ChannelOption.AUTO_READ, false);
            RdmaChannel channel = pair.connect();
            pair.accepted();
            ChannelFuture closed = ChannelPair.onLoop(channel, () -> {
                for (int i = 0; i < 2 * RECEIVES; i++) {
                    channel.write(Unpooled.copyInt(i));
                }
                channel.flush();
                ChannelFuture close = channel.close();
                channel.pipeline().remove(RdmaFlowControlHandler.class);
                return close;
            });
            ChannelPair.await(closed, "close");
            server.awaitInactive();
            assertThat(server.messages).hasSize(RECEIVES - RdmaFlowControlHandler.RESERVED_RECEIVES);
            assertThat(server.failuresBeforeTheEnd).hasSize(1);
            assertThat(server.nextFailure())
                    .isInstanceOf(RdmaConnectionException.class)
                    .hasMessageContaining("flushed");
        }
        assertThat(client.failures).isEmpty();
    }
}
