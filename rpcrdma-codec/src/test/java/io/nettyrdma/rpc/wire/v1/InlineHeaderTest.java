// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.wire.v1;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.nettyrdma.conformance.Requirement;
import io.nettyrdma.rpc.kit.Vectors;
import io.nettyrdma.rpc.kit.Vectors.Vector;
import io.nettyrdma.rpc.message.RpcHeaders;
import io.nettyrdma.rpc.wire.Direction;
import io.nettyrdma.rpc.wire.header.ChunkLists;
import io.nettyrdma.rpc.wire.header.DecodeLimits;
import io.nettyrdma.rpc.wire.header.RpcRdmaMessage;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** That the quick look at a header sees what the decoder sees. */
class InlineHeaderTest {

    private final RpcRdmaDecoder decoder = new RpcRdmaDecoder(DecodeLimits.NONE);
    private final InlineHeader header = new InlineHeader();

    static Stream<Vector> vectors() {
        return Stream.concat(Vectors.load("v1-pos"), Vectors.load("v1-neg"));
    }

    @ParameterizedTest
    @MethodSource("vectors")
    void isInTheMessagesThatTheDecoderFindsValidAndWithoutChunks(Vector vector) {
        ByteBuf message = Unpooled.wrappedBuffer(vector.octets("hex"));
        for (Direction direction : Direction.values()) {
            check(message, direction);
        }
    }

    @ParameterizedTest
    @EnumSource(Direction.class)
    @Requirement({"V1-104", "V1-115", "BIS-015"})
    void anyOctetThatMattersMatters(Direction direction) {
        ByteBuf message = message(direction);
        for (int octet = 0; octet < InlineHeader.BYTES + 8; octet++) {
            boolean credits = octet >= 8 && octet < 12;
            message.setByte(octet, message.getByte(octet) ^ 4);

            assertThat(header.read(message, direction)).as("octet %d", octet).isEqualTo(credits);
            check(message, direction);

            message.setByte(octet, message.getByte(octet) ^ 4);
        }
        for (int length = 0; length <= message.readableBytes(); length++) {
            check(message.slice(0, length), direction);
        }
    }

    @Test
    void partsAreReadFromWhereverTheMessageBegins() {
        ByteBuf message = Unpooled.buffer().writeInt(0).writeBytes(message(Direction.CALL));
        message.skipBytes(4).setInt(12, 0xfffffffe);

        assertThat(header.read(message, Direction.CALL)).isTrue();
        assertThat(header.xid()).isEqualTo(7);
        assertThat(header.credits()).isEqualTo(0xfffffffeL);
        ByteBuf payload = InlineHeader.payload(message);
        assertThat(payload.readerIndex()).isZero();
        assertThat(ByteBufUtil.hexDump(payload)).isEqualTo("000000070000000000000009");
        assertThat(message.refCnt()).isEqualTo(2);
    }

    private static ByteBuf message(Direction direction) {
        ByteBuf message = Unpooled.buffer();
        RpcRdmaEncoder.encodeMsg(7, 32, ChunkLists.ABSENT, message);
        return message.writeInt(7)
                .writeInt(direction == Direction.CALL ? RpcHeaders.CALL : RpcHeaders.REPLY)
                .writeInt(9);
    }

    private void check(ByteBuf message, Direction direction) {
        boolean expected = decoder.decode(message, direction) instanceof RpcRdmaMessage.Msg msg
                && msg.chunks().areAbsent();
        assertThat(header.read(message, direction))
                .as("%s of %s", direction, ByteBufUtil.hexDump(message))
                .isEqualTo(expected);
    }
}
