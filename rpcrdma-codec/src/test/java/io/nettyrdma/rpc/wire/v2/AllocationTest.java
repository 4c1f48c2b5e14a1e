// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.wire.v2;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.nettyrdma.rpc.wire.Direction;
import io.nettyrdma.rpc.wire.Garbage;
import io.nettyrdma.rpc.wire.header.ChunkLists;
import org.junit.jupiter.api.Test;

/** What a message without chunks costs in garbage: what one of version 1 does. */
class AllocationTest {

    private final ByteBuf buffer = new UnpooledByteBufAllocator(true, true).directBuffer(256);

    @Test
    void encodingAllocatesNothing() {
        long bytes =
                Garbage.of(() -> Rdma2Encoder.encodeMsg(7, Words.CREDITS, 0, 0, ChunkLists.ABSENT, buffer.clear()));

        assertThat(bytes).isLessThan(Garbage.SLACK_BYTES);
    }

    @Test
    void decodingAllocatesOneSmallObject() {
        Rdma2Encoder.encodeMsg(7, Words.CREDITS, Rdma2.RESPONSE, 0, ChunkLists.ABSENT, buffer);
        buffer.writeInt(7).writeInt(1).writeZero(16);

        assertThat(allocatedByDecoding(Rdma2Message.Msg.class)).isLessThan(48L * Garbage.RUNS + Garbage.SLACK_BYTES);
    }

    @Test
    void decodingARefreshAllocatesOneSmallObject() {
        Rdma2Encoder.encode(new Rdma2Message.CreditGrant(Words.CREDITS), buffer);

        assertThat(allocatedByDecoding(Rdma2Message.CreditGrant.class))
                .isLessThan(48L * Garbage.RUNS + Garbage.SLACK_BYTES);
    }

    private long allocatedByDecoding(Class<?> type) {
        Rdma2Decoder decoder = new Rdma2Decoder(Rdma2Limits.NONE, Direction.REPLY);
        Rdma2Decoded[] last = new Rdma2Decoded[1];
        long bytes = Garbage.of(() -> last[0] = decoder.decode(buffer, Rdma2Sequence.NONE));
        assertThat(last[0]).isInstanceOf(type);
        return bytes;
    }
}
