// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.requester;

import static io.nettyrdma.rpc.error.MessageNotAcceptedException.Reason.DUPLICATE_XID;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.util.ReferenceCountUtil;
import io.netty.util.concurrent.Future;
import io.nettyrdma.channel.FailedWorkRequest;
import io.nettyrdma.conformance.Requirement;
import io.nettyrdma.rpc.RpcRdmaConfig;
import io.nettyrdma.rpc.RpcRdmaRequester;
import io.nettyrdma.rpc.RpcRdmaRequesterHandler;
import io.nettyrdma.rpc.error.CallTimeoutException;
import io.nettyrdma.rpc.error.ConnectionLostException;
import io.nettyrdma.rpc.error.MalformedRpcMessageException;
import io.nettyrdma.rpc.error.MessageTooLargeException;
import io.nettyrdma.rpc.kit.ExhaustedAllocator;
import io.nettyrdma.rpc.kit.FailingWrites;
import io.nettyrdma.rpc.kit.Reports;
import io.nettyrdma.rpc.kit.TestPipeline;
import io.nettyrdma.rpc.message.RpcCallFailedEvent;
import io.nettyrdma.rpc.message.RpcHeaders;
import io.nettyrdma.rpc.observe.RpcRdmaParametersEvent;
import io.nettyrdma.rpc.wire.CmPrivateData;
import io.nettyrdma.rpc.wire.InlineThresholds;
import io.nettyrdma.rpc.wire.header.ChunkLists;
import io.nettyrdma.rpc.wire.header.PlainSegment;
import io.nettyrdma.rpc.wire.header.RpcRdmaMessage;
import io.nettyrdma.rpc.wire.header.WriteChunk;
import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.NotYetConnectedException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RpcRdmaRequesterHandlerTest {

    private final TestPipeline pipeline = new TestPipeline(new RpcRdmaRequesterHandler(
            RpcRdmaConfig.builder().callTimeout(Duration.ofSeconds(10)).build()));
    private final EmbeddedChannel channel = pipeline.channel;

    @AfterEach
    void nothingIsLeft() {
        pipeline.close();
    }

    @Test
    @Requirement({"V1-008", "V1-009", "V1-010", "V1-058", "V1-079"})
    void nullCallIsOneSendOf68Octets() {
        ChannelFuture written = channel.writeAndFlush(pipeline.call(1));

        assertThat(pipeline.sent())
                .isEqualTo("00000001" + "00000001" + "00000080" + "00".repeat(16) + TestPipeline.callHex(1))
                .hasSize(2 * 68);
        assertThat(written.isSuccess()).isTrue();
    }

    @Test
    void requesterOfAClosedChannelIsFoundAndItsCallsFail() {
        channel.close();

        assertThat(RpcRdmaRequester.of(channel).call(pipeline.call(1)).cause())
                .isInstanceOf(ConnectionLostException.class);
    }

    @Test
    void channelWithoutAHandlerHasNoRequester() {
        assertThatThrownBy(() -> RpcRdmaRequester.of(new EmbeddedChannel()))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("no requester handler");
    }

    @Test
    @Requirement({"V1-012", "V1-023", "V1-024"})
    void callsWaitForTheGrantAndAreFlushedWithTheReply() {
        channel.writeOutbound(pipeline.call(1), pipeline.call(2), pipeline.call(3));
        assertThat(pipeline.sends()).isOne();

        pipeline.receiveReply(1, 2);

        assertThat(pipeline.sends()).isEqualTo(3);
        pipeline.dropSends();
        pipeline.delivered();
    }

    @Test
    @Requirement("V1-137")
    void allProgramsShareTheCredits() {
        channel.writeOutbound(
                RpcHeaders.call(pipeline.alloc, 1, 100003, 3, 0),
                RpcHeaders.call(pipeline.alloc, 2, 100005, 3, 0),
                RpcHeaders.call(pipeline.alloc, 3, 100003, 3, 0));
        assertThat(pipeline.sends()).isOne();

        pipeline.receiveReply(1, 1);
        assertThat(pipeline.sends()).isEqualTo(2);
        pipeline.receiveReply(2, 1);

        assertThat(pipeline.sends()).isEqualTo(3);
        pipeline.dropSends();
        pipeline.delivered();
        pipeline.delivered();
    }

    @Test
    @Requirement("BIS-004")
    void refusalOfEitherLayerEndsTheCall() {
        channel.writeOutbound(pipeline.call(1));
        pipeline.receive(
                new RpcRdmaMessage.Msg(1, 1, 8, ChunkLists.ABSENT),
                "00000001" + "00000001" + "00".repeat(12) + "00000004");
        assertThat(pipeline.delivered()).endsWith("00000004"); // GARBAGE_ARGS is for the RPC layer to understand
        assertThat(failedXids()).isEmpty();

        channel.writeOutbound(pipeline.call(2));
        pipeline.receive(new RpcRdmaMessage.ErrorMsg(2, 1, 8, null), "");
        assertThat(failedXids()).containsExactly(2);
        assertThat(pipeline.delivered()).isEqualTo("none");
        pipeline.dropSends();
    }

    @Test
    @Requirement("V1-087")
    void callBeyondTheThresholdFailsBeforeAnythingIsSent() {
        ChannelFuture written = channel.writeAndFlush(pipeline.message(1, 0, 1000));

        assertThat(written.cause()).isInstanceOf(MessageTooLargeException.class);
        assertThat(pipeline.sends()).isZero();
        assertThat(pipeline.events).isEmpty();
        channel.writeOutbound(pipeline.message(1, 0, 996));
        assertThat(pipeline.sent()).hasSize(2 * 1024);
    }

    @Test
    @Requirement({"PD-010", "PD-020", "V1-021"})
    void thresholdIsWhatThePeerReceives() {
        pipeline.peerSays(new CmPrivateData(true, 1024, 2048));

        channel.writeOutbound(pipeline.message(1, 0, 2048 - 28));
        assertThat(pipeline.sent()).hasSize(2 * 2048);
        assertThat(channel.writeAndFlush(pipeline.message(2, 0, 2048 - 24)).cause())
                .isInstanceOf(MessageTooLargeException.class);
        assertThat(pipeline.events)
                .contains(RpcRdmaParametersEvent.builder(1)
                        .thresholds(new InlineThresholds(2048, 1024))
                        .peer(new CmPrivateData(true, 1024, 2048))
                        .build());
    }

    @Test
    void whatIsNotACallIsRefused() {
        assertThat(channel.writeAndFlush(pipeline.message(1, 0, 41)).cause())
                .isInstanceOf(MalformedRpcMessageException.class);
        assertThat(channel.writeAndFlush(pipeline.message(1, 1, 40)).cause())
                .isInstanceOf(MalformedRpcMessageException.class);
        assertThat(channel.writeAndFlush(pipeline.alloc.buffer().writeByte(1)).cause())
                .isInstanceOf(MalformedRpcMessageException.class);
        assertThat(pipeline.sends()).isZero();
    }

    @Test
    @Requirement("V1-001")
    void duplicateXidFailsThePromiseAndNothingElse() {
        channel.writeOutbound(pipeline.call(1));
        pipeline.dropSends();

        assertThat(channel.writeAndFlush(pipeline.call(1)).cause())
                .hasFieldOrPropertyWithValue("reason", DUPLICATE_XID);

        assertThat(pipeline.sends()).isZero();
        assertThat(pipeline.events).isEmpty();
        pipeline.receiveReply(1, 1);
        assertThat(pipeline.delivered()).isEqualTo(TestPipeline.replyHex(1));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                // Cut in the chunk lists, behind them, and behind the XID of the RPC message.
                "00000001000000010000006300000000" + "00000000",
                "00000001000000010000006300000000" + "000000000000000000000000",
                "00000001000000010000006300000000" + "000000000000000000000000" + "00000001",
            })
    @Requirement("BIS-016")
    void replyThatIsTooShortIsDroppedWithItsCredits(String octets) {
        channel.writeAndFlush(pipeline.call(1));
        channel.writeAndFlush(pipeline.call(2));
        pipeline.dropSends();

        pipeline.receive(octets);

        assertThat(pipeline.sends()).isZero();
        assertThat(pipeline.delivered()).isEqualTo("none");
        pipeline.receiveReply(1, 1);
        assertThat(pipeline.delivered()).isEqualTo(TestPipeline.replyHex(1));
        assertThat(pipeline.sends()).isOne();
        pipeline.dropSends();
    }

    @Test
    @Requirement("BIS-014")
    void timeoutEndsSentAndWaitingCallsAndTheConnectionThatIsStuck() {
        ChannelFuture sent = channel.writeAndFlush(pipeline.call(1));
        ChannelFuture waiting = channel.writeAndFlush(pipeline.call(2));
        pipeline.dropSends();

        pipeline.pass(10, TimeUnit.SECONDS);

        assertThat(sent.isSuccess()).isTrue();
        assertThat(waiting.cause()).isInstanceOf(CallTimeoutException.class);
        assertThat(failedXids()).containsExactlyInAnyOrder(1, 2);
        assertThat(channel.isOpen()).isFalse();
    }

    @Test
    void oneTimerServesAllCalls() {
        RpcRdmaRequester requester = RpcRdmaRequester.of(channel);
        channel.writeOutbound(pipeline.call(1));
        pipeline.receiveReply(1, 8);
        var slow = requester.call(pipeline.call(2), Duration.ofSeconds(9));
        var fast = requester.call(pipeline.call(3), Duration.ofSeconds(1));
        pipeline.delivered();

        pipeline.pass(1, TimeUnit.SECONDS);
        assertThat(fast.cause()).isInstanceOf(CallTimeoutException.class);
        assertThat(slow.isDone()).isFalse();
        pipeline.pass(8, TimeUnit.SECONDS);
        assertThat(slow.cause()).isInstanceOf(CallTimeoutException.class);
        assertThat(channel.isOpen()).isTrue();
        pipeline.dropSends();
    }

    @Test
    @Requirement("V1-122")
    void connectionLossFailsEveryCallOnce() {
        RpcRdmaRequester requester = RpcRdmaRequester.of(channel);
        ChannelFuture sent = channel.writeAndFlush(pipeline.call(1));
        ChannelFuture waiting = channel.writeAndFlush(pipeline.call(2));
        var future = requester.call(pipeline.call(3));
        pipeline.dropSends();

        channel.close();

        assertThat(sent.isSuccess()).isTrue();
        assertThat(waiting.cause()).isInstanceOf(ConnectionLostException.class);
        assertThat(future.cause()).isInstanceOf(ConnectionLostException.class);
        assertThat(failedXids()).containsExactlyInAnyOrder(1, 2);
        assertThat(requester.call(pipeline.call(4)).cause()).isInstanceOf(ConnectionLostException.class);
        assertThat(channel.write(pipeline.call(5)).cause()).isInstanceOf(ClosedChannelException.class);
    }

    /**
     * Two that complete it would be one too many for the channel, which warns of promises that somebody else failed.
     */
    @Test
    @Requirement("V1-122")
    void promiseOfASendThatIsUnderWayIsTheChannels() {
        List<ChannelPromise> underWay = new ArrayList<>();
        channel.pipeline().addFirst(new ChannelOutboundHandlerAdapter() {
            @Override
            public void write(ChannelHandlerContext ctx, Object message, ChannelPromise promise) {
                ReferenceCountUtil.release(message);
                underWay.add(promise);
            }
        });
        ChannelFuture written = channel.writeAndFlush(pipeline.call(1));

        channel.close();

        assertThat(failedXids()).containsExactly(1);
        assertThat(written.isDone()).isFalse();
        assertThat(underWay.get(0).tryFailure(new IOException("flushed"))).isTrue();
        assertThat(written.cause()).hasMessage("flushed");
        assertThat(failedXids()).containsExactly(1);
    }

    @Test
    void callsHearWhatEndedTheConnection() {
        var reply = RpcRdmaRequester.of(channel).call(pipeline.call(1));
        pipeline.dropSends();
        IOException cause = new IOException("work completion with error");
        channel.pipeline().addLast(new ChannelInboundHandlerAdapter() {
            @Override
            public void exceptionCaught(ChannelHandlerContext ctx, Throwable ignored) {}
        });

        channel.pipeline().fireExceptionCaught(cause);
        assertThat(reply.isDone()).isFalse();
        channel.close();

        assertThat(reply.cause()).isInstanceOf(ConnectionLostException.class).hasCause(cause);
    }

    @Test
    @Requirement("V1-001")
    void xidsAreUniquePerConnection() {
        int first = RpcRdmaRequester.of(channel).nextXid();

        assertThat(RpcRdmaRequester.of(channel).nextXid()).isEqualTo(first + 1);
    }

    @Test
    @Requirement("V1-119")
    void callWhoseSendFailsEndsAtOnce() {
        channel.pipeline().addFirst(new FailingWrites());

        ChannelFuture written = channel.writeAndFlush(pipeline.call(1));

        assertThat(written.cause()).hasMessage("no more work requests");
        assertThat(failedXids()).containsExactly(1);
    }

    /** Before the channel knows, so that whoever sends calls again does not have to guess what the failure means. */
    @Test
    @Requirement({"V1-119", "V1-122"})
    void workRequestThatFailsIsTheEndOfTheConnection() {
        RpcRdmaRequester requester = RpcRdmaRequester.of(channel);
        IOException flushed = FailedWorkRequest.flushed();
        channel.pipeline().addFirst(new FailingWrites(flushed));

        Future<ByteBuf> reply = requester.call(pipeline.call(1));

        assertThat(channel.isActive()).isTrue();
        assertThat(reply.cause()).isInstanceOf(ConnectionLostException.class).hasCause(flushed);
        assertThat(((ConnectionLostException) reply.cause()).mayHaveBeenSent()).isTrue();
        assertThat(requester.call(pipeline.call(2)).cause()).isInstanceOf(ConnectionLostException.class);
    }

    @Test
    void futureGetsTheReplyAndThePipelineDoesNot() {
        var reply = RpcRdmaRequester.of(channel).call(pipeline.call(1));
        assertThat(pipeline.sends()).isOne(); // flushed
        pipeline.dropSends();

        pipeline.receiveReply(1, 8);

        assertThat(reply.getNow().readerIndex()).isZero();
        assertThat(RpcHeaders.acceptStatus(reply.getNow())).isEqualTo(RpcHeaders.SUCCESS);
        reply.getNow().release();
        assertThat(pipeline.delivered()).isEqualTo("none");
    }

    @Test
    void callCancelledAfterItsSendKeepsItsCreditUntilTheReply() {
        RpcRdmaRequester requester = RpcRdmaRequester.of(channel);
        var sent = requester.call(pipeline.call(1));
        var waiting = requester.call(pipeline.call(2));
        var last = requester.call(pipeline.call(3));
        pipeline.dropSends();

        assertThat(sent.cancel(true)).isTrue();
        assertThat(waiting.cancel(true)).isTrue();
        assertThat(pipeline.sends()).isZero();
        pipeline.receiveReply(1, 1);

        assertThat(pipeline.sent()).startsWith("00000003");
        assertThat(last.isDone()).isFalse();
    }

    @Test
    void cancelledWriteIsWithdrawn() {
        channel.writeOutbound(pipeline.call(1));
        ChannelPromise promise = channel.newPromise();
        channel.writeAndFlush(pipeline.call(2), promise);
        pipeline.dropSends();
        promise.cancel(true);

        pipeline.receiveReply(1, 8);

        pipeline.delivered();
        assertThat(pipeline.sends()).isZero();
        assertThat(failedXids()).isEmpty();
        channel.writeOutbound(pipeline.call(2));
        assertThat(pipeline.sends()).isOne();
        pipeline.dropSends();
    }

    @Test
    void callCancelledAndThenTimedOutIsNotReported() {
        channel.writeOutbound(pipeline.call(1));
        ChannelPromise promise = channel.newPromise();
        channel.writeAndFlush(pipeline.call(2), promise);
        pipeline.dropSends();
        promise.cancel(true);

        pipeline.pass(10, TimeUnit.SECONDS);

        assertThat(failedXids()).containsExactly(1);
    }

    @Test
    void manyCancelledCallsAreSkippedAtOnce() {
        TestPipeline many = new TestPipeline(new RpcRdmaRequesterHandler(
                RpcRdmaConfig.builder().maxCallsWaiting(100_000).build()));
        try (many) {
            RpcRdmaRequester requester = RpcRdmaRequester.of(many.channel);
            many.channel.writeOutbound(many.call(-1));
            for (int xid = 0; xid < 10_000; xid++) {
                requester.call(many.call(xid)).cancel(true);
            }
            many.dropSends();

            many.receiveReply(-1, 8);

            assertThat(many.sends()).isZero();
            many.delivered();
        }
    }

    @Test
    @Requirement("V1-119")
    void callThatFindsNoMemoryEndsAtOnce() {
        channel.config().setAllocator(new ExhaustedAllocator());

        ChannelFuture written = channel.writeAndFlush(pipeline.call(1));

        assertThat(written.cause()).hasMessage("no memory");
        assertThat(failedXids()).containsExactly(1);
        channel.config().setAllocator(pipeline.alloc);
        channel.writeOutbound(pipeline.call(1)); // neither XID nor credit are lost
        assertThat(pipeline.sends()).isOne();
        pipeline.dropSends();
    }

    @Test
    void voidPromisesAreServed() {
        channel.write(pipeline.call(1), channel.voidPromise());
        channel.write(pipeline.call(2), channel.voidPromise());
        channel.flush();
        pipeline.dropSends();

        pipeline.receiveReply(1, 8);

        assertThat(pipeline.sends()).isOne();
        pipeline.dropSends();
        pipeline.delivered();
    }

    @Test
    void callsMadeFromAReplyShareOneFlush() {
        AtomicInteger flushes = new AtomicInteger();
        channel.pipeline().addFirst(new ChannelOutboundHandlerAdapter() {
            @Override
            public void flush(ChannelHandlerContext ctx) {
                flushes.incrementAndGet();
                ctx.flush();
            }
        });
        RpcRdmaRequester requester = RpcRdmaRequester.of(channel);
        channel.pipeline().addLast(new ChannelInboundHandlerAdapter() {
            @Override
            public void channelRead(ChannelHandlerContext ctx, Object msg) {
                ((ByteBuf) msg).release();
                requester.call(pipeline.call(2));
                requester.call(pipeline.call(3));
            }
        });
        channel.writeOutbound(pipeline.call(1));
        int before = flushes.get();

        pipeline.receiveReply(1, 8);

        assertThat(pipeline.sends()).isEqualTo(3);
        assertThat(flushes).hasValue(before + 1);
        pipeline.dropSends();
    }

    @Test
    @Requirement("V1-134")
    void replyWithDataInChunksNeverOfferedFailsTheCall() {
        channel.writeOutbound(pipeline.call(1));
        pipeline.dropSends();
        WriteChunk used = new WriteChunk(List.of(new PlainSegment(1, 4, 0)));

        pipeline.receive(
                new RpcRdmaMessage.Msg(1, 1, 8, new ChunkLists(List.of(), List.of(used), null)),
                TestPipeline.replyHex(1));

        assertThat(failedXids()).containsExactly(1);
        assertThat(pipeline.delivered()).isEqualTo("none");
        channel.writeOutbound(pipeline.call(2), pipeline.call(3)); // its grant counts
        assertThat(pipeline.sends()).isEqualTo(2);
        pipeline.dropSends();
    }

    @Test
    void channelThatIsNotConnectedYetRefusesCalls() {
        EmbeddedChannel unconnected = new EmbeddedChannel(new RpcRdmaRequesterHandler()) {
            @Override
            public boolean isActive() {
                return false;
            }
        };

        ChannelPromise written = unconnected.newPromise();
        unconnected.pipeline().writeAndFlush(pipeline.call(1), written);

        assertThat(written.cause()).isInstanceOf(NotYetConnectedException.class);
        unconnected.close();
    }

    @Test
    void otherMessagesPassThrough() {
        channel.writeInbound("in");
        channel.writeOutbound("out", Unpooled.EMPTY_BUFFER);

        assertThat(channel.<Object>readInbound()).isEqualTo("in");
        assertThat(channel.<Object>readOutbound()).isEqualTo("out");
        assertThat(channel.<Object>readOutbound()).isSameAs(Unpooled.EMPTY_BUFFER);
    }

    @Test
    void removedHandlerFailsItsCalls() {
        RpcRdmaRequester requester = RpcRdmaRequester.of(channel);
        var reply = requester.call(pipeline.call(1));
        pipeline.dropSends();

        channel.pipeline().remove(RpcRdmaRequesterHandler.class);

        assertThat(reply.cause()).isInstanceOf(ConnectionLostException.class);
        assertThat(requester.call(pipeline.call(2)).cause()).isInstanceOf(ConnectionLostException.class);
    }

    @Test
    void listenerSeesEveryMessage() {
        List<String> seen = new ArrayList<>();
        RpcRdmaConfig config =
                RpcRdmaConfig.builder().listener(Reports.recordInto(seen)).build();
        try (TestPipeline observed = new TestPipeline(new RpcRdmaRequesterHandler(config))) {
            observed.channel.writeOutbound(observed.call(1));
            observed.dropSends();
            observed.receive("00");
            observed.receiveReply(1, 32);
            observed.delivered();
        }

        assertThat(seen)
                .containsExactly(
                        "sent RDMA_MSG xid 0x1 credits 128 header 28 payload 40",
                        "rejected DISCARD",
                        "received RDMA_MSG xid 0x1 credits 32 header 28 payload 24");
    }

    private List<Integer> failedXids() {
        return pipeline.events.stream()
                .filter(RpcCallFailedEvent.class::isInstance)
                .map(event -> ((RpcCallFailedEvent) event).xid())
                .toList();
    }
}
