// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.channel;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.util.ReferenceCountUtil;
import io.nettyrdma.deadline.Deadline;
import io.nettyrdma.verbs.soft.SoftProvider;
import io.nettyrdma.verbs.soft.SoftProviderConfig;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What is granted is posted, over a provider that ends a connection at the first message without a receive, as siw, rxe
 * and hardware do. The peer always has as many messages unanswered as there are receives.
 */
class GrantedReceivesTest {

    private static final int MESSAGES = 500;

    static {
        Rdma.ensureAvailability(); // DiSNI's objects ask for an installed provider, whichever they belong to
    }

    private final SoftProvider provider = new SoftProvider(
            SoftProviderConfig.builder().receiverNotReadyTimeoutMillis(0).build());
    private final ExecutorService elsewhere = Executors.newSingleThreadExecutor();

    @AfterEach
    void end() throws Exception {
        elsewhere.shutdown();
        assertThat(elsewhere.awaitTermination(Deadline.SECONDS, TimeUnit.SECONDS))
                .isTrue();
        assertThat(provider.openResources()).isEqualTo(SoftProvider.OpenResources.NONE);
    }

    /** Answers each message and keeps it, until so many are kept; then releases the oldest for each that comes. */
    private static final class Keeper extends ChannelInboundHandlerAdapter {

        private final int most;
        private final Executor answering;
        private final Deque<ByteBuf> kept = new ArrayDeque<>();

        Keeper(int most, Executor answering) {
            this.most = most;
            this.answering = answering;
        }

        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            ByteBuf answer = Unpooled.copyInt(((ByteBuf) message).getInt(0));
            kept.add((ByteBuf) message);
            if (kept.size() > most) {
                kept.remove().release();
            }
            answering.execute(() -> context.channel().writeAndFlush(answer));
        }

        @Override
        public void channelInactive(ChannelHandlerContext context) {
            kept.forEach(ReferenceCountUtil::release);
        }
    }

    /** Sends a message for each answer, and so many at first. */
    private static final class Sender extends ChannelInboundHandlerAdapter {

        private final int window;
        private final CompletableFuture<Integer> ended = new CompletableFuture<>();
        private int sent;
        private int answered;

        Sender(int window) {
            this.window = window;
        }

        @Override
        public void channelActive(ChannelHandlerContext context) {
            while (sent < window) {
                context.write(Unpooled.copyInt(sent++));
            }
            context.flush();
        }

        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            assertThat(((ByteBuf) message).readInt()).isEqualTo(answered++);
            ReferenceCountUtil.release(message);
            if (answered == MESSAGES) {
                context.close();
            } else if (sent < MESSAGES) {
                context.writeAndFlush(Unpooled.copyInt(sent++));
            }
        }

        @Override
        public void channelInactive(ChannelHandlerContext context) {
            ended.complete(answered);
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            ended.completeExceptionally(cause);
        }
    }

    @ParameterizedTest(name = "{0} receives, {1} kept")
    @CsvSource({"1, 1", "1, 3", "8, 2", "8, 5", "8, 8", "8, 100", "64, 60", "64, 200", "64, 0", "2, 500"})
    void asManyAreUnansweredAsThereAreReceivesWhateverAHandlerKeeps(int receives, int kept) throws Exception {
        assertThat(answers(receives, new Keeper(kept, Runnable::run))).isEqualTo(MESSAGES);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 8, 64})
    void answersOfAnotherThreadDoNotOvertakeTheReceivesTheyGrant(int receives) throws Exception {
        assertThat(answers(receives, new Keeper(2 * receives, elsewhere))).isEqualTo(MESSAGES);
    }

    private int answers(int receives, Keeper keeper) throws Exception {
        Sender sender = new Sender(receives);
        try (ChannelPair pair = new ChannelPair(LoopsOver.newFactory(provider), 1, () -> keeper, () -> sender)) {
            pair.serverBootstrap.childOption(RdmaChannelOption.RDMA_RECEIVE_COUNT, receives);
            pair.clientBootstrap.option(RdmaChannelOption.RDMA_RECEIVE_COUNT, 64);
            pair.connect();
            return sender.ended.get(Deadline.SECONDS, TimeUnit.SECONDS);
        }
    }
}
