// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.wire.v1;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.nettyrdma.conformance.Requirement;
import io.nettyrdma.rpc.wire.Direction;
import io.nettyrdma.rpc.wire.header.ChunkLists;
import io.nettyrdma.rpc.wire.header.DecodeLimits;
import io.nettyrdma.rpc.wire.header.Decoded;
import io.nettyrdma.rpc.wire.header.PlainSegment;
import io.nettyrdma.rpc.wire.header.ReadSegment;
import io.nettyrdma.rpc.wire.header.Rejection;
import io.nettyrdma.rpc.wire.header.Rejection.Reaction;
import io.nettyrdma.rpc.wire.header.RpcRdmaMessage;
import io.nettyrdma.rpc.wire.header.WriteChunk;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class RpcRdmaDecoderTest {

    private static final DecodeLimits LIMITS = new DecodeLimits(2, 2, 3, 1000);

    @Test
    void limitsAreInclusive() {
        ChunkLists within = new ChunkLists(
                List.of(read(8, 500), read(8, 400), read(8, 100), read(1008, 1000)),
                List.of(write(3), write(1)),
                write(3));

        assertThat(decode(within, LIMITS, Direction.CALL)).isInstanceOf(RpcRdmaMessage.Msg.class);
    }

    @Test
    @Requirement("V1-031")
    void everyLimitIsEnforced() {
        assertRefused(new ChunkLists(List.of(read(8, 0), read(12, 0), read(16, 0)), List.of(), null));
        assertRefused(new ChunkLists(List.of(read(8, 1), read(8, 1), read(8, 1), read(8, 1)), List.of(), null));
        assertRefused(new ChunkLists(List.of(read(8, 1000), read(8, 1)), List.of(), null));
        assertRefused(new ChunkLists(List.of(), List.of(write(1), write(1), write(1)), null));
        assertRefused(new ChunkLists(List.of(), List.of(write(4)), null));
        assertRefused(new ChunkLists(List.of(), List.of(), write(4)));
    }

    @Test
    @Requirement("V1-030")
    void lengthOfAReadChunkExceeds32Bits() {
        ChunkLists chunks = new ChunkLists(List.of(read(8, 0xffff_ffffL), read(8, 2)), List.of(), null);
        DecodeLimits fourGibibytes = new DecodeLimits(2, 2, 3, 1L << 32);

        assertThat(decode(chunks, fourGibibytes, Direction.CALL))
                .isInstanceOfSatisfying(
                        Rejection.class, it -> assertThat(it.found()).isEqualTo(0x1_0000_0001L));
    }

    @Test
    @Requirement("V1-076")
    void obsoleteProcedureIsNamed() {
        ByteBuf call = encode(ChunkLists.ABSENT, Direction.CALL).setInt(12, 2);

        assertThat(new RpcRdmaDecoder(LIMITS).decode(call, Direction.CALL))
                .isInstanceOfSatisfying(
                        Rejection.class, it -> assertThat(it.what()).isEqualTo("obsolete RDMA_MSGP"));
    }

    @Test
    void capacityOfferedForResultsIsNotLimited() {
        assertThat(decode(new ChunkLists(List.of(), List.of(write(3)), write(3)), LIMITS, Direction.CALL))
                .isInstanceOf(RpcRdmaMessage.Msg.class);
    }

    @Test
    @Requirement("V1-112")
    void rejectionSaysWhatWhereAndBothValues() {
        ByteBuf message = encode(ChunkLists.ABSENT, Direction.CALL);
        message.setInt(20, 5);

        Rejection rejection = (Rejection) new RpcRdmaDecoder(LIMITS).decode(message, Direction.CALL);

        assertThat(rejection)
                .isEqualTo(new Rejection(Reaction.ERR_CHUNK, 0x1234, 1, "write list discriminator", 20, 5, 1));
        assertThat(rejection).hasToString("ERR_CHUNK: xid 0x1234, write list discriminator at octet 20: 5, expected 1");
    }

    @Test
    @Requirement({"V1-086"})
    void errorsOfAnyVersionAreNotAnswered() {
        for (int version : new int[] {0, 1, 2, 9, -1}) {
            ByteBuf message = encode(ChunkLists.ABSENT, Direction.CALL);
            message.setInt(4, version).setInt(12, 4);

            assertThat(new RpcRdmaDecoder(LIMITS).decode(message, Direction.CALL))
                    .isInstanceOfSatisfying(
                            Rejection.class, it -> assertThat(it.reaction()).isEqualTo(Reaction.DISCARD));
        }
    }

    @Test
    @Requirement("V1-138")
    void versionTwoErrorsThatLookLikeErrVersAreNot() {
        for (int code : new int[] {6, 7, 8, 10}) {
            ByteBuf message = Unpooled.buffer();
            message.writeInt(7)
                    .writeInt(2)
                    .writeInt(1)
                    .writeInt(4)
                    .writeInt(1)
                    .writeInt(code)
                    .writeInt(3);

            assertThat(new RpcRdmaDecoder(LIMITS).decode(message, Direction.REPLY))
                    .isInstanceOf(Rejection.class);
            message.setInt(4, 3);
            assertThat(new RpcRdmaDecoder(LIMITS).decode(message, Direction.REPLY))
                    .isInstanceOf(RpcRdmaMessage.ErrorMsg.class);
        }
    }

    @Test
    @Requirement({"V1-113", "V1-124", "V1-125", "BIS-001"})
    void otherProceduresAreDefectsEvenIfTheRestIsValid() {
        RpcRdmaMessage call = new RpcRdmaMessage.NoMsg(7, 1, 1, new ChunkLists(List.of(read(0, 100)), List.of(), null));
        RpcRdmaMessage reply = new RpcRdmaMessage.NoMsg(7, 1, 1, new ChunkLists(List.of(), List.of(), write(1)));
        for (int procedure : new int[] {2, 5, -1}) {
            assertThat(reaction(withProcedure(call, procedure), Direction.CALL)).isEqualTo(Reaction.ERR_CHUNK);
            assertThat(reaction(withProcedure(reply, procedure), Direction.REPLY))
                    .isEqualTo(Reaction.DISCARD);
        }
    }

    private static ByteBuf withProcedure(RpcRdmaMessage message, int procedure) {
        ByteBuf out = Unpooled.buffer();
        RpcRdmaEncoder.encode(message, out);
        return out.setInt(12, procedure);
    }

    @Test
    @Requirement("BIS-015")
    void messageOfTheOtherDirectionIsDiscarded() {
        ByteBuf call = encode(ChunkLists.ABSENT, Direction.CALL);
        ByteBuf reply = encode(ChunkLists.ABSENT, Direction.REPLY);

        assertThat(reaction(call, Direction.REPLY)).isEqualTo(Reaction.DISCARD);
        assertThat(reaction(reply, Direction.CALL)).isEqualTo(Reaction.DISCARD);
    }

    @Test
    @Requirement("BIS-012")
    void orderOfTheReadListDoesNotMatter() {
        List<ReadSegment> segments = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            segments.add(read(8 + 8 * i, 8));
        }
        Random random = new Random(42);
        for (int run = 0; run < 50; run++) {
            Collections.shuffle(segments, random);
            ChunkLists chunks = new ChunkLists(segments, List.of(), null);

            assertThat(decode(chunks, DecodeLimits.NONE, Direction.CALL))
                    .isEqualTo(new RpcRdmaMessage.Msg(0x1234, 1, 1, chunks));
        }
    }

    @Test
    void positionsWithTheTopBitAreOrderedAsUnsigned() {
        ChunkLists chunks = new ChunkLists(
                List.of(read(0x8000_0000L, 4), read(0, 0xffff_ffffL), read(0, 0xffff_ffffL), read(4, 4)),
                List.of(),
                null);
        ByteBuf message = Unpooled.buffer();
        RpcRdmaMessage expected = new RpcRdmaMessage.NoMsg(0x1234, 1, 1, chunks);
        RpcRdmaEncoder.encode(expected, message);

        assertThat(new RpcRdmaDecoder(DecodeLimits.NONE).decode(message, Direction.CALL))
                .isEqualTo(expected);
    }

    @Test
    @Requirement({"V1-104"})
    void decoderForgetsTheMessageBefore() {
        RpcRdmaDecoder decoder = new RpcRdmaDecoder(DecodeLimits.NONE);
        decoder.decode(
                encode(new ChunkLists(List.of(read(8, 4)), List.of(write(1)), write(2)), Direction.CALL),
                Direction.CALL);

        assertThat(decoder.decode(encode(ChunkLists.ABSENT, Direction.REPLY), Direction.REPLY))
                .isEqualTo(new RpcRdmaMessage.Msg(0x1234, 1, 1, ChunkLists.ABSENT));
    }

    private static void assertRefused(ChunkLists chunks) {
        assertThat(decode(chunks, LIMITS, Direction.CALL))
                .isInstanceOfSatisfying(
                        Rejection.class, it -> assertThat(it.reaction()).isEqualTo(Reaction.ERR_CHUNK));
    }

    private static Reaction reaction(ByteBuf message, Direction direction) {
        return ((Rejection) new RpcRdmaDecoder(LIMITS).decode(message, direction)).reaction();
    }

    private static Decoded decode(ChunkLists chunks, DecodeLimits limits, Direction direction) {
        return new RpcRdmaDecoder(limits).decode(encode(chunks, direction), direction);
    }

    private static ByteBuf encode(ChunkLists chunks, Direction direction) {
        ByteBuf message = Unpooled.buffer();
        RpcRdmaEncoder.encodeMsg(0x1234, 1, chunks, message);
        return message.writeInt(0x1234).writeInt(direction == Direction.CALL ? 0 : 1);
    }

    private static ReadSegment read(long position, long bytes) {
        return new ReadSegment(position, new PlainSegment(1, bytes, 0));
    }

    private static WriteChunk write(int segments) {
        return new WriteChunk(Collections.nCopies(segments, new PlainSegment(1, 5000, 0)));
    }
}
