// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.nettyrdma.conformance.Requirement;
import io.nettyrdma.logs.Logs;
import io.nettyrdma.rpc.error.CallOutcome;
import io.nettyrdma.rpc.kit.TestPipeline;
import io.nettyrdma.rpc.kit.Vectors;
import io.nettyrdma.rpc.kit.Vectors.Vector;
import io.nettyrdma.rpc.message.RpcCallFailedEvent;
import io.nettyrdma.rpc.trace.RpcRdmaObserver;
import io.nettyrdma.rpc.wire.Direction;
import io.nettyrdma.rpc.wire.header.ChunkLists;
import io.nettyrdma.rpc.wire.header.RpcRdmaMessage;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The golden vectors again, this time against the handlers: what is delivered, answered and left alone. */
class HandlerVectorsTest {

    static Stream<Vector> positiveCalls() {
        return Vectors.load("v1-pos").filter(vector -> vector.direction() == Direction.CALL);
    }

    static Stream<Vector> positiveReplies() {
        return Vectors.load("v1-pos").filter(vector -> vector.direction() == Direction.REPLY);
    }

    static Stream<Vector> negativeCalls() {
        return Vectors.load("v1-neg").filter(vector -> vector.direction() == Direction.CALL);
    }

    static Stream<Vector> negativeReplies() {
        return Vectors.load("v1-neg").filter(vector -> vector.direction() == Direction.REPLY);
    }

    /** Whether the octets of a message are not all in the Send: then {@link ChunkVectorsTest} has it. */
    static boolean hasUsedChunks(Vector vector) {
        JsonNode fields = vector.fields();
        int procedure = fields.get("proc").asInt();
        if (procedure != 0) {
            return procedure == 1;
        }
        ChunkLists chunks = Vectors.chunks(fields);
        return vector.direction() == Direction.CALL
                ? !chunks.readList().isEmpty()
                : chunks.writeList().stream().anyMatch(chunk -> chunk.lengthBytes() != 0);
    }

    @ParameterizedTest
    @MethodSource("positiveCalls")
    @Requirement({"V1-008", "V1-009", "V1-051", "V1-082", "V1-099", "V1-100", "V1-105"})
    void validCallIsDeliveredAndAnswered(Vector vector) {
        if (hasUsedChunks(vector)) {
            return;
        }
        try (TestPipeline pipeline = new TestPipeline(new RpcRdmaResponderHandler(generous())).withLargeThresholds()) {
            pipeline.receive(vector.octets("hex"));

            int xid = (int) Vectors.number(vector.fields(), "xid");
            assertThat(pipeline.delivered()).isEqualTo(vector.text("payload_hex"));
            pipeline.channel.writeOutbound(pipeline.reply(xid));
            assertThat(pipeline.sentHeader(Direction.REPLY))
                    .isEqualTo(new RpcRdmaMessage.Msg(
                            xid, 1, 64, Vectors.chunks(vector.fields()).asUnused()));
        }
    }

    @ParameterizedTest
    @MethodSource("positiveReplies")
    @Requirement({"V1-080", "V1-099", "V1-109", "V1-134", "V1-138"})
    void validReplyEndsItsCall(Vector vector) {
        try (TestPipeline pipeline = new TestPipeline(new RpcRdmaRequesterHandler(generous())).withLargeThresholds()) {
            int xid = (int) Vectors.number(vector.fields(), "xid");
            startCall(pipeline, xid);

            pipeline.receive(vector.octets("hex"));

            int error = vector.fields().path("err").asInt();
            if (error != 0 || hasUsedChunks(vector)) {
                CallOutcome outcome =
                        error == 1 ? CallOutcome.ERR_VERS : error == 2 ? CallOutcome.ERR_CHUNK : CallOutcome.BAD_REPLY;
                assertFailed(pipeline, xid, outcome);
                assertThat(pipeline.delivered()).isEqualTo("none");
            } else {
                assertThat(pipeline.delivered()).isEqualTo(vector.text("payload_hex"));
                assertThat(pipeline.events).isEmpty();
            }
            assertThat(pipeline.sends()).isZero();
        }
    }

    @ParameterizedTest
    @MethodSource("negativeCalls")
    @Requirement({
        "V1-013", "V1-031", "V1-086", "V1-104", "V1-105", "V1-106", "V1-108", "V1-111", "V1-112", "V1-113", "V1-115",
        "V1-124", "V1-126", "BIS-016"
    })
    void defectiveCallGetsTheExpectedAnswer(Vector vector) {
        Logs.allow(RpcRdmaObserver.class.getName(), "refuses a message by a limit of this side");
        try (TestPipeline pipeline =
                new TestPipeline(new RpcRdmaResponderHandler(assumed(vector))).withLargeThresholds()) {
            pipeline.receive(vector.octets("hex"));

            String sent = pipeline.sent();
            switch (vector.text("expect")) {
                case "accept" -> {
                    if (hasUsedChunks(vector)) {
                        assertThat(sent).endsWith("0000000400000002");
                    } else {
                        assertThat(sent).isEqualTo("none");
                        assertThat(pipeline.delivered())
                                .isEqualTo(vector.text("hex").substring(56));
                    }
                }
                case "discard" -> assertThat(sent).isEqualTo("none");
                default -> {
                    // The files leave the credits open; some assume a responder that knows version 2 as well.
                    String expected = vector.text("reply_hex");
                    if (vector.text("expect").equals("ERR_VERS")) {
                        expected = expected.substring(0, 48) + "00000001";
                    }
                    assertThat(sent.substring(0, 16) + "00000000" + sent.substring(24))
                            .isEqualTo(expected);
                    assertThat(sent.substring(16, 24)).isEqualTo("00000040");
                }
            }
            assertThat(pipeline.sent()).isEqualTo("none");
            assertThat(pipeline.delivered()).isEqualTo("none");
            assertThat(pipeline.channel.isOpen()).isTrue();

            // The connection is as good as before.
            pipeline.receiveCall(0x600d);
            assertThat(pipeline.delivered()).isEqualTo(TestPipeline.callHex(0x600d));
        }
    }

    @ParameterizedTest
    @MethodSource("negativeReplies")
    @Requirement({"V1-085", "V1-107", "V1-110", "V1-125", "V1-126", "BIS-014", "BIS-016"})
    void defectiveReplyLeavesItsCallPendingUntilTheTimeout(Vector vector) {
        try (TestPipeline pipeline = new TestPipeline(new RpcRdmaRequesterHandler()).withLargeThresholds()) {
            String hex = vector.text("hex");
            int xid = hex.length() < 8 ? 7 : Integer.parseUnsignedInt(hex.substring(0, 8), 16);
            startCall(pipeline, xid);
            pipeline.channel.write(pipeline.call(xid + 1));

            pipeline.receive(vector.octets("hex"));

            if (vector.text("expect").equals("accept")) {
                if (hasUsedChunks(vector)) {
                    assertFailed(pipeline, xid, CallOutcome.BAD_REPLY);
                } else {
                    assertThat(pipeline.delivered()).startsWith(hex.substring(0, 8));
                }
                return;
            }
            assertThat(pipeline.sends()).isZero(); // neither an error nor the second call
            assertThat(pipeline.delivered()).isEqualTo("none");
            assertThat(pipeline.events).isEmpty();
            assertThat(pipeline.channel.isOpen()).isTrue();

            pipeline.pass(60, TimeUnit.SECONDS);
            assertFailed(pipeline, xid, CallOutcome.TIMED_OUT);
        }
    }

    private static void startCall(TestPipeline pipeline, int xid) {
        pipeline.channel.writeOutbound(pipeline.call(xid));
        pipeline.dropSends();
    }

    private static void assertFailed(TestPipeline pipeline, int xid, CallOutcome outcome) {
        assertThat(pipeline.events)
                .anySatisfy(event -> assertThat(event).isInstanceOfSatisfying(RpcCallFailedEvent.class, failed -> {
                    assertThat(failed.xid()).isEqualTo(xid);
                    assertThat(failed.cause()).hasFieldOrPropertyWithValue("outcome", outcome);
                }));
        assertThat(pipeline.events)
                .filteredOn(event -> event instanceof RpcCallFailedEvent failed && failed.xid() == xid)
                .hasSize(1);
    }

    static RpcRdmaConfig generous() {
        return RpcRdmaConfig.builder()
                .fixed(f -> f.maxSegmentsPerChunk = 16384)
                .fixed(f -> f.maxReadChunks = 1024)
                .fixed(f -> f.maxWriteChunks = 1024)
                .maxCallBytes(1 << 30)
                .build();
    }

    private static RpcRdmaConfig assumed(Vector vector) {
        JsonNode limit = vector.json().path("assume").path("max_chunk_octets");
        return RpcRdmaConfig.builder().maxCallBytes(limit.asInt(1 << 30)).build();
    }
}
