// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.util.concurrent.Future;
import io.nettyrdma.conformance.Requirement;
import io.nettyrdma.deadline.Deadline;
import io.nettyrdma.rpc.RpcRdmaConfig;
import io.nettyrdma.rpc.RpcRdmaRequester;
import io.nettyrdma.rpc.RpcRdmaResponderHandler;
import io.nettyrdma.rpc.TestLimits;
import io.nettyrdma.rpc.error.MalformedRpcMessageException;
import io.nettyrdma.rpc.error.RemoteErrorException;
import io.nettyrdma.rpc.kit.NoVerbsLeft;
import io.nettyrdma.rpc.kit.RdmaLoopback;
import io.nettyrdma.rpc.kit.TestProgram;
import io.nettyrdma.rpc.message.RpcHeaders;
import io.nettyrdma.rpc.message.RpcRdmaCall;
import io.nettyrdma.rpc.message.RpcRdmaReply;
import io.nettyrdma.rpc.message.XdrItem;
import io.nettyrdma.rpc.wire.CmPrivateData;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Chunks that contain the padding of their item: version 1 takes them, version 2 does not (C58). */
@ExtendWith(NoVerbsLeft.class)
class PaddedChunksTest {

    private static final int ARGUMENT_BYTES = 4_999;
    private static final int RESULT_BYTES = 4_998;
    private static final int PADDED_BYTES = 5_000;
    /** A call without arguments, for one result. */
    private static final int RESULT_CALL_BYTES = TestProgram.CALL_BYTES + 16;

    private static final XdrItem PADDED_ARGUMENT = new XdrItem(TestProgram.CALL_BYTES + 8, PADDED_BYTES);
    private static final XdrItem PADDED_RESULT = new XdrItem(TestProgram.ACCEPTED_REPLY_BYTES + 8, PADDED_BYTES);

    private final AtomicInteger executed = new AtomicInteger();

    private static RpcRdmaConfig config(int version) {
        return TestLimits.continuationBytes(
                        TestLimits.negotiationTimeout(RpcRdmaConfig.builder(), Deadline.DURATION), 0)
                .versions(version, version)
                .bindings(TestProgram.BINDINGS)
                .build();
    }

    /** Answers every call; a result is 2 octets shorter than requested, and its write chunk contains its padding. */
    private RdmaLoopback serve(int version) throws Exception {
        return new RdmaLoopback(new CmPrivateData(false, 4096, 4096), () -> new ChannelInitializer<>() {
            @Override
            protected void initChannel(Channel channel) {
                channel.pipeline().addLast(new RpcRdmaResponderHandler(config(version)), new Service());
            }
        });
    }

    private final class Service extends SimpleChannelInboundHandler<ByteBuf> {

        @Override
        protected void channelRead0(ChannelHandlerContext ctx, ByteBuf call) {
            executed.incrementAndGet();
            if (call.readableBytes() == RESULT_CALL_BYTES) {
                ctx.writeAndFlush(new RpcRdmaReply(shorterReply(RpcHeaders.xid(call)), List.of(PADDED_RESULT)));
            } else {
                ctx.writeAndFlush(TestProgram.reply(call));
            }
        }
    }

    private static ByteBuf argumentCall(int xid) {
        return TestProgram.call(xid, List.of(ARGUMENT_BYTES), List.of(), 0);
    }

    private static ByteBuf resultCall(int xid) {
        return TestProgram.call(xid, List.of(), List.of(PADDED_BYTES), 0);
    }

    private static ByteBuf shorterReply(int xid) {
        return reply(TestProgram.call(xid, List.of(), List.of(RESULT_BYTES), 0));
    }

    private static ByteBuf reply(ByteBuf call) {
        try {
            return TestProgram.reply(call);
        } finally {
            call.release();
        }
    }

    private static Future<ByteBuf> callWithAPaddedArgument(Channel channel) {
        return RpcRdmaRequester.of(channel).call(RpcRdmaCall.of(argumentCall(7)).reducing(List.of(PADDED_ARGUMENT)));
    }

    private static Future<ByteBuf> callWithAPaddedResult(Channel channel) {
        return RpcRdmaRequester.of(channel).call(resultCall(7));
    }

    private static void checkReply(Future<ByteBuf> future, ByteBuf expected) throws Exception {
        ByteBuf reply = RdmaLoopback.await(future, "call").getNow();
        assertThat(reply).isEqualTo(expected);
        reply.release();
        expected.release();
    }

    @Test
    @Requirement("BIS-007")
    void version1ExecutesACallWhoseReadChunkContainsPadding() throws Exception {
        try (RdmaLoopback loopback = serve(1)) {
            checkReply(callWithAPaddedArgument(loopback.connect(config(1))), reply(argumentCall(7)));
        }
    }

    @Test
    @Requirement("BIS-005")
    void version1CompletesACallWhoseWriteChunkContainsPadding() throws Exception {
        try (RdmaLoopback loopback = serve(1)) {
            checkReply(callWithAPaddedResult(loopback.connect(config(1))), shorterReply(7));
        }
    }

    @Test
    @Requirement("V2-045")
    void version2AnswersAReadChunkWithPaddingByBadXdrAndExecutesNothing() throws Exception {
        try (RdmaLoopback loopback = serve(2)) {
            Channel channel = loopback.connect(config(2));

            assertThat(RdmaLoopback.failure(callWithAPaddedArgument(channel)))
                    .isInstanceOf(RemoteErrorException.class)
                    .hasMessageContaining("BAD_XDR");

            assertThat(executed).as("executions").hasValue(0);
            checkReply(RpcRdmaRequester.of(channel).call(argumentCall(8)), reply(argumentCall(8)));
        }
    }

    @Test
    @Requirement("V2-054")
    void version2FailsACallWhoseWriteChunkComesBackWithPadding() throws Exception {
        try (RdmaLoopback loopback = serve(2)) {
            Channel channel = loopback.connect(config(2));

            assertThat(RdmaLoopback.failure(callWithAPaddedResult(channel)))
                    .isInstanceOf(MalformedRpcMessageException.class)
                    .hasMessageContaining("5000")
                    .hasMessageContaining("4998");

            checkReply(RpcRdmaRequester.of(channel).call(argumentCall(8)), reply(argumentCall(8)));
        }
    }
}
