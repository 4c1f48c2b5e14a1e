// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.flow.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;

/** Any octets as the private data of a peer. */
class FlowOfferFuzzTest {

    private static final int MAGIC = 0x4e52_4643;
    private static final int NOT_USED = 5;

    @FuzzTest
    void offerIsUnderstoodOrRefused(byte[] input) {
        ByteBuf in = Unpooled.wrappedBuffer(input);
        boolean begins = input.length >= Integer.BYTES && in.getInt(0) == MAGIC;
        FlowOffer offer;
        try {
            offer = FlowOffer.decode(in);
        } catch (FlowProtocolException e) {
            assertThat(begins).isTrue();
            assertThat(isValid(Unpooled.wrappedBuffer(input))).isFalse();
            assertThat(e).hasMessageMatching(".+: -?\\d+( octets)? \\(expected: .+\\)");
            return;
        }
        assertThat(offer != null).isEqualTo(begins);
        if (offer == null) {
            assertThat(in.readerIndex()).isZero();
        } else {
            assertThat(in.readerIndex()).isEqualTo(FlowOffer.BYTES);
            assertThat(offer.pieceBytes()).isBetween(1, Integer.MAX_VALUE - FlowTrailer.BYTES);
            checkReproduced(offer, input);
        }
    }

    private static boolean isValid(ByteBuf in) {
        return in.readableBytes() >= FlowOffer.BYTES
                && in.getByte(4) == 1
                && in.getUnsignedShort(6) > 0
                && in.getInt(8) >= FlowOffer.MIN_RECEIVE_BYTES
                && in.getInt(12) > 0;
    }

    private static void checkReproduced(FlowOffer offer, byte[] input) {
        ByteBuf expected = Unpooled.copiedBuffer(input).slice(0, FlowOffer.BYTES);
        expected.setByte(NOT_USED, 0);
        ByteBuf out = Unpooled.buffer(FlowOffer.BYTES);
        offer.encode(out);
        assertThat(out).isEqualTo(expected);
    }
}
