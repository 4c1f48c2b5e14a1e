// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import io.nettyrdma.conformance.Requirement;
import io.nettyrdma.rpc.kit.Vectors;
import io.nettyrdma.rpc.kit.Vectors.Vector;
import java.util.Arrays;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class CmPrivateDataTest {

    static Stream<Vector> positive() {
        return Vectors.load("pd-pos");
    }

    static Stream<Vector> negative() {
        return Vectors.load("pd-neg");
    }

    static Stream<Vector> encode() {
        return Vectors.load("pd-encode");
    }

    static Stream<Vector> pairs() {
        return Vectors.load("pd-pairs");
    }

    @ParameterizedTest
    @MethodSource("positive")
    @Requirement({"PD-002", "PD-003", "PD-004", "PD-005", "PD-007", "PD-008", "PD-022", "PD-023"})
    void privateDataIsUnderstood(Vector vector) {
        JsonNode fields = vector.fields();

        CmPrivateData found = CmPrivateData.find(vector.octets("hex"));

        assertThat(found)
                .isEqualTo(new CmPrivateData(
                        fields.get("remote_invalidation").asBoolean(),
                        fields.get("send_size").asInt(),
                        fields.get("recv_size").asInt()));
    }

    @ParameterizedTest
    @MethodSource("negative")
    @Requirement({"PD-017", "PD-018", "V1-027"})
    void privateDataThatIsNotUnderstoodMeansDefaults(Vector vector) {
        CmPrivateData found = CmPrivateData.findOrDefaults(vector.octets("hex"));

        if (vector.text("class").equals("offset")) {
            // These vectors follow the draft, which puts the message at offset 0. The RFC made of it searches for it.
            assertThat(found).isEqualTo(CmPrivateData.find(vector.octets("base_hex")));
        } else {
            assertThat(found).isEqualTo(new CmPrivateData(false, 1024, 1024));
        }
    }

    @ParameterizedTest
    @MethodSource("encode")
    @Requirement({"PD-002", "PD-003", "PD-006", "PD-007", "PD-008", "PD-009"})
    void settingsBecomeEightOctets(Vector vector) {
        JsonNode input = vector.json().get("input");

        CmPrivateData own = new CmPrivateData(
                input.get("remote_invalidation").asBoolean(),
                input.get("send_bytes").asInt(),
                input.get("recv_bytes").asInt());

        assertThat(own.encode()).isEqualTo(vector.octets("hex"));
    }

    @ParameterizedTest
    @MethodSource("pairs")
    @Requirement({"V1-021", "PD-010", "PD-011", "PD-012"})
    void thresholdsAreTheSmallerOfBothSides(Vector vector) {
        CmPrivateData requester = CmPrivateData.findOrDefaults(vector.octets("requester_hex"));
        CmPrivateData responder = CmPrivateData.findOrDefaults(vector.octets("responder_hex"));

        assertThat(InlineThresholds.between(requester, responder))
                .isEqualTo(new InlineThresholds(
                        vector.json().get("call_threshold").asInt(),
                        vector.json().get("reply_threshold").asInt()));
        assertThat(requester.remoteInvalidation() && responder.remoteInvalidation())
                .isEqualTo(vector.json().get("send_with_invalidate_allowed").asBoolean());
    }

    @Test
    @Requirement("PD-022")
    void identifierIsFoundAtAnyOctet() {
        byte[] message = new CmPrivateData(true, 8192, 2048).encode();
        for (int at = 0; at < 32; at++) {
            byte[] octets = new byte[at + message.length + 5];
            Arrays.fill(octets, (byte) 0xf6);
            System.arraycopy(message, 0, octets, at, message.length);

            assertThat(CmPrivateData.find(octets)).isEqualTo(new CmPrivateData(true, 8192, 2048));
        }
    }

    @Test
    @Requirement("PD-009")
    void sizesAreWhatThePeerIsTold() {
        assertThat(new CmPrivateData(false, 4095, 1 << 20)).isEqualTo(new CmPrivateData(false, 3072, 262144));
    }

    @Test
    @Requirement("V1-026")
    void sizesBelowTheMinimumAreRefused() {
        assertThatThrownBy(() -> new CmPrivateData(false, 1023, 4096)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new CmPrivateData(false, 4096, 1023)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    @Requirement({"V1-027", "PD-017"})
    void defaultsAreTheMinimum() {
        assertThat(InlineThresholds.DEFAULTS).isEqualTo(new InlineThresholds(1024, 1024));
    }
}
