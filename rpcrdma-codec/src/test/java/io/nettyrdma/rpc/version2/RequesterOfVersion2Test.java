// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.version2;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.CompositeByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.netty.util.concurrent.Future;
import io.nettyrdma.channel.RdmaAccess;
import io.nettyrdma.conformance.Requirement;
import io.nettyrdma.rpc.RpcRdmaConfig;
import io.nettyrdma.rpc.RpcRdmaRequester;
import io.nettyrdma.rpc.TestLimits;
import io.nettyrdma.rpc.error.CallTimeoutException;
import io.nettyrdma.rpc.error.ConnectionLostException;
import io.nettyrdma.rpc.error.MalformedRpcMessageException;
import io.nettyrdma.rpc.error.RemoteErrorException;
import io.nettyrdma.rpc.kit.TestPipeline;
import io.nettyrdma.rpc.kit.TestProgram;
import io.nettyrdma.rpc.message.RpcHeaders;
import io.nettyrdma.rpc.wire.header.ChunkLists;
import io.nettyrdma.rpc.wire.header.PlainSegment;
import io.nettyrdma.rpc.wire.header.WriteChunk;
import io.nettyrdma.rpc.wire.v2.Rdma2;
import io.nettyrdma.rpc.wire.v2.Rdma2Error;
import io.nettyrdma.rpc.wire.v2.Rdma2Message;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The memory of calls in version 2, and the forms of their replies. */
class RequesterOfVersion2Test {

    private static final int XID = 0x0a0b_0c0d;
    private static final int GRANT = Rdma2.credits(64, 32);
    /** More than fits a Send. */
    private static final int LONG_BYTES = 5000;

    private final ExposedPlaces memory = new ExposedPlaces();
    private final TestPipeline pipeline = new TestPipeline(TestLimits.requester(
            TestLimits.continuationBytes(RpcRdmaConfig.builder(), 0)
                    .versions(2, 2)
                    .bindings(TestProgram.BINDINGS)
                    .build(),
            ctx -> memory));

    /** How a call ends. */
    private enum End {
        REPLY,
        REFUSAL,
        TIMEOUT,
        CANCELLATION,
        LOSS
    }

    @AfterEach
    void end() {
        pipeline.dropSends();
        pipeline.close();
        assertThat(memory.held()).isZero();
    }

    private void connect(int creditWord) {
        pipeline.openVersion2(0, creditWord);
    }

    private Future<ByteBuf> call(ByteBuf call) {
        return RpcRdmaRequester.of(pipeline.channel).call(call);
    }

    private Future<ByteBuf> callWithAnArgument(int xid) {
        return call(TestProgram.call(xid, List.of(LONG_BYTES), List.of(), 0));
    }

    private Future<ByteBuf> callForAResult(int xid) {
        return call(TestProgram.call(xid, List.of(), List.of(LONG_BYTES), 0));
    }

    private void receiveReply(int xid, int flags, ChunkLists chunks, String payload) {
        pipeline.receive(new Rdma2Message.Msg(xid, GRANT, Rdma2.RESPONSE | flags, 0, chunks), payload);
    }

    private static String emptyReply(int xid) {
        return TestPipeline.replyHex(xid) + TestPipeline.words(0);
    }

    private static WriteChunk used(ExposedPlaces.Place place, int bytes) {
        PlainSegment offered = place.segment();
        return new WriteChunk(List.of(new PlainSegment(offered.handle(), bytes, offered.offset())));
    }

    /** In one buffer, or with others in front of it and behind it. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    @Requirement("V2-043")
    void argumentStaysReadableUntilTheWholeReplyHasCome(boolean composite) {
        connect(GRANT);
        ByteBuf call = TestProgram.call(XID, List.of(LONG_BYTES), List.of(), 0);
        int at = TestProgram.CALL_BYTES + 8;
        ByteBuf argument = call.copy(at, LONG_BYTES);
        ByteBuf sent = composite ? inThree(call, at) : call;

        Future<ByteBuf> reply = call(sent);
        pipeline.dropSends();
        pipeline.receive(new Rdma2Message.CreditGrant(GRANT), "");
        receiveReply(XID, Rdma2.MORE, ChunkLists.ABSENT, emptyReply(XID).substring(0, 32));

        ExposedPlaces.Place place = memory.places.get(0);
        assertThat(reply.isDone()).isFalse();
        assertThat(place.valid).isTrue();
        assertThat(place.held).isTrue();
        assertThat(sent.refCnt()).as("references to the call").isPositive();
        assertThat(place.buffer).isEqualTo(argument);
        receiveReply(XID, 0, ChunkLists.ABSENT, emptyReply(XID).substring(32));
        assertThat(place.held).isFalse();
        assertThat(sent.refCnt()).isZero();
        reply.getNow().release();
        argument.release();
    }

    private ByteBuf inThree(ByteBuf call, int at) {
        CompositeByteBuf parts = pipeline.alloc.compositeDirectBuffer(3);
        int[] ends = {at, at + LONG_BYTES, call.readableBytes()};
        int from = 0;
        for (int end : ends) {
            parts.addComponent(true, pipeline.alloc.directBuffer(end - from + 1).writeBytes(call, from, end - from));
            from = end;
        }
        call.release();
        return parts;
    }

    @ParameterizedTest
    @EnumSource(End.class)
    @Requirement({"V2-160", "V2-162"})
    void memoryIsExposedWhenItsCallIsSentAndNotAnyMoreWhenTheProgramHearsOfItsEnd(End end) {
        connect(Rdma2.credits(64, 1));
        Future<ByteBuf> other = call(TestProgram.call(1, List.of(), List.of(), 0)); // has the only credit
        List<Long> validAtTheEnd = new ArrayList<>();
        Future<ByteBuf> reply = call(TestProgram.call(XID, List.of(LONG_BYTES), List.of(LONG_BYTES), 0));
        reply.addListener(done -> validAtTheEnd.add(memory.valid()));
        assertThat(memory.places).as("places of a call that waits").isEmpty();

        receiveReply(1, 0, ChunkLists.ABSENT, emptyReply(1));
        assertThat(memory.places)
                .extracting(place -> place.access)
                .containsExactly(RdmaAccess.REMOTE_READ, RdmaAccess.REMOTE_WRITE);
        assertThat(memory.valid()).isEqualTo(2);
        end(reply, end);

        assertThat(validAtTheEnd).as("reachable places").containsExactly(0L);
        other.getNow().release();
    }

    private void end(Future<ByteBuf> reply, End end) {
        switch (end) {
            case REPLY -> {
                ExposedPlaces.Place result = memory.places.get(1);
                ChunkLists chunks = new ChunkLists(List.of(), List.of(used(result, LONG_BYTES)), null);
                receiveReply(XID, 0, chunks, TestPipeline.replyHex(XID) + TestPipeline.words(1, LONG_BYTES));
                reply.getNow().release();
            }
            case REFUSAL -> {
                pipeline.receive(Rdma2Message.ErrorMsg.of(XID, GRANT, Rdma2Error.BAD_XDR), "");
                assertThat(reply.cause()).isInstanceOf(RemoteErrorException.class);
            }
            case TIMEOUT -> {
                pipeline.pass(60, TimeUnit.SECONDS);
                assertThat(reply.cause()).isInstanceOf(CallTimeoutException.class);
            }
            case CANCELLATION -> {
                reply.cancel(true);
                pipeline.channel.runPendingTasks();
                assertThat(reply.cause()).isInstanceOf(CancellationException.class);
            }
            case LOSS -> {
                pipeline.channel.close();
                assertThat(reply.cause()).isInstanceOf(ConnectionLostException.class);
            }
        }
    }

    @Test
    @Requirement("V2-155")
    void callWhoseMemoryCannotBeInvalidatedEndsBehindItsConnection() {
        connect(GRANT);
        Future<ByteBuf> reply = callWithAnArgument(XID);
        List<ChannelPromise> closing = new ArrayList<>();
        pipeline.channel.pipeline().addFirst(new ChannelOutboundHandlerAdapter() {
            @Override
            public void close(ChannelHandlerContext ctx, ChannelPromise promise) {
                closing.add(promise); // to be told to close is not to be closed
            }
        });
        memory.refusesInvalidation = true;

        receiveReply(XID, 0, ChunkLists.ABSENT, emptyReply(XID));

        assertThat(closing).hasSize(1);
        assertThat(reply.isDone()).isFalse();
        pipeline.channel.pipeline().removeFirst();
        pipeline.channel.close(closing.get(0));
        assertThat(reply.cause()).hasMessageContaining("cannot be invalidated");
    }

    @Test
    @Requirement("V2-166")
    void callFailsWhenAResultIsInlineThoughItHadAWriteChunk() {
        connect(GRANT);
        Future<ByteBuf> reply = callForAResult(XID);
        ChunkLists unused = new ChunkLists(List.of(), List.of(used(memory.places.get(0), 0)), null);

        receiveReply(XID, 0, unused, TestPipeline.replyHex(XID) + TestPipeline.words(1, 4, 7));

        assertThat(reply.cause())
                .isInstanceOf(MalformedRpcMessageException.class)
                .hasMessageContaining("result is inline");
        assertThat(pipeline.channel.isOpen()).isTrue();
    }

    /** An error has no results. */
    @Test
    @Requirement("V2-166")
    void callFailsWhenSomethingElseThanAResultIsInItsWriteChunk() {
        connect(GRANT);
        Future<ByteBuf> reply = callForAResult(XID);
        ChunkLists chunks = new ChunkLists(List.of(), List.of(used(memory.places.get(0), 100)), null);

        receiveReply(XID, 0, chunks, TestPipeline.words(XID, 1, 0, 0, 0, RpcHeaders.SYSTEM_ERR));

        assertThat(reply.cause())
                .isInstanceOf(MalformedRpcMessageException.class)
                .hasMessageContaining("reply ");
        assertThat(pipeline.channel.isOpen()).isTrue();
    }

    /** What is behind the bytes that were written may be another connection's. */
    @Test
    @Requirement("V2-130")
    void connectionEndsWhenAReplyClaimsMoreThanIsInItsWriteChunk() {
        connect(GRANT);
        Future<ByteBuf> reply = callForAResult(XID);
        memory.places.get(0).written = LONG_BYTES - 1;
        ChunkLists chunks = new ChunkLists(List.of(), List.of(used(memory.places.get(0), LONG_BYTES)), null);

        receiveReply(XID, 0, chunks, TestPipeline.replyHex(XID) + TestPipeline.words(1, LONG_BYTES));

        expectClaim(reply, "5000 bytes in write chunk 0 (expected: at most 4999,");
    }

    @Test
    @Requirement("V2-130")
    void connectionEndsWhenAReplyClaimsMoreThanIsInItsReplyChunk() {
        connect(GRANT);
        Future<ByteBuf> reply = call(TestProgram.call(XID, List.of(), List.of(), LONG_BYTES));
        memory.places.get(0).written = 24;
        ChunkLists chunks = new ChunkLists(List.of(), List.of(), used(memory.places.get(0), 100));

        pipeline.receive(new Rdma2Message.NoMsg(XID, GRANT, Rdma2.RESPONSE, 0, chunks), "");

        expectClaim(reply, "100 bytes in the reply chunk (expected: at most 24,");
    }

    private void expectClaim(Future<ByteBuf> reply, String message) {
        assertThat(reply.cause())
                .isInstanceOf(MalformedRpcMessageException.class)
                .hasMessageContaining(message);
        assertThat(pipeline.channel.isOpen()).isFalse();
    }

    /** How the reply to a call with a reply chunk comes. */
    private enum Form {
        INLINE,
        CONTINUED,
        REPLY_CHUNK
    }

    @ParameterizedTest
    @EnumSource(Form.class)
    @Requirement("V2-130")
    void replyMayComeInAnyFormWhereAReplyChunkWasProvided(Form form) {
        connect(GRANT);
        ByteBuf call = TestProgram.call(XID, List.of(), List.of(), LONG_BYTES);
        ByteBuf expected = TestProgram.reply(call);
        Future<ByteBuf> reply = call(call);
        ExposedPlaces.Place place = memory.places.get(0);
        String payload = ByteBufUtil.hexDump(expected);
        ChunkLists unused = new ChunkLists(List.of(), List.of(), used(place, 0));

        switch (form) {
            case INLINE -> receiveReply(XID, 0, unused, emptyReply(XID));
            case CONTINUED -> {
                receiveReply(XID, Rdma2.MORE, ChunkLists.ABSENT, payload.substring(0, 4000));
                receiveReply(XID, 0, unused, payload.substring(4000));
            }
            case REPLY_CHUNK -> {
                place.buffer.setBytes(0, expected, 0, expected.readableBytes());
                ChunkLists chunks = new ChunkLists(List.of(), List.of(), used(place, expected.readableBytes()));
                pipeline.receive(new Rdma2Message.NoMsg(XID, GRANT, Rdma2.RESPONSE, 0, chunks), "");
            }
        }

        ByteBuf received = reply.getNow();
        assertThat(ByteBufUtil.hexDump(received)).isEqualTo(form == Form.INLINE ? emptyReply(XID) : payload);
        received.release();
        expected.release();
    }

    @Test
    @Requirement("V2-186")
    void programsHaveTheirOwnBindingsAndShareTheCredits() {
        connect(Rdma2.credits(64, 1));
        ByteBuf other = RpcHeaders.call(pipeline.alloc, XID + 1, TestProgram.PROGRAM + 1, 1, 1)
                .writeInt(1)
                .writeInt(LONG_BYTES)
                .writeZero(LONG_BYTES);

        Future<ByteBuf> first = callWithAnArgument(XID);
        Future<ByteBuf> second = call(other);

        assertThat(pipeline.sent().substring(24, 32)).isEqualTo(TestPipeline.words(Rdma2.MSG));
        assertThat(pipeline.sends()).as("Sends without a credit").isZero();
        receiveReply(XID, 0, ChunkLists.ABSENT, emptyReply(XID));
        assertThat(pipeline.sent().substring(24, 32)).isEqualTo(TestPipeline.words(Rdma2.NOMSG));
        receiveReply(XID + 1, 0, ChunkLists.ABSENT, emptyReply(XID + 1));
        first.getNow().release();
        second.getNow().release();
    }
}
