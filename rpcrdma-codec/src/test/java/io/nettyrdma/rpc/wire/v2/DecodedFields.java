// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.wire.v2;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.netty.buffer.ByteBufUtil;
import io.nettyrdma.rpc.kit.Vectors;
import java.util.List;
import java.util.Objects;

/** The fields of a message as the vectors have them. */
final class DecodedFields {

    private DecodedFields() {}

    static void check(Rdma2Message message, JsonNode fields) {
        assertThat(message.xid()).isEqualTo((int) Vectors.number(fields, "xid"));
        if (fields.has("proc")) {
            checkErrVers((Rdma2Message.ErrorMsg) message, fields);
            return;
        }
        assertThat(Integer.toUnsignedLong(message.credits())).isEqualTo(Vectors.number(fields, "credit"));
        assertThat(message.credits() >>> 16).isEqualTo(fields.get("credit_max").asInt());
        assertThat(message.creditGrant()).isEqualTo(fields.get("credit_granted").asInt());
        int flags = (int) Vectors.number(fields, "flags") & Rdma2.FLAGS_MASK;
        if (!(message instanceof Rdma2Message.CreditGrant)) { // whose flag is ignored
            assertThat(message.flags()).isEqualTo(flags);
            assertThat(message.response()).isEqualTo((flags & 1) != 0);
            assertThat(message.more()).isEqualTo((flags & 2) != 0);
            assertThat(message.tpMore()).isEqualTo((flags & 4) != 0);
        }
        int type = fields.get("htype").asInt();
        if (message instanceof Rdma2Message.Msg msg) {
            assertThat(type).isZero();
            assertThat(msg.invHandle()).isEqualTo((int) Vectors.number(fields, "inv_handle"));
            assertThat(msg.chunks()).isEqualTo(Vectors.chunks(fields));
        } else if (message instanceof Rdma2Message.NoMsg noMsg) {
            assertThat(type).isEqualTo(1);
            assertThat(noMsg.invHandle()).isEqualTo((int) Vectors.number(fields, "inv_handle"));
            assertThat(noMsg.chunks()).isEqualTo(Vectors.chunks(fields));
        } else if (message instanceof Rdma2Message.CreditGrant) {
            assertThat(type).isEqualTo(1);
            assertThat(Vectors.chunks(fields).areAbsent()).isTrue();
        } else if (message instanceof Rdma2Message.ErrorMsg error) {
            assertThat(type).isEqualTo(4);
            checkError(error.error(), fields);
        } else {
            assertThat(type).isEqualTo(5);
            checkProperties(((Rdma2Message.ConnProp) message).properties(), fields.get("properties"));
        }
    }

    private static void checkErrVers(Rdma2Message.ErrorMsg message, JsonNode fields) {
        assertThat(fields.get("proc").asInt()).isEqualTo(4);
        assertThat(message.version()).isEqualTo((int) Vectors.number(fields, "vers"));
        assertThat(message.version1Grant()).isEqualTo(Vectors.number(fields, "credit"));
        assertThat(message.credits()).isZero();
        checkError(message.error(), fields);
    }

    private static void checkError(Rdma2Error error, JsonNode fields) {
        assertThat(error.code().number()).isEqualTo(fields.get("err").asInt());
        List<String> names =
                switch (error.code()) {
                    case VERS -> List.of("vers_low", "vers_high");
                    case READ_CHUNKS, WRITE_CHUNKS -> List.of("max_chunks");
                    case SEGMENTS -> List.of("max_segments");
                    case WRITE_RESOURCE -> List.of("chunk_index", "length_needed");
                    case REPLY_RESOURCE -> List.of("length_needed");
                    default -> List.of();
                };
        assertThat(error.first()).isEqualTo(names.isEmpty() ? 0 : Vectors.number(fields, names.get(0)));
        assertThat(error.second()).isEqualTo(names.size() < 2 ? 0 : Vectors.number(fields, names.get(1)));
    }

    private static void checkProperties(List<TransportProperty> properties, JsonNode fields) {
        assertThat(properties).hasSize(fields.size());
        for (int i = 0; i < fields.size(); i++) {
            TransportProperty property = properties.get(i);
            JsonNode expected = fields.get(i);
            assertThat(property.id()).isEqualTo((int) Vectors.number(expected, "which"));
            assertThat(property.data()).hasSize(expected.get("len").asInt());
            assertThat(ByteBufUtil.hexDump(property.data()))
                    .isEqualTo(expected.get("data_hex").asText());
            if (expected.hasNonNull("value")) {
                assertThat(property.number()).isEqualTo(Vectors.number(expected, "value"));
            }
            if (expected.hasNonNull("value_hex")) {
                assertThat(ByteBufUtil.hexDump(Objects.requireNonNull(property.token())))
                        .isEqualTo(expected.get("value_hex").asText());
            }
        }
    }
}
