// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.requester;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.util.concurrent.Future;
import io.netty.util.internal.logging.InternalLogLevel;
import io.nettyrdma.channel.LoopsOver;
import io.nettyrdma.channel.Over;
import io.nettyrdma.channel.RdmaRead;
import io.nettyrdma.channel.RdmaSend;
import io.nettyrdma.channel.RdmaWrite;
import io.nettyrdma.channel.RemoteSegment;
import io.nettyrdma.channel.TestProvider;
import io.nettyrdma.conformance.Requirement;
import io.nettyrdma.internal.CapturedLog;
import io.nettyrdma.logs.Logs;
import io.nettyrdma.memory.Poison;
import io.nettyrdma.rpc.RpcRdmaConfig;
import io.nettyrdma.rpc.RpcRdmaRequester;
import io.nettyrdma.rpc.TestLimits;
import io.nettyrdma.rpc.error.ConnectionLostException;
import io.nettyrdma.rpc.error.MalformedRpcMessageException;
import io.nettyrdma.rpc.kit.CountingMemory;
import io.nettyrdma.rpc.kit.RdmaLoopback;
import io.nettyrdma.rpc.kit.ScriptedResponder;
import io.nettyrdma.rpc.kit.ScriptedResponder.Exchange;
import io.nettyrdma.rpc.kit.TestProgram;
import io.nettyrdma.rpc.message.RpcHeaders;
import io.nettyrdma.rpc.wire.CmPrivateData;
import io.nettyrdma.rpc.wire.header.ChunkLists;
import io.nettyrdma.rpc.wire.header.RpcRdmaMessage;
import io.nettyrdma.rpc.wire.v1.RpcRdmaEncoder;
import io.nettyrdma.verbs.soft.ClockedProvider;
import io.nettyrdma.verbs.soft.SoftProviderConfig;
import io.nettyrdma.verbs.soft.faults.NothingLeft;
import io.nettyrdma.verbs.strict.AllTraitsOnly;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A responder that means harm: whatever it sends, reads or writes, each call ends once, nothing stays exposed, and
 * calls over another connection are answered.
 */
@Over
@ExtendWith(AllTraitsOnly.class)
final class HostileResponderTest {

    private static final int CREDITS = 8;
    private static final String NO_CALL = "matches no call";

    /** With limits of its own: what other tests have written within the same second does not count. */
    private final CapturedLog log = new CapturedLog();

    private final RpcRdmaConfig config = TestLimits.log(RpcRdmaConfig.builder(), log.log())
            .bindings(TestProgram.BINDINGS)
            .creditsRequested(CREDITS)
            .build();

    /** Its time stands still, so that no message waits too long for a receive because a machine is slow. */
    private final ClockedProvider clock = new ClockedProvider(LoopsOver.config(SoftProviderConfig.builder()));

    private volatile Consumer<Exchange> script = Exchange::answer;
    private RdmaLoopback loopback;
    private Channel bystander;
    private Channel channel;
    private CountingMemory memory;

    @BeforeEach
    void connect() throws Exception {
        loopback = new RdmaLoopback(
                new CmPrivateData(true, 4096, 4096),
                () -> new ScriptedResponder(32, exchange -> script.accept(exchange)),
                LoopsOver.newFactory(clock.provider()));
        bystander = loopback.connect(config);
        check(bystander, 1);
        final CountingMemory ofBystander = loopback.memory;
        channel = loopback.connect(config);
        memory = loopback.memory;
        check(channel, 1);
        assertThat(memory).isNotSameAs(ofBystander);
    }

    @AfterEach
    void nothingIsLeft() throws Exception {
        script = Exchange::answer;
        check(bystander, 2);
        loopback.close();
        NothingLeft.of(clock.provider());
        assertThat(warnings()).isEmpty();
        memory.checkGivenBack();
    }

    /** A call with a long result is answered. */
    private static void check(Channel channel, int xid) throws Exception {
        ByteBuf call = TestProgram.call(xid, List.of(), List.of(9000), 0);
        TestProgram.check(RpcRdmaRequester.of(channel), call);
    }

    private static RpcRdmaMessage.Msg msg(int xid, long credits) {
        return new RpcRdmaMessage.Msg(xid, 1, credits, ChunkLists.ABSENT);
    }

    @Test
    @Requirement({"V1-001", "V1-080"})
    void repliesToNoCallsHaveNoEffect() throws Exception {
        TestProvider.tested().assumeWaitsForReceives();
        // More than there are receives: what finds none waits in TCP until the loop has posted some, however long it
        // takes.
        script = exchange -> {
            for (int i = 0; i < 5000; i++) {
                int xid = 1000 + i;
                exchange.send(msg(xid, 32), RpcHeaders.accepted(exchange.ctx.alloc(), xid, RpcHeaders.SUCCESS));
                exchange.send(new RpcRdmaMessage.ErrorMsg(xid, 1, 32, null), null);
            }
            exchange.answer();
            exchange.answerInline(ChunkLists.ABSENT); // once more
        };

        check(channel, 2);
        check(channel, 3);
        assertThat(channel.isActive()).isTrue();
        assertThat(warnings()).isNotEmpty().allMatch(line -> line.contains(NO_CALL));
        log.lines.clear();
    }

    private List<String> warnings() {
        return log.lines.stream()
                .filter(line -> line.level().compareTo(InternalLogLevel.WARN) >= 0)
                .map(CapturedLog.Line::text)
                .toList();
    }

    @Test
    @Requirement({"V1-015", "V1-024"})
    void grantsOfNothingAndOfEverythingAreTakenForWhatTheyCanMean() throws Exception {
        AtomicInteger outstanding = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        for (long granted : new long[] {0, 0xffff_ffffL}) {
            script = exchange -> {
                most.accumulateAndGet(outstanding.incrementAndGet(), Math::max);
                exchange.ctx.executor().execute(() -> {
                    outstanding.decrementAndGet();
                    ByteBuf header = header(exchange.header.xid(), granted);
                    exchange.ctx.writeAndFlush(Unpooled.wrappedBuffer(header, exchange.reply()));
                });
            };
            List<Future<ByteBuf>> replies = new ArrayList<>();
            for (int xid = 100; xid < 150; xid++) {
                replies.add(RpcRdmaRequester.of(channel).call(TestProgram.call(xid, List.of(), List.of(), 8)));
            }
            for (Future<ByteBuf> reply : replies) {
                RdmaLoopback.answered(reply, "call");
            }
        }
        assertThat(most.get()).isBetween(1, CREDITS);
    }

    /** The encoder does not write a grant of 0. */
    private static ByteBuf header(int xid, long granted) {
        ByteBuf header = Unpooled.buffer();
        RpcRdmaEncoder.encode(msg(xid, 1), header);
        return header.setInt(8, (int) granted);
    }

    static Stream<Arguments> claims() {
        return Stream.of(
                Arguments.of("write chunk 0", List.of(9000), 0, 9000, 9000),
                Arguments.of("write chunk 0", List.of(9000), 0, 9000, 4000),
                Arguments.of("the reply chunk", List.of(), 9000, 9028, 4000));
    }

    /** The memory of a result may hold what another responder wrote there. */
    @ParameterizedTest(name = "{0}, {4} bytes")
    @MethodSource("claims")
    @Requirement("V1-107")
    void bytesThatAreClaimedAndNotWrittenAreNotShown(
            String chunk, List<Integer> results, int tail, int claimed, int withheld) throws Exception {
        script = exchange -> {
            exchange.withheldBytes = exchange.header.xid() == 2 ? withheld : 0;
            if (exchange.header.xid() == 2) {
                exchange.answer();
            }
        };
        Future<ByteBuf> other = RpcRdmaRequester.of(channel).call(TestProgram.call(3, List.of(), List.of(9000), 0));
        Future<ByteBuf> reply = RpcRdmaRequester.of(channel).call(TestProgram.call(2, List.of(), results, tail));
        if (TestProvider.tested() == TestProvider.SOFT) {
            String message = "reply claims " + claimed + " bytes in " + chunk + " (expected: at most "
                    + (claimed - withheld) + ", which is what the responder has written)";
            assertThat(RdmaLoopback.failure(reply))
                    .isInstanceOf(MalformedRpcMessageException.class)
                    .hasMessageContaining(message);
            assertThat(RdmaLoopback.failure(other))
                    .isInstanceOf(ConnectionLostException.class)
                    .hasStackTraceContaining(message);
            RdmaLoopback.await(channel.closeFuture(), "close");
        } else { // a device places bytes unseen, in memory that was zeroed
            ByteBuf shown = RdmaLoopback.await(reply, "call").getNow();
            Poison.requireNoneIn(shown);
            shown.release();
            channel.close();
            assertThat(RdmaLoopback.failure(other)).isInstanceOf(ConnectionLostException.class);
        }
    }

    static Stream<Arguments> accesses() {
        Consumer<Exchange> behind = it -> write(it, 1, offered(it));
        Consumer<Exchange> inFront = it -> write(it, -1, offered(it));
        Consumer<Exchange> wrapping = it -> write(it, -1 - offered(it).address(), offered(it));
        Consumer<Exchange> handleZero = it -> write(it, 0, new RemoteSegment(0, 0, 9000));
        Consumer<Exchange> otherHandle = it -> write(
                it, 0, new RemoteSegment(offered(it).key() + 0x100, offered(it).address(), 9000));
        Consumer<Exchange> reading = it ->
                it.ctx.writeAndFlush(new RdmaRead(offered(it), it.ctx.alloc().directBuffer(9000)));
        Consumer<Exchange> foreignKey = it -> it.ctx.writeAndFlush(RdmaSend.invalidating(
                it.ctx.alloc().directBuffer().writeZero(28), offered(it).key() + 0x100));
        return Stream.of(
                Arguments.of("Write behind the memory", behind),
                Arguments.of("Write in front of the memory", inFront),
                Arguments.of("Write that wraps at 2^64", wrapping),
                Arguments.of("Write to handle 0", handleZero),
                Arguments.of("Write to a handle nobody has", otherHandle),
                Arguments.of("Read of what may be written", reading),
                Arguments.of("invalidation of a key nobody has", foreignKey));
    }

    private static RemoteSegment offered(Exchange exchange) {
        return ScriptedResponder.remote(
                exchange.chunks.writeList().get(0).segments().get(0));
    }

    private static void write(Exchange exchange, long shift, RemoteSegment to) {
        RemoteSegment target = new RemoteSegment(to.key(), to.address() + shift, to.lengthBytes());
        exchange.ctx.write(new RdmaWrite(exchange.ctx.alloc().directBuffer().writeZero(9000), target));
        exchange.answer();
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("accesses")
    @Requirement({"V1-139", "V1-142"})
    void whatWasNotOfferedEndsTheConnectionAndEveryCall(String name, Consumer<Exchange> access) throws Exception {
        Logs.allowUnhandledException(); // InfiniBand has no Terminate
        script = exchange -> {
            if (exchange.header.xid() == 3) {
                access.accept(exchange);
            }
        };
        Future<ByteBuf> other = RpcRdmaRequester.of(channel).call(TestProgram.call(2, List.of(), List.of(9000), 0));
        Future<ByteBuf> reply = RpcRdmaRequester.of(channel).call(TestProgram.call(3, List.of(), List.of(9000), 0));

        assertThat(RdmaLoopback.failure(reply))
                .isInstanceOf(ConnectionLostException.class)
                .satisfies(it -> {
                    if (TestProvider.tested().tellsReasons() || it.getCause() != null) {
                        assertThat(it).hasCauseInstanceOf(IOException.class);
                    }
                });
        assertThat(RdmaLoopback.failure(other)).isInstanceOf(ConnectionLostException.class);
        RdmaLoopback.await(channel.closeFuture(), "close");
    }

    @Test
    @Requirement("V1-102")
    void keyOfAnotherCallThatIsInvalidatedEndsThatCallWithTheConnectionAtMost() throws Exception {
        Logs.allowUnhandledException(); // InfiniBand has no Terminate
        List<Exchange> both = new ArrayList<>();
        script = exchange -> {
            both.add(exchange);
            if (both.size() == 2) {
                both.get(1)
                        .sendInvalidating(
                                msg(both.get(1).header.xid(), 32),
                                RpcHeaders.accepted(
                                        exchange.ctx.alloc(), both.get(1).header.xid(), RpcHeaders.SYSTEM_ERR),
                                offered(both.get(0)).key());
                both.get(0).answer(); // into memory that is not there any more
            }
        };
        Future<ByteBuf> first = RpcRdmaRequester.of(channel).call(TestProgram.call(2, List.of(), List.of(9000), 0));
        Future<ByteBuf> second = RpcRdmaRequester.of(channel).call(TestProgram.call(3, List.of(), List.of(9000), 0));

        RdmaLoopback.answered(second, "call");
        assertThat(RdmaLoopback.failure(first)).isInstanceOf(ConnectionLostException.class);
    }
}
