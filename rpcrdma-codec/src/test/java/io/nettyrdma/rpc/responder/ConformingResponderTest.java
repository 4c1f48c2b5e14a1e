// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.responder;

import static io.nettyrdma.rpc.kit.OpaqueMessages.call;
import static io.nettyrdma.rpc.kit.OpaqueMessages.chunk;
import static io.nettyrdma.rpc.kit.OpaqueMessages.pattern;
import static io.nettyrdma.rpc.kit.OpaqueMessages.reads;
import static io.nettyrdma.rpc.kit.OpaqueMessages.reply;
import static io.nettyrdma.rpc.kit.OpaqueMessages.without;
import static io.nettyrdma.rpc.kit.OpaqueMessages.writes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.AbstractByteBufAllocator;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.nettyrdma.channel.Over;
import io.nettyrdma.channel.RdmaMemory;
import io.nettyrdma.conformance.Requirement;
import io.nettyrdma.rpc.RpcRdmaConfig;
import io.nettyrdma.rpc.TestLimits;
import io.nettyrdma.rpc.engine.OwedAnswer;
import io.nettyrdma.rpc.engine.ResponderEngine;
import io.nettyrdma.rpc.kit.OpaquesBinding;
import io.nettyrdma.rpc.kit.RawRequester;
import io.nettyrdma.rpc.kit.TestProgram;
import io.nettyrdma.rpc.wire.header.ChunkLists;
import io.nettyrdma.rpc.wire.header.PlainSegment;
import io.nettyrdma.rpc.wire.header.ReadSegment;
import io.nettyrdma.rpc.wire.header.RpcRdmaMessage;
import io.nettyrdma.rpc.wire.header.WriteChunk;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What a requester may choose, and what it may rely on whatever it has chosen. */
@Over
final class ConformingResponderTest {

    private static final int XID = 0x1234;
    private static final int ARGUMENTS = TestProgram.CALL_BYTES;
    private static final RpcRdmaMessage ERR_CHUNK = new RpcRdmaMessage.ErrorMsg(XID, 1, 64, null);

    private static RpcRdmaConfig.Builder config() {
        return RpcRdmaConfig.builder().bindings(OpaquesBinding.BINDINGS);
    }

    private static RpcRdmaMessage.Msg msg(ChunkLists chunks) {
        return new RpcRdmaMessage.Msg(XID, 1, 32, chunks);
    }

    @Test
    @Requirement("V1-059")
    void anyOfTheReducibleArgumentsMayBeInChunks() throws Exception {
        try (RawRequester requester = new RawRequester(config())) {
            byte[] first = pattern(101, 1);
            byte[] second = pattern(70, 2);
            byte[] call = call(OpaquesBinding.OPAQUES, first, second);
            int firstAt = ARGUMENTS + 4;
            int secondAt = firstAt + 104 + 4;
            ReadSegment ofFirst = new ReadSegment(firstAt, RawRequester.segment(requester.readable(first)));
            ReadSegment ofSecond = new ReadSegment(secondAt, RawRequester.segment(requester.readable(second)));

            requester.send(msg(ChunkLists.ABSENT), call);
            assertThat(requester.call()).isEqualTo(call);
            requester.reply();
            requester.send(msg(reads(ofFirst)), without(call, firstAt, 104));
            assertThat(requester.call()).isEqualTo(call);
            requester.reply();
            requester.send(msg(reads(ofSecond)), without(call, secondAt, 72));
            assertThat(requester.call()).isEqualTo(call);
            requester.reply();
            requester.send(msg(reads(ofFirst, ofSecond)), without(without(call, secondAt, 72), firstAt, 104));
            assertThat(requester.call()).isEqualTo(call);
            requester.reply();
        }
    }

    @Test
    @Requirement("V1-065")
    void callOfAnySizeMayBeLong() throws Exception {
        try (RawRequester requester = new RawRequester(config())) {
            byte[] nullCall = call(OpaquesBinding.FIXED);
            assertThat(nullCall).hasSize(40);
            RdmaMemory memory = requester.readable(nullCall);

            requester.send(
                    new RpcRdmaMessage.NoMsg(XID, 1, 32, reads(new ReadSegment(0, RawRequester.segment(memory)))),
                    new byte[0]);

            assertThat(requester.call()).isEqualTo(nullCall);
            assertThat(requester.reply().header()).isEqualTo(new RpcRdmaMessage.Msg(XID, 1, 64, ChunkLists.ABSENT));
        }
    }

    @Test
    @Requirement({"V1-092", "V1-093", "V1-094"})
    void resultTakesTheFirstChunkThatIsLeft() throws Exception {
        try (RawRequester requester = new RawRequester(config())) {
            byte[] data = pattern(900, 7);
            requester.service = ignored -> Unpooled.wrappedBuffer(reply(data)); // of two results one was not produced
            RdmaMemory first = requester.writable(1_000);
            RdmaMemory second = requester.writable(1_000);
            WriteChunk unused = chunk(RawRequester.segment(second));

            requester.send(msg(writes(chunk(RawRequester.segment(first)), unused)), call(OpaquesBinding.OPAQUES));

            assertThat(requester.reply().header())
                    .isEqualTo(new RpcRdmaMessage.Msg(
                            XID, 1, 64, writes(chunk(RawRequester.segment(first, 0, 900)), unused.asUnused())));
            assertThat(requester.content(first)).startsWith(data);
            assertThat(requester.content(second)).containsOnly(0xee);
        }
    }

    @Test
    @Requirement("V1-136")
    void moreChunksThanAreAllowedAreRefused() throws Exception {
        try (RawRequester requester =
                new RawRequester(TestLimits.maxWriteChunks(TestLimits.maxReadChunks(config(), 1), 1))) {
            byte[] call = call(OpaquesBinding.OPAQUES, pattern(8, 1), pattern(8, 2));
            PlainSegment readable = RawRequester.segment(requester.readable(pattern(8, 1)));
            WriteChunk writable = chunk(RawRequester.segment(requester.writable(8)));

            requester.send(msg(writes(writable, writable)), call);
            assertThat(requester.reply().header()).isEqualTo(ERR_CHUNK);
            requester.send(
                    msg(reads(new ReadSegment(ARGUMENTS + 4, readable), new ReadSegment(ARGUMENTS + 16, readable))),
                    without(without(call, ARGUMENTS + 16, 8), ARGUMENTS + 4, 8));
            assertThat(requester.reply().header()).isEqualTo(ERR_CHUNK);
            assertThat(requester.calls).isEmpty();

            requester.send(
                    msg(new ChunkLists(List.of(new ReadSegment(ARGUMENTS + 4, readable)), List.of(writable), null)),
                    without(call, ARGUMENTS + 4, 8));
            assertThat(requester.call()).isEqualTo(call);
            requester.reply();
        }
    }

    @Test
    @Requirement("V1-136")
    void procedureWhoseArgumentsStayWholeIsRefusedWithoutARead() throws Exception {
        try (RawRequester requester = new RawRequester(config())) {
            byte[] call = call(OpaquesBinding.FIXED, pattern(8, 1));
            PlainSegment readable = RawRequester.segment(requester.readable(pattern(8, 1)));

            requester.send(msg(reads(new ReadSegment(ARGUMENTS + 4, readable))), without(call, ARGUMENTS + 4, 8));

            assertThat(requester.reply().header()).isEqualTo(ERR_CHUNK);
            assertThat(requester.posted).containsExactly("send");
        }
    }

    @Test
    @Requirement({"V1-013", "V1-017"})
    void grantIsAtLeastOneAndAtMostWhatReceivesArePostedFor() {
        ResponderEngine engine = new ResponderEngine(4, 4, 1_000);
        for (int credits : new int[] {0, -1, 5}) {
            assertThatThrownBy(() -> engine.setCredits(credits)).isInstanceOf(IllegalArgumentException.class);
        }
        engine.setCredits(1);
        engine.setCredits(4);
        assertThat(engine.credits()).isEqualTo(4);
    }

    @Test
    @Requirement({"V1-003", "V1-042"})
    void paddingIsZeroWhateverTheMemoryHeldBefore() {
        for (int bytes = 1; bytes < 10; bytes++) {
            ReadSegment read = new ReadSegment(8, new PlainSegment(9, bytes, 0));
            var engine = new ResponderEngine(1, 1, 1_000);
            var pull = (ResponderEngine.Reception.Pull) engine.received(msg(reads(read)), 8, 0, OwedAnswer.NOT_COUNTED);
            CallAssembly assembly =
                    new CallAssembly(pull.call(), pull.plan(), Unpooled.buffer().writeZero(8), 99);
            assembly.allocate(new UsedMemory());

            ByteBuf message = assembly.assemble(new UsedMemory());

            List<Byte> expected = new ArrayList<>(Collections.nCopies(8, (byte) 0));
            expected.addAll(Collections.nCopies(bytes, (byte) 0xee));
            expected.addAll(Collections.nCopies(-bytes & 3, (byte) 0));
            assertThat(ByteBufUtil.getBytes(message)).containsExactly(expected.toArray(new Byte[0]));
            message.release();
        }
    }

    /** Buffers full of what somebody else has left. */
    private static final class UsedMemory extends AbstractByteBufAllocator {
        private final UnpooledByteBufAllocator alloc = new UnpooledByteBufAllocator(true);

        @Override
        protected ByteBuf newHeapBuffer(int initialCapacity, int maxCapacity) {
            throw new AssertionError("chunks are pulled into direct memory");
        }

        @Override
        protected ByteBuf newDirectBuffer(int initialCapacity, int maxCapacity) {
            ByteBuf buffer = alloc.directBuffer(initialCapacity, maxCapacity);
            for (int i = 0; i < initialCapacity; i++) {
                buffer.setByte(i, 0xee);
            }
            return buffer;
        }

        @Override
        public boolean isDirectBufferPooled() {
            return false;
        }
    }
}
