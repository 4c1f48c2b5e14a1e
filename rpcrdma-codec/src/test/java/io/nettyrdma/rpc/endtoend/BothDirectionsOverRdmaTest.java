// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.util.concurrent.Future;
import io.nettyrdma.channel.LoopsOver;
import io.nettyrdma.channel.Over;
import io.nettyrdma.conformance.Requirement;
import io.nettyrdma.deadline.Deadline;
import io.nettyrdma.rpc.RpcRdmaConfig;
import io.nettyrdma.rpc.RpcRdmaRequester;
import io.nettyrdma.rpc.RpcRdmaRequesterHandler;
import io.nettyrdma.rpc.RpcRdmaResponderHandler;
import io.nettyrdma.rpc.RpcRdmaReverseRequesterHandler;
import io.nettyrdma.rpc.RpcRdmaReverseResponderHandler;
import io.nettyrdma.rpc.TestLimits;
import io.nettyrdma.rpc.error.ConnectionLostException;
import io.nettyrdma.rpc.kit.NoVerbsLeft;
import io.nettyrdma.rpc.kit.RdmaLoopback;
import io.nettyrdma.rpc.kit.TestProgram;
import io.nettyrdma.rpc.message.RpcHeaders;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A client and a server that call each other over one RDMA connection. */
@Over
@ExtendWith(NoVerbsLeft.class)
final class BothDirectionsOverRdmaTest {

    private static final int CALLS = 1000;
    private static final int FORWARD = 100003;
    private static final int REVERSE = 0x40000000;

    private final EventLoopGroup group = LoopsOver.group(2);
    private final BlockingQueue<Channel> accepted = new LinkedBlockingQueue<>();
    private Channel client;
    private Channel server;

    @AfterEach
    void end() {
        RdmaLoopback.end(group);
    }

    private void connect(RpcRdmaConfig config, ChannelHandler forwardService, ChannelHandler reverseService)
            throws Exception {
        Channel listener = RdmaLoopback.listen(group, pipeline -> {
            pipeline.addLast(new RpcRdmaResponderHandler(config), new RpcRdmaReverseRequesterHandler(), forwardService);
            accepted.add(pipeline.channel());
        });
        client = RdmaLoopback.connect(
                group,
                listener.localAddress(),
                pipeline -> pipeline.addLast(
                        new RpcRdmaRequesterHandler(config), new RpcRdmaReverseResponderHandler(), reverseService));
        server = accepted.poll(Deadline.SECONDS, TimeUnit.SECONDS);
    }

    private static Future<ByteBuf> call(Channel channel, int program, int xid) {
        return RpcRdmaRequester.of(channel)
                .call(RpcHeaders.call(ByteBufAllocator.DEFAULT, xid, program, 1, 0)
                        .writeInt(xid * 3));
    }

    private void firstCall() throws Exception {
        RdmaLoopback.answered(call(client, FORWARD, 0), "the first call");
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    @Requirement({"V1-012", "V1-018", "BIS-015", "V2-002", "V2-003", "V2-004", "V2-067", "V2-068", "V2-091"})
    void aThousandCallsEachWayUseTheSameXidsAndTheirOwnCredits(int version) throws Exception {
        Service forward = new Service(FORWARD);
        Service reverse = new Service(REVERSE);
        RpcRdmaConfig config = TestLimits.receiveReserve(
                        TestLimits.negotiationTimeout(RpcRdmaConfig.builder(), Deadline.DURATION), 0)
                .versions(version, version)
                .creditsGranted(8)
                .reverseCredits(3)
                .maxCallsWaiting(CALLS)
                .build();
        connect(config, forward, reverse);
        firstCall();
        List<Future<ByteBuf>> forwardReplies = new ArrayList<>();
        List<Future<ByteBuf>> reverseReplies = new ArrayList<>();
        for (int xid = 1; xid <= CALLS; xid++) {
            forwardReplies.add(call(client, FORWARD, xid));
            reverseReplies.add(call(server, REVERSE, xid));
        }

        checkReplies(forwardReplies, 0, FORWARD);
        checkReplies(reverseReplies, 0, REVERSE);
        assertThat(forward.mostInProgress.get()).isBetween(2, 8);
        assertThat(reverse.mostInProgress.get()).isBetween(2, 3);
        assertThat(forward.strangers.get() + reverse.strangers.get()).isZero();
    }

    private static void checkReplies(List<Future<ByteBuf>> replies, int before, int program) throws Exception {
        assertThat(replies).hasSize(CALLS);
        for (int i = 0; i < CALLS; i++) {
            int xid = before + i + 1;
            ByteBuf reply = RdmaLoopback.await(replies.get(i), "call " + xid).getNow();
            assertThat(RpcHeaders.xid(reply)).isEqualTo(xid);
            assertThat(reply.getInt(TestProgram.ACCEPTED_REPLY_BYTES)).isEqualTo(xid * 3 + program);
            reply.release();
        }
    }

    @Test
    @Requirement("V1-012")
    void callsFromManyThreadsAreAllAnsweredWithinTheGrant() throws Exception {
        Service forward = new Service(FORWARD);
        connect(
                RpcRdmaConfig.builder()
                        .creditsGranted(8)
                        .reverseCredits(1)
                        .maxCallsWaiting(4 * CALLS)
                        .build(),
                forward,
                new Service(REVERSE));
        List<List<Future<ByteBuf>>> replies = new ArrayList<>();
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            List<Future<ByteBuf>> ofThread = new ArrayList<>();
            int first = i * CALLS;
            replies.add(ofThread);
            threads.add(new Thread(() -> {
                for (int xid = 1; xid <= CALLS; xid++) {
                    ofThread.add(call(client, FORWARD, first + xid));
                }
            }));
        }
        threads.forEach(Thread::start);
        for (Thread thread : threads) {
            thread.join();
        }

        for (int i = 0; i < 4; i++) {
            checkReplies(replies.get(i), i * CALLS, FORWARD);
        }
        assertThat(forward.mostInProgress.get()).isBetween(2, 8);
    }

    /** Both calls of a nested pair take the last credit, and no receive is in reserve. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void serverMayCallBackBeforeItAnswers(int version) throws Exception {
        RpcRdmaConfig config = TestLimits.receiveReserve(
                        TestLimits.negotiationTimeout(RpcRdmaConfig.builder(), Deadline.DURATION), 0)
                .versions(version, version)
                .creditsGranted(1)
                .reverseCredits(1)
                .build();
        connect(
                config,
                new SimpleChannelInboundHandler<ByteBuf>() {
                    @Override
                    protected void channelRead0(ChannelHandlerContext ctx, ByteBuf call) {
                        int xid = RpcHeaders.xid(call);
                        call(ctx.channel(), REVERSE, xid).addListener((Future<ByteBuf> back) -> {
                            ctx.writeAndFlush(RpcHeaders.accepted(ctx.alloc(), xid, RpcHeaders.SUCCESS)
                                    .writeInt(back.getNow().getInt(TestProgram.ACCEPTED_REPLY_BYTES)));
                            back.getNow().release();
                        });
                    }
                },
                new Service(REVERSE));

        for (int xid = 1; xid <= 20; xid++) {
            ByteBuf reply = RdmaLoopback.await(call(client, FORWARD, xid), "call " + xid)
                    .getNow();
            assertThat(reply.getInt(TestProgram.ACCEPTED_REPLY_BYTES)).isEqualTo(xid * 3 + REVERSE);
            reply.release();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void lossOfTheConnectionEndsTheCallsOfBothDirections(int version) throws Exception {
        Service forward = new Service(FORWARD);
        Service reverse = new Service(REVERSE);
        RpcRdmaConfig config = TestLimits.negotiationTimeout(RpcRdmaConfig.builder(), Deadline.DURATION)
                .versions(version, version)
                .creditsGranted(8)
                .reverseCredits(8)
                .maxCallsWaiting(CALLS)
                .build();
        connect(config, forward, reverse);
        firstCall();
        reverse.closeAt = CALLS / 4; // in the middle of the loop below, or after it
        List<Future<ByteBuf>> replies = new ArrayList<>();
        for (int xid = 1; xid <= CALLS; xid++) {
            replies.add(call(client, FORWARD, xid));
            replies.add(call(server, REVERSE, xid));
        }

        int lost = 0;
        for (Future<ByteBuf> reply : replies) {
            assertThat(reply.await(Deadline.SECONDS, TimeUnit.SECONDS)).isTrue();
            if (reply.isSuccess()) {
                reply.getNow().release();
            } else {
                assertThat(reply.cause()).isInstanceOf(ConnectionLostException.class);
                lost++;
            }
        }
        assertThat(lost).isBetween(CALLS * 3 / 4, 2 * CALLS);
    }

    /** Answers a little later, so that calls pile up as far as credits allow. */
    private static final class Service extends SimpleChannelInboundHandler<ByteBuf> {

        final AtomicInteger mostInProgress = new AtomicInteger();
        final AtomicInteger strangers = new AtomicInteger();
        volatile int closeAt = Integer.MAX_VALUE;
        private final int program;
        private int inProgress;
        private int answered;

        Service(int program) {
            this.program = program;
        }

        @Override
        protected void channelRead0(ChannelHandlerContext ctx, ByteBuf call) {
            if (!RpcHeaders.isCall(call) || RpcHeaders.program(call) != program) {
                strangers.incrementAndGet();
                return;
            }
            int xid = RpcHeaders.xid(call);
            int result = call.getInt(TestProgram.CALL_BYTES) + program;
            mostInProgress.accumulateAndGet(++inProgress, Math::max);
            ctx.executor().execute(() -> {
                inProgress--;
                if (++answered == closeAt) {
                    ctx.close();
                } else {
                    ctx.writeAndFlush(RpcHeaders.accepted(ctx.alloc(), xid, RpcHeaders.SUCCESS)
                            .writeInt(result));
                }
            });
        }
    }
}
