// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc;

import static io.nettyrdma.rpc.error.MessageNotAcceptedException.Reason.QUEUE_FULL;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelException;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.util.ReferenceCountUtil;
import io.netty.util.concurrent.Future;
import io.nettyrdma.channel.Over;
import io.nettyrdma.channel.RdmaChannel;
import io.nettyrdma.channel.RdmaRead;
import io.nettyrdma.channel.TestProvider;
import io.nettyrdma.conformance.Requirement;
import io.nettyrdma.deadline.Deadline;
import io.nettyrdma.internal.CapturedLog;
import io.nettyrdma.logs.Logs;
import io.nettyrdma.rpc.RpcRdmaClient.Retransmission;
import io.nettyrdma.rpc.error.CallTimeoutException;
import io.nettyrdma.rpc.error.ConnectionLostException;
import io.nettyrdma.rpc.kit.RdmaLoopback;
import io.nettyrdma.rpc.kit.ScriptedLoopback;
import io.nettyrdma.rpc.kit.ScriptedResponder;
import io.nettyrdma.rpc.kit.ScriptedResponder.Exchange;
import io.nettyrdma.rpc.kit.TestProgram;
import io.nettyrdma.rpc.message.RpcHeaders;
import io.nettyrdma.rpc.message.RpcRdmaCall;
import io.nettyrdma.rpc.observe.RpcRdmaListener;
import io.nettyrdma.rpc.wire.header.PlainSegment;
import io.nettyrdma.verbs.soft.faults.FaultPlan;
import io.nettyrdma.verbs.soft.faults.FaultRelay;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/** Calls that outlive their connection. */
@Over
final class RpcRdmaClientTest extends ScriptedLoopback {

    @Test
    void connectsWithTheFirstCall() throws Exception {
        RpcRdmaClient client = client(Retransmission.UNSENT);
        assertThat(loopback.accepted).isEmpty();

        isAnswered(client, client.nextXid());
        isAnswered(client, client.nextXid());

        assertThat(loopback.accepted).hasSize(1);
        RdmaLoopback.await(client.closeAsync(), "close");
    }

    @Test
    @Requirement({"V1-122", "V1-043"})
    void pendingCallsAreSentAgainWithTheirXids() throws Exception {
        RpcRdmaClient client = client(Retransmission.ALL);
        isAnswered(client, 1);
        arrived.clear();
        script = exchange -> {};
        List<Future<ByteBuf>> replies = new ArrayList<>();
        for (int xid = 10; xid < 15; xid++) {
            replies.add(call(client, xid));
        }
        Exchange last = arrived.take();
        for (int i = 1; i < 5; i++) {
            last = arrived.take();
        }

        script = Exchange::answer;
        last.ctx.close();

        for (Future<ByteBuf> reply : replies) {
            RdmaLoopback.answered(reply, "reply");
        }
        List<Integer> xids = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            xids.add(arrived.take().header.xid());
        }
        assertThat(xids).containsExactly(10, 11, 12, 13, 14);
        RdmaLoopback.await(client.closeAsync(), "close");
    }

    @Test
    @Requirement({"V1-023", "V1-122"})
    void newConnectionStartsWithOneCredit() throws Exception {
        RpcRdmaClient client = client(Retransmission.ALL);
        isAnswered(client, 1);
        arrived.clear();
        script = exchange -> {};
        Future<ByteBuf> first = call(client, 10);
        Future<ByteBuf> second = call(client, 11);
        arrived.take();
        Exchange before = arrived.take();

        before.ctx.close();

        Exchange again = arrived.take(); // and the other waits for its answer
        assertThat(again.ctx.channel()).isNotSameAs(before.ctx.channel());
        assertThat(arrived).isEmpty();
        script = Exchange::answer;
        again.ctx.executor().execute(again::answer);
        RdmaLoopback.answered(first, "first");
        RdmaLoopback.answered(second, "second");
        RdmaLoopback.await(client.closeAsync(), "close");
    }

    @Test
    void theListenerHearsOfAllConnectsButTheFirst() throws Exception {
        List<Channel> again = new CopyOnWriteArrayList<>();
        RpcRdmaListener listener = new RpcRdmaListener() {
            @Override
            public void onReconnecting(Channel channel) {
                again.add(channel);
            }
        };
        RpcRdmaClient client = RpcRdmaClient.builder(bootstrap(loopback.address()))
                .config(RpcRdmaConfig.builder()
                        .bindings(TestProgram.BINDINGS)
                        .listener(listener)
                        .build())
                .retransmission(Retransmission.ALL) // the second may be sent before the client knows
                .build();
        isAnswered(client, 1);
        assertThat(again).isEmpty();
        ChannelHandlerContext first = arrived.take().ctx;
        RdmaLoopback.await(first.close(), "close");

        isAnswered(client, 2);

        assertThat(again).hasSize(1);
        RdmaLoopback.await(client.closeAsync(), "close");
    }

    @Test
    @Requirement("V1-122")
    void withoutRetransmissionOnlyWhatWasNotSentIsSent() throws Exception {
        RpcRdmaClient client = client(Retransmission.UNSENT);
        script = exchange -> {};
        Future<ByteBuf> sent = call(client, 10);
        Exchange exchange = arrived.take();
        Future<ByteBuf> waiting = call(client, 11); // for the second credit
        Future<ByteBuf> barrier = call(client, 12);

        script = Exchange::answer;
        exchange.ctx.close();

        assertThat(RdmaLoopback.failure(sent))
                .isInstanceOfSatisfying(ConnectionLostException.class, it -> assertThat(it.mayHaveBeenSent())
                        .isTrue());
        RdmaLoopback.answered(waiting, "waiting");
        RdmaLoopback.answered(barrier, "barrier");
        RdmaLoopback.await(client.closeAsync(), "close");
    }

    @Test
    @Requirement({"V1-102", "V1-122"})
    void handleOfTheLostConnectionIsDeadOnTheNext() throws Exception {
        TestProvider.tested().expectUnhandledReason();
        List<PlainSegment> offered = new CopyOnWriteArrayList<>();
        BlockingQueue<Boolean> reached = new LinkedBlockingQueue<>();
        script = exchange -> {
            offered.add(exchange.chunks.readList().get(0).segment());
            if (offered.size() == 1) {
                exchange.ctx.close();
            } else if (offered.size() == 2) {
                ByteBuf target = exchange.ctx.alloc().directBuffer(5001);
                exchange.ctx
                        .writeAndFlush(new RdmaRead(ScriptedResponder.remote(offered.get(0)), target))
                        .addListener(read -> reached.add(read.isSuccess()));
            } else {
                exchange.answer();
            }
        };
        RpcRdmaClient client = builder(loopback.address())
                .retransmission(Retransmission.ALL)
                .reconnectDelay(Duration.ofMillis(1), Duration.ofMillis(5))
                .build();

        isAnswered(client, 7);

        assertThat(reached.take()).isFalse();
        assertThat(offered).extracting(PlainSegment::handle).doesNotHaveDuplicates();
        assertThat(arrived).extracting(exchange -> exchange.header.xid()).containsExactly(7, 7, 7);
        RdmaLoopback.await(client.closeAsync(), "close");
    }

    @Test
    void connectionForWhichNoChannelCanBeMadeIsTriedAgain() throws Exception {
        AtomicInteger attempts = new AtomicInteger();
        Bootstrap bootstrap = new Bootstrap()
                .group(loopback.group)
                .channelFactory(() -> {
                    if (attempts.incrementAndGet() < 4) {
                        throw new ChannelException("no device");
                    }
                    return new RdmaChannel();
                })
                .remoteAddress(loopback.address());
        RpcRdmaClient client = RpcRdmaClient.builder(bootstrap)
                .reconnectDelay(Duration.ofMillis(1), Duration.ofMillis(5))
                .build();

        isAnswered(client, 1);

        assertThat(attempts).hasValue(4);
        RdmaLoopback.await(client.closeAsync(), "close");
    }

    @Test
    void callThatFindsNobodyFailsAtItsDeadline() throws Exception {
        CapturedLog log = new CapturedLog();
        try (Socket nobody = new Socket()) { // bound, so that nobody else gets the port, and not listening
            nobody.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            RpcRdmaClient client = builder((InetSocketAddress) nobody.getLocalSocketAddress())
                    .config(RpcRdmaConfig.builder().log(log.log()).build())
                    .reconnectDelay(Duration.ofMillis(1), Duration.ofMillis(20))
                    .build();

            Future<ByteBuf> reply =
                    client.call(RpcRdmaCall.of(TestProgram.call(1, List.of(10), List.of(), 0)), Duration.ofMillis(300));

            assertThat(RdmaLoopback.failure(reply))
                    .isInstanceOf(CallTimeoutException.class)
                    .hasMessageContaining("no connection to " + nobody.getLocalSocketAddress() + " within 300 ms")
                    .hasRootCauseInstanceOf(IOException.class);
            assertThat(log.texts()) // once, however often it was tried
                    .singleElement()
                    .asString()
                    .contains("cannot connect to " + nobody.getLocalSocketAddress() + ", tries again in ")
                    .endsWith(": " + client.lastFailure());
            RdmaLoopback.await(client.closeAsync(), "close");
        }
    }

    /** One that the program releases is seen at once, or by the loop, which ends that call alone. */
    @Test
    void messageThatWasReleasedIsRefused() throws Exception {
        RpcRdmaClient client = client(Retransmission.UNSENT);
        ByteBuf released = TestProgram.call(1, List.of(10), List.of(), 0);
        released.release();
        assertRefused(() -> client.call(released));
        assertRefused(() -> client.callWhenRoom(released));
        RpcRdmaRequester requester = RpcRdmaRequester.of(loopback.connect(RpcRdmaConfig.defaults()));
        assertRefused(() -> requester.call(released));
        isAnswered(client, 2);

        Logs.expect(ReferenceCountUtil.class, "Failed to release a message");
        ByteBuf late = TestProgram.call(3, List.of(10), List.of(), 0);
        List<Future<ByteBuf>> replies = RdmaLoopback.await(
                        loopback.group.submit(() -> {
                            List<Future<ByteBuf>> calls = List.of(client.call(late), call(client, 4));
                            late.release();
                            return calls;
                        }),
                        "calls")
                .getNow();

        assertThat(RdmaLoopback.failure(replies.get(0))).isInstanceOf(IllegalArgumentException.class);
        RdmaLoopback.answered(replies.get(1), "the other");
        RdmaLoopback.await(client.closeAsync(), "close");
    }

    private static void assertRefused(ThrowingCallable call) {
        assertThatThrownBy(call)
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("was released")
                .hasMessageContaining("make a new message for each call");
    }

    @Test
    void networkThatFailsAgainAndAgainIsOvercome() throws Exception {
        TestProvider.tested().expectUnhandledReason();
        try (FaultRelay relay = new FaultRelay(loopback.address(), FaultPlan.none(), FaultPlan.none()).start()) {
            RpcRdmaClient client = builder(relay.address())
                    .retransmission(Retransmission.ALL)
                    .reconnectDelay(Duration.ofMillis(1), Duration.ofMillis(5))
                    .build();
            for (int octet = 100; octet < 30_000; octet = octet * 3 / 2) {
                relay.next(FaultPlan.none().resetAt(octet), FaultPlan.none());
                List<Future<ByteBuf>> replies = new ArrayList<>();
                for (int i = 0; i < 3; i++) {
                    replies.add(call(client, client.nextXid()));
                }
                for (Future<ByteBuf> reply : replies) {
                    RdmaLoopback.answered(reply, "reply, reset at " + octet);
                }
            }
            RdmaLoopback.await(client.closeAsync(), "close");
        }
    }

    /** The call was executed, perhaps, on the connection before. */
    @Test
    void closedClientSaysWhichOfItsCallsWereSentBefore() throws Exception {
        CountDownLatch ended = new CountDownLatch(1);
        Bootstrap bootstrap = bootstrap(loopback.address()).handler(new ChannelInitializer<>() {
            @Override
            protected void initChannel(Channel channel) {
                channel.closeFuture().addListener(end -> channel.eventLoop().execute(ended::countDown));
            }
        });
        RpcRdmaClient client = RpcRdmaClient.builder(bootstrap)
                .retransmission(Retransmission.ALL)
                .reconnectDelay(Duration.ofDays(1), Duration.ofDays(1)) // there is no second connection
                .build();
        script = exchange -> {};
        Future<ByteBuf> sent = call(client, 1);
        arrived.take().ctx.close();
        assertThat(ended.await(Deadline.SECONDS, TimeUnit.SECONDS)).isTrue();
        Future<ByteBuf> unsent = call(client, 2);

        RdmaLoopback.await(client.closeAsync(), "close");

        assertThat(mayHaveBeenSent(sent)).isTrue();
        assertThat(mayHaveBeenSent(unsent)).isFalse();
    }

    private static boolean mayHaveBeenSent(Future<ByteBuf> call) throws Exception {
        return ((ConnectionLostException) RdmaLoopback.failure(call)).mayHaveBeenSent();
    }

    @Test
    void cancelledCallIsNotSentAgain() throws Exception {
        RpcRdmaClient client = client(Retransmission.ALL);
        isAnswered(client, 1);
        arrived.clear();
        script = exchange -> {};
        Future<ByteBuf> cancelled = call(client, 2);
        Future<ByteBuf> kept = call(client, 3);
        arrived.take();
        Exchange exchange = arrived.take();
        assertThat(cancelled.cancel(true)).isTrue();

        script = Exchange::answer;
        exchange.ctx.executor().execute(() -> exchange.ctx.close());

        RdmaLoopback.answered(kept, "kept");
        assertThat(arrived.take().header.xid()).isEqualTo(3);
        assertThat(arrived).isEmpty();
        RdmaLoopback.await(client.closeAsync(), "close");
    }

    @Test
    void callsEndWithTheEventLoop() throws Exception {
        RpcRdmaClient client = client(Retransmission.ALL);
        script = exchange -> {};
        Future<ByteBuf> pending = call(client, 1);
        arrived.take();

        loopback.group.shutdownGracefully(0, 5, TimeUnit.SECONDS);

        assertThat(RdmaLoopback.failure(pending)).isInstanceOf(ConnectionLostException.class);
    }

    @Test
    void pendingCallsAreLimited() throws Exception {
        script = exchange -> {};
        RpcRdmaClient client = RpcRdmaClient.builder(bootstrap(loopback.address()))
                .config(RpcRdmaConfig.builder().maxCallsWaiting(2).build())
                .build();
        call(client, 1);
        arrived.take();
        call(client, 2);
        call(client, 3);

        assertThat(RdmaLoopback.failure(call(client, 4)))
                .hasFieldOrPropertyWithValue("reason", QUEUE_FULL)
                .hasMessageContaining("RpcRdmaClient.callWhenRoom waits for room");
        RdmaLoopback.await(client.closeAsync(), "close");
    }

    @Test
    void callsThatMayNotWaitForCreditsMayWaitForTheConnection() throws Exception {
        RpcRdmaClient client = RpcRdmaClient.builder(bootstrap(loopback.address()))
                .config(RpcRdmaConfig.builder().maxCallsWaiting(0).build())
                .build();
        isAnswered(client, 1);
        RdmaLoopback.await(client.closeAsync(), "close");
    }

    /** The connection knows whether a call was sent on it; one that may have been executed must not look unsent. */
    @Test
    void closeTellsWhichCallsWereSent() throws Exception {
        script = exchange -> {};
        RpcRdmaClient client = client(Retransmission.ALL);
        Future<ByteBuf> sent = call(client, 10);
        arrived.take();
        Future<ByteBuf> waiting = call(client, 11); // for the second credit

        RdmaLoopback.await(client.closeAsync(), "close");

        assertThat(sent.isDone()).isTrue();
        assertThat(waiting.isDone()).isTrue();
        assertClosed(sent, true);
        assertClosed(waiting, false);
        assertClosed(call(client, 12), false);
        RdmaLoopback.await(client.closeAsync(), "close again");
    }

    private static void assertClosed(Future<ByteBuf> call, boolean mayHaveBeenSent) throws Exception {
        assertThat(RdmaLoopback.failure(call))
                .isInstanceOfSatisfying(ConnectionLostException.class, it -> assertThat(it.mayHaveBeenSent())
                        .isEqualTo(mayHaveBeenSent))
                .hasRootCauseMessage("the client was closed");
    }

    @Test
    void settingsAreChecked() {
        assertThatThrownBy(() -> RpcRdmaClient.builder(new Bootstrap()).build())
                .isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> RpcRdmaClient.builder(
                                new Bootstrap().group(loopback.group).channel(RdmaChannel.class))
                        .build())
                .isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(
                        () -> builder(loopback.address()).reconnectDelay(Duration.ofSeconds(2), Duration.ofSeconds(1)))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void delaysDoubleUpToTheLongestAndStartAgainAfterAnAnswer() {
        ReconnectDelay delay = new ReconnectDelay(100, 1000, () -> 0);
        List<Long> delays = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            delays.add(delay.nextNanos());
        }
        assertThat(delays).startsWith(0L, 100L, 200L, 400L, 800L, 1000L, 1000L).endsWith(1000L);

        delay.reset();
        assertThat(delay.nextNanos()).isZero();
        ReconnectDelay shortened = new ReconnectDelay(100, Long.MAX_VALUE, () -> 0.999);
        shortened.nextNanos();
        assertThat(shortened.nextNanos()).isBetween(50L, 51L);
        for (int i = 0; i < 100; i++) {
            assertThat(shortened.nextNanos()).isPositive();
        }
    }

    private RpcRdmaClient client(Retransmission retransmission) {
        return builder(loopback.address()).retransmission(retransmission).build();
    }

    private RpcRdmaClient.Builder builder(InetSocketAddress address) {
        return RpcRdmaClient.builder(bootstrap(address))
                .config(RpcRdmaConfig.builder().bindings(TestProgram.BINDINGS).build());
    }

    private Bootstrap bootstrap(InetSocketAddress address) {
        return new Bootstrap().group(loopback.group).channel(RdmaChannel.class).remoteAddress(address);
    }

    private static Future<ByteBuf> call(RpcRdmaClient client, int xid) {
        return client.call(TestProgram.call(xid, List.of(5001), List.of(), 0));
    }

    private static void isAnswered(RpcRdmaClient client, int xid) throws Exception {
        ByteBuf reply = RdmaLoopback.await(call(client, xid), "call " + xid).getNow();
        assertThat(RpcHeaders.xid(reply)).isEqualTo(xid);
        reply.release();
    }
}
