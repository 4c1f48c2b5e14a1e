// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.nettyrdma.conformance.Requirement;
import io.nettyrdma.rpc.message.XdrItem;
import io.nettyrdma.rpc.wire.header.ChunkLists;
import io.nettyrdma.rpc.wire.header.PlainSegment;
import io.nettyrdma.rpc.wire.header.ReadSegment;
import io.nettyrdma.rpc.wire.header.WriteChunk;
import java.util.List;
import org.junit.jupiter.api.Test;

class SegmentLimitsTest {

    private static final SegmentLimits LIMITS = new SegmentLimits(100, 16);

    @Test
    @Requirement({"V2-032", "V2-088"})
    void eachChunkIsCutIntoPartsOfOneHandle() {
        ChunkLists lists = new ChunkLists(
                List.of(new ReadSegment(8, new PlainSegment(1, 201, 1000))),
                List.of(new WriteChunk(List.of(new PlainSegment(2, 100, 2000)))),
                new WriteChunk(List.of(new PlainSegment(3, 101, 3000))));

        assertThat(LIMITS.cut(lists))
                .isEqualTo(new ChunkLists(
                        List.of(
                                new ReadSegment(8, new PlainSegment(1, 100, 1000)),
                                new ReadSegment(8, new PlainSegment(1, 100, 1100)),
                                new ReadSegment(8, new PlainSegment(1, 1, 1200))),
                        List.of(new WriteChunk(List.of(new PlainSegment(2, 100, 2000)))),
                        new WriteChunk(List.of(new PlainSegment(3, 100, 3000), new PlainSegment(3, 1, 3100)))));
        assertThat(SegmentLimits.NONE.cut(lists)).isSameAs(lists);
    }

    /** Before anything is registered or cut, as a peer could ask for segments of one octet. */
    @Test
    void segmentsOfAPlanAreCountedWithoutMakingThem() {
        CallPlan plan = new CallPlan(CallPlan.Form.INLINE, List.of(new XdrItem(44, 201)), List.of(100, 101), 1);

        assertThat(LIMITS.count(plan, 500)).isEqualTo(3 + 1 + 2 + 1);
        assertThat(new SegmentLimits(1, 16).count(plan, 500)).isEqualTo(201 + 201 + 1);
        assertThat(LIMITS.count(new CallPlan(CallPlan.Form.LONG, List.of(), List.of(), 0), 500))
                .isEqualTo(5);
    }

    @Test
    void thereAreNoChunksWhereASegmentHasNoOctetsOrAHeaderNoSegments() {
        assertThat(new SegmentLimits(0, 16).allowChunks()).isFalse();
        assertThat(new SegmentLimits(100, 0).allowChunks()).isFalse();
        assertThat(LIMITS.allowChunks()).isTrue();
    }
}
