// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.responder;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.nettyrdma.channel.Over;
import io.nettyrdma.channel.RdmaChannelOption;
import io.nettyrdma.channel.RdmaMemory;
import io.nettyrdma.channel.TestProvider;
import io.nettyrdma.conformance.Requirement;
import io.nettyrdma.error.RdmaConnectionException;
import io.nettyrdma.logs.ExpectedLog;
import io.nettyrdma.logs.LogLine;
import io.nettyrdma.logs.Logs;
import io.nettyrdma.rpc.RpcRdmaConfig;
import io.nettyrdma.rpc.TestLimits;
import io.nettyrdma.rpc.binding.UpperLayerBinding;
import io.nettyrdma.rpc.binding.UpperLayerBindings;
import io.nettyrdma.rpc.kit.NoVerbsLeft;
import io.nettyrdma.rpc.kit.OpaqueMessages;
import io.nettyrdma.rpc.kit.OpaquesBinding;
import io.nettyrdma.rpc.kit.Poll;
import io.nettyrdma.rpc.kit.RawRequester;
import io.nettyrdma.rpc.kit.RdmaLoopback;
import io.nettyrdma.rpc.kit.TestProgram;
import io.nettyrdma.rpc.message.RpcHeaders;
import io.nettyrdma.rpc.observe.RpcRdmaListener;
import io.nettyrdma.rpc.observe.RpcRdmaRejectionReport;
import io.nettyrdma.rpc.wire.header.ChunkLists;
import io.nettyrdma.rpc.wire.header.PlainSegment;
import io.nettyrdma.rpc.wire.header.ReadSegment;
import io.nettyrdma.rpc.wire.header.RpcRdmaMessage;
import io.nettyrdma.rpc.wire.header.WriteChunk;
import io.nettyrdma.verbs.strict.AllTraitsOnly;
import io.nettyrdma.verbs.strict.Trait;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A requester that means harm: whatever it sends, each of its calls is answered or its connection is closed for a
 * reason with a name, and the responder's memory stays within what its limits add up to.
 */
@Over
@ExtendWith({AllTraitsOnly.class, NoVerbsLeft.class})
final class HostileRequesterTest {

    private static final int CREDITS = 8;
    private static final int RESERVE = 8;
    private static final int INLINE_BYTES = 4096;

    private static RpcRdmaConfig.Builder config() {
        return TestLimits.receiveReserve(RpcRdmaConfig.builder(), RESERVE)
                .bindings(OpaquesBinding.BINDINGS)
                .creditsGranted(CREDITS);
    }

    private static byte[] call(int xid, int procedure, int bytes) {
        byte[] call = Arrays.copyOf(OpaqueMessages.call(procedure), Math.max(bytes, TestProgram.CALL_BYTES));
        Unpooled.wrappedBuffer(call).setInt(0, xid);
        return call;
    }

    private static RpcRdmaMessage.Msg msg(int xid, ChunkLists chunks) {
        return new RpcRdmaMessage.Msg(xid, 1, 32, chunks);
    }

    @Test
    void callsFarBeyondTheGrantStayWithTheRequesterUntilTheConnectionIsTerminated() throws Exception {
        TestProvider.tested().assumeWaitsForReceives();
        try (RawRequester requester = new RawRequester(config())) {
            BlockingQueue<Integer> inProgress = new LinkedBlockingQueue<>();
            requester.service = call -> {
                inProgress.add(RpcHeaders.xid(call));
                return null;
            };

            for (int xid = 1; xid <= 100 * CREDITS; xid++) {
                requester.send(msg(xid, ChunkLists.ABSENT), call(xid, OpaquesBinding.FIXED, INLINE_BYTES - 28));
            }

            Poll.until("the most calls", () -> inProgress.size() >= CREDITS + RESERVE);
            requester.passTimeUntilClosed(requester.channel);
            requester.assertFailed(RdmaConnectionException.class, "");
            assertThat(inProgress)
                    .hasSizeBetween(
                            CREDITS + RESERVE, ResponderBudget.of(config()).calls());
            assertThat(requester.serverSide.isOpen()).isTrue(); // what has come is still to be read

            requester.serverSide.writeAndFlush(
                    RpcHeaders.accepted(ByteBufAllocator.DEFAULT, inProgress.remove(), RpcHeaders.SUCCESS));
            requester.awaitClosed();
        }
    }

    private enum Outcome {
        ANSWERED,
        REFUSED,
        CLOSED
    }

    /** Makes a call out of memory of this connection and of another one. */
    private interface Forger {
        ChunkLists forge(PlainSegment own, PlainSegment foreign);
    }

    private static ChunkLists read(PlainSegment... segments) {
        List<ReadSegment> list = new ArrayList<>();
        for (PlainSegment segment : segments) {
            list.add(new ReadSegment(TestProgram.CALL_BYTES + 4, segment));
        }
        return new ChunkLists(list, List.of(), null);
    }

    private static ChunkLists write(PlainSegment... segments) {
        return new ChunkLists(List.of(), List.of(new WriteChunk(List.of(segments))), null);
    }

    private static Arguments forged(String name, Outcome outcome, Forger forger) {
        return Arguments.of(name, outcome, forger);
    }

    static Stream<Arguments> forgeries() {
        long max = 0xffff_ffffL;
        return Stream.of(
                forged(
                        "Read of 4 GiB",
                        Outcome.REFUSED,
                        (own, foreign) -> read(new PlainSegment(own.handle(), max, 0))),
                forged(
                        "Read that wraps at 2^64",
                        Outcome.CLOSED,
                        (own, foreign) -> read(new PlainSegment(own.handle(), BYTES, -4))),
                forged(
                        "Read behind the memory",
                        Outcome.CLOSED,
                        (own, foreign) -> read(new PlainSegment(own.handle(), BYTES, own.offset() + 1))),
                forged("Read of handle 0", Outcome.CLOSED, (own, foreign) -> read(new PlainSegment(0, BYTES, 0))),
                forged("Read of a foreign handle", Outcome.CLOSED, (own, foreign) -> read(foreign)),
                forged(
                        "Read of the same octets twice",
                        Outcome.ANSWERED,
                        (own, foreign) -> read(
                                new PlainSegment(own.handle(), BYTES / 2, own.offset()),
                                new PlainSegment(own.handle(), BYTES / 2, own.offset()))),
                forged(
                        "Write of 4 GiB",
                        Outcome.ANSWERED,
                        (own, foreign) -> write(new PlainSegment(own.handle(), max, own.offset()))),
                forged(
                        "Write that wraps at 2^64",
                        Outcome.CLOSED,
                        (own, foreign) -> write(new PlainSegment(own.handle(), max, -4))),
                forged("Write to handle 0", Outcome.CLOSED, (own, foreign) -> write(new PlainSegment(0, max, 0))),
                forged("Write to a foreign handle", Outcome.CLOSED, (own, foreign) -> write(foreign)),
                forged(
                        "many segments",
                        Outcome.REFUSED,
                        (own, foreign) -> read(Stream.generate(() -> new PlainSegment(own.handle(), 1, own.offset()))
                                .limit(65)
                                .toArray(PlainSegment[]::new))),
                forged(
                        "many read chunks",
                        Outcome.REFUSED,
                        (own, foreign) -> new ChunkLists(
                                Stream.iterate(4L, position -> position + 8)
                                        .limit(17)
                                        .map(position -> new ReadSegment(
                                                position, new PlainSegment(own.handle(), 4, own.offset())))
                                        .toList(),
                                List.of(),
                                null)),
                forged(
                        "many write chunks",
                        Outcome.REFUSED,
                        (own, foreign) -> new ChunkLists(
                                List.of(),
                                Stream.generate(() -> new WriteChunk(List.of(own)))
                                        .limit(17)
                                        .toList(),
                                null)));
    }

    private static final int BYTES = 1000;

    @ParameterizedTest(name = "{0}")
    @MethodSource("forgeries")
    @Requirement({"V1-031", "V1-103"})
    void forgedSegmentsAreRefusedOrEndTheConnectionAndTouchNobodyElse(String name, Outcome outcome, Forger forger)
            throws Exception {
        byte[] octets = OpaqueMessages.pattern(BYTES, 3);
        try (RawRequester victim = new RawRequester(config());
                RawRequester requester = new RawRequester(config())) {
            RdmaMemory foreign = victim.writable(BYTES);
            byte[] untouched = victim.content(foreign);
            requester.service = call -> Unpooled.wrappedBuffer(reply(RpcHeaders.xid(call), octets));
            boolean writes = name.startsWith("Write") || name.contains("write");
            RdmaMemory own = writes ? requester.writable(BYTES) : requester.readable(octets);
            byte[] call = OpaqueMessages.call(OpaquesBinding.OPAQUES, writes ? new byte[0] : octets);
            byte[] inline = writes
                    ? call
                    : OpaqueMessages.without(
                            call, TestProgram.CALL_BYTES + 4, call.length - TestProgram.CALL_BYTES - 4);

            requester.send(msg(XID, forger.forge(RawRequester.segment(own), RawRequester.segment(foreign))), inline);

            switch (outcome) {
                case ANSWERED -> assertThat(requester.reply().header()).isInstanceOf(RpcRdmaMessage.Msg.class);
                case REFUSED -> assertThat(requester.reply().header()).isInstanceOf(RpcRdmaMessage.ErrorMsg.class);
                default -> {
                    requester.awaitClosed();
                    RdmaLoopback.await(requester.channel.closeFuture(), "close");
                    requester.assertFailed(RdmaConnectionException.class, "");
                }
            }
            assertThat(victim.content(foreign)).isEqualTo(untouched);
            victim.send(msg(7, ChunkLists.ABSENT), call(7, OpaquesBinding.FIXED, 0));
            assertThat(victim.reply().header().xid()).isEqualTo(7);
        }
    }

    /** That of {@link OpaqueMessages#call}. */
    private static final int XID = 0x1234;

    private static byte[] reply(int xid, byte[] result) {
        byte[] reply = OpaqueMessages.reply(result);
        Unpooled.wrappedBuffer(reply).setInt(0, xid);
        return reply;
    }

    @Test
    void thousandsOfSegmentsAreTakenIfTheLimitsSaySo() throws Exception {
        // A device whose Reads come late takes them one after the other.
        int segments = TestProvider.tested().has(Trait.READS_LATE) ? 1_000 : 10_000;
        RpcRdmaConfig.Builder config = TestLimits.maxSegmentsPerChunk(config(), 16_384)
                .inlineReceiveBytes(256 * 1024)
                .maxCallBytes(1 << 20);
        try (RawRequester requester = new RawRequester(config)) {
            byte[] octets = OpaqueMessages.pattern(segments, 5);
            RdmaMemory memory = requester.readable(octets);
            PlainSegment[] list = new PlainSegment[segments];
            for (int i = 0; i < segments; i++) {
                list[i] = RawRequester.segment(memory, i, 1);
            }
            requester.channel.config().setOption(RdmaChannelOption.RDMA_MAX_SEND_SIZE, 256 * 1024);
            byte[] call = OpaqueMessages.call(OpaquesBinding.OPAQUES, octets);

            requester.send(msg(XID, read(list)), Arrays.copyOf(call, TestProgram.CALL_BYTES + 4));

            assertThat(requester.call()).isEqualTo(call);
        }
    }

    @Test
    void hundredThousandSegmentsInOneMessageEndItsConnectionAndNoOther() throws Exception {
        RpcRdmaConfig.Builder config =
                TestLimits.maxSegmentsPerChunk(config(), 16_384).inlineReceiveBytes(256 * 1024);
        try (RawRequester requester = new RawRequester(config);
                RawRequester bystander = RawRequester.beside(requester, config())) {
            requester.channel.config().setOption(RdmaChannelOption.RDMA_MAX_SEND_SIZE, 4 << 20);
            PlainSegment segment = RawRequester.segment(requester.readable(new byte[1]));
            ChunkLists chunks = read(Collections.nCopies(SEGMENTS, segment).toArray(PlainSegment[]::new));

            requester.send(msg(XID, chunks), call(XID, OpaquesBinding.OPAQUES, 0));

            requester.awaitClosed();
            RdmaLoopback.await(requester.channel.closeFuture(), "close");
            requester.assertFailed(
                    RdmaConnectionException.class, "peer sent Terminate DDP/untagged buffer/message too long");
            assertThat(requester.peak.received).hasValue(0);
            bystander.send(msg(7, ChunkLists.ABSENT), call(7, OpaquesBinding.FIXED, 0));
            assertThat(bystander.reply().header().xid()).isEqualTo(7);
        }
    }

    private static final int SEGMENTS = 100_000;

    static Stream<Arguments> claims() {
        ByteBuf readList = header();
        while (readList.writerIndex() < MAX_HEADER_BYTES - 4) {
            readList.writeInt(1).writeInt(0).writeInt(7).writeInt(1).writeLong(0);
        }
        ByteBuf writeList = header().writeInt(0).writeInt(1).writeInt(SEGMENTS);
        ByteBuf replyChunk = header().writeInt(0).writeInt(0).writeInt(1).writeInt(SEGMENTS);
        ByteBuf most = header().writeInt(0).writeInt(1).writeInt(-1);
        return Stream.of(
                Arguments.of("read list", "read list cut short", filled(readList)),
                Arguments.of("write chunk", "segment count exceeds the message", filled(writeList)),
                Arguments.of("reply chunk", "segment count exceeds the message", filled(replyChunk)),
                Arguments.of("write chunk of 2^32 - 1", "segment count exceeds the message", filled(most)));
    }

    private static final int MAX_HEADER_BYTES = 256 * 1024;

    private static ByteBuf header() {
        return Unpooled.buffer().writeInt(XID).writeInt(1).writeInt(32).writeInt(0);
    }

    private static byte[] filled(ByteBuf header) {
        return Arrays.copyOf(ByteBufUtil.getBytes(header), MAX_HEADER_BYTES);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("claims")
    void segmentsThatAreOnlyClaimedAreRefusedUncounted(String name, String defect, byte[] message) throws Exception {
        BlockingQueue<RpcRdmaRejectionReport> rejections = new LinkedBlockingQueue<>();
        RpcRdmaConfig.Builder config = TestLimits.maxSegmentsPerChunk(config(), 16_384)
                .inlineReceiveBytes(MAX_HEADER_BYTES)
                .listener(new RpcRdmaListener() {
                    @Override
                    public void onRejected(Channel channel, RpcRdmaRejectionReport rejection) {
                        rejections.add(rejection);
                    }
                });
        try (RawRequester requester = new RawRequester(config)) {
            requester.channel.config().setOption(RdmaChannelOption.RDMA_MAX_SEND_SIZE, MAX_HEADER_BYTES);

            requester.send(message);

            assertThat(requester.reply().header()).isEqualTo(new RpcRdmaMessage.ErrorMsg(XID, 1, CREDITS, null));
            assertThat(rejections.remove().defect()).isEqualTo(defect);
            requester.send(msg(XID, ChunkLists.ABSENT), call(XID, OpaquesBinding.FIXED, 0));
            assertThat(requester.reply().header()).isInstanceOf(RpcRdmaMessage.Msg.class);
            assertThat(requester.peak.mostReads).isZero();
        }
    }

    @Test
    @Requirement("V1-001")
    void callsWithOneXidAreExecutedOnce() throws Exception {
        TestProvider.tested().assumeWaitsForReceives();
        try (RawRequester requester = new RawRequester(config())) {
            requester.service = ignored -> null;
            for (int i = 0; i < 2000; i++) {
                requester.send(msg(1, ChunkLists.ABSENT), call(1, OpaquesBinding.FIXED, 0));
            }
            requester.send(msg(2, ChunkLists.ABSENT), call(2, OpaquesBinding.FIXED, 0));

            assertThat(Unpooled.wrappedBuffer(requester.call()).getInt(0)).isEqualTo(1);
            assertThat(Unpooled.wrappedBuffer(requester.call()).getInt(0)).isEqualTo(2);
            assertThat(requester.hasReceivedNothing()).isTrue();
        }
    }

    @Test
    void errorsAreNotAnswered() throws Exception {
        TestProvider.tested().assumeWaitsForReceives();
        try (RawRequester requester = new RawRequester(config())) {
            for (int i = 0; i < 2000; i++) {
                requester.send(new RpcRdmaMessage.ErrorMsg(i, 1, 1, null), new byte[0]);
            }
            requester.send(msg(2, ChunkLists.ABSENT), call(2, OpaquesBinding.FIXED, 0));

            assertThat(requester.reply().header()).isInstanceOf(RpcRdmaMessage.Msg.class);
            assertThat(requester.hasReceivedNothing()).isTrue();
        }
    }

    @Test
    void requesterThatTakesNoRepliesIsReadNoFurther() throws Exception {
        try (RawRequester requester = new RawRequester(config())) {
            requester.channel.config().setAutoRead(false);
            byte[] malformed = new byte[28];
            malformed[7] = 1; // version
            malformed[15] = 2; // RDMA_MSGP
            for (int i = 0; i < 50_000; i++) {
                requester.send(malformed);
            }

            requester.passTimeUntilClosed(requester.serverSide);
            assertThat(requester.peak.mostPendingBytes)
                    .isLessThan(ResponderBudget.of(config()).pendingBytes(28));
        }
    }

    @Test
    void bindingThatThrowsRefusesChunksAndNothingElse() throws Exception {
        ExpectedLog log = Logs.expect(ReductionRules.class, "broken binding failed on a message of procedure 1");
        UpperLayerBinding broken = (UpperLayerBinding) Proxy.newProxyInstance(
                UpperLayerBinding.class.getClassLoader(),
                new Class<?>[] {UpperLayerBinding.class},
                (proxy, method, arguments) -> {
                    if (method.getName().equals("mayReduceArguments")) {
                        return true;
                    } else if (method.getDeclaringClass() == Object.class) {
                        return "broken binding";
                    }
                    throw new IndexOutOfBoundsException(method.getName());
                });
        UpperLayerBindings bindings =
                UpperLayerBindings.none().with(OpaquesBinding.PROGRAM, OpaquesBinding.VERSION, broken);
        try (RawRequester requester = new RawRequester(config().bindings(bindings))) {
            byte[] octets = OpaqueMessages.pattern(BYTES, 3);
            byte[] call = OpaqueMessages.call(OpaquesBinding.OPAQUES, octets);
            requester.service = it -> Unpooled.wrappedBuffer(reply(RpcHeaders.xid(it), octets));

            requester.send(
                    msg(XID, read(RawRequester.segment(requester.readable(octets)))),
                    Arrays.copyOf(call, TestProgram.CALL_BYTES + 4));
            assertThat(requester.reply().header()).isInstanceOf(RpcRdmaMessage.ErrorMsg.class);

            ChunkLists offered = write(RawRequester.segment(requester.writable(BYTES)));
            requester.send(msg(XID, offered), OpaqueMessages.call(OpaquesBinding.OPAQUES));
            assertThat(requester.reply().header())
                    .isEqualTo(new RpcRdmaMessage.Msg(XID, 1, CREDITS, offered.asUnused()));
        }
        assertThat(log.await(2))
                .extracting(LogLine::thrown)
                .extracting(Throwable::getMessage)
                .containsExactly("reducibleArguments", "reducibleResults");
    }
}
