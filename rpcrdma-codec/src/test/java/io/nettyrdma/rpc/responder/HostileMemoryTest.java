// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.responder;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.nettyrdma.channel.Over;
import io.nettyrdma.channel.RdmaChannelOption;
import io.nettyrdma.channel.RdmaMemory;
import io.nettyrdma.channel.TestProvider;
import io.nettyrdma.error.RdmaConnectionException;
import io.nettyrdma.rpc.RpcRdmaConfig;
import io.nettyrdma.rpc.TestLimits;
import io.nettyrdma.rpc.kit.NoVerbsLeft;
import io.nettyrdma.rpc.kit.OpaqueMessages;
import io.nettyrdma.rpc.kit.OpaquesBinding;
import io.nettyrdma.rpc.kit.Poll;
import io.nettyrdma.rpc.kit.RawRequester;
import io.nettyrdma.rpc.kit.TestProgram;
import io.nettyrdma.rpc.message.RpcHeaders;
import io.nettyrdma.rpc.wire.CmPrivateData;
import io.nettyrdma.rpc.wire.header.ChunkLists;
import io.nettyrdma.rpc.wire.header.PlainSegment;
import io.nettyrdma.rpc.wire.header.ReadSegment;
import io.nettyrdma.rpc.wire.header.RpcRdmaMessage;
import io.nettyrdma.rpc.wire.header.WriteChunk;
import io.nettyrdma.verbs.strict.AllTraitsOnly;
import io.nettyrdma.verbs.strict.Trait;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * What a requester can make a responder hold, measured at its peak, is the sum of the responder's limits and not more:
 * that of {@link ResponderBudget}.
 */
@Over
@ExtendWith({AllTraitsOnly.class, NoVerbsLeft.class})
final class HostileMemoryTest {

    private static final int CREDITS = 8;
    private static final int RESERVE = 8;
    private static final int SLOT_BYTES = 4096;
    private static final int CALL_BYTES = 64 * 1024;
    private static final int PULLING_BYTES = 4 * CALL_BYTES;
    private static final int READS = 32;
    private static final int WRITES = 48;
    private static final int DATA = TestProgram.CALL_BYTES + 4;

    private static RpcRdmaConfig.Builder config() {
        return TestLimits.maxPushingWrites(
                        TestLimits.maxPullingReads(TestLimits.receiveReserve(RpcRdmaConfig.builder(), RESERVE), READS),
                        WRITES)
                .bindings(OpaquesBinding.BINDINGS)
                .inlineReceiveBytes(SLOT_BYTES)
                .creditsGranted(CREDITS)
                .maxCallBytes(CALL_BYTES)
                .maxPullingBytes(PULLING_BYTES);
    }

    private static RpcRdmaMessage.Msg msg(int xid, ChunkLists chunks) {
        return new RpcRdmaMessage.Msg(xid, 1, 32, chunks);
    }

    /** A call whose one argument is in a read chunk, and what is left of it for the Send. */
    private static byte[] inlinePart(int xid, byte[] argument) {
        byte[] call = Arrays.copyOf(OpaqueMessages.call(OpaquesBinding.OPAQUES, argument), DATA);
        Unpooled.wrappedBuffer(call).setInt(0, xid);
        return call;
    }

    private static ChunkLists read(PlainSegment... segments) {
        return new ChunkLists(
                Arrays.stream(segments)
                        .map(segment -> new ReadSegment(DATA, segment))
                        .toList(),
                List.of(),
                null);
    }

    /** The XIDs of so many replies, in any order. */
    private static Set<Integer> replies(RawRequester requester, int count) throws Exception {
        Set<Integer> xids = new HashSet<>();
        for (int i = 0; i < count; i++) {
            RpcRdmaMessage header = requester.reply().header();
            assertThat(header).isInstanceOf(RpcRdmaMessage.Msg.class);
            xids.add(header.xid());
        }
        return xids;
    }

    private static List<Integer> xids(int count) {
        return IntStream.rangeClosed(1, count).boxed().toList();
    }

    private static void check(RawRequester bystander, int xid) throws Exception {
        bystander.send(msg(xid, ChunkLists.ABSENT), inlinePart(xid, new byte[0]));
        assertThat(bystander.reply().header().xid()).isEqualTo(xid);
    }

    @Test
    void hundredThousandSegmentsCostTheirHeadersAndAWindowOfReads() throws Exception {
        int calls = 10;
        // A device whose Reads come late takes them one after the other.
        int segments = TestProvider.tested().has(Trait.READS_LATE) ? 1_000 : 10_000;
        int headerBytes = 256 * 1024;
        RpcRdmaConfig.Builder config = TestLimits.receiveReserve(
                        TestLimits.maxSegmentsPerChunk(config(), 16_384), calls / 2)
                .inlineReceiveBytes(headerBytes)
                .creditsGranted(calls / 2);
        ResponderBudget budget = ResponderBudget.of(config);
        try (RawRequester requester = new RawRequester(config);
                RawRequester bystander = RawRequester.beside(requester, config())) {
            byte[] octets = OpaqueMessages.pattern(segments, 5);
            RdmaMemory memory = requester.readable(octets);
            ChunkLists chunks = read(IntStream.range(0, segments)
                    .mapToObj(i -> RawRequester.segment(memory, i, 1))
                    .toArray(PlainSegment[]::new));
            requester.channel.config().setOption(RdmaChannelOption.RDMA_MAX_SEND_SIZE, headerBytes);
            requester.service = call -> {
                assertThat(call.slice(DATA, segments)).isEqualTo(Unpooled.wrappedBuffer(octets));
                return RpcHeaders.accepted(call.alloc(), RpcHeaders.xid(call), RpcHeaders.SUCCESS);
            };

            CountDownLatch resume = requester.stallAfter(() -> {
                for (int xid = 1; xid <= calls; xid++) {
                    requester.send(msg(xid, chunks), inlinePart(xid, octets));
                }
            });
            Poll.until("the first Reads", () -> requester.peak.reads.get() == READS);
            check(bystander, 1);
            resume.countDown();
            check(bystander, 2);

            assertThat(replies(requester, calls)).containsExactlyInAnyOrderElementsOf(xids(calls));
            assertThat(requester.peak.mostReads).isEqualTo(READS);
            assertThat(requester.peak.mostPendingBytes)
                    .isLessThan(READS * (1 + ResponderBudget.PENDING_OVERHEAD_BYTES) + budget.pendingBytes(64));
            assertThat(requester.peak.mostMemoryBytes)
                    .isLessThan(budget.messageBytes()
                            + budget.pullingBytes()
                            + ResponderBudget.of(config()).messageBytes());
        }
    }

    @Test
    void hundredThousandSegmentsToBeWrittenCostTheirHeadersAndAWindowOfWrites() throws Exception {
        int calls = 10;
        int segments = 10_000;
        int headerBytes = 256 * 1024;
        RpcRdmaConfig.Builder config = TestLimits.receiveReserve(
                        TestLimits.maxSegmentsPerChunk(config(), 16_384), calls / 2)
                .inlineReceiveBytes(headerBytes)
                .inlineSendBytes(headerBytes)
                .creditsGranted(calls / 2);
        ResponderBudget budget = ResponderBudget.of(config);
        byte[] octets = OpaqueMessages.pattern(segments, 5);
        try (RawRequester requester = new RawRequester(config, new CmPrivateData(false, headerBytes, headerBytes));
                RawRequester bystander = RawRequester.beside(requester, config())) {
            RdmaMemory memory = requester.writable(segments);
            WriteChunk chunk = new WriteChunk(IntStream.range(0, segments)
                    .mapToObj(i -> RawRequester.segment(memory, i, 1))
                    .toList());
            requester.channel.config().setOption(RdmaChannelOption.RDMA_MAX_SEND_SIZE, headerBytes);
            requester.service = call -> {
                ByteBuf reply = call.alloc().directBuffer().writeBytes(OpaqueMessages.reply(octets));
                return reply.setInt(0, RpcHeaders.xid(call));
            };

            ChunkLists chunks = new ChunkLists(List.of(), List.of(chunk), null);
            for (int xid = 1; xid <= calls; xid++) {
                requester.send(msg(xid, chunks), inlinePart(xid, new byte[0]));
            }
            Poll.until("the first Writes", () -> requester.peak.writes.get() > 0);
            check(bystander, 1);

            assertThat(replies(requester, calls)).containsExactlyInAnyOrderElementsOf(xids(calls));
            assertThat(requester.content(memory)).isEqualTo(octets);
            assertThat(requester.peak.mostWrites).isEqualTo(WRITES);
            assertThat(requester.peak.mostMemoryBytes)
                    .isLessThan(budget.messageBytes()
                            + (long) calls * (headerBytes + CALL_BYTES) // replies: header and content
                            + ResponderBudget.of(config()).messageBytes());
        }
    }

    @Test
    void readsThatAreNeverAnsweredHoldWhatMayBePulledAtATime() throws Exception {
        ResponderBudget budget = ResponderBudget.of(config());
        int calls = budget.receives();
        try (RawRequester requester = new RawRequester(config());
                RawRequester bystander = RawRequester.beside(requester, config())) {
            byte[] octets = OpaqueMessages.pattern(CALL_BYTES - DATA, 5);
            ChunkLists chunks = read(RawRequester.segment(requester.readable(octets)));

            CountDownLatch resume = requester.stallAfter(() -> {
                for (int xid = 1; xid <= calls; xid++) {
                    requester.send(msg(xid, chunks), inlinePart(xid, octets));
                }
            });
            Poll.until("all calls", () -> requester.peak.received.get() == calls);
            check(bystander, 1);
            assertThat(requester.peak.reads).hasValue(PULLING_BYTES / CALL_BYTES);
            assertThat(requester.peak.unanswered).hasValue(calls);
            resume.countDown();

            assertThat(replies(requester, calls)).containsExactlyInAnyOrderElementsOf(xids(calls));
            assertThat(requester.peak.mostReads).isEqualTo(PULLING_BYTES / CALL_BYTES);
            assertThat(requester.peak.mostMemoryBytes)
                    .isBetween(
                            (long) PULLING_BYTES,
                            budget.messageBytes()
                                    + budget.pullingBytes()
                                    + CALL_BYTES // that of the call that is handed up
                                    + ResponderBudget.of(config()).messageBytes());
        }
    }

    @Test
    void applicationThatNeverAnswersHoldsTheCallsThatMayBeInProgress() throws Exception {
        TestProvider.tested().assumeWaitsForReceives();
        ResponderBudget budget = ResponderBudget.of(config());
        Queue<ByteBuf> held = new ConcurrentLinkedQueue<>();
        try (RawRequester requester = new RawRequester(config())) {
            requester.service = call -> {
                held.add(call.retain());
                return null;
            };
            byte[] octets = OpaqueMessages.pattern(CALL_BYTES - DATA, 5);
            ChunkLists chunks = read(RawRequester.segment(requester.readable(octets)));

            int pulled = CREDITS + RESERVE - 1;
            for (int xid = 1; xid <= pulled; xid++) {
                requester.send(msg(xid, chunks), inlinePart(xid, octets));
            }
            Poll.until("calls to be held", () -> held.size() == pulled);
            for (int xid = pulled + 1; xid <= 500; xid++) {
                requester.send(msg(xid, ChunkLists.ABSENT), inlinePart(xid, new byte[0]));
            }
            Poll.until("the most calls", () -> requester.peak.mostUnanswered >= CREDITS + RESERVE);

            requester.passTimeUntilClosed(requester.channel);
            requester.assertFailed(RdmaConnectionException.class, "DDP/untagged buffer/no buffer");
            assertThat(requester.peak.mostUnanswered).isBetween(CREDITS + RESERVE, budget.calls());
            assertThat(requester.peak.mostMemoryBytes)
                    .isBetween(
                            (long) pulled * CALL_BYTES,
                            budget.messageBytes() + budget.pullingBytes() + budget.pulledBytes());
            requester.serverSide.close();
            requester.awaitClosed();
            held.forEach(ByteBuf::release);
        }
    }

    /** More replies than TCP takes, whatever its buffers, to a peer that does not read at all until all are counted. */
    @Test
    void repliesThatNobodyTakesStopTheCalls() throws Exception {
        TestProvider.tested().assumeWaitsForReceives();
        int calls = 400;
        int sendBytes = 256 * 1024;
        RpcRdmaConfig.Builder config = config().inlineSendBytes(sendBytes);
        ResponderBudget budget = ResponderBudget.of(config);
        byte[] result = OpaqueMessages.pattern(sendBytes - 256, 1);
        int replyBytes = 28 + OpaqueMessages.reply(result).length;
        try (RawRequester requester = new RawRequester(config, new CmPrivateData(false, 4096, sendBytes));
                RawRequester bystander = RawRequester.beside(requester, config())) {
            requester.service = call -> {
                ByteBuf reply = call.alloc().directBuffer().writeBytes(OpaqueMessages.reply(result));
                return reply.setInt(0, RpcHeaders.xid(call));
            };

            CountDownLatch resume = requester.stallAfter(() -> {
                for (int xid = 1; xid <= calls; xid++) {
                    requester.send(msg(xid, ChunkLists.ABSENT), inlinePart(xid, new byte[0]));
                }
            });
            Poll.until("replies that TCP does not take", () -> requester.peak.mostPendingBytes > 64 * 1024);
            for (int xid = 1; xid <= 100; xid++) {
                check(bystander, xid); // turns of the loop, in which it could take all calls
            }
            assertThat(requester.peak.received).hasValueLessThan(calls);
            resume.countDown();

            assertThat(replies(requester, calls)).containsExactlyInAnyOrderElementsOf(xids(calls));
            assertThat(requester.peak.mostPendingBytes).isBetween(64L * 1024, budget.pendingBytes(replyBytes));
            assertThat(requester.peak.mostMemoryBytes)
                    .isLessThan(budget.messageBytes()
                            + budget.pendingBytes(replyBytes) * 4
                            + ResponderBudget.of(config()).messageBytes());
        }
    }

    /** All calls are within the credits, and come before the first reply is written. */
    @Test
    void repliesToChunksThatNobodyTakesHoldTheirBound() throws Exception {
        int resultBytes = 8 << 20;
        int pushing = 3;
        RpcRdmaConfig.Builder config = config().maxPushingBytes((long) pushing * resultBytes);
        ResponderBudget budget = ResponderBudget.of(config);
        byte[] result = OpaqueMessages.pattern(resultBytes, 1);
        int replyBytes = OpaqueMessages.reply(result).length;
        Queue<Integer> executed = new ConcurrentLinkedQueue<>();
        try (RawRequester requester = new RawRequester(config);
                RawRequester bystander = RawRequester.beside(requester, config())) {
            requester.service = call -> {
                executed.add(RpcHeaders.xid(call));
                return null;
            };
            RdmaMemory memory = requester.writable(resultBytes);
            ChunkLists chunks =
                    new ChunkLists(List.of(), List.of(new WriteChunk(List.of(RawRequester.segment(memory)))), null);

            for (int xid = 1; xid <= CREDITS; xid++) {
                requester.send(msg(xid, chunks), inlinePart(xid, new byte[0]));
            }
            Poll.until("calls that are executed", () -> executed.size() >= pushing);
            for (int xid = 1; xid <= 50; xid++) {
                check(bystander, xid); // turns of the loop, in which it could execute all calls
            }
            assertThat(executed).hasSize(pushing);
            CountDownLatch resume = requester.stallAfter(() -> {});
            requester.service = call -> reply(requester, RpcHeaders.xid(call), result);
            requester.serverSide.eventLoop().execute(() -> {
                for (Integer xid = executed.poll(); xid != null; xid = executed.poll()) {
                    requester.serverSide.writeAndFlush(reply(requester, xid, result));
                }
            });
            Poll.until("replies", () -> executed.isEmpty());
            for (int xid = 51; xid <= 100; xid++) {
                check(bystander, xid);
            }
            assertThat(requester.calls).hasSizeBetween(pushing, CREDITS - 1);
            resume.countDown();

            assertThat(replies(requester, CREDITS)).containsExactlyInAnyOrderElementsOf(xids(CREDITS));
            assertThat(requester.content(memory)).isEqualTo(result);
            assertThat(requester.peak.mostMemoryBytes)
                    .isBetween(
                            (long) pushing * replyBytes,
                            budget.messageBytes()
                                    + budget.pushingBytes(resultBytes)
                                    + ResponderBudget.of(config()).messageBytes());
        }
    }

    private static ByteBuf reply(RawRequester requester, int xid, byte[] result) {
        // Of one component and no longer than it has to be, so that its octets are counted once.
        byte[] octets = OpaqueMessages.reply(result);
        return requester
                .peak
                .alloc
                .directBuffer(octets.length)
                .writeBytes(octets)
                .setInt(0, xid);
    }

    @Test
    void lengthsThatAreOnlyClaimedCostNothing() throws Exception {
        ResponderBudget budget = ResponderBudget.of(config());
        PlainSegment[] fourGibibytes = new PlainSegment[64];
        Arrays.fill(fourGibibytes, new PlainSegment(7, 0xffff_ffffL, -1));
        WriteChunk chunk = new WriteChunk(List.of(fourGibibytes));
        List<ChunkLists> claims = List.of(
                read(fourGibibytes),
                new ChunkLists(List.of(), Collections.nCopies(3, chunk), null),
                new ChunkLists(List.of(), List.of(), chunk));
        try (RawRequester requester = new RawRequester(config())) {
            for (int round = 0; round < 100; round++) {
                for (ChunkLists claim : claims) {
                    requester.send(msg(round, claim), inlinePart(round, new byte[0]));
                    assertThat(requester.reply().header())
                            .isInstanceOf(
                                    claim.readList().isEmpty()
                                            ? RpcRdmaMessage.Msg.class
                                            : RpcRdmaMessage.ErrorMsg.class);
                }
            }
            // One message with the application, one answer that goes out by way of a copy.
            assertThat(requester.peak.mostMemoryBytes).isLessThanOrEqualTo((long) (budget.receives() + 3) * SLOT_BYTES);
            assertThat(requester.peak.mostReads + requester.peak.mostWrites).isZero();
        }
    }
}
