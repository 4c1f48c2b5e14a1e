// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.channel;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** How many receives are posted where messages wait for them. */
@ExtendWith(LeavesNothingOpen.class)
final class FewReceivesTest {

    private static final int RECEIVES = 64;

    /** Answers each message, and notes where it lay. */
    private static final class NotingEcho extends ChannelInboundHandlerAdapter {
        final Set<Long> addresses = ConcurrentHashMap.newKeySet();

        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            addresses.add(((ByteBuf) message).memoryAddress());
            context.writeAndFlush(message);
        }
    }

    private static ChannelPair pair(ChannelInboundHandlerAdapter server, Inbox client) {
        return new ChannelPair(TestProvider.SOFT, () -> server, () -> client)
                .option(RdmaChannelOption.RDMA_RECEIVE_COUNT, RECEIVES);
    }

    @Test
    void quietConnectionUsesTheSameFewSlotsAgain() throws Exception {
        NotingEcho echo = new NotingEcho();
        Inbox client = new Inbox();
        try (ChannelPair pair = pair(echo, client)) {
            RdmaChannel channel = pair.connect();
            for (int i = 0; i < 3 * RECEIVES; i++) {
                channel.writeAndFlush(ChannelPair.text("x"));
                client.next();
            }
            assertThat(echo.addresses).hasSizeLessThanOrEqualTo(2 * ReceiveQueue.FIRST_POSTED);
        }
    }

    @Test
    void burstThatIsLongerThanThePostedReceivesArrivesInOrder() throws Exception {
        Inbox client = new Inbox();
        try (ChannelPair pair = pair(new Echo(), client)) {
            RdmaChannel channel = pair.connect();
            for (int burst = 0; burst < 3; burst++) {
                ChannelPair.onLoop(channel, () -> {
                    for (int i = 0; i < RECEIVES; i++) {
                        channel.write(ChannelPair.text("message " + i));
                    }
                    channel.flush();
                });
                for (int i = 0; i < RECEIVES; i++) {
                    assertThat(client.nextText()).isEqualTo("message " + i);
                }
            }
        }
    }

    /** As many as there are receives, although the program reads none: a peer that counts credits may send them. */
    @Test
    void messagesThatNoHandlerReadsTakeAllReceivesAndFailNothing() throws Exception {
        Queue<Integer> read = new ConcurrentLinkedQueue<>();
        ChannelInboundHandlerAdapter server = Handlers.onRead((context, message) -> {
            read.add(message.readInt());
            message.release();
            context.writeAndFlush(Unpooled.copyInt(read.size()));
        });
        Inbox client = new Inbox();
        try (ChannelPair pair =
                pair(server, client).option(RdmaChannelOption.RDMA_RECEIVER_NOT_READY_TIMEOUT_MILLIS, 1000)) {
            pair.serverBootstrap.childOption(ChannelOption.AUTO_READ, false);
            RdmaChannel channel = pair.connect();
            Channel child = pair.accepted();
            for (int i = 0; i < RECEIVES; i++) {
                ChannelPair.await(channel.writeAndFlush(Unpooled.copyInt(i)), "write");
            }
            child.config().setAutoRead(true);
            for (int i = 0; i < RECEIVES; i++) {
                client.next();
            }
            assertThat(List.copyOf(read)).hasSize(RECEIVES).isSorted();
        }
    }
}
