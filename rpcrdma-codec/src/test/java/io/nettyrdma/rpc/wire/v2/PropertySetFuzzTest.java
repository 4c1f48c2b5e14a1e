// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.wire.v2;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.nettyrdma.conformance.Requirement;
import io.nettyrdma.rpc.wire.Direction;
import java.util.List;
import java.util.Objects;

/** Any octets as a set of properties, in one message and joined from parts. */
class PropertySetFuzzTest {

    private static final int MAX_BYTES = 65536;

    @Requirement({"V2-078", "V2-169"})
    @FuzzTest
    void anySetIsTakenWholeOrNotAtAll(byte[] input) {
        ByteBuf message = Words.message(5, 0).writeBytes(input);
        Rdma2Decoder decoder = new Rdma2Decoder(Rdma2Limits.NONE, Direction.CALL);

        Rdma2Decoded decoded = decoder.decode(message, Rdma2Sequence.NONE);

        Rdma2Decoded joined = decoder.decodeJoined(message, Unpooled.wrappedBuffer(input));
        if (decoded instanceof Rdma2Rejection rejection) {
            assertThat(rejection.error()).isIn(Rdma2Error.BAD_XDR, Rdma2Error.BAD_PROPVAL);
            assertThat(joined).isInstanceOfSatisfying(Rdma2Rejection.class, it -> assertThat(it.error())
                    .isEqualTo(rejection.error()));
            return;
        }
        assertThat(joined).isEqualTo(decoded);
        List<TransportProperty> set = Objects.requireNonNull(((Rdma2Message.ConnProp) decoded).properties());
        assertThat(set.size()).isLessThanOrEqualTo(input.length / 8);
        checkValues(TransportProperties.DEFAULTS.apply(set, MAX_BYTES), set);
        ByteBuf again = Unpooled.buffer();
        Rdma2Encoder.encode((Rdma2Message) decoded, again);
        assertThat(again.readableBytes()).isEqualTo(20 + input.length);
        assertThat(decoder.decode(again, Rdma2Sequence.NONE)).isEqualTo(decoded);
    }

    private static void checkValues(TransportProperties properties, List<TransportProperty> set) {
        assertThat(properties.sendBytes()).isBetween(1024, MAX_BYTES);
        assertThat(properties.receiveBytes()).isBetween(1024, MAX_BYTES);
        assertThat(properties.segmentBytes()).isBetween(0L, 0xffff_ffffL);
        assertThat(properties.segmentsPerHeader()).isNotNegative();
        TransportProperty authentication = properties.authentication();
        if (authentication != null) {
            assertThat(set).contains(authentication);
            assertThat(Objects.requireNonNull(properties.token()).length)
                    .isLessThanOrEqualTo(authentication.data().length - 4);
        }
    }
}
