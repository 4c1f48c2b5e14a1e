// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.observe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelFuture;
import io.netty.util.concurrent.Future;
import io.nettyrdma.channel.RdmaMemory;
import io.nettyrdma.internal.CapturedLog;
import io.nettyrdma.rpc.RpcRdmaConfig;
import io.nettyrdma.rpc.RpcRdmaRequester;
import io.nettyrdma.rpc.RpcRdmaRequesterHandler;
import io.nettyrdma.rpc.RpcRdmaResponderHandler;
import io.nettyrdma.rpc.TestLimits;
import io.nettyrdma.rpc.binding.ReplyBounds;
import io.nettyrdma.rpc.engine.CallPlanner;
import io.nettyrdma.rpc.error.MessageTooLargeException;
import io.nettyrdma.rpc.kit.OpaqueMessages;
import io.nettyrdma.rpc.kit.OpaquesBinding;
import io.nettyrdma.rpc.kit.RawRequester;
import io.nettyrdma.rpc.kit.RdmaLoopback;
import io.nettyrdma.rpc.kit.ScriptedResponder;
import io.nettyrdma.rpc.kit.TestPipeline;
import io.nettyrdma.rpc.kit.TestProgram;
import io.nettyrdma.rpc.message.RpcHeaders;
import io.nettyrdma.rpc.wire.CmPrivateData;
import io.nettyrdma.rpc.wire.InlineThresholds;
import io.nettyrdma.rpc.wire.header.ChunkLists;
import io.nettyrdma.rpc.wire.header.PlainSegment;
import io.nettyrdma.rpc.wire.header.ReadSegment;
import io.nettyrdma.rpc.wire.header.RpcRdmaMessage;
import io.nettyrdma.rpc.wire.header.WriteChunk;
import io.nettyrdma.rpc.wire.v1.RpcRdmaEncoder;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Whatever fails because of a limit says which, how much it is, what has hit it, and which option changes it. */
class LimitErrorsTest {

    private static final int ARGUMENT = TestProgram.CALL_BYTES;

    private static RpcRdmaConfig.Builder responder() {
        return TestLimits.maxSegmentsPerChunk(
                        TestLimits.maxWriteChunks(TestLimits.maxReadChunks(RpcRdmaConfig.builder(), 2), 1), 3)
                .bindings(OpaquesBinding.BINDINGS)
                .maxCallBytes(1500);
    }

    private static ReadSegment read(int position, int bytes) {
        return new ReadSegment(position, new PlainSegment(7, bytes, 0));
    }

    private static ChunkLists reads(ReadSegment... segments) {
        return new ChunkLists(List.of(segments), List.of(), null);
    }

    static Stream<Arguments> refusedByResponders() {
        WriteChunk chunk = new WriteChunk(List.of(new PlainSegment(7, 100, 0)));
        return Stream.of(
                Arguments.of(reads(read(ARGUMENT, 1504)), "1504", "RpcRdmaConfig.maxCallBytes is 1500"),
                Arguments.of(
                        reads(read(ARGUMENT, 1000), read(ARGUMENT + 1000, 500)),
                        String.valueOf(ARGUMENT + 1500),
                        "RpcRdmaConfig.maxCallBytes is 1500"),
                Arguments.of(reads(read(4, 4), read(8, 4), read(12, 4)), "too many", "at most 2"),
                Arguments.of(
                        reads(Collections.nCopies(4, read(ARGUMENT, 4)).toArray(ReadSegment[]::new)), "4", "at most 3"),
                Arguments.of(new ChunkLists(List.of(), List.of(chunk, chunk), null), "2", "at most 1"));
    }

    @ParameterizedTest
    @MethodSource("refusedByResponders")
    void responderWarnsOfTheLimitThatACallHasHit(ChunkLists chunks, String size, String limit) {
        CapturedLog log = new CapturedLog();
        try (TestPipeline pipeline = new TestPipeline(new RpcRdmaResponderHandler(
                TestLimits.log(responder(), log.log()).build()))) {
            String call = TestPipeline.callHex(0x1234);
            pipeline.receive(new RpcRdmaMessage.Msg(0x1234, 1, 32, chunks), call);

            assertThat(pipeline.sends()).isOne();
            pipeline.dropSends();
        }
        assertThat(log.texts())
                .singleElement()
                .asString()
                .contains("0x1234")
                .contains(size)
                .contains(limit);
    }

    @Test
    void messagesThatAreOnlyMalformedAreLoggedOnce() {
        CapturedLog log = new CapturedLog();
        try (TestPipeline pipeline = new TestPipeline(new RpcRdmaResponderHandler(
                TestLimits.log(responder(), log.log()).build()))) {
            pipeline.receive(new RpcRdmaMessage.Msg(5, 1, 32, ChunkLists.ABSENT), TestPipeline.callHex(6));
            pipeline.receive(new RpcRdmaMessage.Msg(5, 1, 32, ChunkLists.ABSENT), TestPipeline.callHex(6));
            pipeline.dropSends();
        }
        assertThat(log.texts()).singleElement().asString().contains("XID of the payload stream differs");
    }

    @Test
    void floodOfThemWritesAsManyLinesAsALogOfPeersTakes() {
        CapturedLog log = new CapturedLog();
        try (TestPipeline pipeline = new TestPipeline(new RpcRdmaResponderHandler(
                TestLimits.log(responder(), log.log()).build()))) {
            for (int xid = 1; xid <= 1000; xid++) {
                pipeline.receive(
                        new RpcRdmaMessage.Msg(xid, 1, 32, reads(read(ARGUMENT, 1504))), TestPipeline.callHex(xid));
            }
            pipeline.dropSends();
            assertThat(log.texts()).hasSize(3);
            log.pass(1, TimeUnit.SECONDS);
            pipeline.receive(new RpcRdmaMessage.Msg(1, 1, 32, reads(read(ARGUMENT, 1504))), TestPipeline.callHex(1));
            pipeline.dropSends();
        }
        assertThat(log.texts()).last().asString().contains("997 lines of this kind were left out");
    }

    @Test
    void replyThatFitsNowhereNamesWhoGivesItMoreRoom() throws Exception {
        CapturedLog log = new CapturedLog();
        RpcRdmaConfig config = TestLimits.log(responder(), log.log()).build();
        try (TestPipeline pipeline = new TestPipeline(new RpcRdmaResponderHandler(config)).withLargeThresholds()) {
            pipeline.receiveCall(6);
            pipeline.delivered();
            ChannelFuture inline = pipeline.channel.writeAndFlush(pipeline.message(6, 1, 100_000));
            WriteChunk replyChunk = new WriteChunk(List.of(new PlainSegment(7, 50_000, 0)));
            pipeline.receive(
                    new RpcRdmaMessage.Msg(7, 1, 32, new ChunkLists(List.of(), List.of(), replyChunk)),
                    TestPipeline.callHex(7));
            pipeline.delivered();
            ChannelFuture inChunk = pipeline.channel.writeAndFlush(pipeline.message(7, 1, 100_000));
            pipeline.dropSends();

            for (String told : List.of(
                    String.valueOf(inline.cause().getMessage()), log.texts().get(0))) {
                assertThat(told)
                        .contains("0x6")
                        .contains("100028 bytes, the inline threshold is 4096. To mend it: ")
                        .contains("RpcRdmaConfig.inlineSendBytes")
                        .contains("inlineReceiveBytes of the requester")
                        .contains("maxReplyBytes");
            }
            for (String told : List.of(
                    String.valueOf(inChunk.cause().getMessage()), log.texts().get(1))) {
                assertThat(told)
                        .contains("0x7")
                        .contains("100000 bytes, the reply chunk is 50000. To mend it: ")
                        .contains("maxReplyBytes");
            }
        }
    }

    @Test
    void requesterSaysHowMuchRoomTheReplyHadWhenItIsAnsweredWithErrChunk() throws Exception {
        try (TestPipeline pipeline = new TestPipeline(new RpcRdmaRequesterHandler()).withLargeThresholds()) {
            Future<ByteBuf> reply = RpcRdmaRequester.of(pipeline.channel).call(pipeline.call(6));
            pipeline.dropSends();
            pipeline.receive(new RpcRdmaMessage.ErrorMsg(6, 1, 32, null), "");

            assertThat(reply.cause())
                    .hasFieldOrPropertyWithValue("code", "ERR_CHUNK")
                    .hasMessageContaining("0x6")
                    .hasMessageContaining(
                            "4068 bytes inline. To mend it: for a longer reply, set" + " RpcRdmaCall.maxReplyBytes");
        }
    }

    @Test
    void requesterNamesTheOctetsOfItsChunksWhenItIsAnsweredWithErrChunk() throws Exception {
        try (RdmaLoopback loopback = new RdmaLoopback(
                new CmPrivateData(false, 4096, 4096),
                () -> new ScriptedResponder(
                        32,
                        exchange -> exchange.send(
                                new RpcRdmaMessage.ErrorMsg(exchange.header.xid(), 1, 32, null), null)))) {
            RpcRdmaConfig config =
                    RpcRdmaConfig.builder().bindings(TestProgram.BINDINGS).build();
            RpcRdmaRequester requester = RpcRdmaRequester.of(loopback.connect(config));

            assertThat(RdmaLoopback.failure(requester.call(TestProgram.call(2, List.of(9000), List.of(), 0))))
                    .hasMessageContaining("ERR_CHUNK; the call had 9000 bytes in read chunks; its reply had room for")
                    .hasMessageContaining(". To mend it: let RpcRdmaConfig.bindings of the responder allow these read"
                            + " chunks, and its RpcRdmaConfig.maxCallBytes so many bytes; for a longer reply, set"
                            + " RpcRdmaCall.maxReplyBytes");
        }
    }

    @Test
    void callThatFitsNowhereNamesTheThresholdAndWhyThereAreNoChunks() {
        try (TestPipeline pipeline = new TestPipeline(new RpcRdmaRequesterHandler()).withLargeThresholds()) {
            assertThat(pipeline.channel
                            .writeAndFlush(pipeline.message(6, 0, 3_000_000))
                            .cause())
                    .hasMessageContaining("3000028 bytes with the header, the inline threshold of calls is 4096, and no"
                            + " chunks can carry them. To mend it: ")
                    .hasMessageContaining("RpcRdmaConfig.inlineSendBytes")
                    .hasMessageContaining("inlineReceiveBytes of the responder")
                    .hasMessageContaining("maxChunkBytesPerCall");
        }
    }

    @Test
    void chunksBeyondTheLimitOfACallNameIt() {
        CallPlanner planner = new CallPlanner(
                RpcRdmaEncoder.LISTS_OFFSET, new InlineThresholds(4096, 4096), new CallPlanner.Limits(1, 1, 1000));
        assertThatThrownBy(() -> planner.plan(
                        6, 5000, List.of(), new ReplyBounds(100, List.of()), CallPlanner.Placement.ANYWHERE))
                .isInstanceOf(MessageTooLargeException.class)
                .hasMessageContaining("5000 bytes of chunks")
                .hasMessageContaining("RpcRdmaConfig.maxChunkBytesPerCall is 1000");
    }

    @Test
    void callsThatWaitTooLongOrAreTooManyNameTheirLimits() {
        RpcRdmaConfig config = RpcRdmaConfig.builder()
                .maxCallsWaiting(1)
                .callTimeout(Duration.ofSeconds(7))
                .build();
        try (TestPipeline pipeline = new TestPipeline(new RpcRdmaRequesterHandler(config)).withLargeThresholds()) {
            RpcRdmaRequester requester = RpcRdmaRequester.of(pipeline.channel);
            Future<ByteBuf> sent = requester.call(pipeline.call(1));
            Future<ByteBuf> waiting = requester.call(pipeline.call(2));

            assertThat(requester.call(pipeline.call(3)).cause())
                    .hasMessageContaining("RpcRdmaConfig.maxCallsWaiting is 1");
            pipeline.pass(7, TimeUnit.SECONDS);
            assertThat(sent.cause())
                    .hasMessageContaining("no reply within 7000 ms")
                    .hasMessageContaining("RpcRdmaConfig.callTimeout");
            assertThat(waiting.cause())
                    .hasMessageContaining("no credit within 7000 ms")
                    .hasMessageContaining("RpcRdmaConfig.callTimeout");
            pipeline.dropSends();
        }
    }

    @Test
    void resultBeyondItsWriteChunkIsNamedWithBoth() throws Exception {
        try (RawRequester requester = new RawRequester(TestLimits.maxWriteChunks(responder(), 1))) {
            RdmaMemory memory = requester.writable(100);
            byte[] result = OpaqueMessages.pattern(5000, 1);
            requester.service = call -> {
                ByteBuf reply = call.alloc().directBuffer().writeBytes(OpaqueMessages.reply(result));
                return reply.setInt(0, RpcHeaders.xid(call));
            };
            requester.send(
                    new RpcRdmaMessage.Msg(
                            0x1234,
                            1,
                            32,
                            new ChunkLists(
                                    List.of(), List.of(new WriteChunk(List.of(RawRequester.segment(memory)))), null)),
                    OpaqueMessages.call(OpaquesBinding.OPAQUES, new byte[0]));

            assertThat(requester.reply().header()).isInstanceOf(RpcRdmaMessage.ErrorMsg.class);
            assertThat(requester.log.texts())
                    .singleElement()
                    .asString()
                    .contains("5000")
                    .contains("write chunk 0")
                    .contains("100");
        }
    }
}
