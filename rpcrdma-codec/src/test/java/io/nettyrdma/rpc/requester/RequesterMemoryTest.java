// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.requester;

import static io.nettyrdma.rpc.error.MessageNotAcceptedException.Reason.QUEUE_FULL;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.util.concurrent.Future;
import io.nettyrdma.channel.Over;
import io.nettyrdma.channel.TestProvider;
import io.nettyrdma.deadline.Deadline;
import io.nettyrdma.rpc.RpcRdmaConfig;
import io.nettyrdma.rpc.RpcRdmaRequester;
import io.nettyrdma.rpc.TestLimits;
import io.nettyrdma.rpc.error.ConnectionLostException;
import io.nettyrdma.rpc.kit.HighWater;
import io.nettyrdma.rpc.kit.Poll;
import io.nettyrdma.rpc.kit.RdmaLoopback;
import io.nettyrdma.rpc.kit.ScriptedLoopback;
import io.nettyrdma.rpc.kit.TestProgram;
import io.nettyrdma.rpc.message.RpcHeaders;
import io.nettyrdma.rpc.wire.header.ChunkLists;
import io.nettyrdma.rpc.wire.header.RpcRdmaMessage;
import io.nettyrdma.verbs.strict.AllTraitsOnly;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * What a responder can make a requester hold, or an application that does not take its replies, measured at its peak:
 * the posted receives, what the application keeps, and the memory that the calls in flight expose.
 */
@Over
@ExtendWith(AllTraitsOnly.class)
final class RequesterMemoryTest extends ScriptedLoopback {

    private static final int CREDITS = 8;
    private static final int RESERVE = 8;
    private static final int SLOT_BYTES = 4096;
    private static final int WAITING = 10;
    private static final int RESULT_BYTES = 64 * 1024;
    private static final RpcRdmaConfig CONFIG = TestLimits.receiveReserve(RpcRdmaConfig.builder(), RESERVE)
            .bindings(TestProgram.BINDINGS)
            .inlineReceiveBytes(SLOT_BYTES)
            .creditsRequested(CREDITS)
            .maxCallsWaiting(WAITING)
            .maxChunkBytesPerCall(RESULT_BYTES)
            .build();

    private final HighWater peak = new HighWater();
    private Channel channel;

    @BeforeEach
    void connect() throws Exception {
        channel = loopback.connect(CONFIG);
        channel.config().setAllocator(peak.alloc);
        channel.pipeline().addFirst(peak);
        RdmaLoopback.answered(call(0, 8), "first call"); // there is more than one credit now
        next();
    }

    @AfterEach
    @Override
    public void close() {
        super.close();
        assertThat(peak.alloc.metric().usedDirectMemory()).isZero();
        assertThat(peak.alloc.metric().usedHeapMemory()).isZero();
    }

    /** A call whose reply is inline, with so many octets besides its header. */
    private Future<ByteBuf> call(int xid, int bytes) {
        return RpcRdmaRequester.of(channel).call(TestProgram.call(xid, List.of(), List.of(), bytes));
    }

    /** Without calls whose replies were faster than the completions that give back what they took. */
    private long memoryBytes() throws Exception {
        RdmaLoopback.await(
                channel.pipeline().firstContext().writeAndFlush(Unpooled.EMPTY_BUFFER), "what was posted before");
        return channel.eventLoop().submit(peak::memoryBytes).get(Deadline.SECONDS, TimeUnit.SECONDS);
    }

    @Test
    void repliesToNoCallsHoldThePostedReceives() throws Exception {
        TestProvider.tested().assumeWaitsForReceives();
        script = exchange -> {
            for (int i = 0; i < 5000; i++) {
                int xid = 1000 + i;
                exchange.send(
                        new RpcRdmaMessage.Msg(xid, 1, 32, ChunkLists.ABSENT),
                        RpcHeaders.accepted(exchange.ctx.alloc(), xid, RpcHeaders.SUCCESS));
                exchange.send(new RpcRdmaMessage.ErrorMsg(xid, 1, 32, null), null);
            }
            exchange.answer();
        };

        RdmaLoopback.answered(call(1, 8), "call");

        assertThat(peak.received).hasValue(2 + 2 * 5000);
        assertThat(peak.mostMemoryBytes).isLessThanOrEqualTo(2L * (CREDITS + RESERVE) * SLOT_BYTES);
    }

    @Test
    void applicationThatKeepsRepliesHoldsTheseAndKeepsTheConnectionGoing() throws Exception {
        final long before = memoryBytes();
        int replyBytes = 3000;
        List<ByteBuf> kept = new ArrayList<>();
        for (int xid = 1; xid <= 200; xid++) {
            kept.add(RdmaLoopback.await(call(xid, replyBytes), "call").getNow());
        }

        assertThat(memoryBytes()).isBetween(200L * replyBytes, (long) (CREDITS + RESERVE + kept.size()) * SLOT_BYTES);
        kept.forEach(ByteBuf::release);
        RdmaLoopback.answered(call(1, 8), "call");
        assertThat(memoryBytes()).isEqualTo(before);
    }

    @Test
    void callsWhoseRepliesAreNotReadWaitAndThenEndOnce() throws Exception {
        BlockingQueue<Integer> replies = new LinkedBlockingQueue<>();
        channel.pipeline().addLast(new SimpleChannelInboundHandler<ByteBuf>() {
            @Override
            protected void channelRead0(ChannelHandlerContext ctx, ByteBuf reply) {
                replies.add(RpcHeaders.xid(reply));
            }
        });
        final long before = memoryBytes();
        channel.config().setAutoRead(false);
        List<ChannelFuture> writes = new ArrayList<>();
        for (int xid = 1; xid <= 30; xid++) {
            writes.add(channel.writeAndFlush(TestProgram.call(xid, List.of(), List.of(), 8)));
        }
        for (ChannelFuture refused : writes.subList(CREDITS + WAITING, 30)) {
            assertThat(RdmaLoopback.failure(refused)).hasFieldOrPropertyWithValue("reason", QUEUE_FULL);
        }
        Poll.until("the calls that have credits", () -> arrived.size() == CREDITS);

        assertThat(replies).isEmpty();
        // The calls that wait keep their messages, of less than 256 octets.
        assertThat(memoryBytes()).isBetween(before, before + (WAITING + CREDITS) * 256L);
        channel.config().setAutoRead(true);
        List<Integer> ended = new ArrayList<>();
        for (int i = 0; i < CREDITS + WAITING; i++) {
            ended.add(replies.poll(Deadline.SECONDS, TimeUnit.SECONDS));
        }
        assertThat(ended)
                .containsExactlyInAnyOrderElementsOf(
                        IntStream.rangeClosed(1, CREDITS + WAITING).boxed().toList());
        RdmaLoopback.answered(call(99, 8), "one more call");
        assertThat(replies).isEmpty();
        assertThat(memoryBytes()).isEqualTo(before);
    }

    @Test
    void callsThatAreNeverAnsweredExposeWhatTheirCreditsAllow() throws Exception {
        script = exchange -> {};
        List<Future<ByteBuf>> replies = new ArrayList<>();
        for (int xid = 1; xid <= CREDITS + WAITING; xid++) {
            replies.add(RpcRdmaRequester.of(channel)
                    .call(TestProgram.call(xid, List.of(), List.of(RESULT_BYTES - 512), 0)));
        }
        Poll.until("the calls that have credits", () -> arrived.size() == CREDITS);

        assertThat(loopback.memory.exposed).hasValue(CREDITS);
        assertThat(peak.mostMemoryBytes)
                .isBetween(
                        (long) CREDITS * (RESULT_BYTES - 512),
                        (long) CREDITS * RESULT_BYTES + 2L * (CREDITS + RESERVE) * SLOT_BYTES);
        RdmaLoopback.await(channel.close(), "close");
        for (Future<ByteBuf> reply : replies) {
            assertThat(RdmaLoopback.failure(reply)).isInstanceOf(ConnectionLostException.class);
        }
    }
}
