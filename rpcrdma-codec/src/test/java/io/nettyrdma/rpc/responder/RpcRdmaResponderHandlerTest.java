// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.responder;

import static io.nettyrdma.rpc.error.MessageNotAcceptedException.Reason.UNKNOWN_XID;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.embedded.EmbeddedChannel;
import io.nettyrdma.channel.FailedWorkRequest;
import io.nettyrdma.channel.RdmaPrivateDataEvent;
import io.nettyrdma.conformance.Requirement;
import io.nettyrdma.error.RdmaWorkRequestException;
import io.nettyrdma.logs.ExpectedLog;
import io.nettyrdma.logs.LogLine;
import io.nettyrdma.logs.Logs;
import io.nettyrdma.rpc.RpcRdmaConfig;
import io.nettyrdma.rpc.RpcRdmaResponderHandler;
import io.nettyrdma.rpc.TestLimits;
import io.nettyrdma.rpc.error.ConnectionLostException;
import io.nettyrdma.rpc.error.MalformedRpcMessageException;
import io.nettyrdma.rpc.error.MessageTooLargeException;
import io.nettyrdma.rpc.kit.ExhaustedAllocator;
import io.nettyrdma.rpc.kit.FailingWrites;
import io.nettyrdma.rpc.kit.Reports;
import io.nettyrdma.rpc.kit.TestPipeline;
import io.nettyrdma.rpc.message.RpcCallRefusal;
import io.nettyrdma.rpc.message.RpcHeaders;
import io.nettyrdma.rpc.observe.RpcRdmaListener;
import io.nettyrdma.rpc.observe.RpcRdmaParametersEvent;
import io.nettyrdma.rpc.observe.RpcRdmaSummary;
import io.nettyrdma.rpc.wire.CmPrivateData;
import io.nettyrdma.rpc.wire.Direction;
import io.nettyrdma.rpc.wire.InlineThresholds;
import io.nettyrdma.rpc.wire.header.ChunkLists;
import io.nettyrdma.rpc.wire.header.PlainSegment;
import io.nettyrdma.rpc.wire.header.ReadSegment;
import io.nettyrdma.rpc.wire.header.RpcRdmaMessage;
import io.nettyrdma.rpc.wire.header.WriteChunk;
import io.nettyrdma.rpc.wire.v2.Rdma2;
import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RpcRdmaResponderHandlerTest {

    private static final String ERR_CHUNK_1 = "00000001" + "00000001" + "00000040" + "00000004" + "00000002";

    private static final int GRANT = Rdma2.credits(64, 32);

    private final TestPipeline pipeline = new TestPipeline(new RpcRdmaResponderHandler());
    private final EmbeddedChannel channel = pipeline.channel;

    @AfterEach
    void nothingIsLeft() {
        pipeline.close();
    }

    @Test
    @Requirement({"V1-008", "V1-009", "V1-011", "V1-058", "V1-079"})
    void replyToANullCallIsOneSend() {
        pipeline.receiveCall(1);
        assertThat(pipeline.delivered()).isEqualTo(TestPipeline.callHex(1));

        ChannelFuture written = channel.writeAndFlush(pipeline.reply(1));

        assertThat(pipeline.sent())
                .isEqualTo("00000001" + "00000001" + "00000040" + "00".repeat(16) + TestPipeline.replyHex(1));
        assertThat(written.isSuccess()).isTrue();
    }

    @Test
    void repliesMayComeInAnyOrder() {
        pipeline.receiveCall(1);
        pipeline.receiveCall(2);
        pipeline.delivered();
        pipeline.delivered();

        channel.writeOutbound(pipeline.reply(2), pipeline.reply(1));

        assertThat(pipeline.sent()).startsWith("00000002");
        assertThat(pipeline.sent()).startsWith("00000001");
    }

    @Test
    @Requirement("V1-019")
    void replyToNoCallIsNotSent() {
        pipeline.receiveCall(1);
        pipeline.delivered();
        channel.writeOutbound(pipeline.reply(1));
        pipeline.dropSends();

        ChannelFuture again = channel.writeAndFlush(pipeline.reply(1));

        assertThat(again.cause()).hasFieldOrPropertyWithValue("reason", UNKNOWN_XID);
        assertThat(pipeline.sends()).isZero();
        assertThat(channel.isOpen()).isTrue();
    }

    @Test
    @Requirement("V1-001")
    void repeatedCallIsDeliveredOnce() {
        pipeline.receiveCall(1);
        pipeline.receiveCall(1);

        assertThat(pipeline.delivered()).isNotEqualTo("none");
        assertThat(pipeline.delivered()).isEqualTo("none");
        assertThat(pipeline.sends()).isZero();
    }

    @Test
    @Requirement({"V1-087", "V1-117", "BIS-013"})
    void replyBeyondTheThresholdBecomesErrChunk() {
        pipeline.receiveCall(1);
        pipeline.delivered();

        ChannelFuture written = channel.writeAndFlush(pipeline.message(1, 1, 1000));

        assertThat(written.cause())
                .isInstanceOf(MessageTooLargeException.class)
                .hasMessageContaining("1028")
                .hasMessageContaining("1024");
        assertThat(pipeline.sent()).isEqualTo(ERR_CHUNK_1);
        assertThat(channel.isOpen()).isTrue();
    }

    @Test
    @Requirement({"V1-027", "V1-087"})
    void replyAtTheThresholdIsSent() {
        pipeline.receiveCall(1);
        pipeline.delivered();

        channel.writeOutbound(pipeline.message(1, 1, 996));

        assertThat(pipeline.sent()).hasSize(2 * 1024);
    }

    @Test
    @Requirement({"PD-011", "V1-021"})
    void longRepliesAreSentWithoutACopyIfThePeerTakesThem() {
        try (TestPipeline large = new TestPipeline(new RpcRdmaResponderHandler(
                RpcRdmaConfig.builder().inlineSendBytes(65536).build()))) {
            large.peerSays(new CmPrivateData(false, 1024, 16384));
            large.receiveCall(1);
            large.delivered();
            ByteBuf reply = large.message(1, 1, 16384 - 28);

            large.channel.writeOutbound(reply);

            assertThat(reply.refCnt()).isOne(); // part of what was sent
            ByteBuf sent = large.channel.readOutbound();
            assertThat(sent.readableBytes()).isEqualTo(16384);
            assertThat(sent.getInt(28)).isOne();
            sent.release();
            large.receiveCall(2);
            large.delivered();
            assertThat(large.channel
                            .writeAndFlush(large.message(2, 1, 16384 - 24))
                            .cause())
                    .isInstanceOf(MessageTooLargeException.class);
        }
    }

    @Test
    void whatIsNotAReplyEndsItsCallWithErrChunk() {
        for (ByteBuf wrong : List.of(
                pipeline.message(1, 1, 25),
                pipeline.message(1, 0, 24),
                pipeline.alloc.buffer().writeInt(1))) {
            pipeline.receiveCall(1);
            pipeline.delivered();

            assertThat(channel.writeAndFlush(wrong).cause()).isInstanceOf(MalformedRpcMessageException.class);
            assertThat(pipeline.sent()).isEqualTo(ERR_CHUNK_1);
        }
        assertThat(channel.writeAndFlush(pipeline.alloc.buffer().writeByte(1)).cause())
                .isInstanceOf(MalformedRpcMessageException.class);
        assertThat(pipeline.sends()).isZero();
    }

    @Test
    @Requirement("BIS-002")
    void errorInAnswerToAReplyIsDiscarded() {
        pipeline.receiveCall(1);
        pipeline.delivered();
        channel.writeOutbound(pipeline.reply(1));
        pipeline.dropSends();

        pipeline.receive(ERR_CHUNK_1);

        assertThat(pipeline.sends()).isZero();
        assertThat(pipeline.delivered()).isEqualTo("none");
        assertThat(channel.isOpen()).isTrue();
    }

    @Test
    @Requirement({"PD-015", "PD-020"})
    void repliesArePlainSendsWhateverThePeerSupports() {
        for (boolean remoteInvalidation : new boolean[] {false, true}) {
            try (TestPipeline own = new TestPipeline(new RpcRdmaResponderHandler())) {
                own.peerSays(new CmPrivateData(remoteInvalidation, 4096, 4096));
                own.receiveCall(1);
                own.delivered();

                own.channel.writeOutbound(own.reply(1));

                // An RdmaSend would name a key to invalidate.
                assertThat(own.channel.outboundMessages()).hasOnlyElementsOfType(ByteBuf.class);
                assertThat(own.events).contains(parameters(4096, 4096, false, remoteInvalidation));
                own.dropSends();
            }
        }
    }

    @Test
    @Requirement("PD-024")
    void settingsOfTheConnectionBeforeAreForgotten() {
        RpcRdmaConfig config = RpcRdmaConfig.defaults();
        for (int bytes : new int[] {4096, 1024}) {
            try (TestPipeline connection = new TestPipeline(new RpcRdmaResponderHandler(config))) {
                connection.peerSays(new CmPrivateData(false, bytes, bytes));

                assertThat(connection.events).contains(parameters(bytes, bytes, false, false));
            }
        }
    }

    private static RpcRdmaParametersEvent parameters(
            int callBytes, int replyBytes, boolean remoteInvalidation, boolean peerSupportsIt) {
        return RpcRdmaParametersEvent.builder(1)
                .thresholds(new InlineThresholds(callBytes, replyBytes))
                .remoteInvalidation(remoteInvalidation)
                .peer(new CmPrivateData(peerSupportsIt, callBytes, replyBytes))
                .build();
    }

    @Test
    void refusalSendsErrChunk() {
        pipeline.receiveCall(1);
        pipeline.delivered();

        assertThat(channel.writeAndFlush(new RpcCallRefusal(1)).isSuccess()).isTrue();
        assertThat(pipeline.sent()).isEqualTo(ERR_CHUNK_1);
        assertThat(channel.writeAndFlush(new RpcCallRefusal(1)).cause())
                .hasFieldOrPropertyWithValue("reason", UNKNOWN_XID);
        assertThat(channel.writeAndFlush(pipeline.reply(1)).cause()).hasFieldOrPropertyWithValue("reason", UNKNOWN_XID);
    }

    @Test
    @Requirement({"V1-089", "V1-094", "V1-097", "V1-099", "V1-100"})
    void offeredChunksComeBackUnused() {
        WriteChunk offered = new WriteChunk(List.of(new PlainSegment(9, 4096, -1), new PlainSegment(8, 4, 0)));
        ChunkLists chunks = new ChunkLists(List.of(), List.of(offered, new WriteChunk(List.of())), offered);
        pipeline.receive(new RpcRdmaMessage.Msg(1, 1, 16, chunks), TestPipeline.callHex(1));
        assertThat(pipeline.delivered()).isEqualTo(TestPipeline.callHex(1));

        channel.writeOutbound(pipeline.reply(1));

        assertThat(pipeline.sentHeader(Direction.REPLY))
                .isEqualTo(new RpcRdmaMessage.Msg(
                        1,
                        1,
                        64,
                        new ChunkLists(
                                List.of(),
                                List.of(offered.asUnused(), new WriteChunk(List.of())),
                                offered.asUnused())));
    }

    @Test
    @Requirement({"V1-132", "V1-133"})
    void callsWithReadChunksAreRefused() {
        ChunkLists chunks =
                new ChunkLists(List.of(new ReadSegment(40, new PlainSegment(9, 4096, -1))), List.of(), null);

        pipeline.receive(new RpcRdmaMessage.Msg(1, 1, 16, chunks), TestPipeline.callHex(1));

        assertThat(pipeline.sent()).isEqualTo(ERR_CHUNK_1);
        assertThat(pipeline.delivered()).isEqualTo("none");
    }

    @Test
    void lateReplyAfterTheEndOfTheConnectionFails() {
        pipeline.receiveCall(1);
        pipeline.delivered();
        List<Throwable> causes = new ArrayList<>();
        channel.pipeline().addLast(new ChannelInboundHandlerAdapter() {
            @Override
            public void channelInactive(ChannelHandlerContext ctx) {
                causes.add(ctx.write(pipeline.reply(1)).cause());
            }
        });

        channel.close();

        assertThat(causes).hasOnlyElementsOfType(ConnectionLostException.class).hasSize(1);
        assertThat(channel.write(pipeline.reply(1)).cause()).isInstanceOf(ClosedChannelException.class);
    }

    /** A responder of that version, with a call that waits for its answer. */
    private static TestPipeline called(int version) {
        TestPipeline called = new TestPipeline(new RpcRdmaResponderHandler(
                RpcRdmaConfig.builder().versions(version, version).build()));
        if (version == 2) {
            called.openVersion2(7, GRANT);
            called.receiveCallOfVersion2(1, GRANT);
        } else {
            called.receiveCall(1);
        }
        assertThat(called.delivered()).isEqualTo(TestPipeline.callHex(1));
        return called;
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    @Requirement({"V1-116", "V2-143"})
    void argumentsThatCannotBeDecodedAreAReplyLikeAnyOther(int version) {
        try (TestPipeline called = called(version)) {
            called.channel.writeOutbound(RpcHeaders.accepted(called.alloc, 1, RpcHeaders.GARBAGE_ARGS));

            String header = version == 1
                    ? TestPipeline.words(64, 0, 0, 0, 0)
                    : TestPipeline.words(Rdma2.credits(65, 1), Rdma2.MSG, Rdma2.RESPONSE, 0, 0, 0, 0);
            assertThat(called.sent())
                    .isEqualTo(TestPipeline.words(1, version) + header + TestPipeline.words(1, 1, 0, 0, 0, 4));
        }
    }

    private static void failEverySend(TestPipeline pipeline, boolean made) {
        if (made) {
            pipeline.channel.pipeline().addFirst(new FailingWrites());
        } else {
            pipeline.channel.config().setAllocator(new ExhaustedAllocator());
        }
    }

    @ParameterizedTest(name = "version {0}, made: {1}")
    @CsvSource({"1, false", "1, true", "2, false", "2, true"})
    @Requirement({"V1-121", "V2-156"})
    void connectionEndsIfAReplyCannotBeMadeOrSent(int version, boolean made) {
        try (TestPipeline called = called(version)) {
            failEverySend(called, made);

            ChannelFuture written = called.channel.writeAndFlush(called.reply(1));

            assertThat(written.cause()).hasMessage(made ? "no more work requests" : "no memory");
            assertThat(called.channel.isOpen()).isFalse();
        }
    }

    @ParameterizedTest(name = "version {0}, made: {1}")
    @CsvSource({"1, false", "1, true", "2, false", "2, true"})
    @Requirement({"V1-121", "V2-156"})
    void connectionEndsIfAnErrorCannotBeMadeOrSent(int version, boolean made) {
        try (TestPipeline called = called(version)) {
            failEverySend(called, made);

            called.receive(
                    version == 1
                            ? TestPipeline.words(2, 9, 16) + "00".repeat(56) // of no version that there is
                            : TestPipeline.words(2, 2, GRANT, 77, 0, 0, 0, 0, 0)); // of no type that there is

            assertThat(called.channel.isOpen()).isFalse();
        }
    }

    /** Its queue pair is in error, and why is told next: by then the channel must not be closed. */
    @Test
    @Requirement("V1-121")
    void reasonForFailedWorkRequestsIsHeardBeforeTheChannelCloses() {
        List<Throwable> heard = new ArrayList<>();
        channel.pipeline().addFirst(new FailingWrites(FailedWorkRequest.flushed()));
        channel.pipeline().addLast(new ChannelInboundHandlerAdapter() {
            @Override
            public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
                heard.add(cause);
            }
        });
        pipeline.receiveCall(1);
        pipeline.delivered();

        ChannelFuture written = channel.writeAndFlush(pipeline.reply(1));

        assertThat(written.cause()).isInstanceOf(RdmaWorkRequestException.class);
        assertThat(channel.isOpen()).isTrue();
        IOException reason = new IOException("peer sent Terminate");
        channel.pipeline().fireExceptionCaught(reason);
        assertThat(heard).containsExactly(reason);
        pipeline.pass(1, TimeUnit.SECONDS); // at the latest, if nothing is told
        assertThat(channel.isOpen()).isFalse();
    }

    @Test
    void readingStopsWhileTooManyCallsAreInProgress() {
        ReadCounter reads = new ReadCounter();
        EmbeddedChannel own = new EmbeddedChannel(
                reads,
                new RpcRdmaResponderHandler(TestLimits.receiveReserve(RpcRdmaConfig.builder(), 1)
                        .creditsGranted(1)
                        .build()));
        for (int xid = 1; xid <= 2; xid++) {
            ByteBuf call = Unpooled.buffer();
            call.writeInt(xid)
                    .writeInt(1)
                    .writeInt(1)
                    .writeZero(16)
                    .writeInt(xid)
                    .writeZero(36);
            own.writeInbound(call);
        }
        own.releaseInbound();
        int before = reads.count;

        own.read();
        own.read();
        assertThat(reads.count).isEqualTo(before);

        own.writeOutbound(RpcHeaders.accepted(own.alloc(), 1, RpcHeaders.SUCCESS));
        assertThat(reads.count).isEqualTo(before + 1);
        own.finishAndReleaseAll();
    }

    @Test
    void readingStopsWhileAnswersPileUp() {
        ReadCounter reads = new ReadCounter();
        channel.pipeline().addFirst(reads);
        ChannelOutboundBuffer buffer = channel.unsafe().outboundBuffer();
        buffer.setUserDefinedWritability(1, false);
        channel.runPendingTasks();

        channel.read();
        assertThat(reads.count).isZero();

        buffer.setUserDefinedWritability(1, true);
        channel.runPendingTasks();
        assertThat(reads.count).isOne();
    }

    @Test
    void listenerThatThrowsDoesNoHarm() {
        ExpectedLog log = Logs.expect(RpcRdmaListener.class, "listener failed");
        RpcRdmaListener listener = new RpcRdmaListener() {
            @Override
            public void onSent(Channel channel, RpcRdmaSummary message) {
                throw new IllegalStateException("sent");
            }

            @Override
            public void onReceived(Channel channel, RpcRdmaSummary message) {
                throw new IllegalStateException("received");
            }
        };
        RpcRdmaConfig config = RpcRdmaConfig.builder().listener(listener).build();
        try (TestPipeline observed = new TestPipeline(new RpcRdmaResponderHandler(config))) {
            observed.receiveCall(1);
            assertThat(observed.delivered()).isNotEqualTo("none");
            observed.channel.writeOutbound(observed.reply(1));
            assertThat(observed.sends()).isOne();
            observed.dropSends();
        }
        assertThat(log.await(2))
                .extracting(LogLine::thrown)
                .extracting(Throwable::getMessage)
                .containsExactly("received", "sent");
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
    @Requirement({"PD-017", "V1-022", "V1-027"})
    void parametersAreAnnouncedOnceAndDoNotChange() {
        channel.pipeline().fireUserEventTriggered(new RdmaPrivateDataEvent(new byte[] {1, 2, 3}));
        pipeline.peerSays(new CmPrivateData(true, 4096, 4096));
        channel.pipeline().fireChannelActive();

        assertThat(pipeline.events)
                .filteredOn(RpcRdmaParametersEvent.class::isInstance)
                .containsExactly(RpcRdmaParametersEvent.builder(1).build());
        assertThat(pipeline.events)
                .filteredOn(RdmaPrivateDataEvent.class::isInstance)
                .hasSize(2);
    }

    @Test
    @Requirement("PD-017")
    void channelWithoutPrivateDataGetsTheDefaultsWhenActive() {
        channel.pipeline().fireChannelActive();

        assertThat(pipeline.events)
                .containsExactly(RpcRdmaParametersEvent.builder(1).build());
    }

    @Test
    void listenerSeesEveryMessage() {
        List<String> seen = new ArrayList<>();
        RpcRdmaConfig config =
                RpcRdmaConfig.builder().listener(Reports.recordInto(seen)).build();
        try (TestPipeline observed = new TestPipeline(new RpcRdmaResponderHandler(config))) {
            observed.receiveCall(0x1a);
            observed.delivered();
            observed.channel.writeOutbound(observed.reply(0x1a));
            observed.dropSends();
            observed.receive("00000001" + "00000009" + "00000010" + "00".repeat(56));
            observed.dropSends();
        }

        assertThat(seen)
                .containsExactly(
                        "received RDMA_MSG xid 0x1a credits 16 header 28 payload 40",
                        "sent RDMA_MSG xid 0x1a credits 64 header 28 payload 24",
                        "rejected ERR_VERS",
                        "sent ERR_VERS xid 0x1 credits 64 header 28 payload 0");
    }

    private static final class ReadCounter extends ChannelOutboundHandlerAdapter {
        int count;

        @Override
        public void read(ChannelHandlerContext ctx) {
            count++;
            ctx.read();
        }
    }
}
