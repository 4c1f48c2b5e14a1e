// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.nettyrdma.conformance.Requirement;
import io.nettyrdma.rpc.binding.ReplyBounds;
import io.nettyrdma.rpc.engine.CallPlan.Form;
import io.nettyrdma.rpc.engine.CallPlanner.Limits;
import io.nettyrdma.rpc.engine.CallPlanner.Placement;
import io.nettyrdma.rpc.error.MessageTooLargeException;
import io.nettyrdma.rpc.message.XdrItem;
import io.nettyrdma.rpc.wire.InlineThresholds;
import io.nettyrdma.rpc.wire.header.ChunkLists;
import io.nettyrdma.rpc.wire.header.PlainSegment;
import io.nettyrdma.rpc.wire.header.ReadSegment;
import io.nettyrdma.rpc.wire.header.WriteChunk;
import io.nettyrdma.rpc.wire.v1.RpcRdmaEncoder;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class CallPlannerTest {

    private static final InlineThresholds THRESHOLDS = new InlineThresholds(1024, 2048);
    private static final Limits LIMITS = new Limits(2, 2, 1 << 20);
    private static final ReplyBounds SHORT = new ReplyBounds(24, List.of());

    /** Octets of the call and its reducible arguments; form and position of what leaves. */
    static Stream<Arguments> calls() {
        return Stream.of(
                Arguments.of(40, List.of(), Form.INLINE, List.of()),
                Arguments.of(996, List.of(), Form.INLINE, List.of()), // with 28 octets of header exactly the threshold
                Arguments.of(996, List.of(item(48, 900)), Form.INLINE, List.of()),
                Arguments.of(1000, List.of(), Form.LONG, List.of()),
                Arguments.of(1000, List.of(item(48, 100)), Form.INLINE, List.of(48)),
                Arguments.of(1000, List.of(item(48, 27)), Form.INLINE, List.of(48)), // 28 octets leave, 24 come
                Arguments.of(1000, List.of(item(48, 24)), Form.LONG, List.of()), // 24 leave, 24 come
                Arguments.of(1000, List.of(item(48, 0)), Form.LONG, List.of()),
                Arguments.of(1000, List.of(item(48, 100), item(200, 400)), Form.INLINE, List.of(200)), // longest first
                Arguments.of(3000, List.of(item(48, 1000), item(1200, 1200)), Form.INLINE, List.of(48, 1200)),
                Arguments.of(3000, List.of(item(48, 1000), item(1200, 1199)), Form.INLINE, List.of(48, 1200)),
                Arguments.of(3000, List.of(item(48, 999), item(1200, 1199)), Form.LONG, List.of()), // two of odd length
                Arguments.of(
                        4000,
                        List.of(item(48, 999), item(1048, 1000), item(2048, 1001)),
                        Form.LONG,
                        List.of())); // a third would be needed
    }

    @ParameterizedTest
    @MethodSource("calls")
    @Requirement({"V1-037", "V1-044", "V1-059", "V1-061", "V1-087", "BIS-012", "V1-131"})
    void callIsConveyedTheShortestWay(int bytes, List<XdrItem> items, Form form, List<Integer> positions)
            throws Exception {
        CallPlan plan = new CallPlanner(RpcRdmaEncoder.LISTS_OFFSET, THRESHOLDS, LIMITS)
                .plan(1, bytes, items, SHORT, Placement.ANYWHERE);

        assertThat(plan.form()).isEqualTo(form);
        assertThat(plan.readChunks()).extracting(XdrItem::offset).isEqualTo(positions);
        assertThat(plan.writeChunkBytes()).isEmpty();
        assertThat(plan.replyChunkBytes()).isZero();
    }

    @Test
    void headersOfEightOctetsMoreLeaveEightLess() throws Exception {
        CallPlanner planner = new CallPlanner(RpcRdmaEncoder.LISTS_OFFSET + 8, THRESHOLDS, LIMITS);

        assertThat(planner.plan(1, 988, List.of(), SHORT, Placement.ANYWHERE).form())
                .isEqualTo(Form.INLINE);
        assertThat(planner.plan(1, 992, List.of(), SHORT, Placement.ANYWHERE).form())
                .isEqualTo(Form.LONG);
    }

    /** Octets of the longest reply and its reducible results; write chunks and reply chunk offered. */
    static Stream<Arguments> replies() {
        return Stream.of(
                Arguments.of(2020, List.of(), Placement.ANYWHERE, List.of(), 0),
                Arguments.of(2024, List.of(), Placement.ANYWHERE, List.of(), 2024),
                Arguments.of(2022, List.of(), Placement.ANYWHERE, List.of(), 2024),
                Arguments.of(2020, List.of(1900), Placement.ANYWHERE, List.of(), 0),
                Arguments.of(2020, List.of(1900), Placement.WRITE_CHUNK, List.of(1900), 0),
                Arguments.of(10_000, List.of(9001), Placement.ANYWHERE, List.of(9001), 0),
                // 28 + 24 of header and 1996 of the rest are the threshold.
                Arguments.of(10_996, List.of(9000), Placement.ANYWHERE, List.of(9000), 0),
                Arguments.of(11_000, List.of(9000), Placement.ANYWHERE, List.of(), 11_000),
                Arguments.of(11_000, List.of(9000), Placement.WRITE_CHUNK, List.of(9000), 2000),
                Arguments.of(30_000, List.of(9000, 20_000), Placement.ANYWHERE, List.of(20_000, 20_000), 0),
                Arguments.of(30_000, List.of(20_000, 9000), Placement.ANYWHERE, List.of(20_000, 9000), 0),
                Arguments.of(30_000, List.of(20_000, 9000, 600), Placement.ANYWHERE, List.of(20_000, 9000), 0),
                Arguments.of(40_000, List.of(20_000, 9000, 10_000), Placement.ANYWHERE, List.of(), 40_000),
                Arguments.of(30_000, List.of(29_000, 0), Placement.ANYWHERE, List.of(29_000), 0));
    }

    @ParameterizedTest
    @MethodSource("replies")
    @Requirement({
        "V1-049", "V1-055", "V1-064", "V1-091", "V1-096", "V1-098", "V1-136", "PD-012", "V2-047", "V2-052", "V2-062"
    })
    void replyThatMayNotFitGetsChunks(
            int bytes, List<Integer> results, Placement placement, List<Integer> writeChunks, int replyChunk)
            throws Exception {
        CallPlan plan = new CallPlanner(RpcRdmaEncoder.LISTS_OFFSET, THRESHOLDS, LIMITS)
                .plan(1, 40, List.of(), new ReplyBounds(bytes, results), placement);

        assertThat(plan.writeChunkBytes()).isEqualTo(writeChunks);
        assertThat(plan.replyChunkBytes()).isEqualTo(replyChunk);
    }

    /** A reducible result of a reply that fits comes inline, as there is no write list, whatever the call takes. */
    @Test
    @Requirement("V1-096")
    void resultOfAReplyThatFitsIsForcedInline() throws Exception {
        CallPlanner planner = new CallPlanner(RpcRdmaEncoder.LISTS_OFFSET, THRESHOLDS, LIMITS);
        ReplyBounds fits = new ReplyBounds(2020, List.of(1900));
        for (int callBytes : new int[] {40, 2000, 3000}) {
            CallPlan plan = planner.plan(1, callBytes, List.of(item(48, 1900)), fits, Placement.ANYWHERE);
            assertThat(plan.writeChunkBytes()).isEmpty();
            assertThat(plan.replyChunkBytes()).isZero();
            assertThat(plan.readChunks()).hasSize(callBytes == 2000 ? 1 : 0);
        }
        assertThat(planner.plan(1, 40, List.of(), new ReplyBounds(2024, List.of(1900)), Placement.ANYWHERE)
                        .writeChunkBytes())
                .containsExactly(1900);
    }

    @Test
    void withoutMemoryEverythingIsInline() throws Exception {
        CallPlanner planner = new CallPlanner(RpcRdmaEncoder.LISTS_OFFSET, THRESHOLDS, Limits.NO_CHUNKS);

        assertThat(planner.plan(1, 996, List.of(), ReplyBounds.UNKNOWN, Placement.ANYWHERE)
                        .hasNoChunks())
                .isTrue();
        assertThatThrownBy(() -> planner.plan(1, 1000, List.of(item(48, 900)), ReplyBounds.UNKNOWN, Placement.ANYWHERE))
                .isInstanceOf(MessageTooLargeException.class);
    }

    @Test
    void memoryOfACallIsLimited() throws Exception {
        CallPlanner planner = new CallPlanner(RpcRdmaEncoder.LISTS_OFFSET, THRESHOLDS, new Limits(1, 1, 5000));

        planner.plan(1, 2000, List.of(), new ReplyBounds(3000, List.of()), Placement.ANYWHERE);
        assertThatThrownBy(() -> planner.plan(1, 2000, List.of(), new ReplyBounds(3004, List.of()), Placement.ANYWHERE))
                .isInstanceOf(MessageTooLargeException.class)
                .hasMessageContaining("5004");
        assertThatThrownBy(() -> planner.plan(
                        1,
                        Integer.MAX_VALUE - 3,
                        List.of(),
                        new ReplyBounds(Integer.MAX_VALUE, List.of()),
                        Placement.ANYWHERE))
                .isInstanceOf(MessageTooLargeException.class)
                .hasMessageContaining("needs ");
    }

    @Test
    @Requirement({"V1-087", "V1-098"})
    void randomPlansFitBothThresholds() throws Exception {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        for (int i = 0; i < 20_000; i++) {
            InlineThresholds thresholds = new InlineThresholds(1024 << random.nextInt(4), 1024 << random.nextInt(4));
            Limits limits = new Limits(random.nextInt(4), random.nextInt(4), 1 << 30);
            List<XdrItem> items = new ArrayList<>();
            int at = 40;
            for (int n = random.nextInt(4); n > 0; n--) {
                int length = random.nextInt(1 << random.nextInt(14));
                items.add(item(at += 4 + 4 * random.nextInt(300), length));
                at += length + 3 & ~3;
            }
            List<Integer> results = new ArrayList<>();
            int replyBytes = 24 + 4 * random.nextInt(1000);
            for (int n = random.nextInt(4); n > 0; n--) {
                results.add(random.nextInt(1 << random.nextInt(14)));
                replyBytes += 4 + (results.get(results.size() - 1) + 3 & ~3);
            }

            CallPlan plan = new CallPlanner(RpcRdmaEncoder.LISTS_OFFSET, thresholds, limits)
                    .plan(1, at, items, new ReplyBounds(replyBytes, results), Placement.values()[random.nextInt(2)]);

            int inline = at;
            int odd = 0;
            for (XdrItem item : plan.readChunks()) {
                inline -= item.lengthBytes() + 3 & ~3;
                odd += (item.lengthBytes() & 3) == 0 ? 0 : 1;
            }
            assertThat(odd).as("seed %d", seed).isLessThanOrEqualTo(1);
            int header = RpcRdmaEncoder.headerBytes(lists(plan));
            assertThat(header + (plan.form() == Form.LONG ? 0 : inline))
                    .as("seed %d", seed)
                    .isLessThanOrEqualTo(thresholds.callBytes());
            int reduced = replyBytes;
            for (int r = 0; r < plan.writeChunkBytes().size(); r++) {
                assertThat(plan.writeChunkBytes().get(r)).isGreaterThanOrEqualTo(results.get(r));
                reduced -= results.get(r) + 3 & ~3;
            }
            int replyHeader = 28 + 24 * plan.writeChunkBytes().size();
            assertThat(plan.replyChunkBytes())
                    .as("seed %d", seed)
                    .isEqualTo(replyHeader + reduced <= thresholds.replyBytes() ? 0 : reduced);
        }
    }

    private static ChunkLists lists(CallPlan plan) {
        PlainSegment segment = new PlainSegment(1, 1, 1);
        List<ReadSegment> readList = new ArrayList<>();
        plan.readChunks().forEach(item -> readList.add(new ReadSegment(item.offset(), segment)));
        if (plan.form() == Form.LONG) {
            readList.add(new ReadSegment(0, segment));
        }
        List<WriteChunk> writeList = new ArrayList<>();
        plan.writeChunkBytes().forEach(bytes -> writeList.add(new WriteChunk(List.of(segment))));
        return new ChunkLists(
                readList, writeList, plan.replyChunkBytes() == 0 ? null : new WriteChunk(List.of(segment)));
    }

    private static XdrItem item(int offset, int lengthBytes) {
        return new XdrItem(offset, lengthBytes);
    }
}
