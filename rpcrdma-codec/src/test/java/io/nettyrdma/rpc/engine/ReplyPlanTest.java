// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.nettyrdma.conformance.Requirement;
import io.nettyrdma.rpc.engine.ReplyPlan.Push;
import io.nettyrdma.rpc.engine.ReplyPlan.Range;
import io.nettyrdma.rpc.engine.ResponderEngine.Disposal;
import io.nettyrdma.rpc.message.XdrItem;
import io.nettyrdma.rpc.wire.header.ChunkLists;
import io.nettyrdma.rpc.wire.header.PlainSegment;
import io.nettyrdma.rpc.wire.header.WriteChunk;
import io.nettyrdma.rpc.wire.v1.RpcRdmaEncoder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

class ReplyPlanTest {

    private static final WriteChunk EMPTY = new WriteChunk(List.of());

    @Test
    @Requirement({"V1-050", "V1-051", "V1-052", "V1-056", "V1-057", "BIS-006", "V2-048", "V2-049", "V2-053", "V2-054"})
    void segmentsAreFilledInOrderWithoutPadding() {
        ReplyPlan plan = plan(writes(chunk(4, 0, 3, 9)), 60, List.of(new XdrItem(28, 5)), 1024);

        assertThat(plan.pushes()).containsExactly(new Push(28, 4, 1, 100), new Push(32, 1, 3, 100));
        assertThat(plan.removed()).containsExactly(new Range(28, 8));
        assertThat(lengths(plan.returned().writeList().get(0))).containsExactly(4L, 0L, 1L, 0L);
        assertThat(plan.isLong()).isFalse();
    }

    @Test
    @Requirement({"V1-092", "V1-093", "V1-094", "V1-097", "V2-048"})
    void resultsGoToTheChunksInOrderAndEmptyChunksKeepTheirsInline() {
        ChunkLists offered = writes(chunk(8), EMPTY, chunk(8), chunk(8));

        ReplyPlan plan = plan(offered, 80, List.of(new XdrItem(28, 4), new XdrItem(36, 4), new XdrItem(44, 4)), 1024);

        assertThat(plan.removed()).containsExactly(new Range(28, 4), new Range(44, 4));
        assertThat(plan.returned().writeList()).containsExactly(returned(4), EMPTY, returned(4), returned(0));
    }

    @Test
    void resultsBeyondTheWriteListStayInline() {
        ReplyPlan plan = plan(writes(chunk(8)), 80, List.of(new XdrItem(28, 4), new XdrItem(36, 4)), 1024);

        assertThat(plan.removed()).containsExactly(new Range(28, 4));
    }

    @Test
    void resultWithoutOctetsUsesItsChunkUp() {
        ReplyPlan plan = plan(writes(chunk(8), chunk(8)), 80, List.of(new XdrItem(28, 0), new XdrItem(32, 4)), 1024);

        assertThat(plan.returned().writeList()).containsExactly(returned(0), returned(4));
        assertThat(plan.removed()).containsExactly(new Range(32, 4));
    }

    @Test
    @Requirement({"V2-151", "V2-152"})
    void resultThatExceedsItsChunkIsNotConveyed() {
        for (WriteChunk small : List.of(chunk(4, 3), chunk(0))) {
            assertThat(outcome(writes(small), 60, List.of(new XdrItem(28, 8)), 1024))
                    .isEqualTo(new Disposal.SendErrChunk(
                            8, small.lengthBytes(), "write chunk 0", new ReplyShortage(1, 8)));
        }
    }

    @Test
    @Requirement({"V1-066", "V1-067", "V1-087", "V1-099", "V1-100", "V2-064", "V2-065"})
    void replyChunkIsUsedOnlyIfTheReducedReplyDoesNotFit() {
        ChunkLists offered = new ChunkLists(List.of(), List.of(chunk(5000)), chunk(300, 5000));
        List<XdrItem> results = List.of(new XdrItem(28, 4000));
        // 28 octets of header, 20 more for the write chunk, 36 for the reply chunk
        int fitting = 1024 - 28 - 4 - 20 - 36;

        ReplyPlan inline = plan(offered, 4000 + fitting, results, 1024);
        assertThat(inline.isLong()).isFalse();
        assertThat(lengths(inline.returned().replyChunk())).containsExactly(0L, 0L);

        ReplyPlan inChunk = plan(offered, 4000 + fitting + 4, results, 1024);
        assertThat(inChunk.isLong()).isTrue();
        assertThat(lengths(inChunk.returned().replyChunk())).containsExactly(300L, fitting + 4 - 300L);
        assertThat(inChunk.pushes())
                .containsExactly(
                        new Push(28, 4000, 1, 100),
                        new Push(0, 28, 1, 100),
                        new Push(4028, 272, 1, 128),
                        new Push(4300, fitting + 4 - 300, 2, 100));
    }

    @Test
    @Requirement({"V1-117", "BIS-013", "V2-153"})
    void replyThatFitsNowhereIsNotConveyed() {
        assertThat(outcome(ChunkLists.ABSENT, 1000, List.of(), 1024))
                .isEqualTo(new Disposal.SendErrChunk(1028, 1024, "inline threshold", new ReplyShortage(0, 1000)));
        assertThat(outcome(new ChunkLists(List.of(), List.of(), chunk(1500, 496)), 2000, List.of(), 1024))
                .isEqualTo(new Disposal.SendErrChunk(2000, 1996, "reply chunk", new ReplyShortage(0, 2000)));
        long[] many = new long[80];
        Arrays.fill(many, 100);
        assertThat(outcome(new ChunkLists(List.of(), List.of(), chunk(many)), 2000, List.of(), 1024))
                .isEqualTo(new Disposal.SendErrChunk(
                        28 + 4 + 80 * 16, 1024, "inline threshold", new ReplyShortage(0, 2000)));
    }

    @Test
    void resultsOutOfOrderOrPlaceAreRefused() {
        ChunkLists offered = writes(chunk(100), chunk(100));
        for (List<XdrItem> wrong : List.of(
                List.of(new XdrItem(36, 4), new XdrItem(28, 4)),
                List.of(new XdrItem(28, 5), new XdrItem(32, 4)),
                List.of(new XdrItem(56, 5)),
                List.of(new XdrItem(4, Integer.MAX_VALUE)))) {
            assertThatThrownBy(() -> outcome(offered, 60, wrong, 1024)).isInstanceOf(IllegalArgumentException.class);
        }
    }

    @Test
    void rangesBeyondOneWriteAreWrittenInParts() {
        Disposal outcome = new ReplyPlan.Planner(writes(chunk(30)), 60, RpcRdmaEncoder.LISTS_OFFSET, 1024, 10)
                .plan(List.of(new XdrItem(28, 25)));

        assertThat(((ReplyPlan) outcome).pushes())
                .containsExactly(new Push(28, 10, 1, 100), new Push(38, 10, 1, 110), new Push(48, 5, 1, 120));
    }

    private static Disposal outcome(ChunkLists offered, int bytes, List<XdrItem> results, int threshold) {
        return ReplyPlan.of(offered, bytes, results, RpcRdmaEncoder.LISTS_OFFSET, threshold);
    }

    private static ReplyPlan plan(ChunkLists offered, int bytes, List<XdrItem> results, int threshold) {
        return (ReplyPlan) outcome(offered, bytes, results, threshold);
    }

    private static ChunkLists writes(WriteChunk... chunks) {
        return new ChunkLists(List.of(), List.of(chunks), null);
    }

    /** Segments with handles 1, 2, … and offset 100. */
    private static WriteChunk chunk(long... lengths) {
        List<PlainSegment> segments = new ArrayList<>();
        for (int i = 0; i < lengths.length; i++) {
            segments.add(new PlainSegment(i + 1, lengths[i], 100));
        }
        return new WriteChunk(segments);
    }

    private static WriteChunk returned(long length) {
        return chunk(length);
    }

    private static List<Long> lengths(WriteChunk chunk) {
        return chunk.segments().stream().map(PlainSegment::lengthBytes).toList();
    }

    @Test
    @Requirement({
        "V1-050", "V1-051", "V1-052", "V1-056", "V1-057", "V1-092", "V1-094", "V1-097", "V1-100", "V1-117", "V2-048",
        "V2-049", "V2-053", "V2-054", "V2-066"
    })
    void anyReplyIsPutTogetherAgainFromWhereItWent() {
        long seed = System.nanoTime();
        System.out.println("ReplyPlanTest seed " + seed);
        Random random = new Random(seed);
        for (int i = 0; i < 3000; i++) {
            new Exchange(random, "seed " + seed + ", round " + i).check();
        }
    }

    /** A random reply with random offers for it, and the requester that puts it together. */
    private static final class Exchange {

        private final Random random;
        private final String round;
        private final byte[] reply;
        private final List<XdrItem> results = new ArrayList<>();
        private final Map<Integer, byte[]> memory = new HashMap<>();
        private final ChunkLists offered;
        private final int threshold;

        Exchange(Random random, String round) {
            this.random = random;
            this.round = round;
            reply = new byte[4 * (8 + random.nextInt(200))];
            random.nextBytes(reply);
            int at = 24;
            while (at < reply.length && random.nextInt(4) != 0) {
                int bytes = random.nextInt(Math.min(90, reply.length - at) + 1);
                Arrays.fill(reply, at + bytes, at + (bytes + 3 & ~3), (byte) 0);
                results.add(new XdrItem(at, bytes));
                at += (bytes + 3 & ~3) + 4 * random.nextInt(6);
            }
            List<WriteChunk> writeList = new ArrayList<>();
            while (random.nextInt(4) != 0) {
                writeList.add(random.nextInt(5) == 0 ? EMPTY : chunk(random.nextInt(200)));
            }
            offered = new ChunkLists(List.of(), writeList, random.nextBoolean() ? chunk(random.nextInt(1000)) : null);
            threshold = 200 + random.nextInt(800);
        }

        private WriteChunk chunk(int bytes) {
            List<PlainSegment> segments = new ArrayList<>();
            int left = bytes;
            do {
                int part = random.nextInt(left + 1);
                int handle = memory.size() + 1;
                memory.put(handle, new byte[part]);
                segments.add(new PlainSegment(handle, part, -5));
                left -= part;
            } while (left > 0 && segments.size() < 6);
            return new WriteChunk(segments);
        }

        void check() {
            Disposal outcome = new ReplyPlan.Planner(
                            offered, reply.length, RpcRdmaEncoder.LISTS_OFFSET, threshold, 1 + random.nextInt(99))
                    .plan(results);
            if (outcome instanceof Disposal.SendErrChunk failure) {
                assertThat(failure.bytes()).as(round).isGreaterThan(failure.limitBytes());
                return;
            }
            ReplyPlan plan = ((ReplyPlan) outcome);
            Map<Integer, Integer> written = new HashMap<>();
            for (Push push : plan.pushes()) {
                int at = Math.toIntExact(push.offset() + 5);
                assertThat(written.getOrDefault(push.handle(), 0)).as(round).isEqualTo(at);
                System.arraycopy(reply, push.replyOffset(), memory.get(push.handle()), at, push.lengthBytes());
                written.put(push.handle(), at + push.lengthBytes());
            }
            byte[] stream = plan.isLong() ? concatenated(plan.returned().replyChunk()) : inline(plan);
            int sendBytes = RpcRdmaEncoder.headerBytes(plan.returned()) + (plan.isLong() ? 0 : stream.length);
            assertThat(sendBytes).as(round).isLessThanOrEqualTo(threshold);
            assertThat(rebuild(plan, stream)).as(round).isEqualTo(reply);
        }

        private byte[] inline(ReplyPlan plan) {
            ByteBuf inline = Unpooled.buffer();
            int from = 0;
            for (Range range : plan.removed()) {
                inline.writeBytes(reply, from, range.offset() - from);
                from = range.end();
            }
            inline.writeBytes(reply, from, reply.length - from);
            return octets(inline);
        }

        /** As a requester does it, that knows where its results are. */
        private byte[] rebuild(ReplyPlan plan, byte[] stream) {
            ByteBuf rebuilt = Unpooled.buffer();
            int taken = 0;
            for (int i = 0; i < offered.writeList().size(); i++) {
                WriteChunk returned = plan.returned().writeList().get(i);
                assertThat(sources(returned))
                        .isEqualTo(sources(offered.writeList().get(i)));
                if (i >= results.size() || returned.isEmpty()) {
                    assertThat(returned.lengthBytes()).as(round).isZero();
                    continue;
                }
                XdrItem result = results.get(i);
                assertThat(returned.lengthBytes()).as(round).isEqualTo(result.lengthBytes());
                int front = result.offset() - rebuilt.writerIndex();
                rebuilt.writeBytes(stream, taken, front);
                taken += front;
                rebuilt.writeBytes(concatenated(returned)).writeZero(-result.lengthBytes() & 3);
            }
            rebuilt.writeBytes(stream, taken, stream.length - taken);
            return octets(rebuilt);
        }

        private static List<String> sources(WriteChunk chunk) {
            return chunk.segments().stream()
                    .map(s -> s.handle() + "@" + s.offset())
                    .toList();
        }

        private byte[] concatenated(WriteChunk returned) {
            ByteBuf all = Unpooled.buffer();
            for (PlainSegment segment : returned.segments()) {
                all.writeBytes(memory.get(segment.handle()), 0, (int) segment.lengthBytes());
            }
            return octets(all);
        }

        private static byte[] octets(ByteBuf buffer) {
            byte[] octets = new byte[buffer.readableBytes()];
            buffer.readBytes(octets);
            return octets;
        }
    }
}
