// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.requester;

import static io.nettyrdma.rpc.binding.XdrType.VOID;
import static io.nettyrdma.rpc.binding.XdrType.reducible;
import static io.nettyrdma.rpc.binding.XdrType.result;
import static io.nettyrdma.rpc.binding.XdrType.struct;
import static io.nettyrdma.rpc.binding.XdrType.words;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.util.concurrent.Future;
import io.nettyrdma.channel.Over;
import io.nettyrdma.channel.RdmaAccess;
import io.nettyrdma.conformance.Requirement;
import io.nettyrdma.deadline.Deadline;
import io.nettyrdma.rpc.RpcRdmaConfig;
import io.nettyrdma.rpc.RpcRdmaRequester;
import io.nettyrdma.rpc.TestLimits;
import io.nettyrdma.rpc.binding.UpperLayerBindings;
import io.nettyrdma.rpc.binding.XdrBinding;
import io.nettyrdma.rpc.error.MessageTooLargeException;
import io.nettyrdma.rpc.kit.NoVerbsLeft;
import io.nettyrdma.rpc.kit.RdmaLoopback;
import io.nettyrdma.rpc.kit.TestProgram;
import io.nettyrdma.rpc.message.RpcHeaders;
import io.nettyrdma.rpc.message.RpcRdmaCall;
import io.nettyrdma.rpc.observe.RpcRdmaListener;
import io.nettyrdma.rpc.observe.RpcRdmaSummary;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Data of a program with a binding of its own, from memory to memory over RDMA. */
@Over
@ExtendWith(NoVerbsLeft.class)
final class ReplyIntoTest {

    private static final int PROGRAM = 0x2000_0099;
    private static final int BYTES = 100_000;
    private static final int ECHO = 1;
    private static final int STATUS_ONLY = 2;

    private static final UpperLayerBindings BINDINGS = UpperLayerBindings.nfs()
            .with(XdrBinding.of(PROGRAM, 1)
                    .procedure(ECHO, struct(words(2), reducible()), result(reducible(BYTES), VOID))
                    .procedure(STATUS_ONLY, struct(words(2), reducible()), words(1)));

    private final Queue<RpcRdmaSummary> sent = new ConcurrentLinkedQueue<>();
    private RdmaLoopback loopback;

    /** Answers with a status and the data. */
    private static final class Echo extends SimpleChannelInboundHandler<ByteBuf> {
        @Override
        protected void channelRead0(ChannelHandlerContext ctx, ByteBuf call) {
            ByteBuf reply = RpcHeaders.accepted(ctx.alloc(), RpcHeaders.xid(call), RpcHeaders.SUCCESS);
            reply.writeInt(0);
            if (RpcHeaders.procedure(call) == ECHO) {
                reply.writeBytes(call.skipBytes(TestProgram.CALL_BYTES + 8));
            }
            ctx.writeAndFlush(reply);
        }
    }

    @BeforeEach
    void listen() throws Exception {
        RpcRdmaConfig.Builder both =
                TestLimits.negotiationTimeout(config(), Deadline.DURATION).versions(1, 2);
        loopback = RdmaLoopback.serving(both.build(), Echo::new);
    }

    @AfterEach
    void end() {
        loopback.close();
        loopback.memory.checkGivenBack();
    }

    private static RpcRdmaConfig.Builder config() {
        return RpcRdmaConfig.builder().bindings(BINDINGS);
    }

    private RpcRdmaRequester connect(RpcRdmaConfig.Builder config) throws Exception {
        config.listener(new RpcRdmaListener() {
            @Override
            public void onSent(Channel channel, RpcRdmaSummary message) {
                sent.add(message);
            }
        });
        return RpcRdmaRequester.of(loopback.connect(config.build()));
    }

    private static ByteBuf call(int xid, int procedure, ByteBuf data) {
        ByteBuf head = RpcHeaders.call(data.alloc(), xid, PROGRAM, 1, procedure)
                .writeLong(0)
                .writeInt(data.readableBytes());
        return Unpooled.wrappedBuffer(head, data);
    }

    private static ByteBuf data() {
        return Unpooled.directBuffer(BYTES).writeBytes(TestProgram.pattern(BYTES, 5));
    }

    private static RpcRdmaCall call(RpcRdmaRequester requester, int procedure) {
        return RpcRdmaCall.of(call(requester.nextXid(), procedure, data()));
    }

    @Test
    void dataGoAsAReadChunkAndComeBackAsAWriteChunkAtTheIndexOfTheTarget() throws Exception {
        RpcRdmaRequester requester = connect(config());
        ByteBuf target = Unpooled.directBuffer(BYTES + 300, BYTES + 300).writeZero(BYTES + 300);
        target.setIndex(3, 7);

        ByteBuf reply = RdmaLoopback.await(requester.call(call(requester, ECHO).replyInto(target, 200)), "call")
                .getNow();

        ByteBuf expected = data();
        assertThat(target.slice(200, BYTES)).isEqualTo(expected);
        assertThat(ByteBufUtil.indexOf(Unpooled.wrappedBuffer(new byte[200]), target.slice(0, 200)))
                .isZero();
        assertThat(ByteBufUtil.indexOf(Unpooled.wrappedBuffer(new byte[100]), target.slice(BYTES + 200, 100)))
                .isZero();
        assertThat(target.readerIndex()).isEqualTo(3);
        assertThat(target.writerIndex()).isEqualTo(7);
        assertThat(reply.slice(TestProgram.ACCEPTED_REPLY_BYTES + 8, BYTES)).isEqualTo(expected);
        assertThat(loopback.memory.accesses).containsExactly(RdmaAccess.REMOTE_READ, RdmaAccess.REMOTE_WRITE);
        assertThat(sent).singleElement().satisfies(it -> {
            assertThat(it.procedure()).isEqualTo(RpcRdmaSummary.Procedure.RDMA_MSG); // not a long call
            assertThat(it.payloadBytes()).isEqualTo(TestProgram.CALL_BYTES + 12);
            assertThat(it.readSegments()).isOne();
            assertThat(it.writeChunks()).isOne();
            assertThat(it.replyChunks()).isZero();
        });
        reply.release();
        expected.release();
        target.release();
    }

    @Test
    void callsThatShareATargetLeaveEachOthersResultsAlone() throws Exception {
        RpcRdmaRequester requester = connect(config());
        ByteBuf target = Unpooled.directBuffer(3 * BYTES, 3 * BYTES);
        List<Future<ByteBuf>> replies = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            ByteBuf data = Unpooled.directBuffer(BYTES).writeBytes(TestProgram.pattern(BYTES, i));
            replies.add(requester.call(
                    RpcRdmaCall.of(call(requester.nextXid(), ECHO, data)).replyInto(target, i * BYTES)));
        }
        for (int i = 0; i < 3; i++) {
            RdmaLoopback.answered(replies.get(i), "call");
            assertThat(target.slice(i * BYTES, BYTES)).isEqualTo(TestProgram.pattern(BYTES, i));
        }
        assertThat(target.writerIndex()).isZero();
        target.release();
    }

    private void isRefused(RpcRdmaRequester requester, RpcRdmaCall call, String... texts) throws Exception {
        assertThat(RdmaLoopback.failure(requester.call(call)))
                .isInstanceOf(IllegalArgumentException.class)
                .satisfies(
                        it -> assertThat(it.getMessage()).contains("replyInto").contains(texts));
        assertThat(call.refCnt()).isZero();
        Objects.requireNonNull(call.replyTarget()).release();
        assertThat(sent).isEmpty();
    }

    private static ByteBuf target() {
        return Unpooled.directBuffer(BYTES);
    }

    @Test
    void targetIsRefusedIfTheBindingKnowsNoReducibleResult() throws Exception {
        RpcRdmaRequester requester = connect(config());

        isRefused(
                requester,
                call(requester, STATUS_ONLY).replyInto(target(), 0),
                "program 536871065 version 1",
                "procedure 2",
                "RpcRdmaConfig.bindings");
        isRefused(requester, call(requester, 3).replyInto(target()), "procedure 3");
    }

    @Test
    void targetIsRefusedIfTheConfigurationAllowsNoChunks() throws Exception {
        RpcRdmaRequester requester = connect(config().maxChunkBytesPerCall(0));

        isRefused(requester, call(requester, ECHO).replyInto(target()), "RpcRdmaConfig.maxChunkBytesPerCall is 0");
    }

    @Test
    void targetIsRefusedIfSecurityProtectsTheCall() throws Exception {
        RpcRdmaRequester requester = connect(config());
        ByteBuf call = RpcHeaders.call(Unpooled.buffer().alloc(), requester.nextXid(), PROGRAM, 1, ECHO);
        ByteBuf head = call.readRetainedSlice(24);
        ByteBuf integrity = Unpooled.buffer();
        for (int word : new int[] {6, 20, 1, 0, 1, 2, 0, 0, 0}) {
            integrity.writeInt(word);
        }
        call.release();

        isRefused(
                requester,
                RpcRdmaCall.of(Unpooled.wrappedBuffer(head, integrity)).replyInto(target()),
                "RPCSEC_GSS");
    }

    @Test
    void targetIsRefusedBeforeTheVersionIsKnown() throws Exception {
        RpcRdmaRequester requester = connect(
                TestLimits.negotiationTimeout(config(), Deadline.DURATION).versions(1, 2));

        isRefused(requester, call(requester, STATUS_ONLY).replyInto(target()), "procedure 2");
    }

    @ParameterizedTest(name = "{0} bytes, index {1}")
    @CsvSource({"99999, -1", "100000, 1"})
    @Requirement("V1-049")
    void targetWithoutRoomForTheResultIsRefused(int bytes, int index) throws Exception {
        RpcRdmaRequester requester = connect(config());
        ByteBuf target = Unpooled.directBuffer(bytes);
        RpcRdmaCall call = call(requester, ECHO);
        call = index < 0 ? call.replyInto(target) : call.replyInto(target, index);

        assertThat(RdmaLoopback.failure(requester.call(call)))
                .isInstanceOf(MessageTooLargeException.class)
                .hasMessageContaining("the target of ")
                .hasMessageContaining("99999")
                .hasMessageContaining("100000");
        assertThat(call.refCnt()).isZero();
        target.release();
    }

    @Test
    void indexOutsideTheTargetIsRefused() throws Exception {
        RpcRdmaCall call = call(connect(config()), ECHO);
        ByteBuf target = target();
        for (int index : new int[] {-1, BYTES + 1}) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> call.replyInto(target, index))
                    .withMessageContaining("index: " + index)
                    .withMessageContaining("0 to 100000");
        }
        target.release();
        call.release();
    }

    @Test
    void hintsKeepTheIndex() throws Exception {
        ByteBuf target = target();
        RpcRdmaCall call = call(connect(config()), ECHO)
                .replyInto(target, 5)
                .maxReplyBytes(200)
                .repeatable()
                .reducing(List.of());

        assertThat(call.replyTarget()).isSameAs(target);
        assertThat(call.replyTargetIndex()).isEqualTo(5);
        assertThat(call.replyInto(target).replyTargetIndex()).isEqualTo(-1);
        target.release();
        call.release();
    }
}
