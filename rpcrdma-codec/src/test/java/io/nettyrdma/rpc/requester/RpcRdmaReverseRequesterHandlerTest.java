// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.requester;

import static io.nettyrdma.rpc.error.MessageNotAcceptedException.Reason.REVERSE_NOT_READY;
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
import io.nettyrdma.rpc.RpcRdmaResponderHandler;
import io.nettyrdma.rpc.RpcRdmaReverseRequesterHandler;
import io.nettyrdma.rpc.error.CallTimeoutException;
import io.nettyrdma.rpc.error.ConnectionLostException;
import io.nettyrdma.rpc.error.MessageTooLargeException;
import io.nettyrdma.rpc.kit.TestPipeline;
import io.nettyrdma.rpc.wire.CmPrivateData;
import io.nettyrdma.rpc.wire.header.ChunkLists;
import io.nettyrdma.rpc.wire.header.PlainSegment;
import io.nettyrdma.rpc.wire.header.RpcRdmaMessage;
import io.nettyrdma.rpc.wire.header.WriteChunk;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A server that calls its client. */
class RpcRdmaReverseRequesterHandlerTest {

    private static final String ABSENT = "00".repeat(12);
    private static final int FORWARD_XID = 0x7777;

    private final TestPipeline pipeline = new TestPipeline(new RpcRdmaResponderHandler(RpcRdmaConfig.builder()
            .reverseCredits(4)
            .callTimeout(Duration.ofSeconds(10))
            .build()));
    private final EmbeddedChannel channel = pipeline.channel;

    private void addReverse() {
        var below = channel.pipeline().context(RpcRdmaResponderHandler.class);
        channel.pipeline().addAfter(below.name(), null, new RpcRdmaReverseRequesterHandler());
    }

    /** The handler, on a connection whose client has called. */
    private void ready() {
        addReverse();
        pipeline.receiveCall(FORWARD_XID);
        pipeline.delivered();
    }

    @AfterEach
    void nothingIsLeft() {
        pipeline.close();
    }

    @Test
    @Requirement("BIS-015")
    void callHasTheShapeOfLinuxAndItsReplyIsFired() {
        ready();

        ChannelFuture written = channel.writeAndFlush(pipeline.call(7));

        assertThat(pipeline.sent())
                .isEqualTo("00000007" + "00000001" + "00000004" + "00000000" + ABSENT + TestPipeline.callHex(7));
        assertThat(written.isSuccess()).isTrue();
        pipeline.receiveReply(7, 16);
        assertThat(pipeline.delivered()).isEqualTo(TestPipeline.replyHex(7));
        assertThat(pipeline.sends()).isZero();
    }

    @Test
    void callsWaitForTheClientToSpeak() {
        addReverse();

        assertThat(channel.writeAndFlush(pipeline.call(1)).cause())
                .hasFieldOrPropertyWithValue("reason", REVERSE_NOT_READY);
        assertThat(RpcRdmaRequester.of(channel).call(pipeline.call(2)).cause())
                .hasFieldOrPropertyWithValue("reason", REVERSE_NOT_READY);
        pipeline.receive("00000001"); // not a call
        assertThat(channel.writeAndFlush(pipeline.call(3)).cause())
                .hasFieldOrPropertyWithValue("reason", REVERSE_NOT_READY);
        assertThat(pipeline.sends()).isZero();

        pipeline.receiveCall(1);
        pipeline.delivered();
        assertThat(channel.writeAndFlush(pipeline.call(4)).isSuccess()).isTrue();
        pipeline.dropSends();
    }

    @Test
    @Requirement({"V1-012", "V1-014", "V1-023", "BIS-015"})
    void creditsAreThoseOfTheReverseDirection() {
        ready(); // a call that asks for 16 credits
        for (int xid = 1; xid <= 6; xid++) {
            channel.writeAndFlush(pipeline.call(xid));
        }
        assertThat(pipeline.sends()).isOne();

        pipeline.receiveCall(FORWARD_XID + 1);
        pipeline.delivered();
        assertThat(pipeline.sends()).isOne();

        pipeline.receiveReply(1, 2);
        pipeline.delivered();
        assertThat(pipeline.sends()).isEqualTo(3);

        pipeline.receiveReply(2, 100); // no more than it asked for
        pipeline.delivered();
        assertThat(pipeline.sends()).isEqualTo(6);
        pipeline.dropSends();
    }

    @Test
    @Requirement("BIS-015")
    void sameXidMayBeUsedInBothDirections() {
        ready();
        Future<ByteBuf> reply = RpcRdmaRequester.of(channel).call(pipeline.call(FORWARD_XID));
        assertThat(pipeline.sent()).endsWith(TestPipeline.callHex(FORWARD_XID));

        channel.writeOutbound(pipeline.reply(FORWARD_XID));
        assertThat(pipeline.sent()).endsWith(TestPipeline.replyHex(FORWARD_XID));
        assertThat(reply.isDone()).isFalse();
        pipeline.receiveReply(FORWARD_XID, 1);

        assertThat(reply.isSuccess()).isTrue();
        reply.getNow().release();
    }

    @Test
    void errorEndsTheCallItIsFor() {
        ready();
        Future<ByteBuf> reply = RpcRdmaRequester.of(channel).call(pipeline.call(1));
        pipeline.dropSends();

        pipeline.receive(new RpcRdmaMessage.ErrorMsg(FORWARD_XID, 1, 8, null), "");
        assertThat(reply.isDone()).isFalse();
        pipeline.receive(new RpcRdmaMessage.ErrorMsg(1, 1, 8, null), "");

        assertThat(reply.cause()).hasFieldOrPropertyWithValue("code", "ERR_CHUNK");
        channel.writeOutbound(pipeline.reply(FORWARD_XID)); // the forward call lives
        assertThat(pipeline.sent()).endsWith(TestPipeline.replyHex(FORWARD_XID));
    }

    @Test
    @Requirement("BIS-015")
    void replyToNoCallIsDroppedWithItsCredits() {
        ready();
        channel.writeAndFlush(pipeline.call(1));
        channel.writeAndFlush(pipeline.call(2));
        pipeline.dropSends();

        pipeline.receiveReply(99, 4);

        assertThat(pipeline.delivered()).isEqualTo("none");
        assertThat(pipeline.sends()).isZero();
        assertThat(channel.isOpen()).isTrue();
    }

    @Test
    void repliesAreDroppedUnlessTheHandlerIsThere() {
        pipeline.receiveReply(1, 4);
        ready();
        channel.writeOutbound(pipeline.call(1));
        pipeline.dropSends();
        channel.pipeline().remove(RpcRdmaReverseRequesterHandler.class);
        pipeline.receiveReply(1, 4);

        assertThat(pipeline.delivered()).isEqualTo("none");
        assertThat(pipeline.sends()).isZero();
        assertThat(pipeline.failures()).isNotEmpty();
    }

    @Test
    @Requirement({"V1-083", "V1-114"})
    void callWithoutAnyPayloadIsStillADefectiveCall() {
        ready();

        pipeline.receive(
                new RpcRdmaMessage.NoMsg(
                        1,
                        1,
                        8,
                        new ChunkLists(
                                List.of(), List.of(), new WriteChunk(List.of(new PlainSegment(0x1234, 100, 0x1000))))),
                "");

        assertThat(pipeline.sent()).isEqualTo("00000001" + "00000001" + "00000040" + "00000004" + "00000002");
    }

    @Test
    void callFitsWithinTheSmallerThreshold() {
        ready();
        assertThat(channel.writeAndFlush(pipeline.message(1, 0, 1000)).cause())
                .isInstanceOf(MessageTooLargeException.class);
        pipeline.peerSays(new CmPrivateData(false, 2048, 4096));

        assertThat(channel.writeAndFlush(pipeline.message(1, 0, 2024)).cause())
                .isInstanceOf(MessageTooLargeException.class);
        assertThat(channel.writeAndFlush(pipeline.message(1, 0, 2020)).isSuccess())
                .isTrue();
        pipeline.dropSends();
    }

    @Test
    void callsWithoutAnswerTimeOutAndLeaveTheConnectionOpen() {
        ready();
        Future<ByteBuf> sent = RpcRdmaRequester.of(channel).call(pipeline.call(1));
        Future<ByteBuf> waiting = RpcRdmaRequester.of(channel).call(pipeline.call(2));

        pipeline.pass(11, TimeUnit.SECONDS);

        assertThat(sent.cause()).isInstanceOf(CallTimeoutException.class);
        assertThat(waiting.cause()).isInstanceOf(CallTimeoutException.class);
        assertThat(channel.isOpen()).isTrue();
        pipeline.dropSends();
        pipeline.receiveReply(1, 1); // late, but it brings the credit back
        channel.writeOutbound(pipeline.call(3));
        assertThat(pipeline.sent()).endsWith(TestPipeline.callHex(3));
    }

    @Test
    void lossOfTheConnectionEndsItsCalls() {
        ready();
        Future<ByteBuf> reply = RpcRdmaRequester.of(channel).call(pipeline.call(1));
        pipeline.dropSends();

        channel.pipeline().fireChannelInactive();

        assertThat(reply.cause()).isInstanceOf(ConnectionLostException.class);
        assertThat(channel.writeAndFlush(pipeline.reply(FORWARD_XID)).cause())
                .isInstanceOf(ConnectionLostException.class);
        assertThat(channel.writeAndFlush(pipeline.call(2)).cause()).isInstanceOf(ConnectionLostException.class);
    }

    @Test
    void handlerNeedsAResponderBelowItAndCredits() {
        RpcRdmaConfig config = RpcRdmaConfig.builder().reverseCredits(1).build();
        assertThatThrownBy(() -> add(new RpcRdmaReverseRequesterHandler()))
                .isInstanceOf(ChannelPipelineException.class)
                .hasCauseInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> add(new RpcRdmaReverseRequesterHandler(), new RpcRdmaResponderHandler(config)))
                .isInstanceOf(ChannelPipelineException.class)
                .hasCauseInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> add(new RpcRdmaResponderHandler(), new RpcRdmaReverseRequesterHandler()))
                .isInstanceOf(ChannelPipelineException.class)
                .hasRootCauseMessage("reverseCredits of the configuration is 0");
    }

    private static void add(ChannelHandler... handlers) {
        EmbeddedChannel channel = new EmbeddedChannel();
        channel.pipeline().addLast(handlers);
        channel.checkException();
    }
}
