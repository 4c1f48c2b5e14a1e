// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.Unpooled;
import io.nettyrdma.conformance.Requirement;
import io.nettyrdma.rpc.kit.Vectors;
import io.nettyrdma.rpc.kit.Vectors.Vector;
import io.nettyrdma.rpc.wire.Direction;
import io.nettyrdma.rpc.wire.header.ChunkLists;
import io.nettyrdma.rpc.wire.header.DecodeLimits;
import io.nettyrdma.rpc.wire.header.RpcRdmaMessage;
import io.nettyrdma.rpc.wire.v1.RpcRdmaDecoder;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The golden replies against the check of returned chunks, as if the call had offered exactly those. */
class ReplyVectorsTest {

    static Stream<Vector> replies() {
        return Vectors.load("v1-pos")
                .filter(it -> it.direction() == Direction.REPLY && it.fields().has("write_list"));
    }

    @ParameterizedTest
    @MethodSource("replies")
    @Requirement({"V1-099", "V1-134"})
    void replyMatchesTheCallThatOfferedItsChunksAndNoOther(Vector vector) {
        RpcRdmaMessage reply = (RpcRdmaMessage) new RpcRdmaDecoder(DecodeLimits.NONE)
                .decode(Unpooled.wrappedBuffer(vector.octets("hex")), Direction.REPLY);
        ChunkLists offered = Vectors.chunks(vector.fields());

        assertThat(ReplyCheck.check(offered, reply.chunks())).isEqualTo(ReplyCheck.Verdict.MATCHES);
        boolean used = offered.writeList().stream().anyMatch(chunk -> chunk.lengthBytes() != 0)
                || offered.replyChunk() != null && offered.replyChunk().lengthBytes() != 0;
        assertThat(ReplyCheck.check(ChunkLists.ABSENT, reply.chunks()))
                .isEqualTo(used ? ReplyCheck.Verdict.NOT_OFFERED : ReplyCheck.Verdict.MATCHES);
    }
}
