// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.wire.v2;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.nettyrdma.conformance.Requirement;
import io.nettyrdma.rpc.kit.Vectors;
import io.nettyrdma.rpc.kit.Vectors.Vector;
import io.nettyrdma.rpc.wire.Direction;
import io.nettyrdma.rpc.wire.header.Rejection.Reaction;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Properties over generated and over cut messages; the seed is part of every failure. */
class RandomRoundTripTest {

    private static final int RUNS = 20_000;

    private final long seed = Long.getLong("io.nettyrdma.test.seed", System.nanoTime());
    private final Random random = new Random(seed);
    private final RandomMessages messages = new RandomMessages(random);
    private final Rdma2Decoder decoder = new Rdma2Decoder(Rdma2Limits.NONE, Direction.CALL);

    private ByteBuf encoded(Rdma2Message message) {
        ByteBuf out = Unpooled.buffer();
        Rdma2Encoder.encode(message, out);
        assertThat(out.readableBytes()).as("seed %d", seed).isEqualTo(Rdma2Encoder.encodedBytes(message));
        messages.appendPayload(message, out);
        return out;
    }

    @Test
    @Requirement({"V2-005", "V2-046", "V2-078", "V2-117", "V2-126", "V2-169"})
    void whatIsEncodedDecodesToItself() {
        for (int run = 0; run < RUNS; run++) {
            Rdma2Message message = messages.message();

            assertThat(decoder.decode(encoded(message), Rdma2Sequence.NONE))
                    .as("seed %d run %d", seed, run)
                    .isEqualTo(message);
        }
    }

    @Test
    void anyOctetsGetAVerdict() {
        int rejected = 0;
        for (int run = 0; run < RUNS; run++) {
            ByteBuf out = encoded(messages.message());
            for (int i = random.nextInt(4); i >= 0; i--) {
                out.setByte(random.nextInt(out.readableBytes()), random.nextInt(256));
            }
            out.writerIndex(random.nextInt(out.readableBytes() + 1));
            Rdma2Sequence sequence = Rdma2Sequence.values()[random.nextInt(3)];

            if (decoder.decode(out, sequence) instanceof Rdma2Rejection rejection) {
                rejected++;
                boolean answered = rejection.reaction() == Reaction.RDMA2_ERROR;
                assertThat(rejection.error() != null)
                        .as("seed %d run %d", seed, run)
                        .isEqualTo(answered);
                assertThat(answered && rejection.response())
                        .as("seed %d run %d", seed, run)
                        .isFalse();
            }
        }
        assertThat(rejected).as("seed %d", seed).isBetween(RUNS / 4, RUNS);
    }

    static Stream<Vector> vectors() {
        return Vectors.load("v2-pos");
    }

    @ParameterizedTest
    @MethodSource("vectors")
    @Requirement({"V2-134", "V2-144"})
    void messageCutInsideItsHeaderIsNeverAccepted(Vector vector) {
        ByteBuf octets = vector.buffer("hex");
        int headerBytes = vector.json().get("header_len").asInt();
        boolean request = octets.getInt(12) != 4 && (octets.getInt(16) & 1) == 0;
        for (int length = 0; length < headerBytes; length++) {
            Rdma2Decoded decoded = decoder.decode(octets.slice(0, length), Rdma2Sequence.NONE);

            if (decoded instanceof Rdma2Message.ErrorMsg) {
                // One layout of errors cut short can be another of them.
                assertThat(length).isEqualTo(vector.has("layout") ? 24 : 28);
                assertThat(octets.getInt(16)).isEqualTo(1);
                continue;
            }
            assertThat(decoded).as("cut to %d octets", length).isInstanceOf(Rdma2Rejection.class);
            Rdma2Rejection rejection = (Rdma2Rejection) decoded;
            if (length < 20 || !request) {
                assertThat(rejection.reaction()).as("cut to %d octets", length).isEqualTo(Reaction.DISCARD);
            } else {
                assertThat(rejection.error())
                        .as("cut to %d octets", length)
                        .isIn(Rdma2Error.BAD_XDR, Rdma2Error.BAD_PROPVAL);
            }
        }
        for (int length = headerBytes; length < octets.readableBytes(); length++) {
            assertThat(decoder.decode(octets.slice(0, length), Rdma2Sequence.PAYLOAD) instanceof Rdma2Message)
                    .as("cut to %d octets", length)
                    .isEqualTo(length > headerBytes);
        }
    }
}
