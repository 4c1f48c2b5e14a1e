// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.requester;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.AbstractByteBufAllocator;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.nettyrdma.conformance.Requirement;
import io.nettyrdma.internal.CapturedLog;
import io.nettyrdma.rpc.RpcRdmaConfig;
import io.nettyrdma.rpc.TestLimits;
import io.nettyrdma.rpc.kit.TestPipeline;
import io.nettyrdma.rpc.observe.RpcRdmaListener;
import io.nettyrdma.rpc.observe.RpcRdmaRejectionReport;
import io.nettyrdma.rpc.wire.Rdma2ErrorCode;
import io.nettyrdma.rpc.wire.header.ChunkLists;
import io.nettyrdma.rpc.wire.header.PlainSegment;
import io.nettyrdma.rpc.wire.header.ReadSegment;
import io.nettyrdma.rpc.wire.header.RpcRdmaMessage;
import io.nettyrdma.rpc.wire.v2.Rdma2;
import io.nettyrdma.rpc.wire.v2.Rdma2Message;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A responder that has no memory for the read chunks of a call says so, and serves the calls behind it. */
class CallsWithoutMemoryTest {

    private static final int BYTES = 100;
    private static final int GRANT = Rdma2.credits(64, 32);
    private static final ChunkLists LONG_CALL =
            new ChunkLists(List.of(new ReadSegment(0, new PlainSegment(9, BYTES, 0))), List.of(), null);

    private final List<RpcRdmaRejectionReport> rejections = new ArrayList<>();
    private final CapturedLog log = new CapturedLog();

    private TestPipeline responderOf(int version) {
        RpcRdmaConfig config = TestLimits.log(RpcRdmaConfig.builder(), log.log())
                .versions(version, version)
                .listener(new RpcRdmaListener() {
                    @Override
                    public void onRejected(Channel channel, RpcRdmaRejectionReport rejection) {
                        rejections.add(rejection);
                    }
                })
                .build();
        return new TestPipeline(TestLimits.responder(config, new Exhausted()));
    }

    private void checkLogNamesMemoryAlone() {
        assertThat(log.texts())
                .singleElement()
                .asString()
                .contains("xid 0x9, ")
                .contains("no memory for 100 bytes of read chunks")
                .contains("-XX:MaxDirectMemorySize")
                .doesNotContain("maxCallBytes");
    }

    @Test
    @Requirement("V2-157")
    void responderOfVersion2AnswersSystemBecauseTheCallIsValid() {
        try (TestPipeline pipeline = responderOf(2)) {
            pipeline.openVersion2(7, GRANT);

            pipeline.receive(new Rdma2Message.NoMsg(9, GRANT, 0, 0, LONG_CALL), "");

            assertThat(pipeline.sent())
                    .startsWith(TestPipeline.words(9, 2))
                    .endsWith(TestPipeline.words(Rdma2.ERROR, Rdma2.RESPONSE, Rdma2ErrorCode.SYSTEM.number()));
            pipeline.receiveCallOfVersion2(10, GRANT);
            assertThat(pipeline.delivered()).isEqualTo(TestPipeline.callHex(10));
        }
        assertThat(rejections)
                .singleElement()
                .asString()
                .isEqualTo("RDMA2_ERROR: xid 0x9, RDMA2_ERR_SYSTEM, no memory for 100 bytes of read chunks: raise"
                        + " -XX:MaxDirectMemorySize, or lower RpcRdmaConfig.maxPullingBytes");
        checkLogNamesMemoryAlone();
    }

    @Test
    void responderOfVersion1AnswersErrChunkBecauseItHasNoOtherError() {
        try (TestPipeline pipeline = responderOf(1)) {
            pipeline.receive(new RpcRdmaMessage.NoMsg(9, 1, 32, LONG_CALL), "");

            assertThat(pipeline.sent()).startsWith(TestPipeline.words(9, 1)).endsWith(TestPipeline.words(4, 2));
            pipeline.receiveCall(10);
            assertThat(pipeline.delivered()).isEqualTo(TestPipeline.callHex(10));
        }
        assertThat(rejections)
                .singleElement()
                .asString()
                .isEqualTo("ERR_CHUNK: xid 0x9, no memory for 100 bytes of read chunks: raise"
                        + " -XX:MaxDirectMemorySize, or lower RpcRdmaConfig.maxPullingBytes");
        checkLogNamesMemoryAlone();
    }

    /** Has no direct memory left. */
    private static final class Exhausted extends AbstractByteBufAllocator {

        @Override
        protected ByteBuf newHeapBuffer(int initialCapacity, int maxCapacity) {
            throw new AssertionError("chunks go to direct memory");
        }

        @Override
        protected ByteBuf newDirectBuffer(int initialCapacity, int maxCapacity) {
            throw new OutOfMemoryError("Cannot reserve direct buffer memory");
        }

        @Override
        public boolean isDirectBufferPooled() {
            return false;
        }
    }
}
