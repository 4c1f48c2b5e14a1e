// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.observe;

import static io.nettyrdma.rpc.kit.Meters.countsOf;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.channel.Channel;
import io.nettyrdma.conformance.Requirement;
import io.nettyrdma.logs.Logs;
import io.nettyrdma.rpc.RpcRdmaConfig;
import io.nettyrdma.rpc.RpcRdmaResponderHandler;
import io.nettyrdma.rpc.TestLimits;
import io.nettyrdma.rpc.kit.TestPipeline;
import io.nettyrdma.rpc.kit.TestProgram;
import io.nettyrdma.rpc.message.RpcHeaders;
import io.nettyrdma.rpc.metrics.RpcRdmaMetrics;
import io.nettyrdma.rpc.observe.RpcRdmaRejectionReport.Reaction;
import io.nettyrdma.rpc.wire.Rdma2ErrorCode;
import io.nettyrdma.rpc.wire.header.ChunkLists;
import io.nettyrdma.rpc.wire.header.PlainSegment;
import io.nettyrdma.rpc.wire.header.ReadSegment;
import io.nettyrdma.rpc.wire.v2.Rdma2;
import io.nettyrdma.rpc.wire.v2.Rdma2Message;
import io.nettyrdma.rpc.wire.v2.TransportProperty;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A listener learns what version 2 rejects, as it does in version 1. */
class RejectionReportsTest {

    private static final int GRANT = Rdma2.credits(64, 32);
    private static final int MOST_SEGMENTS = 2;

    private static final int MOST_CALL_BYTES = 4096;

    private final List<RpcRdmaRejectionReport> rejections = new ArrayList<>();
    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
    private final RpcRdmaMetrics meters = new RpcRdmaMetrics();
    private final TestPipeline pipeline = new TestPipeline(
            new RpcRdmaResponderHandler(TestLimits.maxSegmentsPerHeader(RpcRdmaConfig.builder(), MOST_SEGMENTS)
                    .versions(2, 2)
                    .maxCallBytes(MOST_CALL_BYTES)
                    .listener(meters)
                    .listener(new RpcRdmaListener() {
                        @Override
                        public void onRejected(Channel channel, RpcRdmaRejectionReport rejection) {
                            rejections.add(rejection);
                        }
                    })
                    .build()));

    RejectionReportsTest() {
        meters.bindTo(registry);
        pipeline.channel.pipeline().fireChannelActive();
        pipeline.receiveProperties(7, GRANT, TransportProperty.sendBytes(8192));
    }

    @AfterEach
    void end() {
        pipeline.close();
    }

    /** A read chunk in three pieces. */
    private static ChunkLists threeSegments() {
        List<ReadSegment> list = new ArrayList<>();
        for (int i = 0; i <= MOST_SEGMENTS; i++) {
            list.add(new ReadSegment(48, new PlainSegment(i + 1, 4, 0)));
        }
        return new ChunkLists(list, List.of(), null);
    }

    @Test
    @Requirement({"V2-089", "V2-150"})
    void moreSegmentsThanTheLimitOfTheHeaderAreReported() {
        assertThat(pipeline.sent()).as("own properties").contains("00000004" + "00000004" + "00000002");

        pipeline.receive(new Rdma2Message.Msg(9, GRANT, 0, 0, threeSegments()), TestPipeline.callHex(9));

        assertThat(pipeline.sent()).startsWith(TestPipeline.words(9, 2)).endsWith(TestPipeline.words(8, MOST_SEGMENTS));
        assertThat(rejections).singleElement().satisfies(rejection -> {
            assertThat(rejection.reaction()).isEqualTo(Reaction.RDMA2_ERROR);
            assertThat(rejection.version()).isEqualTo(2);
            assertThat(rejection.option()).isNull();
            assertThat(rejection)
                    .hasToString("RDMA2_ERROR: xid 0x9, RDMA2_ERR_SEGMENTS, too many segments at octet 24: 3,"
                            + " expected 2");
        });
    }

    @Test
    void unknownHeaderTypeIsReportedByItsError() {
        pipeline.dropSends();

        pipeline.receive(TestPipeline.words(9, 2, GRANT, 77, 0));

        assertThat(pipeline.sent()).endsWith(TestPipeline.words(4));
        assertThat(rejections).singleElement().asString().startsWith("RDMA2_ERROR: xid 0x9, RDMA2_ERR_INVAL_HTYPE, ");
    }

    @Test
    void brokenSequenceIsReportedForEachOfItsCalls() {
        pipeline.dropSends();
        pipeline.receive(new Rdma2Message.Msg(9, GRANT, Rdma2.MORE, 0, ChunkLists.ABSENT), TestPipeline.callHex(9));

        pipeline.receiveCallOfVersion2(10, GRANT);

        assertThat(rejections)
                .extracting(RpcRdmaRejectionReport::xid, RpcRdmaRejectionReport::defect)
                .containsExactlyInAnyOrder(tuple(9, "RDMA2_ERR_INVAL_CONT"), tuple(10, "RDMA2_ERR_INVAL_CONT"));
        pipeline.dropSends();
    }

    @Test
    void propertiesInsideACallAreReportedBesideIt() {
        pipeline.dropSends();
        pipeline.receive(new Rdma2Message.Msg(9, GRANT, Rdma2.MORE, 0, ChunkLists.ABSENT), TestPipeline.callHex(9));

        pipeline.receiveProperties(11, GRANT);

        assertThat(rejections)
                .extracting(RpcRdmaRejectionReport::xid, RpcRdmaRejectionReport::defect)
                .containsExactlyInAnyOrder(tuple(9, "RDMA2_ERR_INVAL_CONT"), tuple(11, "RDMA2_ERR_INVAL_HTYPE"));
        pipeline.dropSends();
    }

    private void receiveCallWithAReadChunk(String payload, int position, int chunkBytes) {
        ReadSegment segment = new ReadSegment(position, new PlainSegment(1, chunkBytes, 0));
        pipeline.receive(
                new Rdma2Message.Msg(9, GRANT, 0, 0, new ChunkLists(List.of(segment), List.of(), null)), payload);
    }

    private void checkReported(Rdma2ErrorCode code, String report) {
        assertThat(pipeline.sent())
                .startsWith(TestPipeline.words(9, 2))
                .endsWith(TestPipeline.words(4, Rdma2.RESPONSE, code.number()));
        assertThat(rejections).singleElement().asString().isEqualTo("RDMA2_ERROR: xid 0x9, " + report);
        assertThat(countsOf(registry, "rpcrdma.rejections")).containsExactly("reaction=rdma2_error: 1");
    }

    @Test
    void readChunkWithoutReducibleArgumentIsReportedByTheErrorThatIsSent() {
        pipeline.dropSends();

        receiveCallWithAReadChunk(TestPipeline.callHex(9), TestProgram.CALL_BYTES, 8);

        checkReported(
                Rdma2ErrorCode.BAD_XDR,
                "RDMA2_ERR_BAD_XDR, read chunk that is no reducible argument of program 100003 version 3 procedure 0"
                        + " (RpcRdmaConfig.bindings, the same on both sides)");
    }

    /** C58. */
    @Test
    void readChunkWithPaddingIsReportedByTheErrorThatIsSent() {
        pipeline.dropSends();
        ByteBuf call = RpcHeaders.call(pipeline.alloc, 9, 100_003, 3, 7);
        call.writeInt(4)
                .writeInt(0x1234_5678)
                .writeLong(0)
                .writeInt(3)
                .writeInt(2)
                .writeInt(3);
        String payload = ByteBufUtil.hexDump(call);
        call.release();

        receiveCallWithAReadChunk(payload, payload.length() / 2, 4);

        checkReported(
                Rdma2ErrorCode.BAD_XDR,
                "RDMA2_ERR_BAD_XDR, read chunk that is no reducible argument of program 100003 version 3 procedure 7"
                        + " (RpcRdmaConfig.bindings, the same on both sides)");
    }

    @Test
    void callBeyondTheLimitOfThisSideIsReportedByTheErrorThatIsSent() {
        Logs.allow("io.nettyrdma.rpc.trace.RpcRdmaObserver", "RDMA2_ERROR: xid 0x9, RDMA2_ERR_SYSTEM");
        pipeline.dropSends();

        receiveCallWithAReadChunk(TestPipeline.callHex(9), TestProgram.CALL_BYTES, MOST_CALL_BYTES);

        checkReported(
                Rdma2ErrorCode.SYSTEM,
                "RDMA2_ERR_SYSTEM, call too long at octet 0: 4136, RpcRdmaConfig.maxCallBytes is 4096");
    }

    @Test
    void messageThatIsTooShortIsReportedAsDiscarded() {
        pipeline.dropSends();

        pipeline.receive(TestPipeline.words(9, 2, GRANT, 0));

        assertThat(rejections)
                .singleElement()
                .extracting(RpcRdmaRejectionReport::reaction)
                .isEqualTo(Reaction.DISCARD);
        assertThat(pipeline.sends()).isZero();
    }
}
