// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.flow.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The octets of an offer. */
class FlowOfferTest {

    private static final FlowOffer OFFER = new FlowOffer(61, 4096, 0x100000);
    private static final String OCTETS = "4e524643" + "0100" + "003d" + "00001000" + "00100000";

    private static ByteBuf octets(String hex) {
        return Unpooled.wrappedBuffer(ByteBufUtil.decodeHexDump(hex));
    }

    @Test
    void fieldsAreWhereTheDocumentSays() {
        ByteBuf out = Unpooled.buffer();
        OFFER.encode(out);
        assertThat(ByteBufUtil.hexDump(out)).isEqualTo(OCTETS);
        assertThat(OFFER.pieceBytes()).isEqualTo(4088);
    }

    @Test
    void dataOfTheApplicationFollow() throws Exception {
        ByteBuf in = octets(OCTETS + "abcd");
        assertThat(FlowOffer.decode(in)).isEqualTo(OFFER);
        assertThat(in.readableBytes()).isEqualTo(2);
    }

    @Test
    void otherDataAreNoOffer() throws Exception {
        ByteBuf in = octets("4e524642" + "0100");
        assertThat(FlowOffer.decode(in)).isNull();
        assertThat(in.readableBytes()).isEqualTo(6);
        assertThat(FlowOffer.decode(Unpooled.EMPTY_BUFFER)).isNull();
        assertThat(FlowOffer.decode(octets("4e5246"))).isNull();
    }

    @Test
    void octetThatIsNotUsedMayHaveAnyValue() throws Exception {
        assertThat(FlowOffer.decode(octets(OCTETS.replace("0100003d", "01ff003d"))))
                .isEqualTo(OFFER);
    }

    @ParameterizedTest
    @CsvSource({
        "4e524643, 4 octets (expected: 16)",
        "4e52464301000001000000400000, 14 octets (expected: 16)",
        "4e524643020000010000004000000001, version of flow control: 2 (expected: 1)",
        "4e524643010000000000004000000001, 'window: 0 (expected: 1 to 65535)'",
        "4e524643010000010000003f00000001, 'receiveBytes: 63 (expected: 64 to 2147483647)'",
        "4e524643010000018000000000000001, 'receiveBytes: -2147483648 (expected: 64 to 2147483647)'",
        "4e524643010000010000004000000000, 'maxMessageBytes: 0 (expected: 1 to 2147483647)'",
    })
    void offerThatMakesNoSenseIsNamed(String hex, String message) {
        assertThatThrownBy(() -> FlowOffer.decode(octets(hex)))
                .isInstanceOf(FlowProtocolException.class)
                .hasMessageContaining(message);
    }
}
