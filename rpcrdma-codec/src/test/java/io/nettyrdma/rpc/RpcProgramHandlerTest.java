// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.AbstractByteBufAllocator;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.CorruptedFrameException;
import io.netty.util.concurrent.DefaultEventExecutor;
import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.ImmediateEventExecutor;
import io.netty.util.concurrent.Promise;
import io.nettyrdma.deadline.Deadline;
import io.nettyrdma.internal.CapturedLog;
import io.nettyrdma.rpc.kit.RdmaLoopback;
import io.nettyrdma.rpc.message.RpcCallRefusal;
import io.nettyrdma.rpc.message.RpcHeaders;
import io.nettyrdma.rpc.wire.CmPrivateData;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class RpcProgramHandlerTest {

    private static final int PROGRAM = 0x2000_0001;
    private static final int XID = 7;
    private static final int ADD = 1;
    private static final int LATER = 2;
    private static final int AUTH_SYS = 1;
    private static final int RPCSEC_GSS = 6;

    private final CapturedLog log = new CapturedLog();
    private final UnpooledByteBufAllocator alloc = new UnpooledByteBufAllocator(true);
    private final Promise<ByteBuf> promised = ImmediateEventExecutor.INSTANCE.newPromise();
    private final EmbeddedChannel channel = channel(RpcProgramHandler.of(PROGRAM, 2, 4)
            .procedure(3, ADD, arguments -> Unpooled.copyInt(arguments.readInt() + 1))
            .futureProcedure(3, LATER, arguments -> promised));

    private EmbeddedChannel channel(RpcProgramHandler program) {
        EmbeddedChannel made = new EmbeddedChannel(program.log(log.log()));
        made.config().setAllocator(alloc);
        return made;
    }

    @AfterEach
    void nothingIsLeft() {
        channel.finishAndReleaseAll();
        assertThat(alloc.metric().usedDirectMemory() + alloc.metric().usedHeapMemory())
                .as("bytes not released")
                .isZero();
    }

    private ByteBuf call(int program, int version, int procedure) {
        return RpcHeaders.call(alloc, XID, program, version, procedure);
    }

    /** A call with a credential that is longer than that of AUTH_NONE. */
    private ByteBuf callWith(int procedure, int flavor, int credentialBytes) {
        return alloc.buffer()
                .writeInt(XID)
                .writeInt(RpcHeaders.CALL)
                .writeInt(RpcHeaders.RPC_VERSION)
                .writeInt(PROGRAM)
                .writeInt(3)
                .writeInt(procedure)
                .writeInt(flavor)
                .writeInt(credentialBytes)
                .writeZero(credentialBytes)
                .writeZero(8);
    }

    /** The answer to a call in hex, behind XID and message type. */
    private static String answer(EmbeddedChannel to, ByteBuf call) {
        to.writeInbound(call);
        return answer(to);
    }

    private static String answer(EmbeddedChannel to) {
        ByteBuf reply = to.readOutbound();
        if (reply == null) {
            return "none";
        }
        StringBuilder words = new StringBuilder();
        assertThat(reply.readInt()).isEqualTo(XID);
        assertThat(reply.readInt()).isEqualTo(RpcHeaders.REPLY);
        while (reply.isReadable()) {
            words.append(words.isEmpty() ? "" : " ").append(reply.readInt());
        }
        reply.release();
        return words.toString();
    }

    private String answerOf(RpcProgramHandler.Procedure<ByteBuf> function) {
        EmbeddedChannel own = channel(RpcProgramHandler.of(PROGRAM, 3, 3).procedure(3, ADD, function));
        String answer = answer(own, call(PROGRAM, 3, ADD));
        own.finishAndReleaseAll();
        return answer;
    }

    @Test
    void functionGetsTheArgumentsWhateverTheCredential() {
        assertThat(answer(channel, call(PROGRAM, 3, ADD).writeInt(41))).isEqualTo("0 0 0 0 42");
        assertThat(answer(channel, callWith(ADD, AUTH_SYS, 36).writeInt(41))).isEqualTo("0 0 0 0 42");
    }

    @Test
    void whatTheProgramDoesNotHaveIsNotAvailable() {
        assertThat(answer(channel, call(PROGRAM + 1, 3, ADD))).isEqualTo("0 0 0 1");
        assertThat(answer(channel, call(PROGRAM, 1, ADD))).isEqualTo("0 0 0 2 2 4");
        assertThat(answer(channel, call(PROGRAM, 5, 0))).isEqualTo("0 0 0 2 2 4");
        assertThat(answer(channel, call(PROGRAM, 2, ADD))).isEqualTo("0 0 0 3");
        assertThat(answer(channel, call(PROGRAM, 2, 0))).isEqualTo("0 0 0 0");
        assertThat(log.lines).isEmpty();
    }

    @Test
    void handlerWhoseProcedureWasAddedToAnotherSaysSo() {
        RpcProgramHandler program = RpcProgramHandler.of(PROGRAM, 3, 3).log(log.log());
        program.procedure(3, ADD, arguments -> arguments);
        EmbeddedChannel own = new EmbeddedChannel(program);
        own.config().setAllocator(alloc);

        assertThat(answer(own, call(PROGRAM, 3, ADD))).isEqualTo("0 0 0 3");

        assertThat(log.texts()).singleElement().asString().contains("procedure 1 is unavailable", "returned another");
        own.finishAndReleaseAll();
    }

    @Test
    void headersThatCannotBeReadAreAnswered() {
        assertThat(answer(channel, call(PROGRAM, 3, ADD).setInt(8, 3))).isEqualTo("1 0 2 2");
        assertThat(answer(channel, call(PROGRAM, 3, ADD).writerIndex(36))).isEqualTo("0 0 0 4");
        assertThat(answer(channel, call(PROGRAM, 3, ADD).writerIndex(8))).isEqualTo("0 0 0 4");
        assertThat(answer(channel, callWith(ADD, AUTH_SYS, 404))).isEqualTo("0 0 0 4");
        assertThat(answer(channel, callWith(ADD, RPCSEC_GSS, 24))).isEqualTo("1 1 1");
    }

    @Test
    void messagesThatAreNoCallsPassThrough() {
        ByteBuf reply = RpcHeaders.accepted(alloc, XID, RpcHeaders.SUCCESS);
        channel.writeInbound(reply, "else");

        assertThat(channel.<Object>readInbound()).isSameAs(reply);
        assertThat(channel.<Object>readInbound()).isEqualTo("else");
        assertThat(answer(channel)).isEqualTo("none");
        reply.release();
    }

    @Test
    void argumentsThatAreCutShortAreGarbage() {
        assertThat(answer(channel, call(PROGRAM, 3, ADD).writeShort(41))).isEqualTo("0 0 0 4");
        assertThat(answerOf(arguments -> {
                    throw new CorruptedFrameException("odd");
                }))
                .isEqualTo("0 0 0 4");
        assertThat(log.texts())
                .hasSize(2)
                .allMatch(it -> it.contains("version 3 procedure 1 cannot be decoded"))
                .last()
                .asString()
                .contains("odd");
    }

    @Test
    void functionThatFailsIsASystemError() {
        assertThat(answerOf(arguments -> {
                    throw new IOException("disk");
                }))
                .isEqualTo("0 0 0 5");
        assertThat(log.texts())
                .singleElement()
                .asString()
                .contains("version 3 procedure 1 failed")
                .contains("disk");
        assertThat(answerOf(arguments -> {
                    throw new StackOverflowError();
                }))
                .isEqualTo("0 0 0 5");
        assertThat(answerOf(arguments -> alloc.buffer().writeByte(1))).isEqualTo("0 0 0 5");
        assertThat(answerOf(arguments -> arguments)).isEqualTo("0 0 0 5");
    }

    @Test
    void nullInPlaceOfResultsIsNamed() {
        assertThat(answerOf(arguments -> null)).isEqualTo("0 0 0 5");
        assertThat(answerOf(arguments -> Unpooled.EMPTY_BUFFER)).isEqualTo("0 0 0 0");
        EmbeddedChannel own = channel(RpcProgramHandler.of(PROGRAM, 3, 3)
                .futureProcedure(3, ADD, arguments -> null)
                .futureProcedure(3, LATER, arguments -> ImmediateEventExecutor.INSTANCE.newSucceededFuture(null)));
        assertThat(answer(own, call(PROGRAM, 3, ADD))).isEqualTo("0 0 0 5");
        assertThat(answer(own, call(PROGRAM, 3, LATER))).isEqualTo("0 0 0 5");
        assertThat(log.texts()).hasSize(3).allMatch(it -> it.contains("return Unpooled.EMPTY_BUFFER for a reply"));
        own.finishAndReleaseAll();
    }

    @Test
    void functionMayReturnAndKeepItsArguments() {
        List<ByteBuf> kept = new ArrayList<>();
        EmbeddedChannel own = channel(RpcProgramHandler.of(PROGRAM, 3, 3).procedure(3, ADD, arguments -> {
            kept.add(arguments.retain());
            return arguments.retainedSlice();
        }));

        assertThat(answer(own, call(PROGRAM, 3, ADD).writeInt(41))).isEqualTo("0 0 0 0 41");
        assertThat(kept.get(0).readInt()).isEqualTo(41);
        kept.get(0).release();
        own.finishAndReleaseAll();
    }

    @Test
    void futureAnswersWhenItCompletes() {
        assertThat(answer(channel, call(PROGRAM, 3, LATER))).isEqualTo("none");

        promised.setSuccess(alloc.buffer().writeInt(9));

        assertThat(answer(channel)).isEqualTo("0 0 0 0 9");
    }

    @Test
    void futureThatFailsIsASystemError() {
        assertThat(answer(channel, call(PROGRAM, 3, LATER))).isEqualTo("none");

        promised.setFailure(new IllegalStateException("too late"));

        assertThat(answer(channel)).isEqualTo("0 0 0 5");
        assertThat(answer(channel, call(PROGRAM, 3, LATER))).isEqualTo("0 0 0 5"); // is done at once
    }

    @Test
    void resultsOfAChannelThatHasClosedMeanwhileAreReleased() {
        channel.writeInbound(call(PROGRAM, 3, LATER));
        channel.close();

        promised.setSuccess(alloc.buffer().writeInt(9)); // the end of the test looks for it
    }

    @Test
    void callWithoutMemoryForItsReplyIsRefused() {
        ByteBuf call = call(PROGRAM, 3, ADD).writeInt(41);
        ByteBuf other = call(PROGRAM + 1, 3, ADD);
        channel.config().setAllocator(new AbstractByteBufAllocator() {
            @Override
            protected ByteBuf newHeapBuffer(int initialCapacity, int maxCapacity) {
                throw new OutOfMemoryError("as the test wants");
            }

            @Override
            protected ByteBuf newDirectBuffer(int initialCapacity, int maxCapacity) {
                throw new OutOfMemoryError("as the test wants");
            }

            @Override
            public boolean isDirectBufferPooled() {
                return false;
            }
        });

        channel.writeInbound(call, other);

        assertThat(channel.<Object>readOutbound()).isEqualTo(new RpcCallRefusal(XID));
        assertThat(channel.<Object>readOutbound()).isEqualTo(new RpcCallRefusal(XID));
        assertThat(log.texts()).hasSize(2).allMatch(it -> it.contains("no memory for a reply"));
    }

    @Test
    void proceduresAreGivenOnceAndForVersionsThatExist() {
        RpcProgramHandler program = RpcProgramHandler.of(PROGRAM, 2, 4).procedure(3, ADD, arguments -> arguments);

        assertThatThrownBy(() -> program.procedure(3, ADD, arguments -> arguments))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("procedure 1 of version 3: given already");
        assertThatThrownBy(() -> program.procedure(5, ADD, arguments -> arguments))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("version: 5 (expected: 2 to 4)");
        assertThatThrownBy(() -> RpcProgramHandler.of(PROGRAM, -1, 4)).hasMessageContaining("4294967295");
    }

    /** Its messages are those of RPC-over-RDMA, which pass through. */
    @Test
    void handlerWithoutAResponderInFrontIsNamedOnce() throws Exception {
        CountDownLatch passed = new CountDownLatch(2);
        RpcProgramHandler program = RpcProgramHandler.of(PROGRAM, 3, 3).log(log.log());
        try (RdmaLoopback loopback = new RdmaLoopback(CmPrivateData.DEFAULTS, () -> new ChannelInitializer<>() {
            @Override
            protected void initChannel(Channel accepted) {
                accepted.pipeline().addLast(program, new SimpleChannelInboundHandler<ByteBuf>() {
                    @Override
                    protected void channelRead0(ChannelHandlerContext ctx, ByteBuf message) {
                        passed.countDown();
                    }
                });
            }
        })) {
            Channel client = RdmaLoopback.connect(loopback.group, loopback.address(), pipeline -> {});
            for (int i = 0; i < 2; i++) {
                client.writeAndFlush(Unpooled.copyInt(XID, 1, 1, 0, 0, 0, 0)); // version, credits, type, no chunks
            }
            assertThat(passed.await(Deadline.SECONDS, TimeUnit.SECONDS)).isTrue();
        }
        assertThat(log.texts())
                .singleElement()
                .asString()
                .contains("RpcProgramHandler gets no calls", "add one, as in pipeline.addLast(new RpcRdmaResponder");
    }

    /** As many as stopped a connection when a handler that throws left them without an answer. */
    @Test
    void callsThatFailHoldNoCredits() throws Exception {
        EventExecutor worker = new DefaultEventExecutor();
        RpcProgramHandler program = RpcProgramHandler.of(PROGRAM, 3, 3)
                .procedure(3, ADD, arguments -> {
                    throw new IllegalStateException("no");
                })
                .futureProcedure(
                        3,
                        LATER,
                        arguments -> worker.submit(() -> {
                            throw new IllegalStateException("no");
                        }));
        RdmaLoopback loopback = RdmaLoopback.serving(RpcRdmaConfig.defaults(), () -> program.log(log.log()));
        RpcRdmaClient client =
                RdmaLoopback.client(loopback.group, loopback.address()).build();
        List<Future<ByteBuf>> replies = new ArrayList<>();
        for (int xid = 0; xid < 400; xid++) {
            replies.add(
                    client.call(RpcHeaders.call(ByteBufAllocator.DEFAULT, xid, PROGRAM, 3, xid < 200 ? ADD : LATER)));
        }

        for (Future<ByteBuf> future : replies) {
            ByteBuf reply = future.get(Deadline.SECONDS, TimeUnit.SECONDS);
            assertThat(RpcHeaders.acceptStatus(reply)).isEqualTo(RpcHeaders.SYSTEM_ERR);
            reply.release();
        }
        client.close();
        worker.shutdownGracefully(0, 5, TimeUnit.SECONDS).sync();
        loopback.close();
    }
}
