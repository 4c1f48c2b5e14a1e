// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.faults;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandler.Sharable;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.util.concurrent.Future;
import io.nettyrdma.channel.RdmaAccess;
import io.nettyrdma.deadline.Deadline;
import io.nettyrdma.rpc.RpcRdmaClient;
import io.nettyrdma.rpc.RpcRdmaClient.Retransmission;
import io.nettyrdma.rpc.TestLimits;
import io.nettyrdma.rpc.error.ConnectionLostException;
import io.nettyrdma.rpc.faults.FaultedCalls.Kind;
import io.nettyrdma.rpc.kit.CountingMemory;
import io.nettyrdma.rpc.kit.TestProgram;
import io.nettyrdma.rpc.requester.CallMemory;
import io.nettyrdma.verbs.soft.faults.FaultPlan;
import io.nettyrdma.verbs.soft.faults.FaultRelay;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;

/**
 * A client that reconnects, behind a relay of its own, and three calls of it: inline, of one kind, inline. Each ends
 * once, with the right reply or because it must not be sent again; when a call exposes memory on a connection, none of
 * an earlier one is exposed.
 *
 * <p>Threading: the test's. Ownership: of the relay and the client, until {@link #close}.
 */
final class ReconnectingCalls implements AutoCloseable {

    private static final AtomicInteger NEXT_XID = new AtomicInteger(100);

    final FaultRelay relay;
    final RpcRdmaClient client;
    final List<Future<ByteBuf>> replies = new ArrayList<>();
    /** Said if this run fails. */
    String what = "";

    private final FaultedCalls calls;
    private final Kind kind;
    private final Retransmission retransmission;
    private final List<Integer> xids = new ArrayList<>();
    private final List<ByteBuf> expected = new ArrayList<>();
    private final List<CountingMemory> memories = new CopyOnWriteArrayList<>();
    private final Queue<String> surprises = new ConcurrentLinkedQueue<>();

    ReconnectingCalls(FaultedCalls calls, Kind kind, Retransmission retransmission) throws IOException {
        this(calls, kind, retransmission, UnaryOperator.identity());
    }

    /** With a bootstrap of its own kind. */
    ReconnectingCalls(FaultedCalls calls, Kind kind, Retransmission retransmission, UnaryOperator<Bootstrap> changes)
            throws IOException {
        this.calls = calls;
        this.kind = kind;
        this.retransmission = retransmission;
        relay = new FaultRelay(calls.address(), FaultPlan.none(), FaultPlan.none()).start();
        Bootstrap bootstrap = changes.apply(calls.bootstrap(relay.address())).handler(new LostConnections());
        client = TestLimits.memory(RpcRdmaClient.builder(bootstrap), this::memory)
                .config(calls.config(kind))
                .retransmission(retransmission)
                .reconnectDelay(Duration.ofMillis(1), Duration.ofMillis(8))
                .build();
    }

    /** What the calls hear of need not be logged. */
    @Sharable
    private final class LostConnections extends ChannelInboundHandlerAdapter {
        @Override
        public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
            if (!(cause instanceof IOException)) {
                surprises.add(cause.toString());
            }
        }
    }

    private CallMemory memory(ChannelHandlerContext ctx) {
        CountingMemory own = calls.memory(ctx);
        memories.add(own);
        return new CallMemory() {
            @Override
            public boolean canBeInvalidatedByPeer() {
                return own.canBeInvalidatedByPeer();
            }

            @Override
            public Region expose(ByteBuf buffer, RdmaAccess access) throws IOException {
                if (memories.stream().anyMatch(it -> it != own && it.exposed.get() != 0)) {
                    surprises.add("memory is still exposed on a connection that was lost");
                }
                return own.expose(buffer, access);
            }
        };
    }

    /** The three calls, at once. */
    ReconnectingCalls begin() {
        call(Kind.INLINE);
        call(kind);
        call(Kind.INLINE);
        return this;
    }

    void call(Kind ofKind) {
        int xid = NEXT_XID.incrementAndGet();
        ByteBuf call = ofKind.call(xid);
        xids.add(xid);
        expected.add(TestProgram.reply(call));
        replies.add(client.call(call));
    }

    boolean areOver() {
        return replies.stream().allMatch(Future::isDone);
    }

    /** Waits for the calls, and looks at how they have ended. */
    void end() throws Exception {
        for (int i = 0; i < replies.size(); i++) {
            Future<ByteBuf> reply = replies.get(i);
            assertThat(reply.await(Deadline.MILLIS))
                    .as("call %d ends: %s", i, what)
                    .isTrue();
            int executions = calls.log.calls(xids.get(i));
            if (reply.isSuccess()) {
                assertThat(reply.getNow()).as(what).isEqualTo(expected.get(i));
                assertThat(executions).as(what).isPositive();
                reply.getNow().release();
            } else {
                assertThat(reply.cause()).as(what).isInstanceOf(ConnectionLostException.class);
            }
            if (retransmission == Retransmission.UNSENT) {
                assertThat(executions).as("executions: %s", what).isLessThanOrEqualTo(1);
            }
        }
        assertThat(surprises).as(what).isEmpty();
    }

    /** How many calls were answered. */
    long answered() {
        return replies.stream().filter(Future::isSuccess).count();
    }

    /** How many connections have had a pipeline. */
    int attempts() {
        return memories.size();
    }

    @Override
    public void close() throws IOException {
        try (relay) {
            Future<Void> closed = client.closeAsync();
            assertThat(closed.awaitUninterruptibly(Deadline.SECONDS, TimeUnit.SECONDS))
                    .as("close: %s", what)
                    .isTrue();
            expected.forEach(ByteBuf::release);
            assertThat(memories).as(what).allSatisfy(memory -> {
                memory.checkGivenBack();
            });
        }
    }
}
