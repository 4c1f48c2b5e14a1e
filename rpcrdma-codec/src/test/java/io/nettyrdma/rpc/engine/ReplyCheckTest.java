// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.nettyrdma.conformance.Requirement;
import io.nettyrdma.rpc.engine.ReplyCheck.Verdict;
import io.nettyrdma.rpc.wire.header.ChunkLists;
import io.nettyrdma.rpc.wire.header.PlainSegment;
import io.nettyrdma.rpc.wire.header.WriteChunk;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class ReplyCheckTest {

    private static final WriteChunk FIRST = chunk(segment(1, 100, 0), segment(2, 50, 8));
    private static final WriteChunk SECOND = chunk(segment(3, 100, 16));
    private static final WriteChunk REPLY = chunk(segment(4, 100, -8));
    private static final ChunkLists OFFERED = lists(List.of(FIRST, SECOND), REPLY);

    static Stream<Arguments> returned() {
        WriteChunk partly = chunk(segment(1, 100, 0), segment(2, 0, 8));
        return Stream.of(
                Arguments.of("all full", OFFERED, Verdict.MATCHES),
                Arguments.of("all unused", OFFERED.asUnused(), Verdict.MATCHES),
                Arguments.of("partly used", lists(List.of(partly, SECOND.asUnused()), REPLY), Verdict.MATCHES),
                Arguments.of("nothing returned", ChunkLists.ABSENT, Verdict.MATCHES),
                Arguments.of("no write list", lists(List.of(), REPLY), Verdict.MATCHES),
                Arguments.of("no reply chunk", lists(List.of(FIRST, SECOND), null), Verdict.MATCHES),
                Arguments.of("one write chunk missing", lists(List.of(FIRST), REPLY), Verdict.DIFFERS),
                Arguments.of("other order", lists(List.of(SECOND, FIRST), REPLY), Verdict.DIFFERS),
                Arguments.of(
                        "one used write chunk more", lists(List.of(FIRST, SECOND, SECOND), null), Verdict.NOT_OFFERED),
                Arguments.of(
                        "one unused write chunk more",
                        lists(List.of(FIRST, SECOND, SECOND.asUnused()), null),
                        Verdict.MATCHES),
                Arguments.of(
                        "segment missing", lists(List.of(chunk(segment(1, 100, 0)), SECOND), REPLY), Verdict.DIFFERS),
                Arguments.of("other handle", lists(List.of(FIRST, chunk(segment(5, 100, 16))), REPLY), Verdict.DIFFERS),
                Arguments.of("other offset", lists(List.of(FIRST, chunk(segment(3, 100, 17))), REPLY), Verdict.DIFFERS),
                Arguments.of(
                        "more than offered", lists(List.of(FIRST, chunk(segment(3, 101, 16))), REPLY), Verdict.DIFFERS),
                Arguments.of("other reply chunk", lists(List.of(), chunk(segment(4, 100, 0))), Verdict.DIFFERS),
                Arguments.of(
                        "reply chunk overrun", lists(List.of(), chunk(segment(4, 0xffff_ffffL, -8))), Verdict.DIFFERS));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("returned")
    @Requirement({"V1-107", "V1-134", "V1-099"})
    void returnedChunksAreThoseOfTheCall(String name, ChunkLists returned, Verdict verdict) {
        assertThat(ReplyCheck.check(OFFERED, returned)).isEqualTo(verdict);
    }

    @Test
    @Requirement("V1-134")
    void replyChunkNobodyOfferedMayNotBeUsed() {
        ChunkLists used = lists(List.of(), REPLY);

        assertThat(ReplyCheck.check(ChunkLists.ABSENT, used)).isEqualTo(Verdict.NOT_OFFERED);
    }

    private static ChunkLists lists(List<WriteChunk> writeList, WriteChunk replyChunk) {
        return new ChunkLists(List.of(), writeList, replyChunk);
    }

    private static WriteChunk chunk(PlainSegment... segments) {
        return new WriteChunk(List.of(segments));
    }

    private static PlainSegment segment(int handle, long lengthBytes, long offset) {
        return new PlainSegment(handle, lengthBytes, offset);
    }
}
