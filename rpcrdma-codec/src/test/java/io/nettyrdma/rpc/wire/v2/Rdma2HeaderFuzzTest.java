// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.wire.v2;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.nettyrdma.conformance.Requirement;
import io.nettyrdma.rpc.wire.Direction;
import io.nettyrdma.rpc.wire.Rdma2ErrorCode;
import io.nettyrdma.rpc.wire.header.Rejection.Reaction;
import java.util.Arrays;

/**
 * Any octets as a version 2 message. The first octet of an input says how it is received: bit 0 by a requester, bits 1
 * and 2 the sequence it is in, bit 3 with small limits; the message follows.
 */
class Rdma2HeaderFuzzTest {

    private static final Rdma2Limits SMALL = new Rdma2Limits(3, 2, 2, 1000);

    @Requirement("V2-136")
    @FuzzTest
    void anyOctetsGetAVerdictAndValidOnesAreReproduced(byte[] input) {
        if (input.length == 0) {
            return;
        }
        Direction others = (input[0] & 1) == 0 ? Direction.CALL : Direction.REPLY;
        Rdma2Sequence sequence = Rdma2Sequence.values()[(input[0] >>> 1 & 3) % 3];
        Rdma2Limits limits = (input[0] & 8) == 0 ? Rdma2Limits.NONE : SMALL;
        byte[] octets = Arrays.copyOfRange(input, 1, input.length);
        ByteBuf message = Unpooled.wrappedBuffer(octets);
        Rdma2Decoder decoder = new Rdma2Decoder(limits, others);

        Rdma2Decoded decoded = decoder.decode(message, sequence);

        assertThat(message.readerIndex()).isZero();
        assertThat(message.readableBytes()).isEqualTo(octets.length);
        boolean prefixed = octets.length >= 20 && message.getInt(4) == 2;
        if (decoded instanceof Rdma2Rejection rejection) {
            checkRejection(rejection, message, prefixed, others);
        } else {
            checkMessage((Rdma2Message) decoded, message, sequence, decoder);
        }
    }

    private static void checkRejection(Rdma2Rejection rejection, ByteBuf message, boolean prefixed, Direction others) {
        assertThat(rejection.report().octet()).isBetween(0, message.readableBytes());
        assertThat(rejection.error() != null).isEqualTo(rejection.reaction() == Reaction.RDMA2_ERROR);
        if (!prefixed) {
            boolean answered = message.readableBytes() >= 28 && message.getInt(12) != 4 && others == Direction.CALL;
            assertThat(rejection.reaction()).isEqualTo(answered ? Reaction.ERR_VERS : Reaction.DISCARD);
            return;
        }
        assertThat(rejection.xid()).isEqualTo(message.getInt(0));
        assertThat(rejection.flags()).isEqualTo(message.getInt(16) & 7);
        if (rejection.response() || rejection.type() == 4) {
            assertThat(rejection.reaction()).isEqualTo(Reaction.DISCARD);
        } else if (rejection.reaction() == Reaction.DISCARD) {
            assertThat(rejection.type()).isEqualTo(1); // a defective refresh
            assertThat(rejection.xid()).isZero();
        }
    }

    private static void checkMessage(
            Rdma2Message message, ByteBuf octets, Rdma2Sequence sequence, Rdma2Decoder decoder) {
        if (message instanceof Rdma2Message.ErrorMsg error
                && error.error().code() == Rdma2ErrorCode.VERS
                && error.version1Grant() == 0) {
            return; // may be received, but never sent
        }
        ByteBuf out = Unpooled.buffer();
        Rdma2Encoder.encode(message, out);

        int headerBytes = out.readableBytes();
        assertThat(headerBytes).isEqualTo(Rdma2Encoder.encodedBytes(message));
        ByteBuf sent = octets.copy(0, headerBytes);
        withoutWhatIsIgnored(sent, message, out);
        assertThat(ByteBufUtil.hexDump(out)).isEqualTo(ByteBufUtil.hexDump(sent));
        if (message instanceof Rdma2Message.Msg) {
            assertThat(octets.readableBytes()).isGreaterThan(headerBytes);
            if (!message.more() && sequence == Rdma2Sequence.NONE) {
                ByteBuf payload = octets.slice(headerBytes, octets.readableBytes() - headerBytes);
                assertThat(decoder.checkStart(octets, payload)).isNull();
                assertThat(decoder.checkLast(octets, payload.readableBytes())).isNull();
            }
        } else if (!(message instanceof Rdma2Message.ConnProp set) || set.properties() != null) {
            assertThat(octets.readableBytes()).isEqualTo(headerBytes);
        }
    }

    /** Reserved flags, the flag of a refresh, handles that mean nothing, and padding may be anything. */
    private static void withoutWhatIsIgnored(ByteBuf sent, Rdma2Message message, ByteBuf out) {
        if (message instanceof Rdma2Message.ErrorMsg error && error.version1Grant() != 0) {
            return;
        }
        sent.setInt(16, message.flags());
        if (message instanceof Rdma2Message.CreditGrant || message.flags() != 0 && sent.readableBytes() >= 36) {
            sent.setInt(20, message instanceof Rdma2Message.ConnProp ? sent.getInt(20) : 0);
        }
        if (message instanceof Rdma2Message.ConnProp set && set.properties() != null) {
            int at = 24;
            for (TransportProperty property : set.properties()) {
                int end = at + 8 + property.data().length;
                at += property.encodedBytes();
                sent.setBytes(end, out, end, at - end);
            }
        }
    }
}
