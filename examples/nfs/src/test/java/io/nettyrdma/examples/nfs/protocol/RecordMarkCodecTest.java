// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.nfs.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.TooLongFrameException;
import org.junit.jupiter.api.Test;

class RecordMarkCodecTest {

    private final EmbeddedChannel channel = new EmbeddedChannel(new RecordMarkCodec(64));

    private static ByteBuf octets(String hex) {
        return Unpooled.wrappedBuffer(ByteBufUtil.decodeHexDump(hex));
    }

    private static String hex(ByteBuf message) {
        try {
            return ByteBufUtil.hexDump(message);
        } finally {
            message.release();
        }
    }

    @Test
    void messageBecomesOneFragment() {
        channel.writeOutbound(octets("0102030405060708"));
        assertThat(hex(channel.readOutbound()) + hex(channel.readOutbound())).isEqualTo("800000080102030405060708");
        assertThat(channel.outboundMessages()).isEmpty();
    }

    @Test
    void fragmentsBecomeOneMessageHoweverTheyAreCut() {
        String stream = "00000004010203048000000405060708" + "00000000" + "8000000409090909";
        for (int cut = 0; cut <= stream.length(); cut += 2) {
            channel.writeInbound(octets(stream.substring(0, cut)));
            channel.writeInbound(octets(stream.substring(cut)));
            assertThat(hex(channel.readInbound())).isEqualTo("0102030405060708");
            assertThat(hex(channel.readInbound())).isEqualTo("09090909");
            assertThat(channel.inboundMessages()).isEmpty();
        }
        assertThat(channel.finish()).isFalse();
    }

    @Test
    void recordOverTheLimitIsRefusedBeforeItIsThere() {
        assertThatThrownBy(() -> channel.writeInbound(octets("0000003d"))).isInstanceOf(TooLongFrameException.class);
        channel.finishAndReleaseAll();
    }

    @Test
    void emptyFragmentsCountToo() {
        ByteBuf marks = Unpooled.buffer().writeZero(17 * 4);
        assertThatThrownBy(() -> channel.writeInbound(marks)).isInstanceOf(TooLongFrameException.class);
        channel.finishAndReleaseAll();
    }
}
