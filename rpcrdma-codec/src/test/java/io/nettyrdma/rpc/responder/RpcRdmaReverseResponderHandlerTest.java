// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.responder;

import static io.nettyrdma.rpc.error.ConnectionFailedException.Reason.TOO_MANY_CALLS;
import static io.nettyrdma.rpc.error.MessageNotAcceptedException.Reason.UNKNOWN_XID;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelPipelineException;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.util.concurrent.Future;
import io.nettyrdma.conformance.Requirement;
import io.nettyrdma.rpc.RpcRdmaConfig;
import io.nettyrdma.rpc.RpcRdmaRequester;
import io.nettyrdma.rpc.RpcRdmaRequesterHandler;
import io.nettyrdma.rpc.RpcRdmaReverseResponderHandler;
import io.nettyrdma.rpc.TestLimits;
import io.nettyrdma.rpc.error.ConnectionFailedException;
import io.nettyrdma.rpc.error.ConnectionLostException;
import io.nettyrdma.rpc.error.MessageTooLargeException;
import io.nettyrdma.rpc.kit.TestPipeline;
import io.nettyrdma.rpc.message.RpcCallFailedEvent;
import io.nettyrdma.rpc.message.RpcCallRefusal;
import io.nettyrdma.rpc.message.RpcRdmaReply;
import io.nettyrdma.rpc.wire.CmPrivateData;
import io.nettyrdma.rpc.wire.header.ChunkLists;
import io.nettyrdma.rpc.wire.header.PlainSegment;
import io.nettyrdma.rpc.wire.header.ReadSegment;
import io.nettyrdma.rpc.wire.header.RpcRdmaMessage;
import io.nettyrdma.rpc.wire.header.WriteChunk;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A client that answers calls of its server. */
class RpcRdmaReverseResponderHandlerTest {

    private static final String ABSENT = "00".repeat(12);
    private static final List<PlainSegment> SEGMENTS = List.of(new PlainSegment(0x1234, 100, 0x1000));

    private final TestPipeline pipeline = new TestPipeline(new RpcRdmaRequesterHandler(config(16, 8)));
    private final EmbeddedChannel channel = pipeline.channel;

    private static RpcRdmaConfig config(int reverseCredits, int reserve) {
        return TestLimits.receiveReserve(RpcRdmaConfig.builder(), reserve)
                .reverseCredits(reverseCredits)
                .build();
    }

    private static void addReverse(TestPipeline pipeline) {
        var below = pipeline.channel.pipeline().context(RpcRdmaRequesterHandler.class);
        pipeline.channel.pipeline().addAfter(below.name(), null, new RpcRdmaReverseResponderHandler());
    }

    @AfterEach
    void nothingIsLeft() {
        pipeline.close();
    }

    @Test
    @Requirement("BIS-015")
    void callAndReplyHaveTheShapesOfLinux() {
        addReverse(pipeline);

        pipeline.receive("00000007" + "00000001" + "00000002" + "00000000" + ABSENT + TestPipeline.callHex(7));
        assertThat(pipeline.delivered()).isEqualTo(TestPipeline.callHex(7));
        ChannelFuture written = channel.writeAndFlush(pipeline.reply(7));

        assertThat(pipeline.sent())
                .isEqualTo("00000007" + "00000001" + "00000010" + "00000000" + ABSENT + TestPipeline.replyHex(7));
        assertThat(written.isSuccess()).isTrue();
    }

    @Test
    @Requirement("BIS-015")
    void sameXidMayBeUsedInBothDirections() {
        addReverse(pipeline);
        channel.writeOutbound(pipeline.call(1));
        assertThat(pipeline.sent()).endsWith(TestPipeline.callHex(1));

        pipeline.receiveCall(1);
        assertThat(pipeline.delivered()).isEqualTo(TestPipeline.callHex(1));
        pipeline.receiveReply(1, 1);
        assertThat(pipeline.delivered()).isEqualTo(TestPipeline.replyHex(1));
        channel.writeOutbound(pipeline.reply(1));
        assertThat(pipeline.sent()).endsWith(TestPipeline.replyHex(1));
        assertThat(pipeline.events).isEmpty();
    }

    @Test
    @Requirement("BIS-015")
    void creditsOfAReverseCallAreNoGrant() {
        addReverse(pipeline);
        channel.writeAndFlush(pipeline.call(1));
        channel.writeAndFlush(pipeline.call(2));
        assertThat(pipeline.sends()).isOne();

        pipeline.receive(new RpcRdmaMessage.Msg(1, 1, 64, ChunkLists.ABSENT), TestPipeline.callHex(1));

        assertThat(pipeline.sends()).isOne();
        pipeline.dropSends();
        pipeline.delivered();
    }

    @Test
    @Requirement("BIS-015")
    void callsAreDroppedUnlessTheHandlerIsThere() {
        pipeline.receiveCall(1);
        assertThat(pipeline.delivered()).isEqualTo("none");

        addReverse(pipeline);
        pipeline.receiveCall(2);
        assertThat(pipeline.delivered()).isEqualTo(TestPipeline.callHex(2));

        channel.pipeline().remove(RpcRdmaReverseResponderHandler.class);
        pipeline.receiveCall(3);
        assertThat(pipeline.delivered()).isEqualTo("none");
        assertThat(pipeline.sends()).isZero();
        assertThat(channel.isOpen()).isTrue();
    }

    static Stream<RpcRdmaMessage> callsWithChunks() {
        WriteChunk chunk = new WriteChunk(SEGMENTS);
        return Stream.of(
                new RpcRdmaMessage.Msg(7, 1, 2, reading(40)),
                new RpcRdmaMessage.Msg(7, 1, 2, new ChunkLists(List.of(), List.of(chunk), null)),
                new RpcRdmaMessage.Msg(7, 1, 2, new ChunkLists(List.of(), List.of(), chunk)),
                new RpcRdmaMessage.Msg(7, 1, 2, new ChunkLists(List.of(), List.of(), new WriteChunk(List.of()))),
                new RpcRdmaMessage.NoMsg(7, 1, 2, reading(0)));
    }

    private static ChunkLists reading(int position) {
        return new ChunkLists(List.of(new ReadSegment(position, SEGMENTS.get(0))), List.of(), null);
    }

    @ParameterizedTest
    @MethodSource("callsWithChunks")
    void callWithChunksIsAnsweredWithErrChunk(RpcRdmaMessage call) {
        addReverse(pipeline);

        pipeline.receive(call, call instanceof RpcRdmaMessage.Msg ? TestPipeline.callHex(7) : "");

        assertThat(pipeline.sent()).isEqualTo("00000007" + "00000001" + "00000010" + "00000004" + "00000002");
        assertThat(pipeline.delivered()).isEqualTo("none");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                // Too short for a payload stream, with the words there are looking like a call.
                "00000007000000010000000200000000" + "000000000000000000000000" + "00000007",
                // Another version.
                "00000007000000020000000200000000" + "000000000000000000000000" + "0000000700000000",
                // The payload stream is that of another transaction.
                "00000007000000010000000200000000" + "000000000000000000000000" + "0000000800000000",
                // Neither call nor reply.
                "00000007000000010000000200000000" + "000000000000000000000000" + "0000000700000002",
                // A list that does not end.
                "00000007000000010000000200000000" + "000000010000000000000000" + "0000000700000000",
            })
    @Requirement({"BIS-015", "BIS-016"})
    void whatCannotBeToldApartIsDropped(String octets) {
        addReverse(pipeline);

        pipeline.receive(octets);

        assertThat(pipeline.delivered()).isEqualTo("none");
        assertThat(pipeline.sends()).isZero();
        assertThat(channel.isOpen()).isTrue();
    }

    @Test
    void repeatedCallIsDeliveredOnce() {
        addReverse(pipeline);

        pipeline.receiveCall(1);
        pipeline.receiveCall(1);

        assertThat(pipeline.delivered()).isNotEqualTo("none");
        assertThat(pipeline.delivered()).isEqualTo("none");
    }

    @Test
    void replyFitsWithinTheSmallerThreshold() {
        addReverse(pipeline);
        pipeline.receiveCall(1);
        pipeline.receiveCall(2);
        assertThat(replied(1, 996).isSuccess()).isTrue(); // of the defaults, 1024 octets
        assertThat(replied(2, 1000).cause()).isInstanceOf(MessageTooLargeException.class);
        assertThat(pipeline.sent()).hasSize(2 * 1024);
        assertThat(pipeline.sent()).endsWith("00000004" + "00000002");

        // The server receives 4096 octets, but sends 2048.
        pipeline.peerSays(new CmPrivateData(false, 2048, 4096));
        pipeline.receiveCall(3);
        pipeline.receiveCall(4);
        assertThat(replied(3, 2020).isSuccess()).isTrue();
        assertThat(replied(4, 2024).cause()).isInstanceOf(MessageTooLargeException.class);
        pipeline.dropSends();
    }

    @Test
    void handlerAddedLateKnowsTheThresholds() {
        pipeline.withLargeThresholds();
        addReverse(pipeline);
        pipeline.receiveCall(1);

        assertThat(replied(1, 4068).isSuccess()).isTrue();
        pipeline.dropSends();
    }

    private ChannelFuture replied(int xid, int bytes) {
        pipeline.delivered();
        return channel.writeAndFlush(pipeline.message(xid, 1, bytes));
    }

    @Test
    void moreCallsThanCreditsAndReserveEndTheConnection() {
        try (TestPipeline narrow = new TestPipeline(new RpcRdmaRequesterHandler(config(2, 1)))) {
            addReverse(narrow);
            for (int xid = 1; xid <= 3; xid++) {
                narrow.receiveCall(xid);
                assertThat(narrow.delivered()).isEqualTo(TestPipeline.callHex(xid));
            }
            assertThat(narrow.channel.isOpen()).isTrue();
            Future<ByteBuf> forward = RpcRdmaRequester.of(narrow.channel).call(narrow.call(5));
            narrow.dropSends();

            assertThatThrownBy(() -> narrow.receiveCall(4)).hasFieldOrPropertyWithValue("reason", TOO_MANY_CALLS);

            assertThat(forward.cause())
                    .isInstanceOf(ConnectionLostException.class)
                    .hasCauseInstanceOf(ConnectionFailedException.class);

            assertThat(narrow.channel.isOpen()).isFalse();
            assertThat(narrow.delivered()).isEqualTo("none");
        }
    }

    @Test
    void repliesThatAreNotTakenEndTheConnection() {
        try (TestPipeline narrow = new TestPipeline(new RpcRdmaRequesterHandler(config(1, 0)))) {
            addReverse(narrow);
            int most = ReverseCalls.MAX_UNSENT_REPLIES + 1;
            for (int xid = 1; xid <= most; xid++) { // a server may be this far ahead of the completions of Sends
                narrow.receiveCall(xid);
                assertThat(narrow.delivered()).isEqualTo(TestPipeline.callHex(xid));
                narrow.channel.write(narrow.reply(xid)); // not flushed, so not completed
            }

            assertThatThrownBy(() -> narrow.receiveCall(most + 1))
                    .hasFieldOrPropertyWithValue("reason", TOO_MANY_CALLS);

            assertThat(narrow.channel.isOpen()).isFalse();
        }
    }

    @Test
    void creditsComeBackWithTheReplies() {
        try (TestPipeline narrow = new TestPipeline(new RpcRdmaRequesterHandler(config(1, 0)))) {
            addReverse(narrow);
            for (int xid = 1; xid <= 10; xid++) {
                narrow.receiveCall(xid);
                narrow.delivered();
                narrow.channel.writeOutbound(narrow.reply(xid));
                assertThat(narrow.sent()).endsWith(TestPipeline.replyHex(xid));
            }
        }
    }

    @Test
    void replyToNoReverseCallIsNotSent() {
        addReverse(pipeline);
        channel.writeOutbound(pipeline.call(1));
        pipeline.dropSends();

        assertThat(channel.writeAndFlush(pipeline.reply(1)).cause()).hasFieldOrPropertyWithValue("reason", UNKNOWN_XID);

        assertThat(pipeline.sends()).isZero();
    }

    @Test
    void refusedCallIsAnsweredWithErrChunk() {
        addReverse(pipeline);
        pipeline.receiveCall(1);
        pipeline.delivered();

        channel.writeOutbound(new RpcCallRefusal(1));

        assertThat(pipeline.sent()).endsWith("00000004" + "00000002");
    }

    @Test
    void replyMayBeAnObject() {
        addReverse(pipeline);
        pipeline.receiveCall(1);
        pipeline.delivered();

        channel.writeOutbound(new RpcRdmaReply(pipeline.reply(1), List.of()));

        assertThat(pipeline.sent()).endsWith(TestPipeline.replyHex(1));
    }

    @Test
    void lossOfTheConnectionEndsBothDirections() {
        addReverse(pipeline);
        channel.writeOutbound(pipeline.call(1));
        pipeline.dropSends();
        pipeline.receiveCall(1);
        pipeline.delivered();

        channel.pipeline().fireChannelInactive();

        assertThat(channel.writeAndFlush(pipeline.reply(1)).cause()).isInstanceOf(ConnectionLostException.class);
        assertThat(pipeline.events)
                .singleElement()
                .isInstanceOfSatisfying(RpcCallFailedEvent.class, event -> assertThat(event.xid())
                        .isOne());
    }

    @Test
    void handlerNeedsARequesterBelowItAndCredits() {
        assertThatThrownBy(() -> add(new RpcRdmaReverseResponderHandler()))
                .isInstanceOf(ChannelPipelineException.class)
                .hasCauseInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> add(new RpcRdmaRequesterHandler(), new RpcRdmaReverseResponderHandler()))
                .isInstanceOf(ChannelPipelineException.class)
                .hasRootCauseMessage("reverseCredits of the configuration is 0");
    }

    private static void add(ChannelHandler... handlers) {
        EmbeddedChannel channel = new EmbeddedChannel();
        channel.pipeline().addLast(handlers);
        channel.checkException();
    }
}
