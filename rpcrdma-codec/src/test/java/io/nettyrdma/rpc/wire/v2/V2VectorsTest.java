// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.wire.v2;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.nettyrdma.conformance.Requirement;
import io.nettyrdma.rpc.kit.Vectors;
import io.nettyrdma.rpc.kit.Vectors.Vector;
import io.nettyrdma.rpc.wire.header.Rejection.Reaction;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class V2VectorsTest {

    /** What is wrong with these is not in the message, but in what came before it. */
    private static final Map<String, String> OF_A_CONNECTION = Map.of(
            "connprop-after-final", "whether the peer's properties are complete",
            "continuation-htype", "the type of the sequence that the fragment breaks",
            "continuation-xid", "the transaction of the sequence that the fragment breaks");

    /** Where this project's decision is not the one the files were made for (C7). */
    private static final Map<String, String> ALTERNATIVES = Map.of("more-connprop", "accept");

    static Stream<Vector> positive() {
        return Vectors.load("v2-pos");
    }

    static Stream<Vector> reproduced() {
        return positive().filter(vector -> !vector.has("decode_only"));
    }

    static Stream<Vector> continued() {
        return positive().filter(vector -> vector.has("reassembled_hex"));
    }

    static Stream<Vector> negative() {
        return Vectors.load("v2-neg");
    }

    static Stream<Vector> answered() {
        return negative()
                .filter(vector -> vector.has("reply_hex"))
                .filter(vector -> !OF_A_CONNECTION.containsKey(vector.text("class")))
                .filter(vector -> !ALTERNATIVES.containsKey(vector.text("class")));
    }

    static Stream<Vector> corrupted() {
        return negative().filter(vector -> vector.has("base_hex"));
    }

    @ParameterizedTest
    @MethodSource("positive")
    @Requirement({"V2-005", "V2-046", "V2-078", "V2-093", "V2-095", "V2-096", "V2-117", "V2-122", "V2-126", "V2-127"})
    void validMessageDecodesToItsFields(Vector vector) {
        Rdma2Message message = (Rdma2Message) decode(vector, "hex");

        DecodedFields.check(message, vector.fields());
        if (!vector.has("decode_only")) {
            assertThat(Rdma2Encoder.encodedBytes(message))
                    .isEqualTo(vector.json().get("header_len").asInt());
        }
    }

    @ParameterizedTest
    @MethodSource("reproduced")
    @Requirement({
        "V2-005", "V2-007", "V2-046", "V2-078", "V2-093", "V2-095", "V2-096", "V2-102", "V2-117", "V2-122", "V2-126",
        "V2-127"
    })
    void validMessageIsReproducedOctetByOctet(Vector vector) {
        ByteBuf out = Unpooled.buffer();

        Rdma2Encoder.encode((Rdma2Message) decode(vector, "hex"), out);

        assertThat(ByteBufUtil.hexDump(out) + vector.text("payload_hex")).isEqualTo(vector.text("hex"));
    }

    @ParameterizedTest
    @MethodSource("continued")
    void fragmentsJoinToAValidMessage(Vector vector) {
        Rdma2Decoder decoder = new Rdma2Decoder(Rdma2Limits.NONE, vector.direction());
        ByteBuf payload = Unpooled.buffer();
        Rdma2Sequence sequence = Rdma2Sequence.NONE;
        ByteBuf last = Unpooled.EMPTY_BUFFER;
        for (ByteBuf message : messages(vector, "hex")) {
            Rdma2Message.Msg fragment = (Rdma2Message.Msg) decoder.decode(message, sequence);
            int header = Rdma2Encoder.headerBytes(fragment.chunks());
            payload.writeBytes(message, header, message.readableBytes() - header);
            sequence = fragment.more() ? Rdma2Sequence.PAYLOAD : Rdma2Sequence.NONE;
            last = message;
        }

        assertThat(sequence).isEqualTo(Rdma2Sequence.NONE);
        assertThat(ByteBufUtil.hexDump(payload)).isEqualTo(vector.text("reassembled_hex"));
        assertThat(decoder.checkStart(last, payload)).isNull();
        assertThat(decoder.checkLast(last, payload.readableBytes())).isNull();
    }

    @ParameterizedTest
    @MethodSource("negative")
    @Requirement({
        "V2-041", "V2-057", "V2-079", "V2-081", "V2-082", "V2-084", "V2-094", "V2-098", "V2-099", "V2-106", "V2-107",
        "V2-109", "V2-114", "V2-134", "V2-136", "V2-142", "V2-144", "V2-146", "V2-148", "V2-150", "V2-171"
    })
    void defectiveMessageGetsTheExpectedReaction(Vector vector) {
        String defect = vector.text("class");

        Rdma2Decoded decoded = decode(vector, "hex");

        // Where the texts leave a choice, the first one is this project's, but for the exceptions.
        String expected = OF_A_CONNECTION.containsKey(defect)
                ? "accept"
                : ALTERNATIVES.getOrDefault(defect, vector.text("expect"));
        assertThat(reaction(decoded)).as(decoded.toString()).isEqualTo(expected);
        if (expected.equals("accept") && vector.json().hasNonNull("fields")) {
            DecodedFields.check((Rdma2Message) decoded, vector.fields());
        }
    }

    @ParameterizedTest
    @MethodSource("answered")
    @Requirement({"V2-102", "V2-127", "V2-135"})
    void answerIsEncodedOctetByOctet(Vector vector) {
        Rdma2Rejection rejection = (Rdma2Rejection) decode(vector, "hex");
        ByteBuf out = Unpooled.buffer();

        Rdma2Encoder.encode(answer(rejection, vector), out);

        out.setInt(8, 0); // the files leave the credits open
        assertThat(ByteBufUtil.hexDump(out)).isEqualTo(vector.text("reply_hex"));
    }

    private static Rdma2Message.ErrorMsg answer(Rdma2Rejection rejection, Vector vector) {
        if (rejection.reaction() == Reaction.RDMA2_ERROR) {
            return Rdma2Message.ErrorMsg.of(rejection.xid(), 0, Objects.requireNonNull(rejection.error()));
        }
        // Once a version is fixed, it is the only one.
        JsonNode versions = vector.json().get("assume").get("versions");
        long low = vector.text("class").equals("version-change")
                ? 2
                : versions.get(0).asLong();
        return Rdma2Message.ErrorMsg.versions(
                rejection.xid(), rejection.version(), 1, low, versions.get(1).asLong());
    }

    @ParameterizedTest
    @MethodSource("corrupted")
    void whatWasCorruptedIsAcceptedWhole(Vector vector) {
        assertThat(decode(vector, "base_hex")).isInstanceOf(Rdma2Message.class);
    }

    @ParameterizedTest
    @MethodSource("negative")
    void creditsOfRejectedMessagesCount(Vector vector) {
        ByteBuf message = vector.buffer("hex");
        boolean counted = message.readableBytes() >= 20 && message.getInt(4) == 2;

        assertThat(Rdma2.isIn(message)).isEqualTo(counted);
        if (counted) {
            assertThat(Rdma2.credits(message)).isEqualTo(message.getInt(8));
        }
    }

    @Test
    void onlyTwentyVectorsNeedMoreThanTheMessage() {
        assertThat(negative()
                        .map(vector -> vector.text("class"))
                        .filter(OF_A_CONNECTION::containsKey)
                        .collect(Collectors.groupingBy(defect -> defect, Collectors.counting())))
                .isEqualTo(Map.of("connprop-after-final", 8L, "continuation-htype", 4L, "continuation-xid", 8L));
        assertThat(negative()).hasSize(475);
        assertThat(positive()).hasSize(237);
    }

    private static String reaction(Rdma2Decoded decoded) {
        if (decoded instanceof Rdma2Message) {
            return "accept";
        }
        Rdma2Rejection rejection = (Rdma2Rejection) decoded;
        return switch (rejection.reaction()) {
            case DISCARD -> "discard";
            case ERR_VERS -> "ERR_VERS";
            case RDMA2_ERROR -> Objects.requireNonNull(rejection.error()).code().name();
            case ERR_CHUNK -> throw new AssertionError(rejection);
        };
    }

    /** The message, behind those that came before it. */
    private static List<ByteBuf> messages(Vector vector, String key) {
        List<ByteBuf> messages = new ArrayList<>();
        if (vector.has("before")) {
            vector.json().get("before").forEach(hex -> messages.add(buffer(hex.asText())));
        }
        messages.add(vector.buffer(key));
        return messages;
    }

    private static ByteBuf buffer(String hex) {
        return Unpooled.wrappedBuffer(ByteBufUtil.decodeHexDump(hex));
    }

    /** Decodes the messages up to that, each in the sequence that the one before it left. */
    private static Rdma2Decoded decode(Vector vector, String key) {
        Rdma2Decoder decoder = new Rdma2Decoder(limits(vector), vector.direction());
        Rdma2Sequence sequence = Rdma2Sequence.NONE;
        Rdma2Decoded decoded = null;
        for (ByteBuf plain : messages(vector, key)) {
            // Some octets in front: all offsets have to be relative to the reader index.
            ByteBuf message = Unpooled.wrappedBuffer(Unpooled.buffer().writeZero(5), plain)
                    .skipBytes(5);
            decoded = decoder.decode(message, sequence);
            if (decoded instanceof Rdma2Message.Msg) { // others may stand between fragments
                sequence = decoded.more() ? Rdma2Sequence.PAYLOAD : Rdma2Sequence.NONE;
            }
            assertThat(message.readerIndex()).isEqualTo(5);
            assertThat(message.refCnt()).isEqualTo(1);
            message.release();
        }
        return Objects.requireNonNull(decoded);
    }

    private static Rdma2Limits limits(Vector vector) {
        JsonNode assume = vector.json().path("assume");
        return assume.path("direction").asText().equals("reverse")
                ? Rdma2Limits.NO_CHUNKS
                : new Rdma2Limits(
                        assume.path("max_segments").asInt(Integer.MAX_VALUE),
                        assume.path("max_read_chunks").asInt(Integer.MAX_VALUE),
                        assume.path("max_write_chunks").asInt(Integer.MAX_VALUE),
                        assume.path("max_chunk_octets").asLong(Long.MAX_VALUE));
    }
}
