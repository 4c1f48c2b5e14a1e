// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.wire.v1;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.nettyrdma.conformance.Requirement;
import io.nettyrdma.rpc.wire.Direction;
import io.nettyrdma.rpc.wire.header.DecodeLimits;
import io.nettyrdma.rpc.wire.header.Decoded;
import io.nettyrdma.rpc.wire.header.Rejection;
import io.nettyrdma.rpc.wire.header.Rejection.Reaction;
import io.nettyrdma.rpc.wire.header.RpcRdmaMessage;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Any octets as a version 1 message. The first octet of an input says how it is received: bit 0 a reply, bit 1 with
 * small limits; the message follows.
 */
class HeaderFuzzTest {

    private static final DecodeLimits SMALL = new DecodeLimits(2, 2, 3, 1000);

    @Requirement({"V1-104", "V1-106", "V1-107", "V1-111", "V1-112", "V1-126"})
    @FuzzTest
    void anyOctetsGetAVerdictAndValidOnesAreReproduced(byte[] input) {
        if (input.length == 0) {
            return;
        }
        Direction direction = (input[0] & 1) == 0 ? Direction.CALL : Direction.REPLY;
        DecodeLimits limits = (input[0] & 2) == 0 ? DecodeLimits.NONE : SMALL;
        byte[] octets = Arrays.copyOfRange(input, 1, input.length);
        ByteBuf message = Unpooled.wrappedBuffer(octets);

        Decoded decoded = new RpcRdmaDecoder(limits).decode(message, direction);

        assertThat(new InlineHeader().read(message, direction))
                .isEqualTo(decoded instanceof RpcRdmaMessage.Msg msg
                        && msg.chunks().areAbsent());
        assertThat(message.readerIndex()).isZero();
        assertThat(message.readableBytes()).isEqualTo(octets.length);
        if (decoded instanceof Rejection rejection) {
            checkRejection(rejection, message, direction);
        } else {
            checkMessage((RpcRdmaMessage) decoded, message);
        }
    }

    private static void checkRejection(Rejection rejection, ByteBuf message, Direction direction) {
        int length = message.readableBytes();
        assertThat(rejection.octet()).isBetween(0, length);
        if (length < 16) {
            assertThat(rejection)
                    .extracting(Rejection::reaction, Rejection::xid)
                    .containsExactly(Reaction.DISCARD, 0);
            return;
        }
        assertThat(rejection.xid()).isEqualTo(message.getInt(0));
        assertThat(rejection.version()).isEqualTo(message.getInt(4));
        @Nullable Reaction expected = reaction(message, direction);
        if (expected != null) {
            assertThat(rejection.reaction()).isEqualTo(expected);
        } else {
            // Only a reply that strayed is not worth an answer.
            assertThat(rejection.reaction()).isNotEqualTo(Reaction.ERR_VERS);
        }
    }

    /** Which reaction a rejection has to call for, {@code null} if that depends on the lists. */
    private static @Nullable Reaction reaction(ByteBuf message, Direction direction) {
        int procedure = message.getInt(12);
        if (direction == Direction.REPLY || message.readableBytes() < 28 || procedure == 4) {
            return Reaction.DISCARD;
        } else if (message.getInt(4) != 1) {
            return Reaction.ERR_VERS;
        } else if (procedure == 3) {
            return Reaction.DISCARD;
        }
        return procedure == 0 ? null : Reaction.ERR_CHUNK;
    }

    private static void checkMessage(RpcRdmaMessage message, ByteBuf octets) {
        if (message.credits() == 0) {
            return; // may be received, but never sent
        }
        ByteBuf out = Unpooled.buffer();
        RpcRdmaEncoder.encode(message, out);

        assertThat(out.readableBytes()).isEqualTo(RpcRdmaEncoder.encodedBytes(message));
        assertThat(ByteBufUtil.hexDump(out)).isEqualTo(ByteBufUtil.hexDump(octets, 0, out.readableBytes()));
        int payloadBytes = octets.readableBytes() - out.readableBytes();
        if (message instanceof RpcRdmaMessage.Msg) {
            assertThat(octets.getInt(out.readableBytes())).isEqualTo(message.xid());
        } else {
            assertThat(payloadBytes).isZero();
        }
    }
}
