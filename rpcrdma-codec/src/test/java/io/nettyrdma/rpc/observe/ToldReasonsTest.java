// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.observe;

import static io.nettyrdma.rpc.error.MessageNotAcceptedException.Reason.UNKNOWN_XID;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.ChannelFuture;
import io.nettyrdma.internal.CapturedLog;
import io.nettyrdma.rpc.RpcRdmaConfig;
import io.nettyrdma.rpc.RpcRdmaRequesterHandler;
import io.nettyrdma.rpc.RpcRdmaResponderHandler;
import io.nettyrdma.rpc.TestLimits;
import io.nettyrdma.rpc.error.CallTimeoutException;
import io.nettyrdma.rpc.kit.TestPipeline;
import io.nettyrdma.rpc.message.RpcCallFailedEvent;
import io.nettyrdma.rpc.wire.header.ChunkLists;
import io.nettyrdma.rpc.wire.header.PlainSegment;
import io.nettyrdma.rpc.wire.header.RpcRdmaMessage;
import io.nettyrdma.rpc.wire.header.WriteChunk;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** What the log and the caller learn when a connection cannot work, each from what its own side knows. */
class ToldReasonsTest {

    private final CapturedLog log = new CapturedLog();
    private final RpcRdmaConfig config =
            TestLimits.log(RpcRdmaConfig.builder(), log.log()).build();

    private TestPipeline requester() {
        return new TestPipeline(new RpcRdmaRequesterHandler(config));
    }

    private TestPipeline responder() {
        return new TestPipeline(new RpcRdmaResponderHandler(config));
    }

    @Test
    void requesterThatGetsCallsNamesTheHandlerForThem() {
        try (TestPipeline pipeline = requester()) {
            pipeline.receiveCall(7);
            pipeline.receiveCall(8);
        }
        assertThat(log.texts())
                .singleElement()
                .asString()
                .contains("rejects a message, the first of this connection", "0x7", "needs an RpcRdmaResponderHandler");
    }

    @Test
    void responderThatGetsRepliesNamesTheHandlerForThem() {
        try (TestPipeline pipeline = responder()) {
            pipeline.receiveReply(7, 16);
        }
        assertThat(log.texts()).singleElement().asString().contains("0x7", "needs an RpcRdmaRequesterHandler");
    }

    @Test
    void responderThatIsToSendACallNamesTheHandlerForIt() {
        try (TestPipeline pipeline = responder()) {
            ChannelFuture written = pipeline.channel.writeAndFlush(pipeline.call(7));

            assertThat(written.cause())
                    .hasFieldOrPropertyWithValue("reason", UNKNOWN_XID)
                    .hasMessageContaining("needs an RpcRdmaRequesterHandler");
        }
        assertThat(log.texts()).singleElement().asString().contains("needs an RpcRdmaRequesterHandler");
    }

    @Test
    void messagesOfAnotherProtocolAreTold() {
        try (TestPipeline pipeline = responder()) {
            pipeline.receive("474554202f");
        }
        assertThat(log.texts())
                .singleElement()
                .asString()
                .contains("message too short", "may not speak RPC-over-RDMA", "not the first one of the pipeline");
    }

    @Test
    void callThatTimesOutTellsWhatArrivedInstead() {
        try (TestPipeline pipeline = requester()) {
            pipeline.channel.writeAndFlush(pipeline.call(7));
            pipeline.dropSends();
            pipeline.receiveCall(7);
            pipeline.pass(61, TimeUnit.SECONDS);

            RpcCallFailedEvent failed = (RpcCallFailedEvent) pipeline.events.get(pipeline.events.size() - 1);
            assertThat(failed.cause())
                    .isInstanceOf(CallTimeoutException.class)
                    .hasMessageContaining("no reply within 60000 ms")
                    .hasMessageContaining("1 received messages were rejected")
                    .hasMessageContaining("needs an RpcRdmaResponderHandler");
        }
    }

    @Test
    void responderWithoutBindingsNamesThem() {
        try (TestPipeline pipeline = responder()) {
            WriteChunk offered = new WriteChunk(List.of(new PlainSegment(9, 1 << 20, 0)));
            pipeline.receive(
                    new RpcRdmaMessage.Msg(7, 1, 16, new ChunkLists(List.of(), List.of(offered), null)),
                    TestPipeline.callHex(7));
            pipeline.delivered();

            ChannelFuture written = pipeline.channel.writeAndFlush(pipeline.message(7, 1, 50_000));

            assertThat(written.cause()).hasMessageContaining("RpcRdmaConfig.bindings of this side names no result");
            pipeline.dropSends();
        }
        assertThat(log.texts()).singleElement().asString().contains("RpcRdmaConfig.bindings of this side");
    }
}
