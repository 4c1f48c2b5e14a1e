// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.wire.v1;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.nettyrdma.conformance.Requirement;
import io.nettyrdma.rpc.kit.Vectors;
import io.nettyrdma.rpc.kit.Vectors.Vector;
import io.nettyrdma.rpc.wire.header.DecodeLimits;
import io.nettyrdma.rpc.wire.header.Decoded;
import io.nettyrdma.rpc.wire.header.Rejection;
import io.nettyrdma.rpc.wire.header.Rejection.Reaction;
import io.nettyrdma.rpc.wire.header.RpcRdmaMessage;
import io.nettyrdma.rpc.wire.header.RpcRdmaMessage.VersionRange;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class V1VectorsTest {

    static Stream<Vector> positive() {
        return Vectors.load("v1-pos");
    }

    static Stream<Vector> negative() {
        return Vectors.load("v1-neg");
    }

    @ParameterizedTest
    @MethodSource("positive")
    @Requirement({
        "V1-069", "V1-070", "V1-071", "V1-072", "V1-073", "V1-074", "V1-075", "V1-076", "V1-077", "V1-078", "V1-081",
        "V1-082", "V1-138", "BIS-003", "BIS-017"
    })
    void validMessageDecodesToItsFields(Vector vector) {
        RpcRdmaMessage message = (RpcRdmaMessage) decode(vector, "hex", DecodeLimits.NONE);

        assertFields(message, vector.fields());
        assertThat(RpcRdmaEncoder.encodedBytes(message))
                .isEqualTo(vector.json().get("header_len").asInt());
    }

    @ParameterizedTest
    @MethodSource("positive")
    @Requirement({
        "V1-004", "V1-010", "V1-011", "V1-069", "V1-070", "V1-071", "V1-072", "V1-073", "V1-074", "V1-075", "V1-076",
        "V1-077", "V1-078", "V1-081", "BIS-017"
    })
    void validMessageIsReproducedOctetByOctet(Vector vector) {
        RpcRdmaMessage message = (RpcRdmaMessage) decode(vector, "hex", DecodeLimits.NONE);
        ByteBuf out = Unpooled.buffer();

        RpcRdmaEncoder.encode(message, out);

        assertThat(ByteBufUtil.hexDump(out) + vector.text("payload_hex")).isEqualTo(vector.text("hex"));
    }

    @ParameterizedTest
    @MethodSource("negative")
    @Requirement({
        "V1-030", "V1-031", "V1-038", "V1-039", "V1-040", "V1-062", "V1-083", "V1-086", "V1-088", "V1-089", "V1-100",
        "V1-104", "V1-106", "V1-107", "V1-110", "V1-111", "V1-112", "V1-113", "V1-114", "V1-115", "V1-124", "V1-125",
        "V1-126", "BIS-012"
    })
    void defectiveMessageGetsTheExpectedReaction(Vector vector) {
        Decoded decoded = decode(vector, "hex", limits(vector));

        // Where the texts leave a choice, the first one is this project's; the alternatives are not used.
        String expected = vector.text("expect");
        if (expected.equals("accept")) {
            assertFields((RpcRdmaMessage) decoded, vector.fields());
        } else {
            Rejection rejection = (Rejection) decoded;
            assertThat(rejection.reaction()).as(rejection.toString()).isEqualTo(reaction(expected));
        }
    }

    @ParameterizedTest
    @MethodSource("negative")
    void whatWasCorruptedIsAcceptedWhole(Vector vector) {
        if (vector.has("base_hex") && vector.json().get("base_hex").asText().startsWith("00000002", 8)) {
            return; // a version 2 message: nothing this decoder could accept
        }
        if (vector.has("base_hex")) {
            assertThat(decode(vector, "base_hex", limits(vector))).isInstanceOf(RpcRdmaMessage.class);
        }
    }

    @ParameterizedTest
    @MethodSource("negative")
    @Requirement({"V1-077", "V1-108"})
    void answerIsEncodedOctetByOctet(Vector vector) {
        if (!vector.has("reply_hex")) {
            return;
        }
        Rejection rejection = (Rejection) decode(vector, "hex", limits(vector));
        VersionRange supported = null;
        if (rejection.reaction() == Reaction.ERR_VERS) {
            JsonNode versions = vector.json().get("assume").get("versions");
            supported =
                    new VersionRange(versions.get(0).asLong(), versions.get(1).asLong());
        }
        ByteBuf out = Unpooled.buffer();

        RpcRdmaEncoder.encode(new RpcRdmaMessage.ErrorMsg(rejection.xid(), rejection.version(), 1, supported), out);

        out.setInt(8, 0); // the files leave the credits open
        assertThat(ByteBufUtil.hexDump(out)).isEqualTo(vector.text("reply_hex"));
    }

    @ParameterizedTest
    @MethodSource("positive")
    @Requirement({"V1-105", "V1-112"})
    void messageCutInsideItsHeaderIsNeverAccepted(Vector vector) {
        byte[] octets = vector.octets("hex");
        int headerBytes = vector.json().get("header_len").asInt();
        RpcRdmaDecoder decoder = new RpcRdmaDecoder(DecodeLimits.NONE);
        for (int length = 0; length < headerBytes; length++) {
            Decoded decoded = decoder.decode(Unpooled.wrappedBuffer(octets, 0, length), vector.direction());

            assertThat(decoded).as("cut to %d octets", length).isInstanceOf(Rejection.class);
        }
    }

    private static Decoded decode(Vector vector, String key, DecodeLimits limits) {
        // Some octets in front: all offsets have to be relative to the reader index.
        ByteBuf message =
                Unpooled.wrappedBuffer(new byte[5], vector.octets(key)).skipBytes(5);
        Decoded decoded = new RpcRdmaDecoder(limits).decode(message, vector.direction());
        assertThat(message.readerIndex()).isEqualTo(5);
        assertThat(message.refCnt()).isEqualTo(1);
        message.release();
        return decoded;
    }

    private static DecodeLimits limits(Vector vector) {
        JsonNode assume = vector.json().path("assume");
        return new DecodeLimits(
                assume.path("max_read_chunks").asInt(Integer.MAX_VALUE),
                assume.path("max_write_chunks").asInt(Integer.MAX_VALUE),
                assume.path("max_segments").asInt(Integer.MAX_VALUE),
                assume.path("max_chunk_octets").asLong(Long.MAX_VALUE));
    }

    private static Reaction reaction(String name) {
        return name.equals("discard") ? Reaction.DISCARD : Reaction.valueOf(name);
    }

    private static void assertFields(RpcRdmaMessage message, JsonNode fields) {
        assertThat(message.xid()).isEqualTo((int) Vectors.number(fields, "xid"));
        assertThat(message.version()).isEqualTo((int) Vectors.number(fields, "vers"));
        assertThat(message.credits()).isEqualTo(Vectors.number(fields, "credit"));
        int procedure = fields.get("proc").asInt();
        if (message instanceof RpcRdmaMessage.Msg msg) {
            assertThat(procedure).isZero();
            assertThat(msg.chunks()).isEqualTo(Vectors.chunks(fields));
        } else if (message instanceof RpcRdmaMessage.NoMsg noMsg) {
            assertThat(procedure).isEqualTo(1);
            assertThat(noMsg.chunks()).isEqualTo(Vectors.chunks(fields));
        } else {
            assertThat(procedure).isEqualTo(4);
            VersionRange supported = ((RpcRdmaMessage.ErrorMsg) message).supported();
            if (fields.get("err").asInt() == 1) {
                assertThat(supported)
                        .isEqualTo(new VersionRange(
                                Vectors.number(fields, "vers_low"), Vectors.number(fields, "vers_high")));
            } else {
                assertThat(supported).isNull();
            }
        }
    }
}
