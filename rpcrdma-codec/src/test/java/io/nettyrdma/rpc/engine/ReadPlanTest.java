// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.nettyrdma.conformance.Requirement;
import io.nettyrdma.rpc.engine.ReadPlan.Chunk;
import io.nettyrdma.rpc.engine.ReadPlan.Piece;
import io.nettyrdma.rpc.engine.ReadPlan.Pull;
import io.nettyrdma.rpc.wire.Direction;
import io.nettyrdma.rpc.wire.header.ChunkLists;
import io.nettyrdma.rpc.wire.header.DecodeLimits;
import io.nettyrdma.rpc.wire.header.Decoded;
import io.nettyrdma.rpc.wire.header.PlainSegment;
import io.nettyrdma.rpc.wire.header.ReadSegment;
import io.nettyrdma.rpc.wire.header.RpcRdmaMessage;
import io.nettyrdma.rpc.wire.v1.RpcRdmaDecoder;
import io.nettyrdma.rpc.wire.v1.RpcRdmaEncoder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class ReadPlanTest {

    private static final int INLINE = Piece.INLINE;

    /** Read list, long or not, octets inline; then the pieces and the length of the call. */
    static Stream<Arguments> shapes() {
        return Stream.of(
                Arguments.of(
                        "as Linux sends it, one word inline behind",
                        List.of(segment(44, 5)),
                        false,
                        48,
                        List.of(new Piece(INLINE, 0, 44), new Piece(0, 0, 8), new Piece(INLINE, 44, 4)),
                        56),
                Arguments.of(
                        "at the end",
                        List.of(segment(44, 4)),
                        false,
                        44,
                        List.of(new Piece(INLINE, 0, 44), new Piece(0, 0, 4)),
                        48),
                Arguments.of(
                        "padding in a segment of its own",
                        List.of(segment(44, 5), segment(44, 3)),
                        false,
                        44,
                        List.of(new Piece(INLINE, 0, 44), new Piece(0, 0, 8)),
                        52),
                Arguments.of(
                        "two chunks, later one first in the list",
                        List.of(segment(56, 2), segment(44, 5)),
                        false,
                        52,
                        List.of(
                                new Piece(INLINE, 0, 44),
                                new Piece(0, 0, 8),
                                new Piece(INLINE, 44, 4),
                                new Piece(1, 0, 4),
                                new Piece(INLINE, 48, 4)),
                        64),
                Arguments.of(
                        "two chunks without a gap",
                        List.of(segment(44, 5), segment(52, 4)),
                        false,
                        44,
                        List.of(new Piece(INLINE, 0, 44), new Piece(0, 0, 8), new Piece(1, 0, 4)),
                        56),
                Arguments.of(
                        "long call",
                        List.of(segment(0, 30), segment(0, 34)),
                        true,
                        0,
                        List.of(new Piece(0, 0, 64)),
                        64),
                Arguments.of(
                        "long call of odd length", List.of(segment(0, 63)), true, 0, List.of(new Piece(0, 0, 63)), 63),
                Arguments.of(
                        "long call with a further chunk",
                        List.of(segment(44, 6), segment(0, 48)),
                        true,
                        0,
                        List.of(new Piece(0, 0, 44), new Piece(1, 0, 8), new Piece(0, 44, 4)),
                        56),
                Arguments.of(
                        "chunk without octets",
                        List.of(segment(44, 0), segment(44, 0)),
                        false,
                        48,
                        List.of(new Piece(INLINE, 0, 44), new Piece(INLINE, 44, 4)),
                        48));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("shapes")
    @Requirement({"V1-029", "V1-039", "V1-041", "V1-042", "V1-047", "V1-084", "BIS-007", "BIS-012", "V2-042"})
    void everyShapeHasItsPieces(
            String name, List<ReadSegment> readList, boolean isLong, int inlineBytes, List<Piece> pieces, int bytes) {
        ReadPlan plan = ReadPlan.of(readList, isLong, inlineBytes, 1000);

        assertThat(plan.pieces()).isEqualTo(pieces);
        assertThat(plan.callBytes()).isEqualTo(bytes);
    }

    @Test
    @Requirement({"V1-070", "V1-103", "V2-042", "V2-179"})
    void segmentsAreReadAsTheyAreAndEmptyOnesNotAtAll() {
        List<ReadSegment> readList = List.of(
                new ReadSegment(44, new PlainSegment(1, 3, -2)),
                new ReadSegment(44, new PlainSegment(2, 0, 9)),
                new ReadSegment(44, new PlainSegment(3, 4, 0)));

        ReadPlan plan = ReadPlan.of(readList, false, 44, 1000);

        assertThat(plan.chunks())
                .containsExactly(new Chunk(44, 7, List.of(new Pull(1, -2, 3, 0), new Pull(3, 0, 4, 3))));
        assertThat(plan.pulledBytes()).isEqualTo(7);
        assertThat(plan.pullsNothing()).isFalse();
    }

    @Test
    @Requirement("V1-103")
    void segmentsBeyondOneReadAreReadInParts() {
        List<ReadSegment> readList = List.of(new ReadSegment(44, new PlainSegment(1, 25, 100)));

        assertThat(ReadPlan.of(readList, false, 44, 1000, 10).chunks().get(0).pulls())
                .containsExactly(new Pull(1, 100, 10, 0), new Pull(1, 110, 10, 10), new Pull(1, 120, 5, 20));
    }

    /** Offsets are opaque numbers of 64 bits: neither a sign nor 32 bits mean anything where a segment is split. */
    @Test
    @Requirement("V1-103")
    void partsOfASegmentFollowEachOtherFromAnyOffset() {
        for (long offset : new long[] {0, 0xffff_fffaL, Long.MAX_VALUE - 5, -26}) {
            List<ReadSegment> readList = List.of(new ReadSegment(44, new PlainSegment(1, 25, offset)));

            assertThat(ReadPlan.of(readList, false, 44, 1000, 10)
                            .chunks()
                            .get(0)
                            .pulls())
                    .as("offset %x", offset)
                    .containsExactly(
                            new Pull(1, offset, 10, 0),
                            new Pull(1, offset + 10, 10, 10),
                            new Pull(1, offset + 20, 5, 20));
        }
    }

    @Test
    @Requirement({"V1-030", "V1-031", "V2-033"})
    void callsBeyondTheLimitHaveNoPlan() {
        List<ReadSegment> pair = List.of(segment(44, 5), segment(0, 48));

        assertThat(ReadPlan.of(pair, true, 0, 56)).isNotNull();
        assertThat(ReadPlan.of(pair, true, 0, 55)).isNull();
        List<ReadSegment> enormous = List.of(
                segment(44, 0xffff_ffffL), segment(44, 0xffff_ffffL), segment(48, 0xffff_ffffL), segment(48, 9));
        assertThat(ReadPlan.of(enormous, false, 44, Integer.MAX_VALUE)).isNull();
    }

    private static ReadSegment segment(long position, long bytes) {
        return new ReadSegment(position, new PlainSegment(7, bytes, 1000));
    }

    @Test
    @Requirement({"V1-029", "V1-039", "V1-041", "V1-042", "V1-047", "V1-084", "BIS-007", "BIS-012"})
    void anyWayToChunkACallGivesTheCallBack() {
        long seed = System.nanoTime();
        System.out.println("ReadPlanTest seed " + seed);
        Random random = new Random(seed);
        for (int i = 0; i < 3000; i++) {
            ChunkedCall chunked = new ChunkedCall(random);
            ByteBuf message = Unpooled.buffer();
            RpcRdmaEncoder.encode(chunked.header(), message);
            message.writeBytes(chunked.inline);
            Decoded decoded = new RpcRdmaDecoder(DecodeLimits.NONE).decode(message, Direction.CALL);
            assertThat(decoded).as("seed %d, round %d", seed, i).isEqualTo(chunked.header());

            ReadPlan plan = ReadPlan.of(
                    chunked.readList, chunked.isLong, chunked.inline.length, 1 << 20, 1 + random.nextInt(99));

            assertThat(chunked.execute(plan)).as("seed %d, round %d", seed, i).isEqualTo(chunked.call);
        }
    }

    /** A random call, taken apart the way a requester may. */
    private static final class ChunkedCall {

        final byte[] call;
        final boolean isLong;
        final byte[] inline;
        final List<ReadSegment> readList = new ArrayList<>();
        private final Map<Integer, byte[]> memory = new HashMap<>();
        private final Random random;

        ChunkedCall(Random random) {
            this.random = random;
            call = new byte[4 * (10 + random.nextInt(100))];
            random.nextBytes(call);
            Arrays.fill(call, 0, 8, (byte) 0);
            isLong = random.nextBoolean();
            ByteBuf stream = Unpooled.buffer();
            List<List<ReadSegment>> chunks = new ArrayList<>();
            int at = 0;
            int next = 8 + 4 * random.nextInt(8);
            while (next < call.length && random.nextInt(4) != 0) {
                int bytes = random.nextInt(Math.min(40, call.length - next) + 1);
                int end = next + (bytes + 3 & ~3);
                Arrays.fill(call, next + bytes, end, (byte) 0);
                boolean padded = random.nextBoolean();
                chunks.add(segments(next, Arrays.copyOfRange(call, next, padded ? end : next + bytes)));
                stream.writeBytes(call, at, next - at);
                at = end;
                // A chunk without octets takes no room, so the next one needs a position of its own.
                next = Math.max(end, next + 4) + 4 * random.nextInt(8);
            }
            stream.writeBytes(call, at, call.length - at);
            byte[] rest = new byte[stream.readableBytes()];
            stream.readBytes(rest);
            if (isLong) {
                chunks.add(segments(0, rest));
            }
            inline = isLong ? new byte[0] : rest;
            merge(chunks);
        }

        private List<ReadSegment> segments(int position, byte[] octets) {
            List<ReadSegment> segments = new ArrayList<>();
            int from = 0;
            do {
                int to = from + random.nextInt(octets.length - from + 1);
                if (random.nextInt(3) == 0) {
                    to = octets.length;
                }
                int handle = memory.size() + 1;
                memory.put(handle, Arrays.copyOfRange(octets, from, to));
                segments.add(new ReadSegment(position, new PlainSegment(handle, to - from, -5)));
                from = to;
            } while (from < octets.length);
            return segments;
        }

        /** One list in a random order that keeps the order within each chunk. */
        private void merge(List<List<ReadSegment>> chunks) {
            List<List<ReadSegment>> left = new ArrayList<>();
            chunks.forEach(chunk -> left.add(new ArrayList<>(chunk)));
            boolean sorted = random.nextBoolean();
            Collections.sort(
                    left, (a, b) -> Long.compare(a.get(0).position(), b.get(0).position()));
            while (!left.isEmpty()) {
                List<ReadSegment> chunk = left.get(sorted ? 0 : random.nextInt(left.size()));
                readList.add(chunk.remove(0));
                left.removeIf(List::isEmpty);
            }
        }

        RpcRdmaMessage header() {
            ChunkLists chunks = new ChunkLists(readList, List.of(), null);
            return isLong ? new RpcRdmaMessage.NoMsg(0, 1, 1, chunks) : new RpcRdmaMessage.Msg(0, 1, 1, chunks);
        }

        byte[] execute(ReadPlan plan) {
            if (plan == null) { // no chunks were made
                return inline;
            }
            List<byte[]> buffers = new ArrayList<>();
            int pulled = 0;
            for (Chunk chunk : plan.chunks()) {
                byte[] buffer = new byte[chunk.paddedBytes()];
                for (Pull pull : chunk.pulls()) {
                    byte[] source = memory.get(pull.handle());
                    System.arraycopy(
                            source, Math.toIntExact(pull.offset() + 5), buffer, pull.target(), pull.lengthBytes());
                    pulled += pull.lengthBytes();
                }
                buffers.add(buffer);
            }
            assertThat(pulled).isEqualTo(plan.pulledBytes());
            ByteBuf rebuilt = Unpooled.buffer();
            for (Piece piece : plan.pieces()) {
                byte[] source = piece.chunk() == INLINE ? inline : buffers.get(piece.chunk());
                rebuilt.writeBytes(source, piece.offset(), piece.lengthBytes());
            }
            byte[] octets = new byte[rebuilt.readableBytes()];
            rebuilt.readBytes(octets);
            assertThat(octets).hasSize(plan.callBytes());
            return octets;
        }
    }
}
