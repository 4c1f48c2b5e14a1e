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
import io.nettyrdma.rpc.message.XdrItem;
import io.nettyrdma.rpc.observe.RpcRdmaListener;
import java.util.BitSet;
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

    private RpcRdmaConfig.Builder config(UpperLayerBinding binding) {
        return TestLimits.negotiationTimeout(RpcRdmaConfig.builder(), Deadline.DURATION)
                .versions(2, 2)
                .version2(v2 -> v2.maxContinuedBytes(100_000))
                .listener(listener)
                .bindings(UpperLayerBindings.none().with(TestProgram.PROGRAM, 1, binding));
    }

    private RdmaLoopback serve(RpcRdmaConfig config) throws Exception {
        return RdmaLoopback.serving(config, () -> new SimpleChannelInboundHandler<ByteBuf>() {
            @Override
            protected void channelRead0(ChannelHandlerContext ctx, ByteBuf call) {
                executed.incrementAndGet();
                ctx.writeAndFlush(TestProgram.reply(call));
            }
        });
    }

    /** Makes the call, and another one behind it. */
    private void checkAnswered(RpcRdmaConfig client, RpcRdmaConfig server, RpcRdmaCall call) throws Exception {
        try (RdmaLoopback loopback = serve(server)) {
            Channel channel = loopback.connect(client);
            checkReply(channel, call);
            checkAllIsGivenBack(loopback, channel);
        }
    }

    private static void checkReply(Channel channel, RpcRdmaCall call) throws Exception {
        RpcRdmaRequester requester = RpcRdmaRequester.of(channel);
        TestProgram.check(it -> requester.call(call, Deadline.DURATION), 1, call::content, "the call");
    }

    private Throwable failure(RpcRdmaConfig client, RpcRdmaConfig server, RpcRdmaCall call) throws Exception {
        try (RdmaLoopback loopback = serve(server)) {
            Channel channel = loopback.connect(client);
            Throwable failure =
                    RdmaLoopback.failure(RpcRdmaRequester.of(channel).call(call, Deadline.DURATION));
            checkAllIsGivenBack(loopback, channel);
            return failure;
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
        checkAnsweredAtTheSecondAttempt(
                TestLimits.maxReadChunks(config(new TestProgram()), 1), call(List.of(40_000, 40_000), List.of(), 0));
    }

    @Test
    @Requirement({"V2-146", "V2-147"})
    void callIsContinuedWhereNoReadChunksAreTaken() throws Exception {
        checkAnsweredAtTheSecondAttempt(
                TestLimits.maxReadChunks(config(new TestProgram()), 0), call(List.of(40_000), List.of(40_000), 0));
    }

    @Test
    @Requirement({"V2-147", "V2-148"})
    void replyChunkIsOfferedWhereNoWriteChunksAreTaken() throws Exception {
        checkAnsweredAtTheSecondAttempt(
                TestLimits.maxWriteChunks(config(new TestProgram()), 0), call(List.of(), List.of(40_000), 0));
    }

    /** The first attempt is not executed. */
    private void checkAnsweredAtTheSecondAttempt(RpcRdmaConfig.Builder server, RpcRdmaCall call) throws Exception {
        checkAnswered(config(new TestProgram()).build(), server.build(), call);

        assertThat(executed).as("executions").hasValue(2);
    }

    @Test
    @Requirement({"V2-139", "V2-146", "V2-147"})
    void callThatIsTooLongToContinueFailsWhereNoReadChunksAreTaken() throws Exception {
        Throwable failure = failure(
                config(new TestProgram()).build(),
                TestLimits.maxReadChunks(config(new TestProgram()), 0).build(),
                call(List.of(200_000), List.of(), 0));

        assertThat(failure).isInstanceOf(RemoteErrorException.class).hasMessageContaining("RDMA2_ERR_READ_CHUNKS");
        assertThat(((RemoteErrorException) failure).numbers()).containsExactly(0L);
        assertThat(executed).as("executions").hasValue(1);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    @Requirement({"V2-133", "V2-147"})
    void longerWriteChunkIsOfferedIfTheCallMayBeExecutedTwice(boolean saidByBinding) throws Exception {
        Logs.allow("io.nettyrdma.rpc.trace.RpcRdmaObserver", "a reply is not sent");
        RpcRdmaCall call = call(List.of(), List.of(60_000), 0);
        checkAnswered(
                config(new Understating(saidByBinding)).build(),
                config(new TestProgram()).build(),
                saidByBinding ? call : call.repeatable());

        assertThat(executed).as("executions").hasValue(3);
    }

    @Test
    @Requirement({"V2-132", "V2-133", "V2-147", "V2-153"})
    void replyChunkOfTheLengthThatIsNeededIsOfferedIfTheCallMayBeExecutedTwice() throws Exception {
        Logs.allow("io.nettyrdma.rpc.trace.RpcRdmaObserver", "a reply is not sent");
        checkAnswered(
                config(new Understating(true)).build(),
                config(new TestProgram()).build(),
                call(List.of(), List.of(), 150_000));

        assertThat(executed).as("executions").hasValue(3);
    }

    @Test
    @Requirement({"V2-132", "V2-133", "V2-151", "V2-152"})
    void callThatMustNotBeExecutedTwiceFailsWithWhatItsReplyNeeds() throws Exception {
        Logs.allow("io.nettyrdma.rpc.trace.RpcRdmaObserver", "a reply is not sent");
        Throwable failure = failure(
                config(new Understating(false)).build(),
                config(new TestProgram()).build(),
                call(List.of(), List.of(60_000), 0));

        assertThat(failure).isInstanceOf(RemoteErrorException.class).hasMessageContaining("RDMA2_ERR_WRITE_RESOURCE");
        assertThat(((RemoteErrorException) failure).numbers()).containsExactly(1L, 60_000L);
        assertThat(executed).as("executions").hasValue(2);
    }

    @Test
    @Requirement("V2-131")
    void replyThatIsTooLongForItsChunkIsContinued() throws Exception {
        try (RdmaLoopback loopback = serve(config(new TestProgram()).build())) {
            Channel channel = loopback.connect(config(new Understating(false)).build());
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
        try (RdmaLoopback loopback = serve(config(new TestProgram()).build())) {
            Channel channel = loopback.connect(config(new TestProgram()).build());
            ByteBuf call = TestProgram.call(7, List.of(6000), List.of(6000), 6000);
            TestProgram.check(RpcRdmaRequester.of(channel), call);
            assertThat(loopback.memory.accesses).isEmpty();
        }
    }

    /** Expects half of each result. */
    private record Understating(boolean repeatable) implements UpperLayerBinding {

        private static final UpperLayerBinding RIGHT = new TestProgram();

        @Override
        public boolean mayReduceArguments(RpcCallHeader header) {
            return RIGHT.mayReduceArguments(header);
        }

        @Override
        public List<XdrItem> reducibleArguments(RpcCallHeader header, ByteBuf call) {
            return RIGHT.reducibleArguments(header, call);
        }

        @Override
        public ReplyBounds replyBounds(RpcCallHeader header, ByteBuf call) {
            ReplyBounds bounds = RIGHT.replyBounds(header, call);
            return new ReplyBounds(
                    Math.max(100, bounds.maxBytes() / 2),
                    bounds.reducibleBytes().stream().map(it -> it / 2).toList());
        }

        @Override
        public List<XdrItem> reducibleResults(RpcCallHeader header, ByteBuf reply, BitSet reduced) {
            return RIGHT.reducibleResults(header, reply, reduced);
        }

        @Override
        public boolean isRepeatable(RpcCallHeader header, ByteBuf call) {
            return repeatable;
        }
    }
}
