// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.lab;

import static io.nettyrdma.lab.HandMadeCapture.Side.INITIATOR;
import static io.nettyrdma.lab.HandMadeCapture.Side.RESPONDER;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.nettyrdma.lab.HandMadeMessage.Segment;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The mistakes the checker is there for, each shown to it once, beside what Linux does. Needs tshark only. */
@Tag("lab")
class ChunkCheckTest {
    private static final int XID = 0x11223344;
    private static final int SINK_KEY = 0x5151;
    private static final long SINK = 0xf000_0000_0000_1000L;
    private static final Segment FIRST = new Segment(0x8001, 400, 0x8000_0000_0000_0000L);
    private static final Segment SECOND = new Segment(0x8002, 200, 0x1234_5678_9abc_def0L);
    private static final Segment THIRD = new Segment(0x8003, 4, 0x77L);

    @TempDir
    Path dir;

    private HandMadeCapture capture;
    private int calls;
    private int replies;
    private int reads;

    @BeforeEach
    void startCapture() throws Exception {
        LabRequirements.requireTshark();
        capture = new HandMadeCapture();
    }

    private ChunkCheck.Report check() throws Exception {
        return ChunkCheck.of(capture.write(dir.resolve("hand-made.pcap")));
    }

    private void assertProblem(String... words) throws Exception {
        assertThat(check().problems()).singleElement().asString().contains(words);
    }

    private void call(HandMadeMessage call) throws IOException {
        capture.send(INITIATOR, ++calls, call.octets());
    }

    private void reply(HandMadeMessage reply) throws IOException {
        capture.send(RESPONDER, ++replies, reply.octets());
    }

    private void push(Segment segment, int length) throws IOException {
        capture.write(RESPONDER, segment.handle(), segment.offset(), length);
    }

    private void askFor(Segment segment, int length) throws IOException {
        capture.readRequest(RESPONDER, ++reads, SINK_KEY, SINK, length, segment.handle(), segment.offset());
    }

    private void pull(Segment segment) throws IOException {
        askFor(segment, segment.length());
        capture.readResponse(INITIATOR, SINK_KEY, SINK, segment.length());
    }

    private static HandMadeMessage call() {
        return HandMadeMessage.call(XID);
    }

    private static HandMadeMessage reply() {
        return HandMadeMessage.reply(XID);
    }

    @ParameterizedTest
    @ValueSource(strings = {"nfsv3-siw", "nfsv41-siw"})
    void acceptsWhatLinuxDoesWithItself(String name) throws Exception {
        Path file = dir.resolve(name + ".pcap");
        try (InputStream in = ChunkCheckTest.class.getResourceAsStream("/captures/" + name + ".pcap.gz")) {
            Files.copy(new GZIPInputStream(in), file);
        }
        ChunkCheck.Report report = ChunkCheck.of(file).assertGood();
        assertThat(report.readCalls()).isPositive();
        assertThat(report.writeCalls()).isPositive();
        assertThat(report.replyChunkCalls()).isPositive();
        assertThat(report.longReplies()).isPositive();
        assertThat(report.pulledBytes()).isPositive();
        assertThat(report.pushedBytes()).isPositive();
        assertThat(report.invalidations()).isPositive();
    }

    @Test
    void acceptsChunksOfEveryKind() throws Exception {
        capture.write(INITIATOR, 1, 0, 0); // how an initiator announces itself
        call(call().read(40, FIRST).read(40, SECOND).reply(THIRD));
        pull(FIRST);
        askFor(SECOND, 200);
        capture.readResponse(INITIATOR, SINK_KEY, SINK, 150).readResponse(INITIATOR, SINK_KEY, SINK + 150, 50);
        reply(reply().reply(THIRD.withLength(0)));

        call(call().write(FIRST, SECOND, THIRD));
        capture.write(RESPONDER, FIRST.handle(), FIRST.offset(), 300);
        capture.write(RESPONDER, FIRST.handle(), FIRST.offset() + 300, 100);
        push(SECOND, 5);
        capture.sendInvalidating(
                RESPONDER,
                ++replies,
                THIRD.handle(),
                reply().write(FIRST, SECOND.withLength(5), THIRD.withLength(0)).octets());

        call(HandMadeMessage.without(XID).read(0, FIRST).reply(SECOND));
        pull(FIRST);
        push(SECOND, 40);
        reply(HandMadeMessage.without(XID).reply(SECOND.withLength(40)));

        call(call().write(FIRST));
        capture.send(RESPONDER, ++replies, HandMadeMessage.error(XID));

        ChunkCheck.Report report = check().assertGood();
        assertThat(report.readCalls()).isEqualTo(2);
        assertThat(report.longCalls()).isEqualTo(1);
        assertThat(report.writeCalls()).isEqualTo(2);
        assertThat(report.replyChunkCalls()).isEqualTo(2);
        assertThat(report.longReplies()).isEqualTo(1);
        assertThat(report.pulledBytes()).isEqualTo(1000);
        assertThat(report.pushedBytes()).isEqualTo(445);
        assertThat(report.invalidations()).isEqualTo(1);
    }

    @Test
    void failsWithWhatItFound() throws Exception {
        call(call().write(FIRST));
        reply(reply());
        assertThatThrownBy(() -> check().assertGood())
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("1 problems", "frame 7: chunks offered");
    }

    @Test
    void rejectsACaptureWithoutIwarp() throws Exception {
        Path empty = dir.resolve("empty.pcap");
        Files.write(empty, Arrays.copyOf(Files.readAllBytes(capture.write(empty)), 24));
        assertThatThrownBy(() -> ChunkCheck.of(empty)).hasMessageContaining("no iWARP");
    }

    @Test
    void rejectsAHandleTwiceInOneCall() throws Exception {
        call(call().write(FIRST).reply(new Segment(FIRST.handle(), 10, 5)));
        assertProblem("frame 6", "handle 0x8001 twice");
    }

    @Test
    void rejectsAnOffsetTwiceInOneCall() throws Exception {
        call(call().read(40, FIRST).write(new Segment(9, 10, FIRST.offset())));
        assertProblem("frame 6", "offset 0x8000000000000000 twice");
    }

    @Test
    void rejectsAPositionBehindTheMessage() throws Exception {
        call(call().read(44, FIRST));
        assertProblem("frame 6", "position 44 in a message of 40 octets");
    }

    @Test
    void rejectsAPositionInTheMiddleOfAnXdrUnit() throws Exception {
        call(call().read(38, FIRST));
        assertProblem("frame 6", "position 38 after 0");
    }

    @Test
    void rejectsPositionsThatGoBack() throws Exception {
        call(call().read(40, FIRST).read(36, SECOND));
        assertProblem("frame 6", "position 36 after 40");
    }

    @Test
    void rejectsPositionZeroBesideAPayload() throws Exception {
        call(call().read(0, FIRST));
        assertProblem("frame 6", "message type 0 with a chunk at position 0");
    }

    @Test
    void rejectsALongCallWithoutPositionZero() throws Exception {
        call(HandMadeMessage.without(XID).write(FIRST));
        assertProblem("frame 6", "message type 1 without a chunk at position 0");
    }

    @Test
    void rejectsALongCallWithAPayload() throws Exception {
        call(HandMadeMessage.chunkAndPayload(XID).read(0, FIRST));
        assertProblem("frame 6", "message type 1 with 8 octets inline");
    }

    @Test
    void rejectsASecondCallWithTheSameXid() throws Exception {
        call(call());
        call(call());
        assertProblem("frame 7", "second call with xid 0x11223344");
    }

    @Test
    void rejectsAReplyWithoutTheOfferedChunk() throws Exception {
        call(call().write(FIRST).reply(SECOND));
        reply(reply().write(FIRST.withLength(0)));
        assertProblem("frame 7", "chunks offered");
    }

    @Test
    void rejectsAReplyThatMakesAWriteChunkOfTheReplyChunk() throws Exception {
        call(call().reply(FIRST));
        reply(reply().write(FIRST.withLength(0)));
        assertProblem("frame 7", "chunks offered");
    }

    @Test
    void rejectsAReplyWithFewerSegments() throws Exception {
        call(call().write(FIRST, SECOND));
        reply(reply().write(FIRST.withLength(0)));
        assertProblem("frame 7", "chunk offered", "returned");
    }

    @Test
    void rejectsAReplyWithAnotherHandle() throws Exception {
        call(call().write(FIRST));
        reply(reply().write(new Segment(9, 0, FIRST.offset())));
        assertProblem("frame 7", "segment offered 0x8001+400", "returned 0x9+0");
    }

    @Test
    void rejectsAReplyWithAnotherOffset() throws Exception {
        call(call().write(FIRST));
        reply(reply().write(new Segment(FIRST.handle(), 0, 1)));
        assertProblem("frame 7", "segment offered 0x8001+400", "at 0x1");
    }

    @Test
    void rejectsAReplyThatMakesASegmentLonger() throws Exception {
        call(call().write(FIRST));
        push(FIRST, 400);
        reply(reply().write(FIRST.withLength(401)));
        assertProblem("frame 8", "returned as longer");
    }

    @Test
    void rejectsAReplyChunkWithALengthBesideAPayload() throws Exception {
        call(call().reply(FIRST));
        push(FIRST, 24);
        reply(reply().reply(FIRST.withLength(24)));
        assertProblem("frame 8", "message type 0 with 24 octets in the reply chunk");
    }

    @Test
    void rejectsALongReplyOfNothing() throws Exception {
        call(call().reply(FIRST));
        reply(HandMadeMessage.without(XID).reply(FIRST.withLength(0)));
        assertProblem("frame 7", "message type 1 with 0 octets in the reply chunk");
    }

    @Test
    void rejectsALongReplyWithAPayload() throws Exception {
        call(call().reply(FIRST));
        push(FIRST, 24);
        reply(HandMadeMessage.chunkAndPayload(XID).reply(FIRST.withLength(24)));
        assertProblem("frame 8", "message type 1 with 8 octets inline");
    }

    @Test
    void rejectsAReplyWithAReadList() throws Exception {
        call(call());
        reply(reply().read(4, FIRST));
        assertProblem("frame 7", "a reply with a read list");
    }

    @Test
    void rejectsASegmentUsedBeforeTheOneBeforeItIsFull() throws Exception {
        call(call().write(FIRST, SECOND));
        push(FIRST, 399);
        push(SECOND, 1);
        reply(reply().write(FIRST.withLength(399), SECOND.withLength(1)));
        assertProblem("frame 9", "0x8002+1", "used before the one before it was full");
    }

    @Test
    void rejectsAReplyBeforeTheWriteThatItAnnounces() throws Exception {
        call(call().write(FIRST));
        reply(reply().write(FIRST.withLength(8)));
        push(FIRST, 8);
        assertThat(check().problems())
                .hasSize(2)
                .satisfiesExactly(
                        reply -> assertThat(reply).contains("frame 7", "when 0 octets had been written"),
                        write -> assertThat(write).contains("frame 8", "no unanswered call advertises"));
    }

    @Test
    void rejectsAReplyThatHidesWhatWasWritten() throws Exception {
        call(call().write(FIRST));
        push(FIRST, 8);
        reply(reply().write(FIRST.withLength(4)));
        assertProblem("frame 8", "when 8 octets had been written");
    }

    @Test
    void rejectsAReplyBeforeTheCallIsPulled() throws Exception {
        call(call().read(40, FIRST));
        askFor(FIRST, 399);
        reply(reply());
        assertProblem("frame 8", "a reply when 399 octets had been read");
    }

    @Test
    void rejectsAWriteBeyondTheSegment() throws Exception {
        call(call().write(FIRST));
        push(FIRST, 401);
        assertProblem("frame 7", "RDMA Write of 0x8001+401", "no unanswered call advertises");
    }

    @Test
    void rejectsAWriteBeforeTheSegment() throws Exception {
        call(call().write(SECOND));
        capture.write(RESPONDER, SECOND.handle(), SECOND.offset() - 1, 1);
        assertProblem("frame 7", "no unanswered call advertises");
    }

    @Test
    void rejectsAWriteWithAnotherHandle() throws Exception {
        call(call().write(FIRST, SECOND));
        capture.write(RESPONDER, SECOND.handle(), FIRST.offset(), 1);
        assertProblem("frame 7", "no unanswered call advertises");
    }

    @Test
    void rejectsAWriteToAReadChunk() throws Exception {
        call(call().read(40, FIRST));
        push(FIRST, 4);
        assertProblem("frame 7", "RDMA Write", "no unanswered call advertises");
    }

    @Test
    void rejectsAReadOfAWriteChunk() throws Exception {
        call(call().write(FIRST));
        askFor(FIRST, 4);
        assertProblem("frame 7", "RDMA Read", "no unanswered call advertises");
    }

    @Test
    void rejectsAWriteBeforeTheCall() throws Exception {
        push(FIRST, 4);
        assertProblem("frame 6", "no unanswered call advertises");
    }

    @Test
    void rejectsAWriteOfNothing() throws Exception {
        call(call().write(FIRST, SECOND));
        push(SECOND, 0);
        assertProblem("frame 7", "RDMA Write of nothing");
    }

    @Test
    void rejectsAReadOfNothing() throws Exception {
        call(call().read(40, FIRST.withLength(0)));
        askFor(FIRST, 0);
        assertProblem("frame 7", "RDMA Read of nothing");
    }

    @Test
    void rejectsASecondReadOfTheSame() throws Exception {
        call(call().read(40, FIRST));
        pull(FIRST);
        askFor(FIRST, 1);
        assertProblem("frame 9", "a second time");
    }

    @Test
    void rejectsAReadResponseThatWasNotAskedFor() throws Exception {
        call(call().read(40, FIRST));
        capture.readResponse(INITIATOR, SINK_KEY, SINK, 400);
        assertProblem("frame 7", "Read Response", "not asked for");
    }

    @Test
    void rejectsAReadResponseThatLeavesSomethingOut() throws Exception {
        call(call().read(40, FIRST));
        askFor(FIRST, 400);
        capture.readResponse(INITIATOR, SINK_KEY, SINK + 4, 396);
        assertProblem("frame 8", "not in this order");
    }

    @Test
    void rejectsAWriteByTheRequester() throws Exception {
        capture.write(INITIATOR, 7, 0, 1);
        assertProblem("frame 6", "RDMA Write by the requester");
    }

    @Test
    void rejectsAReadByTheRequester() throws Exception {
        capture.readRequest(INITIATOR, 1, SINK_KEY, SINK, 1, 7, 0);
        assertProblem("frame 6", "RDMA Read by the requester");
    }

    @Test
    void rejectsTheInvalidationOfAnotherCallsHandle() throws Exception {
        call(HandMadeMessage.call(1).write(FIRST));
        call(HandMadeMessage.call(2).write(SECOND));
        capture.sendInvalidating(
                RESPONDER,
                1,
                FIRST.handle(),
                HandMadeMessage.reply(2).write(SECOND.withLength(0)).octets());
        assertProblem("frame 8", "invalidated 0x8001, which is not of this call");
    }

    @Test
    void rejectsAnErrorThatInvalidates() throws Exception {
        call(call().write(FIRST));
        capture.sendInvalidating(RESPONDER, 1, FIRST.handle(), HandMadeMessage.error(XID));
        assertProblem("frame 7", "an error invalidated 0x8001");
    }

    @Test
    void rejectsASendWithInvalidateByTheRequester() throws Exception {
        capture.sendInvalidating(INITIATOR, 1, 9, call().octets());
        assertProblem("frame 6", "Send with Invalidate by the requester");
    }

    @Test
    void rejectsASendThatIsNoMessage() throws Exception {
        capture.send(INITIATOR, 1, new byte[64]);
        assertProblem("frame 6", "without an RPC-over-RDMA header");
    }

    /** Of a call that is unanswered, and has the same XID. */
    @Test
    void tellsReverseMessagesFromForwardOnes() throws Exception {
        call(call().write(FIRST));
        reply(call());
        call(reply());
        push(FIRST, 300);
        reply(reply().write(FIRST.withLength(300)));
        ChunkCheck.Report report = check().assertGood();
        assertThat(report.writeCalls()).isEqualTo(1);
        assertThat(report.reverseMessages()).isEqualTo(2);
    }

    @Test
    void rejectsAReverseCallWithChunks() throws Exception {
        call(call());
        reply(call().write(FIRST));
        assertProblem("frame 7", "chunks in the reverse direction");
    }

    @Test
    void rejectsAReverseReplyThatInvalidates() throws Exception {
        call(call().write(FIRST));
        reply(call());
        capture.sendInvalidating(INITIATOR, ++calls, FIRST.handle(), reply().octets());
        assertProblem("frame 8", "Send with Invalidate in the reverse direction");
    }
}
