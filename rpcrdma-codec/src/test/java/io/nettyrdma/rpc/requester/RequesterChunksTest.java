// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.requester;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.util.concurrent.Future;
import io.nettyrdma.channel.Over;
import io.nettyrdma.channel.RdmaAccess;
import io.nettyrdma.conformance.Requirement;
import io.nettyrdma.rpc.RpcRdmaConfig;
import io.nettyrdma.rpc.RpcRdmaRequester;
import io.nettyrdma.rpc.kit.RdmaLoopback;
import io.nettyrdma.rpc.kit.ScriptedLoopback;
import io.nettyrdma.rpc.kit.ScriptedResponder.Exchange;
import io.nettyrdma.rpc.kit.TestProgram;
import io.nettyrdma.rpc.message.RpcHeaders;
import io.nettyrdma.rpc.message.RpcRdmaCall;
import io.nettyrdma.rpc.message.XdrItem;
import io.nettyrdma.rpc.wire.header.ChunkLists;
import io.nettyrdma.rpc.wire.header.ReadSegment;
import io.nettyrdma.rpc.wire.header.WriteChunk;
import io.nettyrdma.verbs.strict.AllTraitsOnly;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Calls with chunks over real RDMA channels, to a responder that answers in every legal way. */
@Over
@ExtendWith(AllTraitsOnly.class)
final class RequesterChunksTest extends ScriptedLoopback {

    private static final RpcRdmaConfig CONFIG =
            RpcRdmaConfig.builder().bindings(TestProgram.BINDINGS).build();

    private Channel channel;

    @BeforeEach
    void connect() throws Exception {
        channel = loopback.connect(CONFIG);
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource({
        "small call and reply, 1 x 8, 8, 0, Msg, ''",
        "long argument, 1 x 50001, , 0, Msg, read 50001 at 48",
        "long call, 100 x 101, , 0, NoMsg, read 10852 at 0",
        "long result, 0 x 0, 100003, 0, Msg, write 100003",
        "long reply, 0 x 0, , 100000, Msg, reply 100028",
        "long call and reply, 100 x 101, , 100000, NoMsg, read 10852 at 0 and reply 100028"
    })
    @Requirement({
        "V1-032", "V1-037", "V1-038", "V1-044", "V1-046", "V1-049", "V1-054", "V1-055", "V1-058", "V1-061", "V1-062",
        "V1-063", "V1-064", "V1-068", "V1-091", "V1-098", "V1-130", "V1-131", "V1-143", "V1-147", "BIS-008"
    })
    void chunksConveyWhatIsTooLongToBeInline(
            String name, String arguments, @Nullable Integer result, int trailer, String header, String chunks)
            throws Exception {
        String[] countAndBytes = arguments.split(" x ");
        answersRightly(
                Collections.nCopies(Integer.parseInt(countAndBytes[0]), Integer.valueOf(countAndBytes[1])),
                result == null ? List.of() : List.of(result),
                trailer);

        Exchange exchange = next();
        assertThat(exchange.header.getClass().getSimpleName()).isEqualTo(header);
        List<String> offered = new ArrayList<>();
        List<RdmaAccess> accesses = new ArrayList<>();
        for (ReadSegment read : exchange.chunks.readList()) {
            offered.add("read " + read.segment().lengthBytes() + " at " + read.position());
            accesses.add(RdmaAccess.REMOTE_READ);
        }
        for (WriteChunk write : exchange.chunks.writeList()) {
            offered.add("write " + write.lengthBytes());
            accesses.add(RdmaAccess.REMOTE_WRITE);
        }
        if (exchange.chunks.replyChunk() != null) {
            offered.add("reply " + exchange.chunks.replyChunk().lengthBytes());
            accesses.add(RdmaAccess.REMOTE_WRITE);
        }
        assertThat(offered).isEqualTo(chunks.isEmpty() ? List.of() : List.of(chunks.split(" and ")));
        assertThat(loopback.memory.accesses).isEqualTo(accesses);
    }

    @Test
    @Requirement({"V1-028", "V1-144", "V1-146"})
    void callUnderSecurityThatProtectsItIsNeverReduced() throws Exception {
        ByteBuf plain = TestProgram.call(requester().nextXid(), List.of(50_000), List.of(), 0);
        // RPCSEC_GSS: version 1, DATA, sequence 1, service integrity, an empty handle.
        ByteBuf call = plain.alloc().buffer().writeBytes(plain, 24);
        call.writeInt(6)
                .writeInt(20)
                .writeInt(1)
                .writeInt(0)
                .writeInt(1)
                .writeInt(2)
                .writeInt(0);
        call.writeBytes(plain.skipBytes(8));
        plain.release();
        script = exchange -> exchange.sendNoMsg(exchange.push(
                RpcHeaders.accepted(exchange.ctx.alloc(), exchange.header.xid(), RpcHeaders.SUCCESS),
                exchange.chunks.replyChunk()));

        RdmaLoopback.answered(
                requester()
                        .call(RpcRdmaCall.of(call)
                                .reducing(List.of(new XdrItem(68, 50_000)))
                                .maxReplyBytes(9_000)),
                "call");

        ChunkLists chunks = next().chunks;
        assertThat(chunks.readList()).singleElement().satisfies(it -> assertThat(it.position())
                .isZero());
        assertThat(chunks.writeList()).isEmpty();
    }

    @Test
    @Requirement({"V1-099", "BIS-009"})
    void replyChunkMayBeUsedForAShortReplyOrNotAtAll() throws Exception {
        RpcRdmaCall call =
                RpcRdmaCall.of(TestProgram.call(1, List.of(), List.of(8), 0)).maxReplyBytes(100_000);
        List<Consumer<Exchange>> ways = List.of(
                Exchange::answer,
                exchange -> exchange.answerInline(exchange.chunks.asUnused()),
                exchange -> exchange.answerInline(ChunkLists.ABSENT));
        for (Consumer<Exchange> way : ways) {
            script = way;
            // The result is not in a write chunk because the rest would not fit either.
            isRight(call.retainedDuplicate(), requester().call(call.retainedDuplicate()));
            assertThat(next().chunks.replyChunk()).isNotNull();
        }
        call.release();
    }

    @Test
    @Requirement("BIS-005")
    void paddingInAWriteChunkIsIgnored() throws Exception {
        ByteBuf shorter = TestProgram.call(requester().nextXid(), List.of(), List.of(10_001), 0);
        ByteBuf expected = TestProgram.reply(shorter);
        ByteBuf call = TestProgram.call(RpcHeaders.xid(shorter), List.of(), List.of(10_004), 0);
        script = exchange -> {
            ByteBuf stream =
                    exchange.ctx.alloc().buffer().writeBytes(expected, 0, TestProgram.ACCEPTED_REPLY_BYTES + 8);
            ByteBuf padded = expected.retainedSlice(stream.readableBytes(), 10_004);
            exchange.sendMsg(exchange.push(padded, exchange.chunks.writeList().get(0)), stream);
        };

        ByteBuf reply = RdmaLoopback.await(requester().call(call), "call").getNow();

        assertThat(reply).isEqualTo(expected);
        reply.release();
        expected.release();
        shorter.release();
    }

    @Test
    @Requirement({"PD-016", "V1-101"})
    void handleThatTheResponderInvalidatedIsFine() throws Exception {
        script = it ->
                it.answerInvalidating(it.chunks.replyChunk().segments().get(0).handle());
        answersRightly(List.of(30_000), List.of(), 30_000);
        assertThat(loopback.memory.exposed).hasValue(0);

        answersRightly(List.of(), List.of(), 30_000);
        assertThat(channel.isActive()).isTrue();
    }

    @Test
    void resultGoesToTheMemoryTheApplicationNames() throws Exception {
        ByteBuf target = Unpooled.directBuffer(20_000).writeInt(42);
        ByteBuf message = TestProgram.call(1, List.of(), List.of(9_999), 8_000);
        ByteBuf expected = TestProgram.reply(message);

        ByteBuf reply = RdmaLoopback.await(
                        requester().call(RpcRdmaCall.of(message).replyInto(target)), "call")
                .getNow();

        assertThat(reply).isEqualTo(expected);
        assertThat(target.readInt()).isEqualTo(42);
        assertThat(target).isEqualTo(TestProgram.pattern(9_999, 0));
        reply.release();
        expected.release();
        assertThat(target.release()).isTrue();
    }

    @Test
    void argumentInADirectComponentIsSentFromThere() throws Exception {
        ByteBuf argument = Unpooled.directBuffer().writeBytes(TestProgram.pattern(20_000, 3));
        ByteBuf head = TestProgram.call(1, List.of(20_000), List.of(), 0);
        ByteBuf whole = Unpooled.wrappedBuffer(
                head.readRetainedSlice(TestProgram.CALL_BYTES + 8),
                argument,
                head.skipBytes(20_000).readRetainedSlice(8));
        head.release();
        script = exchange -> {
            argument.setByte(0, 77); // after the call was pulled: nobody sees it
            exchange.answer();
        };
        ByteBuf expected = TestProgram.reply(whole);

        ByteBuf reply = RdmaLoopback.await(requester().call(whole), "call").getNow();

        assertThat(reply).isEqualTo(expected);
        assertThat(argument.refCnt()).isZero();
        reply.release();
        expected.release();
    }

    @Test
    @Requirement({"V1-012", "V1-043", "V1-101"})
    void randomCallsComeBackWhole() throws Exception {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        TestProgram.check(
                requester()::call,
                300,
                () -> TestProgram.call(requester().nextXid(), lengths(random), lengths(random), length(random) & ~3),
                "seed " + seed);
    }

    private static List<Integer> lengths(Random random) {
        List<Integer> lengths = new ArrayList<>();
        for (int n = random.nextInt(4); n > 0; n--) {
            lengths.add(length(random));
        }
        return lengths;
    }

    private static int length(Random random) {
        return random.nextInt(1 << random.nextInt(17));
    }

    private void answersRightly(List<Integer> arguments, List<Integer> results, int trailer) throws Exception {
        ByteBuf call = TestProgram.call(requester().nextXid(), arguments, results, trailer);
        isRight(RpcRdmaCall.of(call.retainedDuplicate()), requester().call(call));
    }

    /** Compares the reply with what the program says to the call. */
    private static void isRight(RpcRdmaCall call, Future<ByteBuf> future) throws Exception {
        ByteBuf expected = TestProgram.reply(call.content());
        ByteBuf reply = RdmaLoopback.await(future, "call").getNow();
        assertThat(reply).isEqualTo(expected);
        assertThat(reply.refCnt()).isOne();
        assertThat(reply.readerIndex()).isZero();
        reply.release();
        expected.release();
        call.release();
    }

    private RpcRdmaRequester requester() {
        return RpcRdmaRequester.of(channel);
    }
}
