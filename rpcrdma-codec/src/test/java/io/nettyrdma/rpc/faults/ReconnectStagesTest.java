// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.bootstrap.Bootstrap;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.resolver.AbstractAddressResolver;
import io.netty.resolver.AddressResolver;
import io.netty.resolver.AddressResolverGroup;
import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.Promise;
import io.nettyrdma.channel.LoopsOver;
import io.nettyrdma.channel.Over;
import io.nettyrdma.channel.RdmaPrivateDataEvent;
import io.nettyrdma.conformance.Requirement;
import io.nettyrdma.deadline.Deadline;
import io.nettyrdma.rpc.RpcRdmaClient.Retransmission;
import io.nettyrdma.rpc.faults.FaultedCalls.Kind;
import io.nettyrdma.rpc.kit.NoVerbsLeft;
import io.nettyrdma.rpc.kit.Poll;
import io.nettyrdma.rpc.kit.RdmaLoopback;
import io.nettyrdma.verbs.soft.ClockedProvider;
import io.nettyrdma.verbs.soft.SoftProviderConfig;
import io.nettyrdma.verbs.soft.faults.FaultPlan;
import io.nettyrdma.verbs.strict.AllTraitsOnly;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A client that reconnects: refused again and again, and closed while it waits for something. */
@Over
@ExtendWith({AllTraitsOnly.class, NoVerbsLeft.class})
final class ReconnectStagesTest {

    private static final int REFUSALS = 30;
    /** In the middle of the call's read chunk. */
    private static final int MIDDLE = 700;

    private FaultedCalls calls;

    @BeforeEach
    void listen() throws Exception {
        calls = new FaultedCalls(new ClockedProvider(LoopsOver.config(SoftProviderConfig.builder())));
    }

    @AfterEach
    void nothingIsLeft() throws Exception {
        try {
            calls.end(List.of());
        } finally {
            calls.close();
        }
    }

    /** Says for each attempt to connect where it goes. */
    private static final class ScriptedResolver extends AddressResolverGroup<InetSocketAddress> {

        /** From the number of an attempt, counted from 1, to its address; {@code null} never says. */
        private interface Script {
            @Nullable
            InetSocketAddress resolve(int attempt, InetSocketAddress asked);
        }

        final AtomicInteger attempts = new AtomicInteger();
        private final Script script;

        ScriptedResolver(Script script) {
            this.script = script;
        }

        @Override
        protected AddressResolver<InetSocketAddress> newResolver(EventExecutor executor) {
            return new AbstractAddressResolver<>(executor, InetSocketAddress.class) {
                @Override
                protected boolean doIsResolved(InetSocketAddress address) {
                    return false;
                }

                @Override
                protected void doResolve(InetSocketAddress address, Promise<InetSocketAddress> promise) {
                    InetSocketAddress next = script.resolve(attempts.incrementAndGet(), address);
                    if (next != null) {
                        promise.setSuccess(next);
                    }
                }

                @Override
                protected void doResolveAll(InetSocketAddress address, Promise<List<InetSocketAddress>> promise) {
                    promise.setFailure(new UnsupportedOperationException());
                }
            };
        }
    }

    private ReconnectingCalls client(Retransmission retransmission, ScriptedResolver resolver) throws Exception {
        UnaryOperator<Bootstrap> change = bootstrap -> bootstrap.resolver(resolver);
        return new ReconnectingCalls(calls, Kind.READ_AND_REPLY_CHUNK, retransmission, change);
    }

    /** If the delays went on doubling, the calls would not live to see the end of it. */
    @Test
    @Requirement("V1-122")
    void refusedReconnectIsRepeatedUntilSomebodyListens() throws Exception {
        InetSocketAddress refusing = new InetSocketAddress(InetAddress.getLoopbackAddress(), 1);
        ScriptedResolver resolver =
                new ScriptedResolver((attempt, asked) -> attempt > 1 && attempt <= 1 + REFUSALS ? refusing : asked);
        try (ReconnectingCalls run = client(Retransmission.ALL, resolver)) {
            run.relay.next(FaultPlan.none().resetAt(MIDDLE), FaultPlan.none());
            run.begin().end();
            assertThat(run.answered()).isEqualTo(3);
            assertThat(resolver.attempts).hasValue(2 + REFUSALS);
        }
    }

    @Test
    @Requirement("V1-122")
    void rejectedReconnectIsRepeatedUntilItIsAccepted() throws Exception {
        AtomicInteger asked = new AtomicInteger();
        calls.meddler = () -> {
            int request = asked.incrementAndGet();
            return request > 1 && request <= 1 + REFUSALS ? new Rejecting() : new ChannelOutboundHandlerAdapter();
        };
        try (ReconnectingCalls run = new ReconnectingCalls(calls, Kind.READ_AND_REPLY_CHUNK, Retransmission.ALL)) {
            run.relay.next(FaultPlan.none().resetAt(MIDDLE), FaultPlan.none());
            run.begin().end();
            assertThat(run.answered()).isEqualTo(3);
        }
        assertThat(asked).hasValue(2 + REFUSALS);
    }

    private static final class Rejecting extends ChannelInboundHandlerAdapter {
        @Override
        public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
            if (event instanceof RdmaPrivateDataEvent) {
                ctx.close();
            }
        }
    }

    private static void endsWithoutAnAnswer(ReconnectingCalls run) throws Exception {
        RdmaLoopback.await(run.client.closeAsync(), "close");
        assertThat(run.replies).allMatch(Future::isDone);
        run.end();
        assertThat(run.answered()).isZero();
    }

    @ParameterizedTest
    @EnumSource
    void closeBeforeTheFirstCallIsForTheCallsToCome(Retransmission retransmission) throws Exception {
        ScriptedResolver resolver = new ScriptedResolver((attempt, asked) -> asked);
        try (ReconnectingCalls run = client(retransmission, resolver)) {
            RdmaLoopback.await(run.client.closeAsync(), "close");
            run.begin();
            endsWithoutAnAnswer(run);
        }
        assertThat(resolver.attempts).hasValue(0);
    }

    @ParameterizedTest
    @EnumSource
    void closeRightAfterTheCallsEndsThem(Retransmission retransmission) throws Exception {
        try (ReconnectingCalls run = new ReconnectingCalls(calls, Kind.READ_AND_REPLY_CHUNK, retransmission)) {
            // Within one turn of the loop, as the answers would come in the next.
            RdmaLoopback.await(calls.requesters.submit(() -> run.begin().client.closeAsync()), "turn of the loop");
            endsWithoutAnAnswer(run);
        }
    }

    @ParameterizedTest
    @EnumSource
    void closeWhileTheAddressIsLookedUpEndsTheCalls(Retransmission retransmission) throws Exception {
        ScriptedResolver resolver = new ScriptedResolver((attempt, asked) -> null);
        try (ReconnectingCalls run = client(retransmission, resolver)) {
            run.begin();
            Poll.until("look-up", () -> resolver.attempts.get() == 1);
            endsWithoutAnAnswer(run);
        }
    }

    @ParameterizedTest
    @EnumSource
    void closeFromWithinTheFirstReplyEndsTheOthers(Retransmission retransmission) throws Exception {
        try (ReconnectingCalls run = new ReconnectingCalls(calls, Kind.READ_AND_REPLY_CHUNK, retransmission)) {
            run.begin();
            CountDownLatch closed = new CountDownLatch(1);
            run.replies.get(0).addListener(reply -> run.client.closeAsync().addListener(done -> closed.countDown()));

            assertThat(closed.await(Deadline.SECONDS, TimeUnit.SECONDS)).isTrue();

            assertThat(run.replies).allMatch(Future::isDone);
            run.end();
            assertThat(run.answered()).isPositive();
        }
    }
}
