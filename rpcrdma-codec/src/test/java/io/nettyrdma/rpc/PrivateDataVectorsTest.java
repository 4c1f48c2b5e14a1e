// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.ChannelHandler;
import io.nettyrdma.channel.RdmaPrivateDataEvent;
import io.nettyrdma.conformance.Requirement;
import io.nettyrdma.rpc.kit.TestPipeline;
import io.nettyrdma.rpc.kit.Vectors;
import io.nettyrdma.rpc.kit.Vectors.Vector;
import io.nettyrdma.rpc.observe.RpcRdmaParametersEvent;
import io.nettyrdma.rpc.wire.CmPrivateData;
import io.nettyrdma.rpc.wire.InlineThresholds;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The golden vectors of private data against the handlers: what they agree on with the peer that sent it. */
class PrivateDataVectorsTest {

    private static final int LONGEST = 262144;

    static Stream<Vector> single() {
        return Stream.concat(Vectors.load("pd-pos"), Vectors.load("pd-neg"));
    }

    static Stream<Vector> pairs() {
        return Vectors.load("pd-pairs");
    }

    @ParameterizedTest
    @MethodSource("single")
    @Requirement({"PD-004", "PD-008", "PD-010", "PD-011", "PD-012", "PD-017", "PD-018", "PD-022", "V1-027"})
    void bothHandlersTakeThePeersSizesOrTheDefaults(Vector vector) {
        CmPrivateData expected = expected(vector);
        RpcRdmaConfig config = RpcRdmaConfig.builder()
                .inlineSendBytes(LONGEST)
                .inlineReceiveBytes(LONGEST)
                .build();
        byte[] octets = vector.octets("hex");

        assertThat(agreed(new RpcRdmaRequesterHandler(config), octets))
                .isEqualTo(new InlineThresholds(expected.receiveBytes(), expected.sendBytes()));
        assertThat(agreed(new RpcRdmaResponderHandler(config), octets))
                .isEqualTo(new InlineThresholds(expected.sendBytes(), expected.receiveBytes()));
    }

    private static CmPrivateData expected(Vector vector) {
        if (vector.has("expect")
                && !vector.text("class").equals("offset")) { // the RFC, other than the draft, finds it at any octet
            return CmPrivateData.DEFAULTS;
        }
        if (vector.has("expect")) {
            return CmPrivateData.findOrDefaults(vector.octets("base_hex"));
        }
        return new CmPrivateData(
                vector.fields().get("remote_invalidation").asBoolean(),
                vector.fields().get("send_size").asInt(),
                vector.fields().get("recv_size").asInt());
    }

    @ParameterizedTest
    @MethodSource("pairs")
    @Requirement({"V1-021", "PD-010", "PD-011", "PD-012"})
    void bothHandlersAgreeOnTheSameThresholds(Vector vector) {
        byte[] ofRequester = vector.octets("requester_hex");
        byte[] ofResponder = vector.octets("responder_hex");
        InlineThresholds expected = new InlineThresholds(
                vector.json().get("call_threshold").asInt(),
                vector.json().get("reply_threshold").asInt());

        assertThat(agreed(new RpcRdmaRequesterHandler(config(ofRequester)), ofResponder))
                .isEqualTo(expected);
        assertThat(agreed(new RpcRdmaResponderHandler(config(ofResponder)), ofRequester))
                .isEqualTo(expected);
    }

    /** The settings that this private data advertises. */
    private static RpcRdmaConfig config(byte[] privateData) {
        CmPrivateData own = CmPrivateData.findOrDefaults(privateData);
        return RpcRdmaConfig.builder()
                .inlineSendBytes(own.sendBytes())
                .inlineReceiveBytes(own.receiveBytes())
                .build();
    }

    private static InlineThresholds agreed(ChannelHandler handler, byte[] octets) {
        try (TestPipeline pipeline = new TestPipeline(handler)) {
            pipeline.channel.pipeline().fireUserEventTriggered(new RdmaPrivateDataEvent(octets));

            assertThat(pipeline.channel.isOpen()).isTrue();
            List<RpcRdmaParametersEvent> announced = pipeline.events.stream()
                    .filter(RpcRdmaParametersEvent.class::isInstance)
                    .map(RpcRdmaParametersEvent.class::cast)
                    .toList();
            assertThat(announced).hasSize(1);
            return announced.get(0).thresholds();
        }
    }
}
