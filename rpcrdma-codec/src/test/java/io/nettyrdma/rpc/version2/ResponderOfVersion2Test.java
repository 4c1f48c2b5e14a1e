// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.version2;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.AbstractByteBufAllocator;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufUtil;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.util.ReferenceCountUtil;
import io.netty.util.concurrent.Future;
import io.nettyrdma.channel.RdmaWrite;
import io.nettyrdma.conformance.Requirement;
import io.nettyrdma.rpc.RpcRdmaConfig;
import io.nettyrdma.rpc.RpcRdmaRequester;
import io.nettyrdma.rpc.RpcRdmaRequesterHandler;
import io.nettyrdma.rpc.RpcRdmaResponderHandler;
import io.nettyrdma.rpc.RpcRdmaReverseRequesterHandler;
import io.nettyrdma.rpc.RpcRdmaReverseResponderHandler;
import io.nettyrdma.rpc.error.ConnectionLostException;
import io.nettyrdma.rpc.kit.OpaqueMessages;
import io.nettyrdma.rpc.kit.OpaquesBinding;
import io.nettyrdma.rpc.kit.PeerMemory;
import io.nettyrdma.rpc.kit.TestPipeline;
import io.nettyrdma.rpc.wire.ReverseLevel;
import io.nettyrdma.rpc.wire.header.ChunkLists;
import io.nettyrdma.rpc.wire.header.PlainSegment;
import io.nettyrdma.rpc.wire.header.ReadSegment;
import io.nettyrdma.rpc.wire.header.WriteChunk;
import io.nettyrdma.rpc.wire.v2.Rdma2;
import io.nettyrdma.rpc.wire.v2.Rdma2Message;
import io.nettyrdma.rpc.wire.v2.TransportProperty;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** How calls of version 2 are taken and answered, in both directions. */
class ResponderOfVersion2Test {

    private static final int XID = OpaqueMessages.XID;
    private static final int GRANT = Rdma2.credits(64, 32);
    private static final int SHORT_SEND_BYTES = 1024;
    private static final int ERROR = 4;
    private static final int BAD_XDR = 2;
    private static final int BAD_PROPVAL = 3;
    private static final int SYSTEM = 100;

    private final PeerMemory memory = new PeerMemory().holding();
    private final TestPipeline pipeline = new TestPipeline(
            new RpcRdmaResponderHandler(RpcRdmaConfig.builder()
                    .versions(2, 2)
                    .bindings(OpaquesBinding.BINDINGS)
                    .reverseCredits(2)
                    .build()),
            memory);

    @AfterEach
    void end() {
        pipeline.dropSends();
        pipeline.close();
    }

    /** The peer takes short Sends, and calls at any level. */
    private void connect() {
        pipeline.channel.pipeline().fireChannelActive();
        pipeline.receiveProperties(
                7,
                GRANT,
                TransportProperty.receiveBytes(SHORT_SEND_BYTES),
                TransportProperty.reverseLevel(ReverseLevel.CONT));
    }

    private void receiveCall(int flags, ChunkLists chunks, String payload) {
        pipeline.receive(new Rdma2Message.Msg(XID, GRANT, flags, 0, chunks), payload);
    }

    private static ChunkLists readChunk(int position, int bytes) {
        return new ChunkLists(List.of(new ReadSegment(position, new PlainSegment(9, bytes, 0))), List.of(), null);
    }

    private static String call(int procedure, byte[] argument) {
        return ByteBufUtil.hexDump(OpaqueMessages.call(procedure, argument));
    }

    private void checkError(String sent, int code) {
        assertThat(sent).startsWith(TestPipeline.words(XID, 2)).endsWith(TestPipeline.words(ERROR, 1, code));
    }

    /** With everything that it could tell, a peer that has told nothing takes it, and a client with 1024 octets too. */
    @Test
    @Requirement("V2-181")
    void ownPropertiesFitTheShortestReceive() {
        connect();

        String properties = pipeline.sent();

        assertThat(properties.substring(24, 32)).isEqualTo(TestPipeline.words(Rdma2.CONNPROP));
        assertThat(properties.length()).isLessThanOrEqualTo(2 * SHORT_SEND_BYTES);
    }

    /** A call is answered among messages that have come together, and those behind it use up all credits. */
    @Test
    @Requirement("V2-112")
    void peerThatIsAnsweredAndThenHasNoCreditsGetsARefresh() {
        RpcRdmaResponderHandler responder = new RpcRdmaResponderHandler(
                RpcRdmaConfig.builder().versions(2, 2).creditsGranted(4).build());
        TestPipeline lowered = new TestPipeline(responder);
        lowered.channel.pipeline().addLast(new ChannelInboundHandlerAdapter() {
            @Override
            public void channelRead(ChannelHandlerContext ctx, Object call) {
                ReferenceCountUtil.release(call);
                ctx.writeAndFlush(lowered.reply(XID));
            }
        });
        lowered.channel.pipeline().fireChannelActive();
        lowered.receiveProperties(7, GRANT);
        responder.setCreditsGranted(1);
        lowered.dropSends();

        String fragment = TestPipeline.callHex(XID + 1).substring(0, 32);
        lowered.channel.writeInbound(
                lowered.message(new Rdma2Message.Msg(XID, GRANT, 0, 0, ChunkLists.ABSENT), TestPipeline.callHex(XID)),
                lowered.message(new Rdma2Message.Msg(XID + 1, GRANT, Rdma2.MORE, 0, ChunkLists.ABSENT), fragment),
                lowered.message(new Rdma2Message.Msg(XID + 1, GRANT, Rdma2.MORE, 0, ChunkLists.ABSENT), fragment),
                lowered.message(new Rdma2Message.Msg(XID + 1, GRANT, Rdma2.MORE, 0, ChunkLists.ABSENT), fragment));

        assertThat(lowered.sent()).as("the reply").startsWith(TestPipeline.words(XID, 2));
        String refresh = lowered.sent();
        assertThat(refresh).startsWith(TestPipeline.words(0, 2));
        assertThat(refresh.substring(24, 32)).isEqualTo(TestPipeline.words(Rdma2.NOMSG));
        lowered.close();
    }

    @ParameterizedTest
    @CsvSource({"2, 4, 2", "2, 4, 8", "1, 4, 3", "3, 4, 12", "4, 4, 5", "5, 4, 7", "6, 4, 3"})
    @Requirement("V2-080")
    void propertyThatIsNotOfItsTypeIsBadPropval(int id, int fitting, int bytes) {
        pipeline.channel.pipeline().fireChannelActive();
        String padded = "00".repeat(bytes + 3 & ~3);

        pipeline.receive(TestPipeline.words(XID, 2, GRANT, Rdma2.CONNPROP, 0, 1, id, bytes) + padded);

        assertThat(pipeline.sent()).as("own properties").startsWith(TestPipeline.words(0, 2));
        checkError(pipeline.sent(), BAD_PROPVAL);
        pipeline.receive(TestPipeline.words(XID, 2, GRANT, Rdma2.CONNPROP, 0, 1, id, fitting, 0));
        receiveCall(0, ChunkLists.ABSENT, TestPipeline.callHex(XID));
        assertThat(pipeline.delivered()).isEqualTo(TestPipeline.callHex(XID));
    }

    @Test
    @Requirement("V2-063")
    void shortCallMayBeInSpecialFormat() {
        connect();
        byte[] call = ByteBufUtil.decodeHexDump(TestPipeline.callHex(XID));

        pipeline.receive(new Rdma2Message.NoMsg(XID, GRANT, 0, 0, readChunk(0, call.length)), "");
        memory.complete(call);

        assertThat(pipeline.delivered()).isEqualTo(TestPipeline.callHex(XID));
    }

    @Test
    @Requirement("V2-059")
    void argumentOfAContinuedCallIsReadBehindItsLastFragment() {
        connect();
        byte[] argument = OpaqueMessages.pattern(2000, 1);
        String call = call(OpaquesBinding.OPAQUES, argument);
        int position = call.length() / 2 - argument.length;
        receiveCall(Rdma2.MORE, ChunkLists.ABSENT, call.substring(0, 32));
        assertThat(memory.waiting()).isZero();

        receiveCall(0, readChunk(position, argument.length), call.substring(32, 2 * position));

        assertThat(memory.waiting()).isOne();
        assertThat(pipeline.delivered()).as("a call without its argument").isEqualTo("none");
        memory.complete(argument);
        assertThat(pipeline.delivered()).isEqualTo(call);
    }

    /** RDMA Writes are placed before a Send behind them is received. */
    @Test
    @Requirement("V2-059")
    void resultOfAContinuedReplyIsWrittenBeforeItsSends() {
        connect();
        WriteChunk chunk = new WriteChunk(List.of(new PlainSegment(9, 8, 0)));
        receiveCall(0, new ChunkLists(List.of(), List.of(chunk), null), call(OpaquesBinding.OPAQUES, new byte[0]));
        pipeline.delivered();
        pipeline.dropSends();
        byte[] reply = OpaqueMessages.reply(OpaqueMessages.pattern(8, 1), OpaqueMessages.pattern(2000, 2));

        pipeline.channel.writeOutbound(pipeline.buffer(reply));

        RdmaWrite write = pipeline.channel.readOutbound();
        assertThat(write.content().readableBytes()).isEqualTo(8);
        write.release();
        assertThat(pipeline.sends()).isGreaterThan(1);
        assertThat(pipeline.sent()).startsWith(TestPipeline.words(XID, 2));
    }

    /** As soon as that is seen: before it is read, or when it is found to be none of the arguments. */
    @ParameterizedTest
    @CsvSource({"0, 0", "1, 4"})
    @Requirement("V2-167")
    void callWithAnArgumentInAReadChunkThatMustNotBeThereIsNotExecuted(int procedure, int less) {
        connect();
        pipeline.dropSends();
        byte[] argument = OpaqueMessages.pattern(2000, 1);
        String call = call(procedure, argument);
        int position = call.length() / 2 - argument.length;

        receiveCall(
                0, readChunk(position, argument.length - less), call.substring(0, 2 * position) + "00".repeat(less));
        assertThat(memory.waiting()).as("chunks that are read").isEqualTo(procedure);
        if (memory.waiting() > 0) {
            memory.complete(argument);
        }

        checkError(pipeline.sent(), BAD_XDR);
        assertThat(pipeline.delivered()).isEqualTo("none");
    }

    /** There was no memory for its second fragment. */
    @Test
    @Requirement("V2-182")
    void restOfACallThatIsAnsweredBySystemIsDropped() {
        connect();
        pipeline.dropSends();
        String call = TestPipeline.callHex(XID);
        pipeline.channel.config().setAllocator(new OnceExhausted(pipeline.alloc));

        receiveCall(Rdma2.MORE, ChunkLists.ABSENT, call.substring(0, 16));
        checkError(pipeline.sent(), SYSTEM);
        receiveCall(Rdma2.MORE, ChunkLists.ABSENT, call.substring(16, 32));
        receiveCall(0, ChunkLists.ABSENT, call.substring(32));

        assertThat(pipeline.delivered()).isEqualTo("none");
        while (pipeline.sends() > 0) {
            assertThat(pipeline.sent()).as("refresh").startsWith(TestPipeline.words(0, 2));
        }
        receiveCall(0, ChunkLists.ABSENT, call);
        assertThat(pipeline.delivered()).isEqualTo(call);
    }

    /** Has no memory for the first buffer, and then that of another. */
    private static final class OnceExhausted extends AbstractByteBufAllocator {

        private final ByteBufAllocator other;
        private boolean failed;

        OnceExhausted(ByteBufAllocator other) {
            super(true);
            this.other = other;
        }

        @Override
        protected ByteBuf newHeapBuffer(int initialCapacity, int maxCapacity) {
            return other.heapBuffer(initialCapacity, maxCapacity);
        }

        @Override
        protected ByteBuf newDirectBuffer(int initialCapacity, int maxCapacity) {
            if (!failed) {
                failed = true;
                throw new OutOfMemoryError("Cannot reserve direct buffer memory");
            }
            return other.directBuffer(initialCapacity, maxCapacity);
        }

        @Override
        public boolean isDirectBufferPooled() {
            return false;
        }
    }

    /** One XID both ways: only RESPONSE tells them apart. */
    @Test
    @Requirement({"V2-069", "V2-071"})
    void callsOfBothDirectionsHaveResponseClearAndRepliesHaveItSet() {
        pipeline.channel.pipeline().addLast(new RpcRdmaReverseRequesterHandler());
        connect();
        pipeline.dropSends();
        Future<ByteBuf> reversed = RpcRdmaRequester.of(pipeline.channel).call(pipeline.call(XID));
        assertThat(pipeline.sent().substring(24, 40)).as("call").isEqualTo(TestPipeline.words(Rdma2.MSG, 0));
        receiveCall(0, ChunkLists.ABSENT, TestPipeline.callHex(XID));
        assertThat(pipeline.delivered()).isEqualTo(TestPipeline.callHex(XID));

        pipeline.channel.writeOutbound(pipeline.reply(XID));

        assertThat(pipeline.sent().substring(24, 40))
                .as("reply")
                .isEqualTo(TestPipeline.words(Rdma2.MSG, Rdma2.RESPONSE));
        assertThat(reversed.isDone()).isFalse();
        receiveCall(Rdma2.RESPONSE, ChunkLists.ABSENT, TestPipeline.replyHex(XID));
        reversed.getNow().release();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 5000})
    @Requirement({"V2-069", "V2-070", "V2-071"})
    void replyInTheReverseDirectionHasTheXidAndTheVersionOfItsCall(int words) {
        RpcRdmaConfig config = RpcRdmaConfig.builder()
                .versions(2, 2)
                .reverseCredits(2)
                .version2(v2 -> v2.reverseLevel(ReverseLevel.CONT))
                .build();
        try (TestPipeline client = new TestPipeline(new RpcRdmaRequesterHandler(config))) {
            client.channel.pipeline().addLast(new RpcRdmaReverseResponderHandler());
            client.openVersion2(0, GRANT);
            client.receiveCallOfVersion2(XID, GRANT);
            assertThat(client.delivered()).isEqualTo(TestPipeline.callHex(XID));

            client.channel.writeOutbound(client.reply(XID).writeZero(4 * words));

            StringBuilder payload = new StringBuilder();
            List<String> flags = new ArrayList<>();
            while (client.sends() > 0) {
                String sent = client.sent();
                assertThat(sent).startsWith(TestPipeline.words(XID, 2));
                flags.add(sent.substring(32, 40));
                payload.append(sent.substring(72));
            }
            assertThat(payload).startsWith(TestPipeline.words(XID, 1)).hasSize(2 * (24 + 4 * words));
            assertThat(flags.remove(flags.size() - 1)).isEqualTo(TestPipeline.words(Rdma2.RESPONSE));
            assertThat(flags).allMatch(TestPipeline.words(Rdma2.RESPONSE | Rdma2.MORE)::equals);
        }
    }

    /** Only the client makes another connection. */
    @Test
    @Requirement("V2-076")
    void callsInTheReverseDirectionEndWithTheirConnection() {
        pipeline.channel.pipeline().addLast(new RpcRdmaReverseRequesterHandler());
        connect();
        Future<ByteBuf> reversed = RpcRdmaRequester.of(pipeline.channel).call(pipeline.call(XID));

        pipeline.channel.close();

        assertThat(reversed.cause()).isInstanceOf(ConnectionLostException.class);
    }
}
