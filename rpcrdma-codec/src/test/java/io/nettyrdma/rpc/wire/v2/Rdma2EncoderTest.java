// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.wire.v2;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.nettyrdma.conformance.Requirement;
import io.nettyrdma.rpc.wire.Rdma2ErrorCode;
import io.nettyrdma.rpc.wire.header.ChunkLists;
import io.nettyrdma.rpc.wire.header.PlainSegment;
import io.nettyrdma.rpc.wire.header.WriteChunk;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What cannot be sent. */
class Rdma2EncoderTest {

    private static final ChunkLists CHUNKS =
            new ChunkLists(List.of(), List.of(), new WriteChunk(List.of(new PlainSegment(1, 2, 3))));

    private static void assertRefused(ThrowingCallable made) {
        assertThatThrownBy(made).isInstanceOf(IllegalArgumentException.class);
    }

    @ParameterizedTest
    @ValueSource(ints = {8, 0x8000_0000, -8, -1})
    @Requirement("V2-097")
    void reservedFlagsCannotBeWritten(int flags) {
        ByteBuf out = Unpooled.buffer();
        assertRefused(() -> Rdma2Encoder.encodeMsg(7, 1, flags, 0, ChunkLists.ABSENT, out));
        assertRefused(() -> new Rdma2Message.Msg(7, 1, flags, 0, ChunkLists.ABSENT));
        assertRefused(() -> new Rdma2Message.NoMsg(7, 1, flags, 0, CHUNKS));
        assertRefused(() -> new Rdma2Message.ConnProp(7, 1, flags, null));
        assertThat(out.readableBytes()).isZero();
    }

    @Test
    void moreAndTpmoreCannotBeWrittenWhereTheyMeanNothing() {
        assertRefused(() -> new Rdma2Message.Msg(7, 1, Rdma2.TPMORE, 0, ChunkLists.ABSENT));
        assertRefused(() -> new Rdma2Message.NoMsg(7, 1, Rdma2.TPMORE, 0, CHUNKS));
        assertRefused(() -> new Rdma2Message.NoMsg(7, 1, Rdma2.MORE, 0, CHUNKS));
        assertRefused(() -> new Rdma2Message.Msg(7, 1, Rdma2.MORE, 0, CHUNKS));
        assertRefused(() -> Rdma2Encoder.encodeMsg(7, 1, Rdma2.MORE, 0, CHUNKS, Unpooled.buffer()));
        assertRefused(() -> new Rdma2Message.ConnProp(7, 1, Rdma2.MORE, List.of()));
    }

    @Test
    void handleToInvalidateCannotBeWrittenInRepliesNorBeforeTheLastFragment() {
        assertRefused(() -> new Rdma2Message.Msg(7, 1, Rdma2.RESPONSE, 5, ChunkLists.ABSENT));
        assertRefused(() -> new Rdma2Message.Msg(7, 1, Rdma2.MORE, 5, ChunkLists.ABSENT));
        assertRefused(() -> new Rdma2Message.NoMsg(7, 1, Rdma2.RESPONSE, 5, CHUNKS));
    }

    @Test
    @Requirement("V2-124")
    void headerOfAnEmptyMessageIsARefreshOrNothing() {
        assertRefused(() -> new Rdma2Message.NoMsg(7, 1, 0, 0, ChunkLists.ABSENT));
        assertThat(new Rdma2Message.CreditGrant(1).xid()).isZero();
    }

    @Test
    void versionErrorIsWrittenInTheLayoutOfAllVersionsOnly() {
        Rdma2Message.ErrorMsg own = Rdma2Message.ErrorMsg.of(7, 1, Rdma2Error.versions(1, 2));

        assertRefused(() -> Rdma2Encoder.encode(own, Unpooled.buffer()));
        assertThat(Rdma2Encoder.encodedBytes(own)).isEqualTo(28);
    }

    @Test
    @Requirement("V2-135")
    void errorsAreOfThisVersion() {
        assertRefused(() -> new Rdma2Message.ErrorMsg(7, 3, 1, 0, Rdma2Error.BAD_XDR));
        assertRefused(() -> new Rdma2Message.ErrorMsg(7, 2, 1, 1, Rdma2Error.BAD_XDR));
        assertThat(Rdma2Message.ErrorMsg.of(7, 9, Rdma2Error.SYSTEM))
                .isEqualTo(new Rdma2Message.ErrorMsg(7, 2, 9, 0, Rdma2Error.SYSTEM));
    }

    @Test
    void numbersOfAnErrorAreThoseItsCodeHas() {
        assertRefused(() -> new Rdma2Error(Rdma2ErrorCode.BAD_XDR, 1, 0));
        assertRefused(() -> new Rdma2Error(Rdma2ErrorCode.SEGMENTS, 1, 1));
        assertRefused(() -> Rdma2Error.segments(-1));
        assertRefused(() -> Rdma2Error.writeResource(1, 1L << 32));
    }

    @Test
    void creditsAreSixteenBitsEach() {
        assertThat(Rdma2.credits(0xffff, 0xfffe)).isEqualTo(0xffff_fffe);
        assertThat(new Rdma2Message.CreditGrant(0xffff_fffe).creditGrant()).isEqualTo(0xfffe);
        assertRefused(() -> Rdma2.credits(0x10000, 0));
        assertRefused(() -> Rdma2.credits(0, 0x10000));
        assertRefused(() -> Rdma2.credits(-1, 0));
    }

    @Test
    @Requirement("V2-127")
    void codesAreThoseOfTheDraft() {
        assertThat(Rdma2ErrorCode.values())
                .extracting(Rdma2ErrorCode::number)
                .containsExactly(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 100);
        assertThat(Rdma2ErrorCode.of(11)).isNull();
    }

    @Test
    void partOfASetIsOnlyItsPrefix() {
        ByteBuf out = Unpooled.buffer();

        Rdma2Encoder.encode(new Rdma2Message.ConnProp(7, 1, Rdma2.MORE, null), out);

        assertThat(out.readableBytes()).isEqualTo(Rdma2.PREFIX_BYTES);
    }
}
