// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.responder;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.nettyrdma.channel.RdmaRead;
import io.nettyrdma.channel.RemoteSegment;
import io.nettyrdma.conformance.Requirement;
import io.nettyrdma.rpc.engine.OwedAnswer;
import io.nettyrdma.rpc.engine.ResponderEngine;
import io.nettyrdma.rpc.engine.ResponderEngine.Reception;
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
import java.util.StringJoiner;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class CallAssemblyTest {

    /** Read list, octets inline; then the call: octets 1 of the payload stream, 2 and 3 of chunks, 0 of padding. */
    static Stream<Arguments> shapes() {
        return Stream.of(
                Arguments.of(
                        "as Linux sends it, one word inline behind", List.of(segment(44, 5)), 48, "44x1 5x2 3x0 4x1"),
                Arguments.of("at the end", List.of(segment(44, 4)), 44, "44x1 4x2"),
                Arguments.of("padding in its own segment", List.of(segment(44, 5), segment(44, 3)), 44, "44x1 8x2"),
                Arguments.of(
                        "two chunks, later one first in the list",
                        List.of(segment(56, 2), segment(44, 5)),
                        52,
                        "44x1 5x3 3x0 4x1 2x2 2x0 4x1"),
                Arguments.of(
                        "two chunks without a gap", List.of(segment(44, 5), segment(52, 4)), 44, "44x1 5x2 3x0 4x3"),
                Arguments.of("long call", List.of(segment(0, 30), segment(0, 34)), 0, "64x1"),
                Arguments.of("long call of odd length", List.of(segment(0, 63)), 0, "63x1"),
                Arguments.of(
                        "long call with a further chunk",
                        List.of(segment(44, 6), segment(0, 48)),
                        0,
                        "44x1 6x2 2x0 4x1"),
                Arguments.of("chunk without octets", List.of(segment(44, 0), segment(48, 4)), 48, "48x1 4x3"));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("shapes")
    @Requirement({"V1-029", "V1-039", "V1-041", "V1-042", "V1-047", "V1-084", "BIS-007", "BIS-012", "V2-042"})
    void everyShapeIsPutTogether(String name, List<ReadSegment> readList, int inlineBytes, String call) {
        Map<Long, Integer> fills = new HashMap<>(Map.of(0L, 1));
        List<ReadSegment> filled = new ArrayList<>();
        for (ReadSegment read : readList) {
            int fill = fills.computeIfAbsent(read.position(), position -> 2 + filled.size());
            filled.add(new ReadSegment(
                    read.position(), new PlainSegment(fill, read.segment().lengthBytes(), 0)));
        }
        byte[] inline = new byte[inlineBytes];
        Arrays.fill(inline, (byte) 1);

        byte[] octets = execute(filled, inline, 1000, read -> {
            byte[] memory = new byte[read.lengthBytes()];
            Arrays.fill(memory, (byte) read.key());
            return memory;
        });

        StringJoiner runs = new StringJoiner(" ");
        for (int first = 0, end; first < octets.length; first = end) {
            for (end = first; end < octets.length && octets[end] == octets[first]; ) {
                end++;
            }
            runs.add((end - first) + "x" + octets[first]);
        }
        assertThat(runs).hasToString(call);
    }

    /** Offsets are opaque numbers of 64 bits: neither a sign nor 32 bits mean anything where a segment is split. */
    @ParameterizedTest
    @ValueSource(longs = {0, 0xffff_fffaL, Long.MAX_VALUE - 5, Long.MIN_VALUE, -26})
    @Requirement({"V1-070", "V1-103", "V2-042", "V2-179"})
    void segmentsAreReadInPartsFromAnyOffsetAndEmptyOnesNotAtAll(long offset) {
        List<ReadSegment> readList = List.of(
                new ReadSegment(44, new PlainSegment(1, 25, offset)),
                new ReadSegment(44, new PlainSegment(2, 0, 9)),
                new ReadSegment(44, new PlainSegment(3, 4, 0)));
        List<RemoteSegment> reads = new ArrayList<>();

        execute(readList, new byte[44], 10, read -> {
            reads.add(read);
            return new byte[read.lengthBytes()];
        });

        assertThat(reads)
                .containsExactly(
                        new RemoteSegment(1, offset, 10),
                        new RemoteSegment(1, offset + 10, 10),
                        new RemoteSegment(1, offset + 20, 5),
                        new RemoteSegment(3, 0, 4));
    }

    @Test
    @Requirement({"V1-030", "V1-031", "V2-033"})
    void callsBeyondTheLimitAreRejected() {
        List<ReadSegment> pair = List.of(segment(44, 5), segment(0, 48));

        assertThat(received(pair, 0, 56)).isInstanceOf(Reception.Pull.class);
        assertThat(received(pair, 0, 55)).isInstanceOf(Reception.Reject.class);
        List<ReadSegment> enormous = List.of(
                segment(44, 0xffff_ffffL), segment(44, 0xffff_ffffL), segment(48, 0xffff_ffffL), segment(48, 9));
        assertThat(received(enormous, 44, Integer.MAX_VALUE)).isInstanceOf(Reception.Reject.class);
    }

    private static Reception received(List<ReadSegment> readList, int inlineBytes, int maxCallBytes) {
        ChunkLists chunks = new ChunkLists(readList, List.of(), null);
        return new ResponderEngine(1, 1, maxCallBytes)
                .received(new RpcRdmaMessage.Msg(0, 1, 1, chunks), inlineBytes, 0, OwedAnswer.NOT_COUNTED);
    }

    /** Has a call put together whose chunks are in {@code memory}. */
    private static byte[] execute(
            List<ReadSegment> readList, byte[] inline, int maxTransferBytes, Function<RemoteSegment, byte[]> memory) {
        Reception.Pull pull = (Reception.Pull) received(readList, inline.length, 1 << 20);
        CallAssembly assembly =
                new CallAssembly(pull.call(), pull.plan(), Unpooled.wrappedBuffer(inline), maxTransferBytes);
        assembly.allocate(UnpooledByteBufAllocator.DEFAULT);
        int pulled = 0;
        while (assembly.hasMoreReads()) {
            RdmaRead read = assembly.nextRead();
            pulled += read.content().writeBytes(memory.apply(read.source())).readableBytes();
            read.release();
        }
        assertThat(pulled).isEqualTo(pull.plan().pulledBytes());
        ByteBuf call = assembly.assemble(UnpooledByteBufAllocator.DEFAULT);
        byte[] octets = ByteBufUtil.getBytes(call);
        call.release();
        return octets;
    }

    private static ReadSegment segment(long position, long bytes) {
        return new ReadSegment(position, new PlainSegment(7, bytes, 1000));
    }

    @Test
    @Requirement({"V1-029", "V1-039", "V1-041", "V1-042", "V1-047", "V1-084", "BIS-007", "BIS-012"})
    void anyWayToChunkACallGivesTheCallBack() {
        long seed = System.nanoTime();
        System.out.println("CallAssemblyTest seed " + seed);
        Random random = new Random(seed);
        for (int i = 0; i < 3000; i++) {
            ChunkedCall chunked = new ChunkedCall(random);
            ByteBuf message = Unpooled.buffer();
            RpcRdmaEncoder.encode(chunked.header(), message);
            message.writeBytes(chunked.inline);
            Decoded decoded = new RpcRdmaDecoder(DecodeLimits.NONE).decode(message, Direction.CALL);
            assertThat(decoded).as("seed %d, round %d", seed, i).isEqualTo(chunked.header());

            assertThat(chunked.execute(1 + random.nextInt(99)))
                    .as("seed %d, round %d", seed, i)
                    .isEqualTo(chunked.call);
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

        byte[] execute(int maxTransferBytes) {
            long octets = readList.stream()
                    .mapToLong(read -> read.segment().lengthBytes())
                    .sum();
            return octets == 0 // nothing to pull
                    ? inline
                    : CallAssemblyTest.execute(readList, inline, maxTransferBytes, read -> {
                        int from = Math.toIntExact(read.address() + 5);
                        return Arrays.copyOfRange(memory.get(read.key()), from, from + read.lengthBytes());
                    });
        }
    }
}
