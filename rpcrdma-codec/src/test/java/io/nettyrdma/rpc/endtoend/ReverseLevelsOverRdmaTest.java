// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.endtoend;

import static io.nettyrdma.rpc.error.MessageNotAcceptedException.Reason.REVERSE_NOT_READY;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import io.netty.channel.EventLoopGroup;
import io.nettyrdma.channel.LoopsOver;
import io.nettyrdma.channel.Over;
import io.nettyrdma.conformance.Requirement;
import io.nettyrdma.deadline.Deadline;
import io.nettyrdma.logs.Logs;
import io.nettyrdma.rpc.RpcRdmaConfig;
import io.nettyrdma.rpc.RpcRdmaRequester;
import io.nettyrdma.rpc.RpcRdmaRequesterHandler;
import io.nettyrdma.rpc.RpcRdmaResponderHandler;
import io.nettyrdma.rpc.RpcRdmaReverseRequesterHandler;
import io.nettyrdma.rpc.RpcRdmaReverseResponderHandler;
import io.nettyrdma.rpc.TestLimits;
import io.nettyrdma.rpc.error.MessageTooLargeException;
import io.nettyrdma.rpc.error.RemoteErrorException;
import io.nettyrdma.rpc.kit.NoVerbsLeft;
import io.nettyrdma.rpc.kit.RdmaLoopback;
import io.nettyrdma.rpc.kit.TestProgram;
import io.nettyrdma.rpc.observe.RpcRdmaListener;
import io.nettyrdma.rpc.observe.RpcRdmaParametersEvent;
import io.nettyrdma.rpc.observe.RpcRdmaSummary;
import io.nettyrdma.rpc.observe.RpcRdmaTransferReport;
import io.nettyrdma.rpc.observe.RpcRdmaTransferReport.Kind;
import io.nettyrdma.rpc.wire.ReverseLevel;
import java.util.EnumSet;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** What a server may do to its client over version 2 depends on what the client has said. */
@Over
@ExtendWith(NoVerbsLeft.class)
final class ReverseLevelsOverRdmaTest {

    private final EventLoopGroup group = LoopsOver.group(2);
    private final BlockingQueue<Channel> opened = new LinkedBlockingQueue<>();
    private final Queue<ReverseLevel> agreed = new ConcurrentLinkedQueue<>();
    private final Queue<String> errors = new ConcurrentLinkedQueue<>();
    private final Queue<Kind> transfers = new ConcurrentLinkedQueue<>();
    private final long seed = Long.getLong("io.nettyrdma.test.seed", System.nanoTime());

    @AfterEach
    void end() {
        RdmaLoopback.end(group);
    }

    private static RpcRdmaConfig.Builder config() {
        return TestLimits.negotiationTimeout(RpcRdmaConfig.builder(), Deadline.DURATION)
                .versions(2, 2)
                .bindings(TestProgram.BINDINGS)
                .reverseCredits(4)
                .version2(v2 -> v2.maxContinuedBytes(200_000));
    }

    /** Returns the server's end. */
    private Channel connect(RpcRdmaConfig client, RpcRdmaConfig server, ChannelHandler... above) throws Exception {
        Channel listener = RdmaLoopback.listen(group, pipeline -> {
            pipeline.addLast(new RpcRdmaResponderHandler(server), new RpcRdmaReverseRequesterHandler());
            pipeline.addLast(new ChannelInboundHandlerAdapter() {
                @Override
                public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
                    if (event instanceof RpcRdmaParametersEvent parameters) {
                        agreed.add(parameters.reverseLevel());
                        opened.add(ctx.channel());
                    }
                }
            });
        });
        RdmaLoopback.connect(group, listener.localAddress(), pipeline -> {
            pipeline.addLast(new RpcRdmaRequesterHandler(client));
            pipeline.addLast(above);
        });
        return opened.poll(Deadline.SECONDS, TimeUnit.SECONDS);
    }

    private Channel connect(ReverseLevel level) throws Exception {
        RpcRdmaListener listener = new RpcRdmaListener() {
            @Override
            public void onChunksTransferred(Channel channel, RpcRdmaTransferReport transfer) {
                transfers.add(transfer.kind());
            }
        };
        RpcRdmaListener ofServer = new RpcRdmaListener() {
            @Override
            public void onReceived(Channel channel, RpcRdmaSummary message) {
                if (message.procedure() == RpcRdmaSummary.Procedure.RDMA2_ERROR) {
                    errors.add(message.role() + " " + message.error());
                }
            }
        };
        return connect(
                config().version2(v2 -> v2.reverseLevel(level))
                        .listener(listener)
                        .build(),
                config().listener(ofServer).build(),
                new RpcRdmaReverseResponderHandler(),
                TestProgram.server());
    }

    private static void check(Channel server, List<Integer> arguments, List<Integer> results, int trailer)
            throws Exception {
        RpcRdmaRequester client = RpcRdmaRequester.of(server);
        ByteBuf call = TestProgram.call(client.nextXid(), arguments, results, trailer);
        TestProgram.check(client, call);
    }

    private static Throwable failure(Channel server, int argument, int trailer) throws Exception {
        RpcRdmaRequester client = RpcRdmaRequester.of(server);
        return RdmaLoopback.failure(
                client.call(TestProgram.call(client.nextXid(), List.of(argument), List.of(), trailer)));
    }

    @Test
    @Requirement({"V2-072", "V2-073", "V2-091"})
    void clientWithoutAReverseResponderIsNotCalled() throws Exception {
        Channel server = connect(config().build(), config().build());

        assertThat(failure(server, 0, 0))
                .hasFieldOrPropertyWithValue("reason", REVERSE_NOT_READY)
                .hasMessageContaining("the client has announced reverse level NONE");
        assertThat(agreed).containsExactly(ReverseLevel.NONE);
    }

    @Test
    @Requirement({"V2-074", "V2-090", "V2-132", "V2-153", "V2-154"})
    void messagesFitASendAtSimple() throws Exception {
        Logs.allow("io.nettyrdma.rpc.trace.RpcRdmaObserver", "a reply is not sent");
        Channel server = connect(ReverseLevel.SIMPLE);

        check(server, List.of(1000), List.of(1000), 1000);
        assertThat(failure(server, 4096, 0)).isInstanceOf(MessageTooLargeException.class);
        assertThat(failure(server, 0, 4096))
                .isInstanceOf(RemoteErrorException.class)
                .hasMessageContaining("RDMA2_ERR_REPLY_RESOURCE");
        check(server, List.of(), List.of(), 0);
        assertThat(errors).containsExactly("REQUESTER REPLY_RESOURCE");
        assertThat(agreed).containsExactly(ReverseLevel.SIMPLE);
    }

    @Test
    @Requirement({"V2-058", "V2-074", "V2-090", "V2-153"})
    void messagesAreContinuedAndHaveNoChunksAtCont() throws Exception {
        Logs.allow("io.nettyrdma.rpc.trace.RpcRdmaObserver", "a reply is not sent");
        Channel server = connect(ReverseLevel.CONT);

        check(server, List.of(100_001), List.of(99_999), 0);
        check(server, List.of(), List.of(), 150_000);
        assertThat(failure(server, 250_000, 0)).isInstanceOf(MessageTooLargeException.class);
        assertThat(failure(server, 0, 250_000))
                .isInstanceOf(RemoteErrorException.class)
                .hasMessageContaining("RDMA2_ERR_REPLY_RESOURCE");
        check(server, List.of(), List.of(), 0);
        assertThat(transfers).isEmpty();
        assertThat(agreed).containsExactly(ReverseLevel.CONT);
    }

    @Test
    @Requirement({"V2-060", "V2-061", "V2-066", "V2-067", "V2-090"})
    void chunksOfEveryKindAreUsedAtGenl() throws Exception {
        Channel server = connect(ReverseLevel.GENL);
        Random random = new Random(seed);

        check(server, List.of(300_001), List.of(), 0);
        check(server, List.of(), List.of(300_002), 0);
        check(server, List.of(), List.of(), 300_000);
        check(server, List.of(1, 1, 1), List.of(300_000, 1), 20_000);
        check(server, List.of(70_001, 70_001), List.of(), 0); // of which only one can be in a read chunk
        for (int i = 0; i < 50; i++) {
            List<Integer> arguments = random.ints(random.nextInt(3), 0, 1 << (1 + random.nextInt(17)))
                    .boxed()
                    .toList();
            List<Integer> results = random.ints(random.nextInt(3), 0, 1 << (1 + random.nextInt(17)))
                    .boxed()
                    .toList();
            int trailer = random.nextInt(1 << (3 + random.nextInt(15))) & ~3;
            try {
                check(server, arguments, results, trailer);
            } catch (Exception | AssertionError e) {
                throw new AssertionError("call " + i + " of -Dio.nettyrdma.test.seed=" + seed, e);
            }
        }
        check(server, List.of(), List.of(), 0); // behind which all are reported
        assertThat(EnumSet.copyOf(transfers)).isEqualTo(EnumSet.allOf(Kind.class));
        assertThat(agreed).containsExactly(ReverseLevel.GENL);
    }

    /** Whatever handlers there are in between: the Send that tells of results comes behind them. */
    @Test
    void repliesDoNotOvertakeTheirWrites() throws Exception {
        Channel server = connect(
                config().version2(v2 -> v2.reverseLevel(ReverseLevel.GENL)).build(),
                config().build(),
                new ChannelOutboundHandlerAdapter() {
                    @Override
                    public void write(ChannelHandlerContext ctx, Object message, ChannelPromise promise) {
                        // Later than what goes around this handler.
                        ctx.executor().execute(() -> ctx.writeAndFlush(message, promise));
                    }
                },
                new RpcRdmaReverseResponderHandler(),
                TestProgram.server());

        for (int i = 0; i < 20; i++) {
            check(server, List.of(), List.of(100_000), 0);
        }
    }
}
