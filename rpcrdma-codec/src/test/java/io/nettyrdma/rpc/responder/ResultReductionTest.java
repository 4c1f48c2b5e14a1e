// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.responder;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.nettyrdma.conformance.Requirement;
import io.nettyrdma.rpc.RpcRdmaConfig;
import io.nettyrdma.rpc.RpcRdmaResponderHandler;
import io.nettyrdma.rpc.TestLimits;
import io.nettyrdma.rpc.kit.OpaqueMessages;
import io.nettyrdma.rpc.kit.OpaquesBinding;
import io.nettyrdma.rpc.kit.PeerMemory;
import io.nettyrdma.rpc.kit.TestPipeline;
import io.nettyrdma.rpc.wire.Direction;
import io.nettyrdma.rpc.wire.header.ChunkLists;
import io.nettyrdma.rpc.wire.header.DecodeLimits;
import io.nettyrdma.rpc.wire.header.PlainSegment;
import io.nettyrdma.rpc.wire.header.RpcRdmaMessage;
import io.nettyrdma.rpc.wire.header.WriteChunk;
import io.nettyrdma.rpc.wire.v1.RpcRdmaDecoder;
import io.nettyrdma.rpc.wire.v1.RpcRdmaEncoder;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A responder puts into write chunks what the binding of the call's program names, and nothing else. */
class ResultReductionTest {

    private static final WriteChunk CHUNK = new WriteChunk(List.of(new PlainSegment(9, 100, 0)));
    private static final byte[] RESULT = OpaqueMessages.pattern(8, 1);
    private static final byte[] REPLY = OpaqueMessages.reply(RESULT);

    private final PeerMemory memory = new PeerMemory().holdingWrites();

    /** The write chunk of a reply, and its payload stream. */
    private record Answer(WriteChunk chunk, String payload) {}

    /** What a call that offers a write chunk is answered with. */
    private Answer answer(byte[] call) {
        RpcRdmaConfig config = TestLimits.maxPushingWrites(RpcRdmaConfig.builder(), 1)
                .bindings(OpaquesBinding.BINDINGS)
                .build();
        try (TestPipeline pipeline = new TestPipeline(new RpcRdmaResponderHandler(config), memory)) {
            pipeline.receive(
                    new RpcRdmaMessage.Msg(0x1234, 1, 9, new ChunkLists(List.of(), List.of(CHUNK), null)),
                    ByteBufUtil.hexDump(call));
            assertThat(pipeline.delivered()).isEqualTo(ByteBufUtil.hexDump(call));
            pipeline.channel.writeAndFlush(pipeline.buffer(REPLY));
            while (memory.writesWaiting() > 0) {
                assertThat(memory.completeWrite()).isEqualTo(RESULT);
            }
            pipeline.channel.flushOutbound();
            String sent = pipeline.sent();
            RpcRdmaMessage.Msg header = (RpcRdmaMessage.Msg) new RpcRdmaDecoder(DecodeLimits.NONE)
                    .decode(Unpooled.wrappedBuffer(ByteBufUtil.decodeHexDump(sent)), Direction.REPLY);
            return new Answer(
                    header.chunks().writeList().get(0),
                    sent.substring(2 * RpcRdmaEncoder.headerBytes(header.chunks())));
        }
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource({
        "result that the binding names,          1, 2, true",
        "result that the binding does not name,  0, 2, false",
        "result of a call of no version of RPC,  1, 3, false"
    })
    @Requirement("V1-028")
    void resultGoesToTheChunkIfTheBindingNamesIt(String what, int procedure, int rpcVersion, boolean reduced) {
        byte[] call = OpaqueMessages.call(procedure, new byte[0]);
        call[11] = (byte) rpcVersion;

        Answer answer = answer(call);

        int resultBytes = reduced ? RESULT.length : 0;
        assertThat(answer.chunk().lengthBytes()).isEqualTo(resultBytes);
        assertThat(answer.payload()).isEqualTo(ByteBufUtil.hexDump(REPLY, 0, REPLY.length - resultBytes));
    }
}
