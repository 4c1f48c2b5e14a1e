// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.requester;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.netty.util.concurrent.Future;
import io.nettyrdma.channel.Over;
import io.nettyrdma.channel.TestProvider;
import io.nettyrdma.conformance.Requirement;
import io.nettyrdma.deadline.Deadline;
import io.nettyrdma.rpc.RpcRdmaConfig;
import io.nettyrdma.rpc.RpcRdmaRequester;
import io.nettyrdma.rpc.error.CallOutcome;
import io.nettyrdma.rpc.error.CallTimeoutException;
import io.nettyrdma.rpc.error.ConnectionLostException;
import io.nettyrdma.rpc.error.MalformedRpcMessageException;
import io.nettyrdma.rpc.error.MessageTooLargeException;
import io.nettyrdma.rpc.kit.FailingWrites;
import io.nettyrdma.rpc.kit.RdmaLoopback;
import io.nettyrdma.rpc.kit.ScriptedLoopback;
import io.nettyrdma.rpc.kit.ScriptedResponder.Exchange;
import io.nettyrdma.rpc.kit.TestProgram;
import io.nettyrdma.rpc.message.RpcCallFailedEvent;
import io.nettyrdma.rpc.message.RpcHeaders;
import io.nettyrdma.rpc.message.RpcRdmaCall;
import io.nettyrdma.rpc.wire.header.PlainSegment;
import io.nettyrdma.rpc.wire.header.RpcRdmaMessage;
import io.nettyrdma.rpc.wire.header.RpcRdmaMessage.VersionRange;
import io.nettyrdma.rpc.wire.header.WriteChunk;
import io.nettyrdma.verbs.strict.AllTraitsOnly;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** However a call with chunks ends: its memory was fenced before anybody heard, and is released. */
@Over
@ExtendWith(AllTraitsOnly.class)
final class RequesterFaultsTest extends ScriptedLoopback {

    private static final RpcRdmaConfig CONFIG = RpcRdmaConfig.builder()
            .bindings(TestProgram.BINDINGS)
            .callTimeout(Deadline.DURATION)
            .maxChunkBytesPerCall(1 << 20)
            .build();

    private final Queue<Integer> exposedAtTheEnd = new ConcurrentLinkedQueue<>();
    private Channel channel;

    @BeforeEach
    void connect() throws Exception {
        channel = loopback.connect(CONFIG);
        // One answer, so that there is more than one credit.
        RdmaLoopback.answered(requester().call(TestProgram.call(1, List.of(), List.of(), 0)), "first call");
        arrived.take();
    }

    @AfterEach
    @Override
    public void close() {
        super.close();
        assertThat(exposedAtTheEnd).allMatch(it -> it == 0);
    }

    @Test
    @Requirement({"V1-102", "BIS-014"})
    void timedOutCallIsFencedAndItsLateWriteEndsTheConnection() throws Exception {
        TestProvider.tested().expectUnhandledReason();
        script = exchange -> {};
        Future<ByteBuf> reply = requester().call(readCall(2), Duration.ofMillis(50));
        watch(reply);

        assertThat(RdmaLoopback.failure(reply)).isInstanceOf(CallTimeoutException.class);
        Exchange late = arrived.take();
        assertThat(channel.isActive()).isTrue();
        late.ctx.executor().execute(late::answer);

        RdmaLoopback.await(channel.closeFuture(), "close");
    }

    @Test
    @Requirement("V1-102")
    void cancelledCallIsFencedAndItsCreditComesBackWithTheReply() throws Exception {
        script = exchange -> {};
        Future<ByteBuf> reply = watch(requester().call(writeCall(2)));
        Exchange exchange = arrived.take();

        assertThat(reply.cancel(true)).isTrue();
        awaitTurnOfTheLoop();
        assertThat(loopback.memory.exposed).hasValue(0);

        script = Exchange::answer;
        exchange.ctx.executor().execute(exchange::answer);
        for (int xid = 3; xid < 70; xid++) { // more than there are credits
            RdmaLoopback.answered(call(xid, List.of(), List.of(9000), 0), "call");
        }
        assertThat(reply.cause()).isInstanceOf(CancellationException.class);
    }

    @Test
    @Requirement({"V1-043", "V1-122"})
    void lossOfTheConnectionFencesEveryCall() throws Exception {
        script = exchange -> {};
        List<Future<ByteBuf>> replies = new ArrayList<>();
        for (int xid = 2; xid < 12; xid++) {
            replies.add(requester().call(xid % 2 == 0 ? writeCall(xid) : readCall(xid)));
        }
        Exchange last = arrived.take();
        for (int i = 1; i < 10; i++) {
            last = arrived.take();
        }

        last.ctx.close();

        for (Future<ByteBuf> reply : replies) {
            assertThat(RdmaLoopback.failure(reply)).isInstanceOf(ConnectionLostException.class);
        }
        assertThat(loopback.memory.exposed).hasValue(0);
    }

    private static WriteChunk pushZeros(Exchange it) {
        return it.push(
                Unpooled.directBuffer().writeZero(100), it.chunks.writeList().get(0));
    }

    static Stream<Arguments> endings() {
        Consumer<Exchange> errChunk = it -> it.send(new RpcRdmaMessage.ErrorMsg(it.header.xid(), 1, 8, null), null);
        Consumer<Exchange> errVers =
                it -> it.send(new RpcRdmaMessage.ErrorMsg(it.header.xid(), 1, 8, new VersionRange(2, 2)), null);
        Consumer<Exchange> noResult = it ->
                it.sendMsg(pushZeros(it), RpcHeaders.accepted(it.ctx.alloc(), it.header.xid(), RpcHeaders.SYSTEM_ERR));
        Consumer<Exchange> otherLength =
                it -> it.sendMsg(pushZeros(it), it.reply().writerIndex(TestProgram.ACCEPTED_REPLY_BYTES + 8));
        Consumer<Exchange> inline = it -> {
            // A shorter result than asked for, which would have fit into the chunk.
            ByteBuf reply = RpcHeaders.accepted(it.ctx.alloc(), it.header.xid(), RpcHeaders.SUCCESS);
            reply.writeInt(1).writeInt(4).writeInt(7);
            it.send(new RpcRdmaMessage.Msg(it.header.xid(), 1, 8, it.chunks.asUnused()), reply);
        };
        Consumer<Exchange> neverOffered = it -> it.sendNoMsg(new WriteChunk(List.of(new PlainSegment(77, 8, 0))));
        return Stream.of(
                Arguments.of("ERR_CHUNK", errChunk, CallOutcome.ERR_CHUNK),
                Arguments.of("ERR_VERS", errVers, CallOutcome.ERR_VERS),
                Arguments.of("chunk without a result", noResult, CallOutcome.BAD_REPLY),
                Arguments.of("chunk of another length", otherLength, CallOutcome.BAD_REPLY),
                Arguments.of("result inline", inline, CallOutcome.BAD_REPLY),
                Arguments.of("chunk never offered", neverOffered, CallOutcome.BAD_REPLY));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("endings")
    @Requirement({"V1-101", "V1-109", "V1-134", "V1-135", "BIS-004"})
    void permanentErrorFencesAndEndsTheCall(String name, Consumer<Exchange> ending, CallOutcome outcome)
            throws Exception {
        script = ending;

        assertThat(RdmaLoopback.failure(watch(requester().call(readCall(2)))))
                .hasFieldOrPropertyWithValue("outcome", outcome);

        script = Exchange::answer; // the connection and the credit are there
        RdmaLoopback.answered(call(2, List.of(), List.of(9000), 0), "next call");
    }

    static Stream<Arguments> badReplies() {
        Consumer<Exchange> otherHandle =
                it -> respondWith(it, segment -> new PlainSegment(segment.handle() + 1, 0, segment.offset()));
        Consumer<Exchange> otherOffset =
                it -> respondWith(it, segment -> new PlainSegment(segment.handle(), 0, segment.offset() + 8));
        Consumer<Exchange> tooLong = it -> respondWith(
                it, segment -> new PlainSegment(segment.handle(), segment.lengthBytes() + 1, segment.offset()));
        Consumer<Exchange> noSegments =
                it -> it.sendMsg(new WriteChunk(List.of()), it.reply().writerIndex(28));
        return Stream.of(
                Arguments.of("other handle", otherHandle),
                Arguments.of("other offset", otherOffset),
                Arguments.of("longer than the chunk", tooLong),
                Arguments.of("no segments", noSegments));
    }

    private static void respondWith(Exchange it, UnaryOperator<PlainSegment> change) {
        PlainSegment offered = it.chunks.writeList().get(0).segments().get(0);
        it.sendMsg(
                new WriteChunk(List.of(change.apply(offered))),
                it.reply().writerIndex(TestProgram.ACCEPTED_REPLY_BYTES + 8));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("badReplies")
    @Requirement({"V1-107", "V1-085"})
    void replyWithOtherChunksIsNoReply(String name, Consumer<Exchange> bad) throws Exception {
        script = exchange -> {
            bad.accept(exchange);
            exchange.answer();
        };

        ByteBuf reply = RdmaLoopback.await(call(2, List.of(), List.of(50_000), 0), "call")
                .getNow();

        assertThat(reply.readableBytes()).isEqualTo(TestProgram.ACCEPTED_REPLY_BYTES + 8 + 50_000);
        reply.release();
    }

    @Test
    void replyChunkWithoutAReplyEndsTheCall() throws Exception {
        script = exchange ->
                exchange.sendNoMsg(exchange.push(Unpooled.directBuffer().writeZero(400), exchange.chunks.replyChunk()));

        assertThat(RdmaLoopback.failure(call(2, List.of(), List.of(), 50_000)))
                .isInstanceOf(MalformedRpcMessageException.class);
    }

    @Test
    @Requirement("V1-119")
    void refusedRegistrationEndsTheCallAndLeavesNothing() throws Exception {
        loopback.memory.refuseExposure = loopback.memory.accesses.size() + 1; // the second of two

        Future<ByteBuf> reply = call(2, List.of(50_000), List.of(50_000), 0);

        assertThat(RdmaLoopback.failure(reply)).hasMessage("no more regions");
        loopback.memory.refuseExposure = Integer.MAX_VALUE;
        RdmaLoopback.answered(call(2, List.of(50_000), List.of(50_000), 0), "next call");
    }

    @Test
    @Requirement("V1-120")
    void memoryThatCannotBeInvalidatedClosesTheConnectionFirst() throws Exception {
        loopback.memory.refuseInvalidation = true;
        channel.pipeline().addFirst(new ChannelOutboundHandlerAdapter() {
            @Override
            public void close(ChannelHandlerContext ctx, ChannelPromise promise) {
                ctx.executor().execute(() -> ctx.close(promise)); // being told to close is not being closed
            }
        });
        List<Boolean> closedAtTheEnd = new ArrayList<>();
        Future<ByteBuf> reply = requester().call(readCall(2));
        reply.addListener(done -> closedAtTheEnd.add(channel.closeFuture().isDone()));

        assertThat(RdmaLoopback.failure(reply)).hasMessageContaining("cannot be invalidated");
        RdmaLoopback.await(channel.closeFuture(), "close");
        awaitTurnOfTheLoop();
        assertThat(closedAtTheEnd).containsExactly(true);
        loopback.memory.exposed.set(0); // the queue pair is gone, and with it whoever could reach the memory
    }

    @Test
    @Requirement("V1-119")
    void sendThatFailsFencesTheCall() throws Exception {
        channel.pipeline().addFirst(new FailingWrites());

        assertThat(RdmaLoopback.failure(watch(requester().call(readCall(2))))).hasMessage("no more work requests");
    }

    @Test
    void callBeyondItsChunkLimitIsRefused() throws Exception {
        assertThat(RdmaLoopback.failure(call(2, List.of(), List.of((1 << 20) + 1), 0)))
                .isInstanceOf(MessageTooLargeException.class)
                .hasMessageContaining("needs ");
    }

    @Test
    @Requirement("V1-102")
    void writtenCallIsReportedAfterItsMemoryIsFenced() throws Exception {
        BlockingQueue<RpcCallFailedEvent> failures = new LinkedBlockingQueue<>();
        channel.pipeline().addLast(new ChannelInboundHandlerAdapter() {
            @Override
            public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
                if (event instanceof RpcCallFailedEvent failed) {
                    exposedAtTheEnd.add(loopback.memory.exposed.get());
                    failures.add(failed);
                }
            }
        });
        script = exchange -> exchange.ctx.close();

        RdmaLoopback.await(channel.writeAndFlush(RpcRdmaCall.of(readCall(2))), "write");

        assertThat(failures.poll(Deadline.SECONDS, TimeUnit.SECONDS))
                .satisfies(it -> assertThat(it.xid()).isEqualTo(2));
        assertThat(exposedAtTheEnd).hasSize(1);
    }

    /** A call with a long argument. */
    private static ByteBuf writeCall(int xid) {
        return TestProgram.call(xid, List.of(10_001), List.of(), 0);
    }

    /** A call with a long result. */
    private static ByteBuf readCall(int xid) {
        return TestProgram.call(xid, List.of(), List.of(10_001), 0);
    }

    private Future<ByteBuf> call(int xid, List<Integer> arguments, List<Integer> results, int trailer) {
        return watch(requester().call(TestProgram.call(xid, arguments, results, trailer)));
    }

    /** Looks at the memory when the future completes; on the loop, so nothing has happened in between. */
    private <T> Future<T> watch(Future<T> reply) {
        return reply.addListener(done -> {
            if (!done.isCancelled() && !loopback.memory.refuseInvalidation) {
                exposedAtTheEnd.add(loopback.memory.exposed.get());
            }
        });
    }

    private void awaitTurnOfTheLoop() throws Exception {
        RdmaLoopback.await(channel.eventLoop().submit(() -> {}), "turn of the loop");
    }

    private RpcRdmaRequester requester() {
        return RpcRdmaRequester.of(channel);
    }
}
