// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.responder;

import static io.nettyrdma.rpc.error.ConnectionFailedException.Reason.TOO_SLOW;
import static io.nettyrdma.rpc.error.MessageNotAcceptedException.Reason.UNKNOWN_XID;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.AbstractByteBufAllocator;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.embedded.EmbeddedChannel;
import io.nettyrdma.channel.FailedWorkRequest;
import io.nettyrdma.conformance.Requirement;
import io.nettyrdma.rpc.RpcRdmaConfig;
import io.nettyrdma.rpc.RpcRdmaResponderHandler;
import io.nettyrdma.rpc.TestLimits;
import io.nettyrdma.rpc.engine.OwedAnswer;
import io.nettyrdma.rpc.engine.ReadPlan;
import io.nettyrdma.rpc.engine.ResponderCall;
import io.nettyrdma.rpc.engine.ResponderEngine;
import io.nettyrdma.rpc.kit.ExhaustedAllocator;
import io.nettyrdma.rpc.kit.PeerMemory;
import io.nettyrdma.rpc.kit.TestPipeline;
import io.nettyrdma.rpc.message.RpcCallRefusal;
import io.nettyrdma.rpc.wire.header.ChunkLists;
import io.nettyrdma.rpc.wire.header.PlainSegment;
import io.nettyrdma.rpc.wire.header.ReadSegment;
import io.nettyrdma.rpc.wire.header.RpcRdmaMessage;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Calls that wait for their chunks, with a peer whose memory answers when the test says so. */
class ChunkReaderTest {

    private static final int CALL_BYTES = 100;
    private static final int WINDOW = 4;
    private static final String ERR_CHUNK = "00000001" + "00000040" + "00000004" + "00000002";

    private final PeerMemory memory = new PeerMemory().holding();
    private final TestPipeline pipeline = new TestPipeline(
            new RpcRdmaResponderHandler(TestLimits.maxPullingReads(RpcRdmaConfig.builder(), WINDOW)
                    .maxPullingBytes(2 * CALL_BYTES)
                    .peerTimeout(Duration.ofSeconds(5))
                    .build()),
            memory);
    private final EmbeddedChannel channel = pipeline.channel;

    @AfterEach
    void nothingIsLeft() {
        pipeline.close();
    }

    /** A long call of so many octets. */
    private void receive(int xid, int bytes) {
        ReadSegment segment = new ReadSegment(0, new PlainSegment(9, bytes, 0));
        pipeline.receive(new RpcRdmaMessage.NoMsg(xid, 1, 9, new ChunkLists(List.of(segment), List.of(), null)), "");
    }

    /** A long call in segments of so many octets. */
    private void receiveInSegmentsOf(int xid, int segmentBytes) {
        List<ReadSegment> segments = new ArrayList<>();
        for (int at = 0; at < CALL_BYTES; at += segmentBytes) {
            segments.add(new ReadSegment(0, new PlainSegment(9, segmentBytes, at)));
        }
        pipeline.receive(new RpcRdmaMessage.NoMsg(xid, 1, 9, new ChunkLists(segments, List.of(), null)), "");
    }

    /** Answers the oldest Read of such a call. */
    private void completeSegment(int xid, int segmentBytes, int index) {
        byte[] call = content(xid, CALL_BYTES);
        memory.complete(Arrays.copyOfRange(call, index * segmentBytes, (index + 1) * segmentBytes));
    }

    private static byte[] content(int xid, int bytes) {
        byte[] content = new byte[bytes];
        Unpooled.wrappedBuffer(content).setInt(0, xid);
        return content;
    }

    @Test
    void callsBeyondTheBoundWaitInOrder() {
        for (int xid = 1; xid <= 5; xid++) {
            receive(xid, CALL_BYTES);
        }
        assertThat(memory.waiting()).isEqualTo(2);
        assertThat(pipeline.delivered()).isEqualTo("none");

        for (int xid = 1; xid <= 5; xid++) {
            memory.complete(content(xid, CALL_BYTES));
            assertThat(memory.waiting()).isEqualTo(Math.min(2, 5 - xid));
            assertThat(pipeline.delivered()).isEqualTo(ByteBufUtil.hexDump(content(xid, CALL_BYTES)));
        }
    }

    @Test
    void callBeyondTheBoundByItselfIsPulledAlone() {
        receive(1, CALL_BYTES);
        receive(2, 3 * CALL_BYTES);
        receive(3, 4);
        assertThat(memory.waiting()).isEqualTo(1);

        memory.complete(content(1, CALL_BYTES));
        assertThat(memory.waiting()).isEqualTo(1);
        memory.complete(content(2, 3 * CALL_BYTES));
        assertThat(memory.waiting()).isEqualTo(1);
        memory.complete(new byte[4]);

        assertThat(pipeline.delivered()).startsWith("00000001");
        assertThat(pipeline.delivered()).startsWith("00000002");
        assertThat(pipeline.sent()).isEqualTo("00000003" + ERR_CHUNK); // too short for a call
    }

    @Test
    void readsAreWrittenAWindowAtATime() {
        receiveInSegmentsOf(1, 10);
        receiveInSegmentsOf(2, 50);
        assertThat(memory.waiting()).isEqualTo(WINDOW);

        int completed = 0;
        for (int waiting : new int[] {3, 4, 3, 4, 3, 4, 3, 4, 3, 2}) { // refilled when half of the window is left
            completeSegment(1, 10, completed++);
            assertThat(memory.waiting()).as("after %d Reads", completed).isEqualTo(waiting);
        }
        assertThat(pipeline.delivered()).isEqualTo(ByteBufUtil.hexDump(content(1, CALL_BYTES)));
        completeSegment(2, 50, 0);
        completeSegment(2, 50, 1);
        assertThat(pipeline.delivered()).isEqualTo(ByteBufUtil.hexDump(content(2, CALL_BYTES)));
        assertThat(memory.waiting()).isZero();
    }

    @Test
    void requesterThatServesNoReadInTimeLosesTheConnection() {
        pipeline.pass(3, TimeUnit.HOURS); // nothing to be served
        receiveInSegmentsOf(1, 50);
        pipeline.pass(4999, TimeUnit.MILLISECONDS);
        assertThat(channel.isOpen()).isTrue();

        pipeline.pass(1, TimeUnit.MILLISECONDS);

        assertThat(channel.isOpen()).isFalse();
        assertThatThrownBy(channel::checkException)
                .hasFieldOrPropertyWithValue("reason", TOO_SLOW)
                .hasMessageContaining("0x1")
                .hasMessageContaining("none of 2 RDMA Reads of 100 bytes has completed")
                .hasMessageContaining("5000 ms")
                .hasMessageContaining("RpcRdmaConfig.peerTimeout");
        memory.fail(new IOException("flushed"));
        memory.fail(new IOException("flushed"));
    }

    @Test
    void reasonForAFailedReadIsHeardBeforeTheChannelCloses() {
        receive(1, CALL_BYTES);
        memory.fail(FailedWorkRequest.flushed());
        assertThat(channel.isOpen()).isTrue();
        pipeline.pass(1, TimeUnit.SECONDS);
        assertThat(channel.isOpen()).isFalse();
    }

    @Test
    void everyReadThatIsServedGivesTheOthersTheirTimeAnew() {
        receiveInSegmentsOf(1, 50);
        pipeline.pass(4, TimeUnit.SECONDS);
        completeSegment(1, 50, 0);
        pipeline.pass(4, TimeUnit.SECONDS);
        assertThat(channel.isOpen()).isTrue();
        completeSegment(1, 50, 1);
        assertThat(pipeline.delivered()).isEqualTo(ByteBufUtil.hexDump(content(1, CALL_BYTES)));
        pipeline.pass(3, TimeUnit.HOURS);
        assertThat(channel.isOpen()).isTrue();

        receive(2, CALL_BYTES);
        pipeline.pass(4999, TimeUnit.MILLISECONDS);
        assertThat(channel.isOpen()).isTrue();
        pipeline.pass(1, TimeUnit.MILLISECONDS);
        assertThat(channel.isOpen()).isFalse();
        assertThatThrownBy(channel::checkException).hasFieldOrPropertyWithValue("reason", TOO_SLOW);
        memory.fail(new IOException("flushed"));
    }

    @Test
    void readsThatWereNotWrittenAreDroppedWithTheConnection() {
        receiveInSegmentsOf(1, 2);
        receiveInSegmentsOf(2, 2); // none of them written

        channel.close();
        for (int i = 0; i < WINDOW; i++) {
            memory.fail(new IOException("flushed"));
        }

        assertThat(memory.waiting()).isZero();
        assertThat(pipeline.delivered()).isEqualTo("none");
    }

    @Test
    void readThatFailsDropsThoseThatWereNotWritten() {
        receiveInSegmentsOf(1, 2);
        completeSegment(1, 2, 0);

        while (memory.waiting() > 0) {
            memory.fail(new IOException("remote access error"));
        }

        assertThat(channel.isOpen()).isFalse();
        assertThat(pipeline.delivered()).isEqualTo("none");
    }

    @Test
    void readsThatCompleteAtOnceNeedNoWindow() {
        memory.answering();
        receiveInSegmentsOf(0, 2);

        assertThat(pipeline.delivered()).isEqualTo("00".repeat(CALL_BYTES));
        assertThat(memory.waiting()).isZero();
    }

    @Test
    @Requirement("V1-001")
    void callWithTheXidOfOneThatIsPulledIsDiscarded() {
        receive(1, CALL_BYTES);
        receive(1, CALL_BYTES);
        pipeline.receiveCall(1);

        assertThat(memory.waiting()).isEqualTo(1);
        assertThat(pipeline.delivered()).isEqualTo("none");
        assertThat(pipeline.sends()).isZero();
        memory.complete(content(1, CALL_BYTES));
        assertThat(pipeline.delivered()).isNotEqualTo("none");
    }

    @Test
    @Requirement("V1-060")
    void callIsNeitherHandedUpNorAnsweredBeforeItIsPulled() {
        receive(1, CALL_BYTES);

        assertThat(pipeline.delivered()).isEqualTo("none");
        assertThat(channel.writeAndFlush(pipeline.reply(1)).cause()).hasFieldOrPropertyWithValue("reason", UNKNOWN_XID);
        assertThat(channel.writeAndFlush(new RpcCallRefusal(1)).cause())
                .hasFieldOrPropertyWithValue("reason", UNKNOWN_XID);
        memory.complete(content(1, CALL_BYTES));
    }

    @Test
    @Requirement("V1-115")
    void longCallWithAnotherXidIsRefused() {
        receive(1, CALL_BYTES);

        memory.complete(content(2, CALL_BYTES));

        assertThat(pipeline.sent()).isEqualTo("00000001" + ERR_CHUNK);
        assertThat(pipeline.delivered()).isEqualTo("none");
        assertThat(channel.isOpen()).isTrue();
    }

    @Test
    void longCallThatIsAReplyIsRefused() {
        receive(1, CALL_BYTES);
        byte[] reply = content(1, CALL_BYTES);
        reply[7] = 1;

        memory.complete(reply);

        assertThat(pipeline.sent()).isEqualTo("00000001" + ERR_CHUNK);
    }

    @Test
    void callsAreDroppedWithTheConnection() {
        for (int xid = 1; xid <= 4; xid++) {
            receive(xid, CALL_BYTES);
        }

        channel.close();
        memory.complete(content(1, CALL_BYTES));
        memory.fail(new IOException("flushed"));

        assertThat(memory.waiting()).isZero();
        assertThat(pipeline.delivered()).isEqualTo("none");
        assertThat(pipeline.sends()).isZero();
    }

    @Test
    void readThatFailsEndsTheConnection() {
        receive(1, CALL_BYTES);
        receive(2, CALL_BYTES);

        memory.fail(new IOException("remote access error"));

        assertThat(channel.isOpen()).isFalse();
        memory.fail(new IOException("flushed"));
        assertThat(pipeline.delivered()).isEqualTo("none");
        assertThat(pipeline.sends()).isZero();
    }

    @Test
    void inlineCallOvertakesOneThatIsPulled() {
        receive(1, CALL_BYTES);
        pipeline.receiveCall(2);

        assertThat(pipeline.delivered()).isEqualTo(TestPipeline.callHex(2));
        memory.complete(content(1, CALL_BYTES));
        assertThat(pipeline.delivered()).startsWith("00000001");
    }

    @Test
    void callWithoutMemoryForItsChunksIsRefused() {
        List<Integer> refused = new ArrayList<>();
        PulledCalls receiver = new PulledCalls() {
            @Override
            public void onPulled(ChannelHandlerContext ctx, ResponderCall call, ReadPlan plan, ByteBuf message) {
                throw new AssertionError("pulled");
            }

            @Override
            public void onNoMemory(ChannelHandlerContext ctx, ResponderCall call) {
                refused.add(call.xid());
            }
        };
        ChunkReader reader =
                new ChunkReader(TestLimits.responder(RpcRdmaConfig.defaults()), new ExhaustedAllocator(), receiver);
        var engine = new ResponderEngine(1, 1, 1000);
        ChunkLists chunks =
                new ChunkLists(List.of(new ReadSegment(0, new PlainSegment(9, CALL_BYTES, 0))), List.of(), null);
        var pull = (ResponderEngine.Reception.Pull)
                engine.received(new RpcRdmaMessage.NoMsg(7, 1, 1, chunks), 0, 0, OwedAnswer.NOT_COUNTED);
        var inline = pipeline.buffer(new byte[0]);

        reader.pull(channel.pipeline().lastContext(), pull.call(), pull.plan(), inline);

        assertThat(refused).containsExactly(7);
        assertThat(reader.pullingBytes()).isZero();
        assertThat(inline.refCnt()).isZero();
    }

    @Test
    @Requirement({"V1-003", "V1-042"})
    void paddingIsZeroWhateverTheMemoryHeldBefore() {
        for (int bytes = 1; bytes < 10; bytes++) {
            ReadSegment read = new ReadSegment(8, new PlainSegment(9, bytes, 0));
            var engine = new ResponderEngine(1, 1, 1_000);
            var pull = (ResponderEngine.Reception.Pull) engine.received(
                    new RpcRdmaMessage.Msg(7, 1, 32, new ChunkLists(List.of(read), List.of(), null)),
                    8,
                    0,
                    OwedAnswer.NOT_COUNTED);
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
