// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.requester;

import static io.nettyrdma.rpc.error.MessageNotAcceptedException.Reason.UNKNOWN_XID;
import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.netty.buffer.ByteBuf;
import io.nettyrdma.internal.CapturedLog;
import io.nettyrdma.rpc.RpcRdmaConfig;
import io.nettyrdma.rpc.RpcRdmaRequesterHandler;
import io.nettyrdma.rpc.RpcRdmaResponderHandler;
import io.nettyrdma.rpc.RpcRecordMarkHandler;
import io.nettyrdma.rpc.TestLimits;
import io.nettyrdma.rpc.error.MalformedRpcMessageException;
import io.nettyrdma.rpc.kit.TestPipeline;
import io.nettyrdma.rpc.metrics.RpcRdmaMetrics;
import org.junit.jupiter.api.Test;

/** A reply to no call is not silent, and a forgotten {@link RpcRecordMarkHandler} is named. */
class UnmatchedReplyTest {

    private final CapturedLog log = new CapturedLog();
    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
    private final RpcRdmaConfig config = TestLimits.log(RpcRdmaConfig.builder(), log.log())
            .listener(metrics())
            .build();

    private RpcRdmaMetrics metrics() {
        RpcRdmaMetrics metrics = new RpcRdmaMetrics();
        metrics.bindTo(registry);
        return metrics;
    }

    /** The whole of a reply or call behind a record mark, as stacks for TCP write it. */
    private static ByteBuf marked(TestPipeline pipeline, ByteBuf message) {
        ByteBuf marked = pipeline.alloc.directBuffer().writeInt(0x8000_0000 | message.readableBytes());
        marked.writeBytes(message);
        message.release();
        return marked;
    }

    private double counted(String role) {
        return registry.get("rpcrdma.replies.unmatched")
                .tag("role", role)
                .counter()
                .count();
    }

    @Test
    void responderSaysThatAReplyBeginsWithARecordMark() {
        try (TestPipeline pipeline = new TestPipeline(new RpcRdmaResponderHandler(config))) {
            pipeline.receiveCall(1);
            pipeline.delivered();

            Throwable cause = pipeline.channel
                    .writeAndFlush(marked(pipeline, pipeline.reply(1)))
                    .cause();

            assertThat(cause)
                    .hasFieldOrPropertyWithValue("reason", UNKNOWN_XID)
                    .hasMessageContaining("0x80000018")
                    .hasMessageContaining("record mark of 24 bytes")
                    .hasMessageContaining("RpcRecordMarkHandler");
            assertThat(log.texts())
                    .singleElement()
                    .asString()
                    .contains("0x80000018")
                    .contains("RpcRecordMarkHandler");
            assertThat(counted("responder")).isOne();
        }
    }

    @Test
    void responderSaysHowManyRepliesHadNoCall() {
        try (TestPipeline pipeline = new TestPipeline(new RpcRdmaResponderHandler(config))) {
            for (int i = 0; i < 2; i++) {
                assertThat(pipeline.channel.writeAndFlush(pipeline.reply(7)).cause())
                        .hasFieldOrPropertyWithValue("reason", UNKNOWN_XID)
                        .hasMessageNotContaining("record mark");
            }
            assertThat(log.texts()).hasSize(2);
            assertThat(log.texts().get(1)).contains("0x7").contains("2 of this connection");
            assertThat(counted("responder")).isEqualTo(2);
        }
    }

    @Test
    void requesterSaysThatACallBeginsWithARecordMark() {
        try (TestPipeline pipeline = new TestPipeline(new RpcRdmaRequesterHandler(config)).withLargeThresholds()) {
            assertThat(pipeline.channel
                            .writeAndFlush(marked(pipeline, pipeline.call(6)))
                            .cause())
                    .isInstanceOf(MalformedRpcMessageException.class)
                    .hasMessageContaining("record mark of 40 bytes")
                    .hasMessageContaining("RpcRecordMarkHandler");
            assertThat(pipeline.channel
                            .writeAndFlush(pipeline.message(6, 1, 40))
                            .cause())
                    .isInstanceOf(MalformedRpcMessageException.class)
                    .hasMessageNotContaining("record mark");
        }
    }

    @Test
    void requesterSaysThatAReplyMatchesNoCall() {
        try (TestPipeline pipeline = new TestPipeline(new RpcRdmaRequesterHandler(config)).withLargeThresholds()) {
            pipeline.receiveReply(0x8000_0014, 32);
            pipeline.receiveReply(9, 32);

            assertThat(pipeline.delivered()).isEqualTo("none");
            assertThat(log.texts().get(0)).contains("0x80000014").contains("record mark of 20 bytes");
            assertThat(log.texts().get(1))
                    .contains("0x9")
                    .contains("2 of this connection")
                    .doesNotContain("record mark");
            assertThat(counted("requester")).isEqualTo(2);
        }
    }

    @Test
    void requesterWithoutAListenerSaysSoAsWell() {
        RpcRdmaConfig silent =
                TestLimits.log(RpcRdmaConfig.builder(), log.log()).build();
        try (TestPipeline pipeline = new TestPipeline(new RpcRdmaRequesterHandler(silent)).withLargeThresholds()) {
            pipeline.receiveReply(9, 32);
            assertThat(log.texts()).singleElement().asString().contains("0x9");
        }
    }
}
