// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.message;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.handler.codec.DecoderException;
import org.junit.jupiter.api.Test;

class RpcHeadersTest {

    private final ByteBufAllocator alloc = new UnpooledByteBufAllocator(false);

    @Test
    void nullCallIsTheOneLinuxSends() {
        assertHex(
                RpcHeaders.call(alloc, 0x11223344, 100003, 3, 0),
                "11223344" + "00000000" + "00000002" + "000186a3" + "00000003" + "00".repeat(20));
    }

    @Test
    void partsOfACallAreFound() {
        ByteBuf call = Unpooled.buffer().writeInt(-1);
        call.writeBytes(RpcHeaders.call(alloc, 7, 100003, 3, 5)).skipBytes(4);

        assertThat(RpcHeaders.isCall(call)).isTrue();
        assertThat(RpcHeaders.xid(call)).isEqualTo(7);
        assertThat(RpcHeaders.program(call)).isEqualTo(100003);
        assertThat(RpcHeaders.version(call)).isEqualTo(3);
        assertThat(RpcHeaders.procedure(call)).isEqualTo(5);
    }

    @Test
    void otherMessagesAreNotCalls() {
        assertThat(RpcHeaders.isCall(RpcHeaders.accepted(alloc, 7, RpcHeaders.SUCCESS)))
                .isFalse();
        assertThat(RpcHeaders.isCall(RpcHeaders.call(alloc, 7, 1, 1, 1).setInt(8, 3)))
                .isFalse();
        assertThat(RpcHeaders.isCall(RpcHeaders.call(alloc, 7, 1, 1, 1).writerIndex(36)))
                .isFalse();
    }

    @Test
    void repliesHaveTheLayoutOfTheRfc() {
        assertHex(RpcHeaders.accepted(alloc, 7, RpcHeaders.SUCCESS), "00000007" + "00000001" + "00".repeat(16));
        assertHex(
                RpcHeaders.accepted(alloc, 7, RpcHeaders.GARBAGE_ARGS),
                "00000007" + "00000001" + "00".repeat(12) + "00000004");
        assertHex(
                RpcHeaders.programMismatch(alloc, 7, 2, 4),
                "00000007" + "00000001" + "00".repeat(12) + "00000002" + "00000002" + "00000004");
        assertHex(
                RpcHeaders.rpcMismatch(alloc, 7),
                "00000007" + "00000001" + "00000001" + "00000000" + "00000002" + "00000002");
        assertThatThrownBy(() -> RpcHeaders.accepted(alloc, 7, RpcHeaders.PROG_MISMATCH))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void acceptStatusIsFoundBehindAnyVerifier() {
        ByteBuf signed = Unpooled.buffer();
        signed.writeInt(7)
                .writeInt(1)
                .writeInt(0)
                .writeInt(6)
                .writeInt(5)
                .writeZero(8)
                .writeInt(RpcHeaders.SYSTEM_ERR);

        assertThat(RpcHeaders.acceptStatus(signed)).isEqualTo(RpcHeaders.SYSTEM_ERR);
        assertThat(RpcHeaders.acceptStatus(signed.setInt(16, 401))).isEqualTo(-1);
        assertThat(RpcHeaders.acceptStatus(signed.setInt(16, -4))).isEqualTo(-1);
        assertThat(RpcHeaders.acceptStatus(signed.setInt(16, 13))).isEqualTo(-1);
        assertThat(RpcHeaders.acceptStatus(RpcHeaders.rpcMismatch(alloc, 7))).isEqualTo(-1);
        assertThat(RpcHeaders.acceptStatus(Unpooled.EMPTY_BUFFER)).isEqualTo(-1);
    }

    @Test
    void argumentsAreFoundBehindAnyCredentialAndVerifier() {
        ByteBuf plain = RpcHeaders.call(alloc, 7, 1, 1, 1).writeInt(9);
        assertThat(RpcHeaders.arguments(plain).getInt(0)).isEqualTo(9);
        ByteBuf signed = Unpooled.buffer().writeInt(-1).writeBytes(plain, 0, 24);
        signed.writeInt(1)
                .writeInt(6)
                .writeZero(8)
                .writeInt(6)
                .writeInt(3)
                .writeZero(4)
                .writeInt(9);
        signed.skipBytes(4);

        assertThat(RpcHeaders.arguments(signed).readInt()).isEqualTo(9);
        assertThat(RpcHeaders.argumentsOffset(signed)).isEqualTo(52);
        assertThat(signed.readerIndex()).isEqualTo(4);
        assertThatThrownBy(() -> RpcHeaders.arguments(signed.setInt(4 + 28, 401)))
                .isInstanceOf(IndexOutOfBoundsException.class)
                .hasMessageContaining("no whole header of a call");
    }

    @Test
    void resultsAreFoundBehindAnyVerifier() {
        ByteBuf plain = RpcHeaders.accepted(alloc, 7, RpcHeaders.SUCCESS).writeInt(9);
        assertThat(RpcHeaders.results(plain).getInt(0)).isEqualTo(9);
        ByteBuf signed = Unpooled.buffer().writeBytes(plain, 0, 12);
        signed.writeInt(6).writeInt(5).writeZero(8).writeInt(RpcHeaders.SUCCESS).writeInt(9);

        assertThat(RpcHeaders.results(signed).readInt()).isEqualTo(9);
        assertThatThrownBy(() -> RpcHeaders.results(RpcHeaders.rpcMismatch(alloc, 7)))
                .isInstanceOf(IndexOutOfBoundsException.class);
    }

    @Test
    void opaqueDataIsPaddedAndReadBack() {
        ByteBuf data = Unpooled.wrappedBuffer(new byte[] {1, 2, 3, 4, 5}).skipBytes(1);
        ByteBuf xdr = Unpooled.buffer();
        for (int bytes = 0; bytes < 5; bytes++) {
            XdrOpaque.write(xdr, data.slice(data.readerIndex(), bytes));
        }
        assertThat(ByteBufUtil.hexDump(xdr))
                .isEqualTo(
                        "00000000" + "0000000102000000" + "0000000202030000" + "0000000302030400" + "0000000402030405");
        for (int bytes = 0; bytes < 5; bytes++) {
            assertThat(XdrOpaque.read(xdr, bytes)).isEqualTo(data.slice(data.readerIndex(), bytes));
        }
        assertThat(xdr.isReadable()).isFalse();
        assertThatThrownBy(() -> XdrOpaque.read(Unpooled.copyInt(3, 0), 2))
                .isInstanceOf(DecoderException.class)
                .hasMessage("opaque of 3 bytes (expected: at most 2)");
        assertThatThrownBy(() -> XdrOpaque.read(Unpooled.copyInt(-1, 0), Integer.MAX_VALUE))
                .hasMessage("opaque of 4294967295 bytes (expected: at most 4)");
        assertThatThrownBy(() -> XdrOpaque.read(Unpooled.copyInt(1).writeByte(0), 4))
                .isInstanceOf(IndexOutOfBoundsException.class);
    }

    private static void assertHex(ByteBuf message, String hex) {
        assertThat(ByteBufUtil.hexDump(message)).isEqualTo(hex);
        message.release();
    }
}
