// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.version2;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.Future;
import io.nettyrdma.channel.LoopsOver;
import io.nettyrdma.channel.RdmaChannelOption;
import io.nettyrdma.conformance.Requirement;
import io.nettyrdma.deadline.Deadline;
import io.nettyrdma.rpc.RpcRdmaClient;
import io.nettyrdma.rpc.RpcRdmaConfig;
import io.nettyrdma.rpc.RpcRdmaRequester;
import io.nettyrdma.rpc.RpcRdmaRequesterHandler;
import io.nettyrdma.rpc.RpcRdmaResponderHandler;
import io.nettyrdma.rpc.TestLimits;
import io.nettyrdma.rpc.error.ConnectionFailedException;
import io.nettyrdma.rpc.error.ConnectionLostException;
import io.nettyrdma.rpc.error.RemoteErrorException;
import io.nettyrdma.rpc.kit.NoVerbsLeft;
import io.nettyrdma.rpc.kit.RdmaLoopback;
import io.nettyrdma.rpc.kit.TestProgram;
import io.nettyrdma.rpc.message.RpcHeaders;
import io.nettyrdma.rpc.message.RpcRdmaCall;
import io.nettyrdma.rpc.observe.RpcRdmaParametersEvent;
import io.nettyrdma.rpc.wire.v2.Rdma2;
import io.nettyrdma.rpc.wire.v2.Rdma2Encoder;
import io.nettyrdma.rpc.wire.v2.Rdma2Error;
import io.nettyrdma.rpc.wire.v2.Rdma2Message;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Requester and responder of this project that allow each other's version, or do not, as the documents' table says. */
@ExtendWith(NoVerbsLeft.class)
class VersionsOverRdmaTest {

    private final EventLoopGroup group = LoopsOver.group(2);
    private final AtomicInteger accepted = new AtomicInteger();

    @AfterEach
    void end() {
        RdmaLoopback.end(group);
    }

    private static RpcRdmaConfig config(int lowest, int highest) {
        return TestLimits.negotiationTimeout(RpcRdmaConfig.builder(), Deadline.DURATION)
                .bindings(TestProgram.BINDINGS)
                .versions(lowest, highest)
                .build();
    }

    private static RpcRdmaConfig config(String versions) {
        return config(versions.charAt(0) - '0', versions.charAt(versions.length() - 1) - '0');
    }

    private static List<String> row(String line) {
        return Arrays.stream(line.split("\\|")).skip(1).map(String::strip).toList();
    }

    /** Each cell of the table, behind the versions of the client and those of the server. */
    static Stream<Arguments> cells() throws IOException {
        List<String> lines = Files.readAllLines(Path.of("../docs/rpc-version-2.md"));
        int head = 0;
        while (!lines.get(head).startsWith("| client \\ server | ")) {
            head++;
        }
        List<String> servers = row(lines.get(head));
        List<Arguments> cells = new ArrayList<>();
        for (int i = head + 2; lines.get(i).startsWith("|"); i++) {
            List<String> row = row(lines.get(i));
            for (int column = 1; column < row.size(); column++) {
                cells.add(Arguments.of(row.get(0), servers.get(column), row.get(column)));
            }
        }
        return cells.stream();
    }

    @Test
    void tableHasEachCombinationOnce() throws IOException {
        List<String> ranges = List.of("1", "1, 2", "2");
        List<String> expected = ranges.stream()
                .flatMap(client -> ranges.stream().map(server -> client + " to " + server))
                .toList();

        assertThat(cells().map(cell -> cell.get()[0] + " to " + cell.get()[1])).containsExactlyElementsOf(expected);
    }

    /** Calls are made before the version is known, and behind. */
    @ParameterizedTest
    @MethodSource("cells")
    @Requirement({"V2-020", "V2-024", "V2-025", "V2-026", "V2-029", "V2-138"})
    void bothSidesSpeakWhatTheTableSays(String client, String server, String outcome) throws Exception {
        Queue<Integer> agreed = new ConcurrentLinkedQueue<>();
        Channel listener = RdmaLoopback.listen(
                group,
                pipeline -> pipeline.addLast(
                        new RpcRdmaResponderHandler(config(server)), TestProgram.server(), new Agreement(agreed)));
        Channel channel = RdmaLoopback.connect(
                group,
                listener.localAddress(),
                pipeline -> pipeline.addLast(new RpcRdmaRequesterHandler(config(client)), new Agreement(agreed)));
        RpcRdmaRequester requester = RpcRdmaRequester.of(channel);
        Supplier<ByteBuf> call = () -> TestProgram.call(requester.nextXid(), List.of(), List.of(), 4);

        if (outcome.equals("calls fail")) {
            Throwable failure = RdmaLoopback.failure(requester.call(call.get()));
            assertThat(failure instanceof ConnectionLostException ? failure.getCause() : failure)
                    .hasFieldOrPropertyWithValue("code", "ERR_VERS");
        } else {
            TestProgram.check(requester::call, 500, call, client + " to " + server);
            assertThat(agreed).hasSize(2).containsOnly(Integer.valueOf(outcome));
        }
        RdmaLoopback.await(channel.close(), "close");
    }

    /** Notes the version of one side. */
    private static final class Agreement extends ChannelInboundHandlerAdapter {
        private final Queue<Integer> agreed;

        Agreement(Queue<Integer> agreed) {
            this.agreed = agreed;
        }

        @Override
        public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
            if (event instanceof RpcRdmaParametersEvent parameters) {
                agreed.add(parameters.version());
            }
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {} // the call has it
    }

    /** Counts the connections that it accepts. */
    private Channel listen(Supplier<ChannelHandler> server) throws Exception {
        return RdmaLoopback.listen(group, pipeline -> {
            accepted.incrementAndGet();
            pipeline.addLast(server.get());
        });
    }

    /** Another connection would not help, so the client makes none. */
    @Test
    @Requirement("V2-138")
    void clientOfVersion2AloneFailsWithTheVersionsOfAResponderOfVersion1() throws Exception {
        checkFirstConnectionFailsACall(
                () -> new RpcRdmaResponderHandler(config(1, 1)),
                RemoteErrorException.class,
                "responder supports versions 1 to 1");
    }

    /** The peer would refuse them on another connection, too. */
    @Test
    void clientOfVersion2AloneFailsOnceItsPropertiesAreRefused() throws Exception {
        checkFirstConnectionFailsACall(
                RefusingProperties::new,
                ConnectionFailedException.class,
                "the peer refuses the transport properties of this side");
    }

    private void checkFirstConnectionFailsACall(
            Supplier<ChannelHandler> server, Class<? extends Throwable> type, String reason) throws Exception {
        RpcRdmaClient client = client(config(2, 2), listen(server));

        assertThat(callFailure(client)).isInstanceOf(type).hasMessage("xid 0x7: " + reason);

        assertThat(accepted).hasValue(1);
        RdmaLoopback.await(client.closeAsync(), "close");
    }

    /** Version 1 is no way out: the next connection would offer version 2 again. */
    @ParameterizedTest
    @CsvSource({
        "1, 2, 0, the peer refuses version 2 after it has used it",
        "1, 2, 1, the peer refuses version 2 after it has used it",
        "2, 2, 1, the peer refuses version 2 after it has used it",
        "1, 2, 16, the peer has too many properties",
        "2, 2, 16, the peer has too many properties"
    })
    void callsThatWaitFailOnceAndALaterOneConnectsAgain(int lowest, int highest, int moreSets, String reason)
            throws Exception {
        CompletableFuture<Void> called = new CompletableFuture<>();
        RpcRdmaClient client = client(config(lowest, highest), listen(() -> new RefusingVersion(moreSets, called)));

        List<Future<ByteBuf>> calls = List.of(call(client, 7), call(client, 8));
        for (EventExecutor loop : group) {
            RdmaLoopback.await(loop.submit(() -> {}), "both calls to wait");
        }
        called.complete(null);
        for (int i = 0; i < calls.size(); i++) {
            assertThat(RdmaLoopback.failure(calls.get(i)))
                    .isInstanceOf(ConnectionFailedException.class)
                    .hasMessage("xid 0x" + (7 + i) + ": " + reason)
                    .hasCauseInstanceOf(ConnectionFailedException.class);
        }
        assertThat(accepted).hasValue(1);

        assertThat(callFailure(client)).isInstanceOf(ConnectionFailedException.class);
        assertThat(accepted).hasValue(2);
        RdmaLoopback.await(client.closeAsync(), "close");
    }

    /**
     * Answers the first message, when the calls are made, by its properties, which go on for some sets, and by an
     * {@code ERR_VERS}.
     */
    private static final class RefusingVersion extends SimpleChannelInboundHandler<ByteBuf> {
        private final int moreSets;
        private final CompletableFuture<Void> called;

        RefusingVersion(int moreSets, CompletableFuture<Void> called) {
            this.moreSets = moreSets;
            this.called = called;
        }

        @Override
        protected void channelRead0(ChannelHandlerContext ctx, ByteBuf message) {
            int xid = Rdma2.xid(message);
            called.thenRun(() -> ctx.executor().execute(() -> refuse(ctx, xid)));
        }

        private void refuse(ChannelHandlerContext ctx, int xid) {
            for (int set = 0; set <= moreSets; set++) {
                ByteBuf properties = ctx.alloc().directBuffer();
                int flags = moreSets == 0 ? 0 : Rdma2.TPMORE;
                Rdma2Encoder.encode(new Rdma2Message.ConnProp(0, Rdma2.credits(32, 4), flags, List.of()), properties);
                ctx.write(properties);
            }
            ByteBuf refusal = ctx.alloc().directBuffer();
            for (int word : new int[] {xid, 2, Rdma2.credits(32, 1), Rdma2.ERROR, 1, 1, 1, 1}) {
                refusal.writeInt(word);
            }
            ctx.writeAndFlush(refusal);
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {} // the peer has closed
    }

    /** The next connection begins with version 1. */
    @Test
    void clientOfBothVersionsGoesOnInVersion1OnceItsPropertiesAreRefused() throws Exception {
        Channel listener = RdmaLoopback.listen(group, pipeline -> {
            if (accepted.incrementAndGet() == 1) {
                pipeline.addLast(new RefusingProperties());
                return;
            }
            pipeline.addLast(new RpcRdmaResponderHandler(config(1, 1)));
            pipeline.addLast(TestProgram.server());
        });
        RpcRdmaClient client = client(config(1, 2), listener);

        RdmaLoopback.answered(call(client), "call");

        assertThat(accepted).hasValue(2);
        RdmaLoopback.await(client.closeAsync(), "close");
    }

    /** Answers the first message by an error of version 2. */
    private static final class RefusingProperties extends SimpleChannelInboundHandler<ByteBuf> {
        @Override
        protected void channelRead0(ChannelHandlerContext ctx, ByteBuf message) {
            ByteBuf error = ctx.alloc().directBuffer();
            Rdma2Encoder.encode(
                    Rdma2Message.ErrorMsg.of(Rdma2.xid(message), Rdma2.credits(1, 1), Rdma2Error.BAD_PROPVAL), error);
            ctx.writeAndFlush(error);
        }
    }

    private RpcRdmaClient client(RpcRdmaConfig config, Channel listener) {
        return clientBuilder(config, listener).build();
    }

    private RpcRdmaClient.Builder clientBuilder(RpcRdmaConfig config, Channel listener) {
        return RdmaLoopback.client(group, listener.localAddress())
                .config(config)
                .reconnectDelay(Duration.ofMillis(1), Duration.ofMillis(5));
    }

    private static Future<ByteBuf> call(RpcRdmaClient client) {
        return call(client, 7);
    }

    private static Future<ByteBuf> call(RpcRdmaClient client, int xid) {
        return client.call(RpcRdmaCall.of(TestProgram.call(xid, List.of(), List.of(), 0)), Deadline.DURATION);
    }

    private static Throwable callFailure(RpcRdmaClient client) throws Exception {
        return RdmaLoopback.failure(call(client));
    }

    /** The server drops the first connection when the call has come. */
    @Test
    @Requirement("V2-076")
    void callIsRepeatedWithItsXidOnTheNextConnection() throws Exception {
        Queue<Integer> xids = new ConcurrentLinkedQueue<>();
        Channel listener = RdmaLoopback.listen(group, pipeline -> {
            pipeline.addLast(new RpcRdmaResponderHandler(config(2, 2)));
            pipeline.addLast(new SimpleChannelInboundHandler<ByteBuf>() {
                @Override
                protected void channelRead0(ChannelHandlerContext ctx, ByteBuf call) {
                    xids.add(RpcHeaders.xid(call));
                    if (xids.size() == 1) {
                        ctx.close();
                    } else {
                        ctx.writeAndFlush(TestProgram.reply(call));
                    }
                }
            });
        });
        RpcRdmaClient client = clientBuilder(config(2, 2), listener)
                .retransmission(RpcRdmaClient.Retransmission.ALL)
                .build();

        RdmaLoopback.answered(call(client), "call");

        assertThat(xids).containsExactly(7, 7);
        RdmaLoopback.await(client.closeAsync(), "close");
    }

    /** For the calls, for a fragment, and for a refresh. */
    @Test
    @Requirement("V2-018")
    void receiveForARefreshIsPostedWithoutAnyReserve() throws Exception {
        RpcRdmaConfig bare = TestLimits.receiveReserve(
                        TestLimits.negotiationTimeout(RpcRdmaConfig.builder(), Deadline.DURATION), 0)
                .versions(2, 2)
                .creditsGranted(4)
                .build();
        Queue<Integer> receives = new ConcurrentLinkedQueue<>();
        Channel listener = RdmaLoopback.listen(group, pipeline -> {
            pipeline.addLast(new RpcRdmaResponderHandler(bare), TestProgram.server());
            receives.add(pipeline.channel().config().getOption(RdmaChannelOption.RDMA_RECEIVE_COUNT));
        });
        Channel channel = RdmaLoopback.connect(
                group, listener.localAddress(), pipeline -> pipeline.addLast(new RpcRdmaRequesterHandler(bare)));
        RpcRdmaRequester requester = RpcRdmaRequester.of(channel);
        TestProgram.check(requester, TestProgram.call(requester.nextXid(), List.of(), List.of(), 0));

        assertThat(receives).containsExactly(4 + 1 + 1);
        RdmaLoopback.await(channel.close(), "close");
    }

    @Test
    @Requirement("V2-183")
    void memoryIsExposedForOneCallUnderAHandleOfItsOwn() throws Exception {
        RpcRdmaConfig config = TestLimits.continuationBytes(
                        TestLimits.negotiationTimeout(RpcRdmaConfig.builder(), Deadline.DURATION), 0)
                .bindings(TestProgram.BINDINGS)
                .versions(2, 2)
                .build();
        try (RdmaLoopback loopback = RdmaLoopback.serving(config, TestProgram::server)) {
            RpcRdmaRequester requester = RpcRdmaRequester.of(loopback.connect(config));
            for (int xid = 1; xid <= 3; xid++) {
                TestProgram.check(requester, TestProgram.call(xid, List.of(9000), List.of(9000), 0));
                loopback.memory.checkGivenBack();
                assertThat(loopback.memory.handles).hasSize(2 * xid).doesNotHaveDuplicates();
            }
        }
    }
}
