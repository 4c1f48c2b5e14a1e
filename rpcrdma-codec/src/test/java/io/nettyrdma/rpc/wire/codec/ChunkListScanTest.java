// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.wire.codec;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.nettyrdma.rpc.wire.header.ChunkLists;
import io.nettyrdma.rpc.wire.header.DecodeLimits;
import io.nettyrdma.rpc.wire.header.PlainSegment;
import io.nettyrdma.rpc.wire.header.ReadSegment;
import io.nettyrdma.rpc.wire.header.Rejection.Reaction;
import io.nettyrdma.rpc.wire.header.WriteChunk;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Chunk lists that begin where the header of some version has them. */
class ChunkListScanTest {

    private static final PlainSegment SEGMENT = new PlainSegment(7, 40, 0x1234_5678_9abcL);
    private static final ChunkLists LISTS = new ChunkLists(
            List.of(new ReadSegment(16, SEGMENT), new ReadSegment(8, SEGMENT)),
            List.of(new WriteChunk(List.of(SEGMENT, SEGMENT)), new WriteChunk(List.of())),
            new WriteChunk(List.of(SEGMENT)));
    private static final int PAYLOAD_BYTES = 20;

    private final Defect defect = new Defect();
    private final ChunkListScan scan = new ChunkListScan(DecodeLimits.NONE, defect);

    /** A message behind other octets of its buffer. */
    private static ByteBuf message(int first) {
        ByteBuf message = Unpooled.buffer().writeZero(3).skipBytes(3);
        message.writeBytes(new byte[first]);
        ChunkListCodec.write(LISTS, message);
        return message.writeBytes(new byte[PAYLOAD_BYTES]);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 16, 24})
    void listsAreReadAsTheyWereWritten(int first) {
        ByteBuf message = message(first);

        assertThat(scan.scan(message, first)).isTrue();
        assertThat(scan.end()).isEqualTo(first + LISTS.encodedBytes());
        assertThat(scan.read(message)).isEqualTo(LISTS);
        assertThat(message.readableBytes()).isEqualTo(scan.end() + PAYLOAD_BYTES);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 16, 24})
    void segmentsAndChunksAreCounted(int first) {
        ByteBuf message = message(first);

        assertThat(scan.scan(message, first)).isTrue();
        assertThat(scan.segments()).isEqualTo(2 + 2 + 1);
        assertThat(scan.readChunks(message)).isEqualTo(2);
        assertThat(scan.writeChunks()).isEqualTo(2);
        message.setInt(message.readerIndex() + first + 4, 8);
        assertThat(scan.scan(message, first)).isTrue();
        assertThat(scan.readChunks(message)).isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 16, 24})
    void placementDoesNotDependOnTheHeader(int first) {
        ByteBuf message = message(first);
        assertThat(scan.scan(message, first)).isTrue();

        assertThat(scan.checkPlacement(message, true, PAYLOAD_BYTES)).isFalse(); // 8 + 40 octets end behind 16
        assertThat(defect.rejection(Reaction.ERR_CHUNK, 1, 1).octet()).isEqualTo(first + 4);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 16, 24})
    void defectsAreCountedFromTheStartOfTheHeader(int first) {
        ByteBuf message = message(first);
        message.setInt(message.readerIndex() + first, 2);

        assertThat(scan.scan(message, first)).isFalse();
        assertThat(defect.rejection(Reaction.ERR_CHUNK, 1, 1).octet()).isEqualTo(first);
    }
}
