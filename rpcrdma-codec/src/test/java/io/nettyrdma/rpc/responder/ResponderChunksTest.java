// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.responder;

import static io.nettyrdma.rpc.kit.OpaqueMessages.XID;
import static io.nettyrdma.rpc.kit.OpaqueMessages.call;
import static io.nettyrdma.rpc.kit.OpaqueMessages.chunk;
import static io.nettyrdma.rpc.kit.OpaqueMessages.pattern;
import static io.nettyrdma.rpc.kit.OpaqueMessages.reads;
import static io.nettyrdma.rpc.kit.OpaqueMessages.reply;
import static io.nettyrdma.rpc.kit.OpaqueMessages.without;
import static io.nettyrdma.rpc.kit.OpaqueMessages.writes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.CompositeByteBuf;
import io.netty.buffer.Unpooled;
import io.nettyrdma.channel.Over;
import io.nettyrdma.channel.RdmaMemory;
import io.nettyrdma.conformance.Requirement;
import io.nettyrdma.rpc.RpcRdmaConfig;
import io.nettyrdma.rpc.RpcRdmaResponderHandler;
import io.nettyrdma.rpc.TestLimits;
import io.nettyrdma.rpc.error.MalformedRpcMessageException;
import io.nettyrdma.rpc.kit.OpaquesBinding;
import io.nettyrdma.rpc.kit.RawRequester;
import io.nettyrdma.rpc.kit.TestProgram;
import io.nettyrdma.rpc.message.RpcCallRefusal;
import io.nettyrdma.rpc.message.RpcHeaders;
import io.nettyrdma.rpc.message.RpcRdmaReply;
import io.nettyrdma.rpc.message.XdrItem;
import io.nettyrdma.rpc.wire.CmPrivateData;
import io.nettyrdma.rpc.wire.header.ChunkLists;
import io.nettyrdma.rpc.wire.header.PlainSegment;
import io.nettyrdma.rpc.wire.header.ReadSegment;
import io.nettyrdma.rpc.wire.header.RpcRdmaMessage;
import io.nettyrdma.rpc.wire.header.WriteChunk;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;

/** What a requester sees of a responder when it puts arguments and replies into chunks, over RDMA channels. */
@Over
final class ResponderChunksTest {

    private static final int ARGUMENTS = TestProgram.CALL_BYTES;

    private static RpcRdmaConfig.Builder config() {
        return RpcRdmaConfig.builder().bindings(OpaquesBinding.BINDINGS);
    }

    private static RpcRdmaMessage.Msg msg(ChunkLists chunks) {
        return new RpcRdmaMessage.Msg(XID, 1, 32, chunks);
    }

    private static RpcRdmaMessage.NoMsg noMsg(ChunkLists chunks) {
        return new RpcRdmaMessage.NoMsg(XID, 1, 32, chunks);
    }

    @Test
    @Requirement({"V1-041", "V1-042", "V1-060", "V1-103"})
    void argumentInAReadChunkOfTheLinuxShapeIsPulledAndPadded() throws Exception {
        try (RawRequester requester = new RawRequester(config())) {
            byte[] data = pattern(10_001, 1);
            byte[] call = call(OpaquesBinding.OPAQUES, data, new byte[] {9, 9});
            RdmaMemory memory = requester.readable(data);

            requester.send(
                    msg(reads(new ReadSegment(ARGUMENTS + 4, RawRequester.segment(memory)))),
                    without(call, ARGUMENTS + 4, 10_004));

            assertThat(requester.call()).isEqualTo(call);
            assertThat(requester.reply().header()).isEqualTo(new RpcRdmaMessage.Msg(XID, 1, 64, ChunkLists.ABSENT));
            assertThat(requester.posted).containsExactly("read", "send");
        }
    }

    @Test
    @Requirement({"V1-065", "V1-068"})
    void callOfAnySizeMayBeLong() throws Exception {
        try (RawRequester requester = new RawRequester(config())) {
            for (byte[] call : List.of(call(OpaquesBinding.FIXED), call(OpaquesBinding.FIXED, pattern(5_001, 3)))) {
                RdmaMemory memory = requester.readable(call);

                requester.send(noMsg(reads(new ReadSegment(0, RawRequester.segment(memory)))), new byte[0]);

                assertThat(requester.call()).isEqualTo(call);
                assertThat(requester.reply().header()).isEqualTo(msgOf(ChunkLists.ABSENT));
            }
        }
    }

    @Test
    @Requirement({"V1-006", "V1-050", "V1-051", "V1-052", "V1-056", "V1-057", "V1-060", "V1-090"})
    void resultGoesToAWriteChunkWithThePadSegmentLinuxAppends() throws Exception {
        try (RawRequester requester = new RawRequester(config())) {
            byte[] data = pattern(6_001, 5);
            byte[] reply = reply(data, new byte[] {7});
            requester.service = call -> Unpooled.wrappedBuffer(reply);
            RdmaMemory first = requester.writable(4_000);
            RdmaMemory second = requester.writable(4_000);
            RdmaMemory pad = requester.writable(4);
            WriteChunk offered =
                    chunk(RawRequester.segment(first), RawRequester.segment(second), RawRequester.segment(pad));

            requester.send(msg(writes(offered)), call(OpaquesBinding.OPAQUES));

            RawRequester.Reply received = requester.reply();
            assertThat(received.header())
                    .isEqualTo(new RpcRdmaMessage.Msg(
                            XID,
                            1,
                            64,
                            writes(chunk(
                                    RawRequester.segment(first),
                                    RawRequester.segment(second, 0, 2_001),
                                    RawRequester.segment(pad, 0, 0)))));
            int content = TestProgram.ACCEPTED_REPLY_BYTES + 4;
            assertThat(received.payload()).isEqualTo(without(reply, content, 6_004));
            assertThat(requester.content(first)).isEqualTo(Arrays.copyOf(data, 4_000));
            byte[] rest = requester.content(second);
            assertThat(Arrays.copyOf(rest, 2_001)).isEqualTo(Arrays.copyOfRange(data, 4_000, 6_001));
            assertThat(Arrays.copyOfRange(rest, 2_001, 4_000)).containsOnly(0xee);
            assertThat(requester.content(pad)).containsOnly(0xee);
            assertThat(requester.posted).containsExactly("write", "write", "send");
        }
    }

    @Test
    @Requirement({"V1-061", "V1-062", "V1-067", "V1-068", "V1-100"})
    void longReplyGoesToTheReplyChunk() throws Exception {
        try (RawRequester requester = new RawRequester(config())) {
            byte[] reply = reply(pattern(5_001, 5));
            requester.service = call -> Unpooled.wrappedBuffer(reply);
            RdmaMemory head = requester.writable(100);
            RdmaMemory tail = requester.writable(8_000);
            WriteChunk offered = chunk(RawRequester.segment(head), RawRequester.segment(tail));

            requester.send(msg(new ChunkLists(List.of(), List.of(), offered)), call(OpaquesBinding.OPAQUES));

            assertThat(requester.reply().header())
                    .isEqualTo(new RpcRdmaMessage.NoMsg(
                            XID,
                            1,
                            64,
                            new ChunkLists(
                                    List.of(),
                                    List.of(),
                                    chunk(
                                            RawRequester.segment(head),
                                            RawRequester.segment(tail, 0, reply.length - 100)))));
            assertThat(requester.content(head)).isEqualTo(Arrays.copyOf(reply, 100));
            assertThat(requester.content(tail)).startsWith(Arrays.copyOfRange(reply, 100, reply.length));
            assertThat(requester.posted).containsExactly("write", "write", "send");
        }
    }

    private static final RpcRdmaMessage ERR_CHUNK = new RpcRdmaMessage.ErrorMsg(XID, 1, 64, null);

    private static void assertServes(RawRequester requester) throws Exception {
        requester.calls.clear();
        requester.send(msg(ChunkLists.ABSENT), call(OpaquesBinding.FIXED));
        assertThat(requester.call()).isEqualTo(call(OpaquesBinding.FIXED));
        assertThat(requester.reply().header()).isInstanceOf(RpcRdmaMessage.Msg.class);
    }

    @Test
    @Requirement({"V1-029", "V1-039", "V1-041", "V1-047", "BIS-007", "BIS-012"})
    void chunksMayComeInAnyOrderInPiecesAndWithPaddingOrWithout() throws Exception {
        try (RawRequester requester = new RawRequester(config())) {
            byte[] first = pattern(301, 1);
            byte[] second = pattern(70, 2);
            byte[] third = pattern(5, 3);
            byte[] call = call(OpaquesBinding.OPAQUES, first, second, third);
            int firstAt = ARGUMENTS + 4;
            int secondAt = firstAt + 304 + 4;
            int thirdAt = secondAt + 72 + 4;
            RdmaMemory of1 = requester.readable(first);
            RdmaMemory of2 = requester.readable(Arrays.copyOf(second, 72)); // with padding
            RdmaMemory of3 = requester.readable(third);
            RdmaMemory pad = requester.readable(new byte[3]);

            requester.send(
                    msg(reads(
                            new ReadSegment(thirdAt, RawRequester.segment(of3)),
                            new ReadSegment(firstAt, RawRequester.segment(of1, 0, 1)),
                            new ReadSegment(secondAt, RawRequester.segment(of2)),
                            new ReadSegment(firstAt, RawRequester.segment(of1, 1, 0)),
                            new ReadSegment(thirdAt, RawRequester.segment(pad)),
                            new ReadSegment(firstAt, RawRequester.segment(of1, 1, 300)))),
                    without(without(without(call, thirdAt, 8), secondAt, 72), firstAt, 304));

            assertThat(requester.call()).isEqualTo(call);
            requester.reply();
            assertThat(requester.posted).containsExactly("read", "read", "read", "read", "read", "send");
        }
    }

    @Test
    @Requirement({"V1-084", "V1-147"})
    void longCallWithAFurtherChunkHasALongReply() throws Exception {
        try (RawRequester requester = new RawRequester(config())) {
            byte[] data = pattern(2_002, 1);
            byte[] call = call(OpaquesBinding.OPAQUES, data, pattern(3_000, 2));
            byte[] reply = reply(pattern(4_500, 3));
            requester.service = ignored -> Unpooled.wrappedBuffer(reply);
            RdmaMemory stream = requester.readable(without(call, ARGUMENTS + 4, 2_004));
            RdmaMemory chunk = requester.readable(data);
            RdmaMemory target = requester.writable(5_000);

            requester.send(
                    noMsg(new ChunkLists(
                            List.of(
                                    new ReadSegment(0, RawRequester.segment(stream)),
                                    new ReadSegment(ARGUMENTS + 4, RawRequester.segment(chunk))),
                            List.of(),
                            chunk(RawRequester.segment(target)))),
                    new byte[0]);

            assertThat(requester.call()).isEqualTo(call);
            assertThat(requester.reply().header()).isInstanceOf(RpcRdmaMessage.NoMsg.class);
            assertThat(requester.content(target)).startsWith(reply);
        }
    }

    @Test
    @Requirement({"V1-066", "V1-092", "V1-094", "V1-097", "V1-099", "V1-100"})
    void writeListIsFilledInOrderAndTheReplyChunkComesBackUnused() throws Exception {
        try (RawRequester requester = new RawRequester(config())) {
            byte[] reply = reply(pattern(3_000, 1), pattern(20, 2), pattern(3_000, 3));
            requester.service = ignored -> Unpooled.wrappedBuffer(reply);
            RdmaMemory first = requester.writable(3_000);
            RdmaMemory third = requester.writable(3_100);
            RdmaMemory spare = requester.writable(100);
            WriteChunk unused = chunk(RawRequester.segment(spare));

            requester.send(
                    msg(new ChunkLists(
                            List.of(),
                            List.of(
                                    chunk(RawRequester.segment(first)),
                                    chunk(),
                                    chunk(RawRequester.segment(third)),
                                    unused),
                            unused)),
                    call(OpaquesBinding.OPAQUES));

            RawRequester.Reply received = requester.reply();
            assertThat(received.header())
                    .isEqualTo(msgOf(new ChunkLists(
                            List.of(),
                            List.of(
                                    chunk(RawRequester.segment(first)),
                                    chunk(),
                                    chunk(RawRequester.segment(third, 0, 3_000)),
                                    unused.asUnused()),
                            unused.asUnused())));
            int firstAt = TestProgram.ACCEPTED_REPLY_BYTES + 4;
            int thirdAt = firstAt + 3_000 + 4 + 20 + 4;
            assertThat(received.payload()).isEqualTo(without(without(reply, thirdAt, 3_000), firstAt, 3_000));
            assertThat(requester.content(first)).isEqualTo(pattern(3_000, 1));
            assertThat(requester.content(third)).startsWith(pattern(3_000, 3));
            assertThat(requester.content(spare)).containsOnly(0xee);
        }
    }

    private static RpcRdmaMessage msgOf(ChunkLists chunks) {
        return new RpcRdmaMessage.Msg(XID, 1, 64, chunks);
    }

    @Test
    @Requirement({"V1-117", "BIS-013"})
    void replyThatFitsNowhereIsAnErrorAndNothingIsWritten() throws Exception {
        try (RawRequester requester = new RawRequester(config())) {
            requester.service = ignored -> Unpooled.wrappedBuffer(reply(pattern(5_000, 1)));
            RdmaMemory small = requester.writable(4_999);
            WriteChunk chunk = chunk(RawRequester.segment(small));
            for (ChunkLists offered :
                    List.of(writes(chunk), new ChunkLists(List.of(), List.of(), chunk), ChunkLists.ABSENT)) {
                requester.send(msg(offered), call(OpaquesBinding.OPAQUES));

                assertThat(requester.reply().header()).isEqualTo(ERR_CHUNK);
            }
            assertThat(requester.content(small)).containsOnly(0xee);
            assertThat(requester.posted).containsOnly("send");
            requester.service = call -> RpcHeaders.accepted(call.alloc(), RpcHeaders.xid(call), RpcHeaders.SUCCESS);
            assertServes(requester);
        }
    }

    @Test
    @Requirement({"V1-028", "V1-036", "V1-132", "V1-133", "V1-136"})
    void whatMustNotBeInAReadChunkIsRefused() throws Exception {
        try (RawRequester requester = new RawRequester(config())) {
            byte[] data = pattern(100, 1);
            RdmaMemory memory = requester.readable(data);
            PlainSegment segment = RawRequester.segment(memory);
            byte[] fixed = call(OpaquesBinding.FIXED, data);
            byte[] opaque = call(OpaquesBinding.OPAQUES, data);

            requester.send(msg(reads(new ReadSegment(ARGUMENTS + 4, segment))), without(fixed, ARGUMENTS + 4, 100));
            assertThat(requester.reply().header()).isEqualTo(ERR_CHUNK);
            requester.send(msg(reads(new ReadSegment(24, segment))), opaque); // in the RPC header
            assertThat(requester.reply().header()).isEqualTo(ERR_CHUNK);
            assertThat(requester.posted).containsExactly("send", "send"); // no Read

            requester.send(msg(reads(new ReadSegment(ARGUMENTS, segment))), Arrays.copyOf(opaque, ARGUMENTS));
            assertThat(requester.reply().header()).isEqualTo(ERR_CHUNK); // the length word is in the chunk
            requester.send( // half of an argument
                    msg(reads(new ReadSegment(ARGUMENTS + 4, RawRequester.segment(memory, 0, 48)))),
                    without(opaque, ARGUMENTS + 4, 48));
            assertThat(requester.reply().header()).isEqualTo(ERR_CHUNK);
            assertThat(requester.calls).isEmpty();
            assertServes(requester);
        }
    }

    @Test
    @Requirement("V1-031")
    void chunksBeyondTheLimitsAreRefusedBeforeAnythingIsRead() throws Exception {
        try (RawRequester requester = new RawRequester(config().maxCallBytes(1_500))) {
            RdmaMemory memory = requester.readable(new byte[1_504]);
            byte[] head = Arrays.copyOf(call(OpaquesBinding.OPAQUES, new byte[0]), ARGUMENTS + 4);

            requester.send(msg(reads(new ReadSegment(ARGUMENTS + 4, RawRequester.segment(memory)))), head);
            assertThat(requester.reply().header()).isEqualTo(ERR_CHUNK);
            PlainSegment allowed = RawRequester.segment(memory, 0, 1_000);
            requester.send(
                    msg(reads(
                            new ReadSegment(ARGUMENTS + 4, allowed),
                            new ReadSegment(ARGUMENTS + 4 + 1_000, RawRequester.segment(memory, 0, 460)))),
                    head);
            assertThat(requester.reply().header()).isEqualTo(ERR_CHUNK);

            assertThat(requester.posted).containsExactly("send", "send");
            assertThat(requester.calls).isEmpty();
            assertServes(requester);
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
    @Requirement("V1-048")
    void zeroLengthChunksMoveNothing() throws Exception {
        try (RawRequester requester = new RawRequester(config())) {
            byte[] call = call(OpaquesBinding.FIXED, new byte[0]);
            PlainSegment nothing = new PlainSegment(0x777, 0, 5);
            ChunkLists chunks = new ChunkLists(
                    List.of(new ReadSegment(ARGUMENTS + 4, nothing)), List.of(chunk(nothing)), chunk(nothing));

            requester.send(msg(chunks), call);

            assertThat(requester.call()).isEqualTo(call);
            assertThat(requester.reply().header()).isEqualTo(msgOf(chunks.asUnused()));
            assertThat(requester.posted).containsExactly("send");
        }
    }

    @Test
    void readOfMemoryThatIsNotThereEndsTheConnectionAndLeavesNothing() throws Exception {
        try (RawRequester requester = new RawRequester(config())) {
            ReadSegment missing = new ReadSegment(0, new PlainSegment(0x12345678, 1_000, 1));

            requester.send(noMsg(reads(missing)), new byte[0]);

            requester.awaitClosed();
            assertThat(requester.calls).isEmpty();
        }
    }

    @Test
    void writeToMemoryThatIsNotThereEndsTheConnectionAndLeavesNothing() throws Exception {
        try (RawRequester requester = new RawRequester(config())) {
            requester.service = ignored -> Unpooled.wrappedBuffer(reply(pattern(5_000, 1)));
            WriteChunk missing = chunk(new PlainSegment(0x12345678, 9_000, 1));

            requester.send(msg(writes(missing)), call(OpaquesBinding.OPAQUES));

            requester.awaitClosed();
        }
    }

    @Test
    @Requirement({"PD-014", "PD-021"})
    void replyInvalidatesTheOneHandleOfItsCall() throws Exception {
        try (RawRequester requester = new RawRequester(config(), new CmPrivateData(true, 4096, 4096))) {
            List<ByteBuf> replies = new CopyOnWriteArrayList<>();
            requester.service = call -> {
                replies.add(RpcHeaders.accepted(call.alloc(), RpcHeaders.xid(call), RpcHeaders.SUCCESS));
                return null;
            };
            RdmaMemory first = requester.writable(10);
            RdmaMemory second = requester.writable(10);
            int xid = 0;
            for (RdmaMemory memory : List.of(first, second)) {
                byte[] call = call(OpaquesBinding.OPAQUES);
                call[3] = (byte) ++xid;
                call[2] = 0;
                WriteChunk chunk = chunk(RawRequester.segment(memory, 0, 5), RawRequester.segment(memory, 5, 5));
                requester.send(new RpcRdmaMessage.Msg(xid, 1, 32, new ChunkLists(List.of(), List.of(), chunk)), call);
                requester.call();
            }

            requester.settle();
            requester.serverSide.write(replies.get(1));
            requester.serverSide.writeAndFlush(replies.get(0));

            assertThat(requester.reply().header().xid()).isEqualTo(2);
            assertThat(requester.reply().header().xid()).isEqualTo(1);
            assertThat(requester.posted)
                    .containsExactly(
                            "invalidate " + second.segment().key(),
                            "invalidate " + first.segment().key());
        }
    }

    @Test
    @Requirement({"PD-015", "PD-020", "PD-021"})
    void repliesArePlainSendsIfThePeerHasNotAskedOrThereIsNoOneHandle() throws Exception {
        for (boolean asked : new boolean[] {false, true}) {
            try (RawRequester requester = new RawRequester(config(), new CmPrivateData(asked, 4096, 4096))) {
                RdmaMemory one = requester.writable(10);
                RdmaMemory other = requester.writable(10);
                List<WriteChunk> chunks = asked
                        ? List.of(chunk(RawRequester.segment(one), RawRequester.segment(other)), chunk())
                        : List.of(chunk(RawRequester.segment(one)));
                for (WriteChunk chunk : chunks) {
                    requester.send(msg(new ChunkLists(List.of(), List.of(), chunk)), call(OpaquesBinding.OPAQUES));
                    requester.reply();
                }

                assertThat(requester.posted).containsOnly("send");
            }
        }
    }

    @Test
    void errorsInvalidateNothing() throws Exception {
        try (RawRequester requester = new RawRequester(config(), new CmPrivateData(true, 4096, 4096))) {
            RdmaMemory memory = requester.writable(10);
            requester.service = ignored -> new RpcCallRefusal(XID);

            requester.send(
                    msg(new ChunkLists(List.of(), List.of(), chunk(RawRequester.segment(memory)))),
                    call(OpaquesBinding.OPAQUES));

            assertThat(requester.reply().header()).isEqualTo(ERR_CHUNK);
            assertThat(requester.posted).containsExactly("send");
        }
    }

    @Test
    @Requirement({"V1-013", "V1-016", "V1-017"})
    void grantFollowsTheApplicationUpToWhatIsPosted() throws Exception {
        try (RawRequester requester = new RawRequester(config().creditsGranted(8))) {
            for (int credits : new int[] {3, 8, 1}) {
                requester.responder.setCreditsGranted(credits);
                requester.settle(); // the loop looks for messages before it runs tasks
                requester.send(msg(ChunkLists.ABSENT), call(OpaquesBinding.FIXED));
                assertThat(requester.reply().header().credits()).isEqualTo(credits);
            }
            for (int wrong : new int[] {0, 9}) {
                assertThatThrownBy(() -> requester.responder.setCreditsGranted(wrong))
                        .isInstanceOf(IllegalArgumentException.class);
            }
        }
        assertThatThrownBy(() -> new RpcRdmaResponderHandler().setCreditsGranted(1))
                .isInstanceOf(IllegalStateException.class);
    }

    @Test
    @Requirement("V1-090")
    void replyObjectNamesItsResultsAndItsComponentsAreWrittenAsTheyAre() throws Exception {
        try (RawRequester requester = new RawRequester(RpcRdmaConfig.builder())) {
            byte[] data = pattern(100_000, 1);
            byte[] reply = reply(data);
            int at = TestProgram.ACCEPTED_REPLY_BYTES + 4;
            requester.service = call -> {
                CompositeByteBuf whole = call.alloc().compositeDirectBuffer(3);
                whole.addComponent(true, call.alloc().directBuffer().writeBytes(reply, 0, at));
                whole.addComponent(true, call.alloc().directBuffer().writeBytes(data, 0, 60_000));
                whole.addComponent(true, call.alloc().directBuffer().writeBytes(data, 60_000, 40_000));
                return new RpcRdmaReply(whole, List.of(new XdrItem(at, data.length)));
            };
            RdmaMemory target = requester.writable(data.length);

            requester.send(msg(writes(chunk(RawRequester.segment(target)))), call(OpaquesBinding.FIXED));

            assertThat(requester.reply().payload()).isEqualTo(Arrays.copyOf(reply, at));
            assertThat(requester.content(target)).isEqualTo(data);
            assertThat(requester.posted).containsExactly("write", "write", "send"); // one for each component
        }
    }

    @Test
    void replyObjectWithResultsOutsideOfItIsAnError() throws Exception {
        try (RawRequester requester = new RawRequester(config())) {
            requester.service =
                    ignored -> new RpcRdmaReply(Unpooled.wrappedBuffer(reply()), List.of(new XdrItem(20, 8)));
            RdmaMemory target = requester.writable(8);

            requester.send(msg(writes(chunk(RawRequester.segment(target)))), call(OpaquesBinding.OPAQUES));

            assertThat(requester.reply().header()).isEqualTo(ERR_CHUNK);
            requester.settle();
            assertThat(requester.lastReply.cause()).isInstanceOf(MalformedRpcMessageException.class);
        }
    }
}
