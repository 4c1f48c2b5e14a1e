// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.wire.v1;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.nettyrdma.conformance.Requirement;
import io.nettyrdma.rpc.wire.Direction;
import io.nettyrdma.rpc.wire.header.ChunkLists;
import io.nettyrdma.rpc.wire.header.DecodeLimits;
import io.nettyrdma.rpc.wire.header.PlainSegment;
import io.nettyrdma.rpc.wire.header.ReadSegment;
import io.nettyrdma.rpc.wire.header.RpcRdmaMessage;
import io.nettyrdma.rpc.wire.header.RpcRdmaMessage.VersionRange;
import io.nettyrdma.rpc.wire.header.WriteChunk;
import java.util.List;
import org.junit.jupiter.api.Test;

class RpcRdmaEncoderTest {

    private static final PlainSegment SEGMENT = new PlainSegment(-1, 0xffff_ffffL, Long.MIN_VALUE + 7);

    @Test
    @Requirement("V1-013")
    void zeroCreditsAreNeverSent() {
        ByteBuf out = Unpooled.buffer();

        assertThatThrownBy(() -> RpcRdmaEncoder.encodeMsg(7, 0, ChunkLists.ABSENT, out))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> RpcRdmaEncoder.encode(new RpcRdmaMessage.ErrorMsg(7, 1, 0, null), out))
                .isInstanceOf(IllegalArgumentException.class);
        assertThat(out.readableBytes()).isZero();
    }

    @Test
    void otherVersionsAreNotEncoded() {
        RpcRdmaMessage message = new RpcRdmaMessage.Msg(7, 2, 1, ChunkLists.ABSENT);

        assertThatThrownBy(() -> RpcRdmaEncoder.encode(message, Unpooled.buffer()))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    @Requirement({"V1-108", "V1-138"})
    void errorCopiesAnyVersion() {
        ByteBuf out = Unpooled.buffer();
        RpcRdmaMessage error = new RpcRdmaMessage.ErrorMsg(7, 9, 1, new VersionRange(1, 1));

        RpcRdmaEncoder.encode(error, out);

        assertThat(new RpcRdmaDecoder(DecodeLimits.NONE).decode(out, Direction.REPLY))
                .isEqualTo(error);
    }

    @Test
    @Requirement("V1-030")
    void lengthOfAChunkExceeds32Bits() {
        assertThat(new WriteChunk(List.of(SEGMENT, SEGMENT)).lengthBytes()).isEqualTo(0x1_ffff_fffeL);
    }

    @Test
    @Requirement("V1-053")
    void emptyAndUnusedChunksDiffer() {
        WriteChunk empty = new WriteChunk(List.of());
        WriteChunk unused = new WriteChunk(List.of(SEGMENT)).asUnused();

        assertThat(empty.isEmpty()).isTrue();
        assertThat(unused.isEmpty()).isFalse();
        assertThat(unused.lengthBytes()).isZero();
    }

    @Test
    @Requirement({"V1-051", "V1-089", "V1-094", "V1-097", "V1-100"})
    void unusedChunksAreReturnedWithTheirHandlesAndNoLengths() {
        ChunkLists offered = new ChunkLists(
                List.of(new ReadSegment(40, SEGMENT)),
                List.of(new WriteChunk(List.of(SEGMENT, SEGMENT)), new WriteChunk(List.of())),
                new WriteChunk(List.of(SEGMENT)));
        PlainSegment returned = new PlainSegment(-1, 0, Long.MIN_VALUE + 7);

        assertThat(offered.asUnused())
                .isEqualTo(new ChunkLists(
                        List.of(),
                        List.of(new WriteChunk(List.of(returned, returned)), new WriteChunk(List.of())),
                        new WriteChunk(List.of(returned))));
    }

    @Test
    @Requirement("V1-089")
    void readListIsNotReturned() {
        ChunkLists offered = new ChunkLists(List.of(new ReadSegment(40, SEGMENT)), List.of(), null);

        assertThat(offered.asUnused()).isEqualTo(ChunkLists.ABSENT);
    }

    @Test
    @Requirement("V1-123")
    void obsoleteProceduresAreNeverSent() {
        assertThat(RpcRdmaMessage.class.getPermittedSubclasses())
                .containsExactlyInAnyOrder(
                        RpcRdmaMessage.Msg.class, RpcRdmaMessage.NoMsg.class, RpcRdmaMessage.ErrorMsg.class);
        assertThat(procedureOf(new RpcRdmaMessage.Msg(7, 1, 1, ChunkLists.ABSENT)))
                .isZero();
        assertThat(procedureOf(new RpcRdmaMessage.NoMsg(7, 1, 1, ChunkLists.ABSENT)))
                .isOne();
        assertThat(procedureOf(new RpcRdmaMessage.ErrorMsg(7, 1, 1, null))).isEqualTo(4);
    }

    private static int procedureOf(RpcRdmaMessage message) {
        ByteBuf out = Unpooled.buffer();
        RpcRdmaEncoder.encode(message, out);
        return out.getInt(12);
    }

    @Test
    @Requirement("V1-040")
    void positionsAreMultiplesOfFour() {
        for (int position = 1; position < 4; position++) {
            int odd = position;
            assertThatThrownBy(() -> new ReadSegment(odd, SEGMENT)).isInstanceOf(IllegalArgumentException.class);
        }
    }

    @Test
    void unsignedNumbersAreChecked() {
        assertThatThrownBy(() -> new PlainSegment(1, 1L << 32, 0)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new ReadSegment(-1, SEGMENT)).isInstanceOf(IllegalArgumentException.class);
    }
}
