// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.requester;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.nettyrdma.conformance.Requirement;
import io.nettyrdma.deadline.Deadline;
import io.nettyrdma.logs.Logs;
import io.nettyrdma.rpc.RpcRdmaConfig;
import io.nettyrdma.rpc.RpcRdmaRequester;
import io.nettyrdma.rpc.TestLimits;
import io.nettyrdma.rpc.binding.ReplyBounds;
import io.nettyrdma.rpc.binding.RpcCallHeader;
import io.nettyrdma.rpc.binding.UpperLayerBinding;
import io.nettyrdma.rpc.binding.UpperLayerBindings;
import io.nettyrdma.rpc.error.RemoteErrorException;
import io.nettyrdma.rpc.kit.RdmaLoopback;
import io.nettyrdma.rpc.kit.TestProgram;
import io.nettyrdma.rpc.message.RpcRdmaCall;
import io.nettyrdma.rpc.observe.RpcRdmaListener;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Calls that a responder refuses with an error that says what it takes, or needs (draft -01, section 7.3; C59). */
class RepeatedCallsTest {

    private final AtomicInteger executed = new AtomicInteger();

    /** Octets of memory that calls expose, as a listener is told. */
    private final AtomicLong exposed = new AtomicLong();

    private final RpcRdmaListener listener = new RpcRdmaListener() {
        @Override
        public void onMemoryExposed(Channel channel, int registrations, long bytes) {
            exposed.addAndGet(bytes);
        }

        @Override
        public void onMemoryWithdrawn(Channel channel, int registrations, long bytes) {
            exposed.addAndGet(-bytes);
        }
    };

    private RpcRdmaConfig.Builder client = config(new TestProgram());
    private final RpcRdmaConfig.Builder server = config(new TestProgram());

    private RpcRdmaConfig.Builder config(UpperLayerBinding binding) {
        return TestLimits.negotiationTimeout(RpcRdmaConfig.builder(), Deadline.DURATION)
                .versions(2, 2)
                .version2(v2 -> v2.maxContinuedBytes(100_000))
                .listener(listener)
                .bindings(UpperLayerBindings.none().with(TestProgram.PROGRAM, 1, binding));
    }

    private RdmaLoopback serve() throws Exception {
        return RdmaLoopback.serving(server.build(), () -> new SimpleChannelInboundHandler<ByteBuf>() {
            @Override
            protected void channelRead0(ChannelHandlerContext ctx, ByteBuf call) {
                executed.incrementAndGet();
                ctx.writeAndFlush(TestProgram.reply(call));
            }
        });
    }

    /** Makes the call, and another one behind it. An attempt whose chunks are refused is not executed. */
    private void checkAnswered(RpcRdmaCall call, int executions) throws Exception {
        try (RdmaLoopback loopback = serve()) {
            Channel channel = loopback.connect(client.build());
            checkReply(channel, call);
            checkAllIsGivenBack(loopback, channel);
        }
        assertThat(executed).as("executions").hasValue(executions);
    }

    private static void checkReply(Channel channel, RpcRdmaCall call) throws Exception {
        RpcRdmaRequester requester = RpcRdmaRequester.of(channel);
        TestProgram.check(it -> requester.call(call, Deadline.DURATION), 1, call::content, "the call");
    }

    private RemoteErrorException failure(RpcRdmaCall call, int executions) throws Exception {
        try (RdmaLoopback loopback = serve()) {
            Channel channel = loopback.connect(client.build());
            Throwable failure =
                    RdmaLoopback.failure(RpcRdmaRequester.of(channel).call(call, Deadline.DURATION));
            checkAllIsGivenBack(loopback, channel);
            assertThat(executed).as("executions").hasValue(executions);
            assertThat(failure).isInstanceOf(RemoteErrorException.class);
            return (RemoteErrorException) failure;
        }
    }

    private void checkAllIsGivenBack(RdmaLoopback loopback, Channel channel) throws Exception {
        RdmaLoopback.answered(
                RpcRdmaRequester.of(channel).call(TestProgram.call(99, List.of(), List.of(), 0)), "another call");
        assertThat(loopback.memory.exposed).hasValue(0);
        assertThat(exposed).as("exposed as reported").hasValue(0);
        assertThat(loopback.memory.held).hasValue(0);
    }

    private static RpcRdmaCall call(List<Integer> arguments, List<Integer> results, int trailer) {
        return RpcRdmaCall.of(TestProgram.call(7, arguments, results, trailer));
    }

    @Test
    @Requirement({"V2-146", "V2-147"})
    void fewerReadChunksAreUsedWhereThatIsWhatIsTaken() throws Exception {
        TestLimits.maxReadChunks(server, 1);
        checkAnswered(call(List.of(40_000, 40_000), List.of(), 0), 2);
    }

    @Test
    @Requirement({"V2-146", "V2-147"})
    void callIsContinuedWhereNoReadChunksAreTaken() throws Exception {
        TestLimits.maxReadChunks(server, 0);
        checkAnswered(call(List.of(40_000), List.of(40_000), 0), 2);
    }

    @Test
    @Requirement({"V2-147", "V2-148"})
    void replyChunkIsOfferedWhereNoWriteChunksAreTaken() throws Exception {
        TestLimits.maxWriteChunks(server, 0);
        checkAnswered(call(List.of(), List.of(40_000), 0), 2);
    }

    @Test
    @Requirement({"V2-139", "V2-146", "V2-147"})
    void callThatIsTooLongToContinueFailsWhereNoReadChunksAreTaken() throws Exception {
        TestLimits.maxReadChunks(server, 0);
        RemoteErrorException failure = failure(call(List.of(200_000), List.of(), 0), 1);

        assertThat(failure).hasMessageContaining("RDMA2_ERR_READ_CHUNKS");
        assertThat(failure.numbers()).containsExactly(0L);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    @Requirement({"V2-133", "V2-147"})
    void longerWriteChunkIsOfferedIfTheCallMayBeExecutedTwice(boolean saidByBinding) throws Exception {
        Logs.allow("io.nettyrdma.rpc.trace.RpcRdmaObserver", "a reply is not sent");
        client = config(new Understating(saidByBinding));
        RpcRdmaCall call = call(List.of(), List.of(60_000), 0);
        checkAnswered(saidByBinding ? call : call.repeatable(), 3);
    }

    @Test
    @Requirement({"V2-132", "V2-133", "V2-147", "V2-153"})
    void replyChunkOfTheLengthThatIsNeededIsOfferedIfTheCallMayBeExecutedTwice() throws Exception {
        Logs.allow("io.nettyrdma.rpc.trace.RpcRdmaObserver", "a reply is not sent");
        client = config(new Understating(true));
        checkAnswered(call(List.of(), List.of(), 150_000), 3);
    }

    @Test
    @Requirement({"V2-132", "V2-133", "V2-151", "V2-152"})
    void callThatMustNotBeExecutedTwiceFailsWithWhatItsReplyNeeds() throws Exception {
        Logs.allow("io.nettyrdma.rpc.trace.RpcRdmaObserver", "a reply is not sent");
        client = config(new Understating(false));
        RemoteErrorException failure = failure(call(List.of(), List.of(60_000), 0), 2);

        assertThat(failure).hasMessageContaining("RDMA2_ERR_WRITE_RESOURCE");
        assertThat(failure.numbers()).containsExactly(1L, 60_000L);
    }

    @Test
    @Requirement("V2-131")
    void replyThatIsTooLongForItsChunkIsContinued() throws Exception {
        client = config(new Understating(false));
        try (RdmaLoopback loopback = serve()) {
            Channel channel = loopback.connect(client.build());
            RpcRdmaCall call = call(List.of(), List.of(), 60_000);
            checkReply(channel, call);
            assertThat(loopback.memory.accesses).as("a reply chunk").hasSize(1);
            assertThat(executed).as("executions").hasValue(1);
            checkAllIsGivenBack(loopback, channel);
        }
    }

    @Test
    @Requirement({"V2-125", "V2-168"})
    void messagesOfModerateLengthAreContinuedThoughChunksArePossible() throws Exception {
        try (RdmaLoopback loopback = serve()) {
            Channel channel = loopback.connect(client.build());
            ByteBuf call = TestProgram.call(7, List.of(6000), List.of(6000), 6000);
            TestProgram.check(RpcRdmaRequester.of(channel), call);
            assertThat(loopback.memory.accesses).isEmpty();
        }
    }

    /** Expects half of each result. */
    private static final class Understating extends TestProgram {

        private final boolean repeatable;

        Understating(boolean repeatable) {
            this.repeatable = repeatable;
        }

        @Override
        public ReplyBounds replyBounds(RpcCallHeader header, ByteBuf call) {
            ReplyBounds bounds = super.replyBounds(header, call);
            return new ReplyBounds(
                    Math.max(100, bounds.maxBytes() / 2),
                    bounds.reducibleBytes().stream().map(it -> it / 2).toList());
        }

        @Override
        public boolean isRepeatable(RpcCallHeader header, ByteBuf call) {
            return repeatable;
        }
    }
}
