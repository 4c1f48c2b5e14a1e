// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.wire.v1;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.nettyrdma.rpc.wire.Direction;
import io.nettyrdma.rpc.wire.Garbage;
import io.nettyrdma.rpc.wire.header.ChunkLists;
import io.nettyrdma.rpc.wire.header.DecodeLimits;
import io.nettyrdma.rpc.wire.header.Decoded;
import io.nettyrdma.rpc.wire.header.RpcRdmaMessage;
import org.junit.jupiter.api.Test;

/** What a message without chunks costs in garbage. */
class AllocationTest {

    private final ByteBuf buffer = new UnpooledByteBufAllocator(true, true).directBuffer(256);

    @Test
    void encodingAllocatesNothing() {
        long bytes = Garbage.of(() -> RpcRdmaEncoder.encodeMsg(7, 32, ChunkLists.ABSENT, buffer.clear()));

        assertThat(bytes).isLessThan(Garbage.SLACK_BYTES);
    }

    @Test
    void decodingAllocatesOneSmallObject() {
        RpcRdmaEncoder.encodeMsg(7, 32, ChunkLists.ABSENT, buffer);
        buffer.writeInt(7).writeInt(1).writeZero(16);
        RpcRdmaDecoder decoder = new RpcRdmaDecoder(DecodeLimits.NONE);
        Decoded[] last = new Decoded[1];

        long bytes = Garbage.of(() -> last[0] = decoder.decode(buffer, Direction.REPLY));

        assertThat(last[0]).isInstanceOf(RpcRdmaMessage.Msg.class);
        assertThat(bytes).isLessThan(48L * Garbage.RUNS + Garbage.SLACK_BYTES);
    }
}
