// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.CompositeByteBuf;
import io.netty.buffer.Unpooled;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class InlineFrameTest {

    private final ByteBufAllocator alloc = ByteBufAllocator.DEFAULT;

    @ParameterizedTest
    @CsvSource({"28, 0, true", "28, 4068, true", "28, 4072, false", "28, 100000, false"})
    void shortMessageIsOneBufferAndALongOneKeepsItsPayload(int headerBytes, int payloadBytes, boolean copied) {
        ByteBuf payload = Unpooled.buffer().writeZero(payloadBytes).setByte(0, 7);
        ByteBuf header = InlineFrame.header(alloc, headerBytes, payload).writeZero(headerBytes);

        ByteBuf message = InlineFrame.join(alloc, header, payload);

        assertThat(message.readableBytes()).isEqualTo(headerBytes + payloadBytes);
        assertThat(message instanceof CompositeByteBuf).isEqualTo(!copied);
        assertThat(payload.refCnt()).isEqualTo(copied ? 0 : 1);
        if (payloadBytes > 0) {
            assertThat(message.getByte(headerBytes)).isEqualTo((byte) 7);
        }
        message.release();
        assertThat(payload.refCnt()).isZero();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 3, 5, 1000})
    void onlyAWholeMessageBehindARecordMarkGetsTheHint(int bytes) {
        ByteBuf message = Unpooled.buffer().writeInt(0x8000_0000 | bytes).writeZero(bytes);
        assertThat(RecordMark.hint(message)).contains("record mark of " + bytes + " bytes");
        assertThat(RecordMark.hint(message.writeByte(0))).isEmpty();
        assertThat(RecordMark.hint(message.setInt(0, bytes))).isEmpty();
        assertThat(RecordMark.hint(message.slice(0, 3))).isEmpty();
        message.release();
    }
}
