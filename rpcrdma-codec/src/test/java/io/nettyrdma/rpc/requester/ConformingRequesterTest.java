// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.requester;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.util.concurrent.Future;
import io.nettyrdma.channel.Over;
import io.nettyrdma.conformance.Requirement;
import io.nettyrdma.rpc.RpcRdmaClient;
import io.nettyrdma.rpc.RpcRdmaClient.Retransmission;
import io.nettyrdma.rpc.RpcRdmaConfig;
import io.nettyrdma.rpc.RpcRdmaRequester;
import io.nettyrdma.rpc.TestLimits;
import io.nettyrdma.rpc.kit.RdmaLoopback;
import io.nettyrdma.rpc.kit.ScriptedLoopback;
import io.nettyrdma.rpc.kit.ScriptedResponder.Exchange;
import io.nettyrdma.rpc.kit.TestProgram;
import io.nettyrdma.rpc.message.RpcHeaders;
import io.nettyrdma.rpc.message.RpcRdmaCall;
import io.nettyrdma.rpc.wire.header.ChunkLists;
import io.nettyrdma.rpc.wire.header.ReadSegment;
import io.nettyrdma.rpc.wire.header.RpcRdmaMessage;
import io.nettyrdma.rpc.wire.header.WriteChunk;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** How a requester treats the memory it exposes, and answers it does not like. */
@Over
final class ConformingRequesterTest extends ScriptedLoopback {

    private static final RpcRdmaConfig CONFIG =
            RpcRdmaConfig.builder().bindings(TestProgram.BINDINGS).build();

    @Test
    @Requirement({"V1-036", "V1-039"})
    void positionsCountTheArgumentsInEarlierChunksAndTheirPadding() throws Exception {
        RpcRdmaRequester requester =
                RpcRdmaRequester.of(loopback.connect(TestLimits.readChunksPerCall(RpcRdmaConfig.builder(), 2)
                        .bindings(TestProgram.BINDINGS)
                        .build()));

        TestProgram.check(requester, TestProgram.call(1, List.of(5001, 6000), List.of(4), 0));

        ChunkLists chunks = next().chunks;
        int first = TestProgram.CALL_BYTES + 8;
        assertThat(chunks.readList())
                .extracting(ReadSegment::position)
                .containsExactly((long) first, first + 5004L + 4);
        assertThat(chunks.readList())
                .extracting(it -> it.segment().lengthBytes())
                .containsExactly(5001L, 6000L);
    }

    /** The responder leaves other octets behind what it says it wrote, which it may do while it can write there. */
    @Test
    @Requirement("V1-095")
    void whatIsBehindTheReturnedLengthIsNotLookedAt() throws Exception {
        RpcRdmaRequester requester = RpcRdmaRequester.of(loopback.connect(CONFIG));
        for (int bytes : new int[] {5001, 0}) {
            ByteBuf shorter = TestProgram.call(requester.nextXid(), List.of(), List.of(bytes), 8);
            ByteBuf expected = TestProgram.reply(shorter);
            ByteBuf target = Unpooled.directBuffer(9000, 9000);
            script = exchange -> {
                WriteChunk offered = exchange.chunks.writeList().get(0);
                exchange.push(TestProgram.pattern(9000, 0x55), offered);
                int at = TestProgram.ACCEPTED_REPLY_BYTES + 8;
                WriteChunk used = exchange.push(expected.retainedSlice(at, bytes), offered);
                int rest = at + (bytes + 3 & ~3);
                ByteBuf stream = Unpooled.buffer().writeBytes(expected, 0, at);
                stream.writeBytes(expected, rest, expected.readableBytes() - rest);
                exchange.sendMsg(used, stream);
            };
            ByteBuf call = TestProgram.call(RpcHeaders.xid(shorter), List.of(), List.of(9000), 8);

            ByteBuf reply = RdmaLoopback.await(
                            requester.call(RpcRdmaCall.of(call).replyInto(target)), "call")
                    .getNow();

            assertThat(ByteBufUtil.getBytes(reply)).isEqualTo(ByteBufUtil.getBytes(expected));
            assertThat(target.writerIndex()).isEqualTo(bytes);
            reply.release();
            shorter.release();
            expected.release();
            target.release();
        }
    }

    @Test
    @Requirement({"V1-142", "V1-143"})
    void memoryIsExposedForOneCallWhenItIsSentAndUnderAKeyOfItsOwn() throws Exception {
        RpcRdmaRequester requester = RpcRdmaRequester.of(loopback.connect(CONFIG));
        script = exchange -> {};
        List<Future<ByteBuf>> replies = new ArrayList<>();
        for (int xid = 1; xid <= 3; xid++) {
            replies.add(requester.call(TestProgram.call(xid, List.of(9000), List.of(9000), 0)));
        }
        Exchange first = next();
        assertThat(loopback.memory.accesses).hasSize(2); // the others wait for credits and expose nothing
        script = Exchange::answer;
        first.ctx.executor().execute(first::answer);

        for (Future<ByteBuf> reply : replies) {
            RdmaLoopback.answered(reply, "reply");
        }
        List<Integer> handles = new ArrayList<>();
        for (Exchange exchange : List.of(first, next(), next())) {
            exchange.chunks.readList().forEach(it -> handles.add(it.segment().handle()));
            exchange.chunks.writeList().forEach(chunk -> chunk.segments().forEach(it -> handles.add(it.handle())));
        }
        assertThat(handles).hasSize(6).doesNotHaveDuplicates();
        assertThat(loopback.memory.exposed).hasValue(0);
    }

    @Test
    @Requirement("BIS-011")
    void emptyChunksAreNeverSentAndErrChunkIsNotAnsweredByTryingAgain() throws Exception {
        RpcRdmaClient client = RdmaLoopback.client(loopback.group, loopback.address())
                .config(TestLimits.writeChunksPerCall(RpcRdmaConfig.builder(), 2)
                        .bindings(TestProgram.BINDINGS)
                        .build())
                .retransmission(Retransmission.ALL)
                .build();
        script = it -> it.send(new RpcRdmaMessage.ErrorMsg(it.header.xid(), 1, 8, null), null);

        Future<ByteBuf> refused = client.call(TestProgram.call(1, List.of(), List.of(9000, 0), 0));

        assertThat(RdmaLoopback.failure(refused)).hasFieldOrPropertyWithValue("code", "ERR_CHUNK");
        assertThat(next().chunks.writeList()).hasSize(1).noneMatch(chunk -> chunk.lengthBytes() == 0);
        script = Exchange::answer;
        TestProgram.check(client::call, 1, () -> TestProgram.call(2, List.of(), List.of(9000), 0), "second call");
        assertThat(next().header.xid()).isEqualTo(2);
        assertThat(arrived).isEmpty();
        RdmaLoopback.await(client.closeAsync(), "close");
    }
}
