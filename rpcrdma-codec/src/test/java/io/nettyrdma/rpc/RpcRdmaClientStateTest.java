// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ConnectTimeoutException;
import io.netty.util.ReferenceCountUtil;
import io.netty.util.concurrent.Future;
import io.nettyrdma.deadline.Deadline;
import io.nettyrdma.logs.Logs;
import io.nettyrdma.rpc.RpcRdmaClient.State;
import io.nettyrdma.rpc.error.CallTimeoutException;
import io.nettyrdma.rpc.error.ConnectionLostException;
import io.nettyrdma.rpc.error.MalformedRpcMessageException;
import io.nettyrdma.rpc.kit.CountingMemory;
import io.nettyrdma.rpc.kit.Poll;
import io.nettyrdma.rpc.kit.RdmaLoopback;
import io.nettyrdma.rpc.kit.ScriptedLoopback;
import io.nettyrdma.rpc.kit.TestProgram;
import io.nettyrdma.rpc.message.RpcRdmaCall;
import io.nettyrdma.rpc.requester.CallMemory;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** The forms of a call, what a client says of itself, and its two ways to close. */
class RpcRdmaClientStateTest extends ScriptedLoopback {

    private static final int CREDITS = 2;

    @Test
    void allFormsOfACallAreAnswered() throws Exception {
        try (RpcRdmaClient client = client(loopback.address())) {
            List<Future<ByteBuf>> replies = List.of(
                    client.call(message(1)),
                    client.call(message(2), Deadline.DURATION),
                    client.call(RpcRdmaCall.of(message(3))),
                    client.call(RpcRdmaCall.of(message(4)), Deadline.DURATION));
            for (Future<ByteBuf> reply : replies) {
                RdmaLoopback.answered(reply, "reply");
            }
        }
    }

    @Test
    void clientIsIdleUntilItHasACallAndWhenItsConnectionHasEnded() throws Exception {
        RpcRdmaClient client = client(loopback.address());
        assertThat(client.state()).isEqualTo(State.IDLE);
        RdmaLoopback.answered(client.call(message(1)), "reply");
        assertThat(client.state()).isEqualTo(State.CONNECTED);
        assertThat(client.lastFailure()).isNull();

        script = exchange -> exchange.ctx.close();
        assertThat(RdmaLoopback.failure(client.call(message(2)))).isInstanceOf(ConnectionLostException.class);
        awaitState(client, State.IDLE);
        assertThat(client.lastFailure()).isNotNull();

        client.close();
        assertThat(client.state()).isEqualTo(State.CLOSED);
        client.close();
        assertThat(RdmaLoopback.failure(client.call(message(3)))).isInstanceOf(ConnectionLostException.class);
    }

    @Test
    void clientThatCannotConnectWaitsAndSaysWhy() throws Exception {
        RpcRdmaClient client = client(new InetSocketAddress(InetAddress.getLoopbackAddress(), 1)); // refused
        Future<ByteBuf> reply = client.call(message(1));
        awaitState(client, State.WAITING);
        assertThat(client.lastFailure()).isInstanceOf(ConnectException.class);
        assertThat(reply.isDone()).isFalse();

        client.close();
        assertThat(reply.isDone()).isTrue();
        assertThat(RdmaLoopback.failure(reply))
                .isInstanceOf(ConnectionLostException.class)
                .hasRootCauseMessage("Connection refused");
    }

    /** The messages of these calls were released by the program, which must not keep the client from its end. */
    @Test
    void closeEndsAllCallsWhateverBecameOfTheirMessages() throws Exception {
        Logs.expect(ReferenceCountUtil.class, "Failed to release a message");
        RpcRdmaClient client = client(new InetSocketAddress(InetAddress.getLoopbackAddress(), 1)); // refused
        ByteBuf released = message(1);
        List<Future<ByteBuf>> replies = List.of(client.call(released), client.call(message(2)));
        awaitState(client, State.WAITING);
        released.release();

        RdmaLoopback.await(client.closeAsync(), "close");

        for (Future<ByteBuf> reply : replies) {
            assertThat(RdmaLoopback.failure(reply)).isInstanceOf(ConnectionLostException.class);
        }
    }

    /** Less than the 10 s that a connect without an answer takes. */
    @Test
    void callThatTimesOutWhileTheClientConnectsSaysSo() throws Exception {
        try (ServerSocket silent = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                RpcRdmaClient client = client((InetSocketAddress) silent.getLocalSocketAddress())) {
            assertThat(RdmaLoopback.failure(client.call(message(1), Duration.ofMillis(200))))
                    .isInstanceOf(CallTimeoutException.class)
                    .hasMessageContaining("no connection to " + silent.getLocalSocketAddress() + " within 200 ms")
                    .cause()
                    .isInstanceOf(ConnectTimeoutException.class)
                    .hasMessageContaining("the connect to " + silent.getLocalSocketAddress() + " still waits for");
        }
    }

    @Test
    void clientThatEndsAConnectionWhoseCreditsAreHeldSaysWhy() throws Exception {
        RpcRdmaClient client = client(loopback.address());
        RdmaLoopback.answered(client.call(message(1)), "reply");
        script = exchange -> {};
        List<Future<ByteBuf>> replies = new ArrayList<>();
        for (int xid = 2; xid < 2 + CREDITS; xid++) {
            replies.add(client.call(message(xid), Duration.ofMillis(100)));
        }

        for (Future<ByteBuf> reply : replies) {
            assertThat(RdmaLoopback.failure(reply)).isInstanceOf(CallTimeoutException.class);
        }
        awaitState(client, State.IDLE);
        assertThat(client.lastFailure())
                .isInstanceOf(IOException.class)
                .hasMessageContaining("calls that timed out or were cancelled hold all " + CREDITS + " credits");
        client.close();
    }

    @Test
    void clientThatEndsAConnectionBecauseOfItsPeerSaysWhy() throws Exception {
        RpcRdmaClient client = client(loopback.address());
        script = exchange -> {
            exchange.withheldBytes = 4;
            exchange.answer();
        };

        Throwable failure = RdmaLoopback.failure(client.call(TestProgram.call(1, List.of(), List.of(5001), 0)));

        awaitState(client, State.IDLE);
        assertThat(failure).isInstanceOf(MalformedRpcMessageException.class);
        assertThat(client.lastFailure()).isSameAs(failure);
        client.close();
    }

    /** All calls of the connection end with it, each with the reason. */
    @Test
    void clientThatEndsAConnectionThatItCannotFenceSaysWhy() throws Exception {
        List<CountingMemory> memory = new CopyOnWriteArrayList<>();
        RpcRdmaClient client = builder(loopback.address())
                .memory(ctx -> {
                    memory.add(new CountingMemory(Objects.requireNonNull(CallMemory.of(ctx))));
                    return memory.get(0);
                })
                .build();
        RdmaLoopback.answered(client.call(message(1)), "reply");
        memory.get(0).refuseInvalidation = true;
        script = exchange -> {
            if (exchange.header.xid() == 3) {
                exchange.answer();
            }
        };
        Future<ByteBuf> other = client.call(TestProgram.call(2, List.of(), List.of(), 0));

        Throwable failure = RdmaLoopback.failure(client.call(message(3)));

        assertThat(failure).hasMessage("memory of a call cannot be invalidated");
        assertThat(RdmaLoopback.failure(other))
                .isInstanceOf(ConnectionLostException.class)
                .hasCause(failure);
        awaitState(client, State.IDLE);
        assertThat(client.lastFailure()).isSameAs(failure);
        client.close();
    }

    @Test
    void closeByTheProgramIsNoFailure() throws Exception {
        RpcRdmaClient client = client(loopback.address());
        script = exchange -> {};
        Future<ByteBuf> reply = client.call(message(1));
        next();

        client.close();

        assertThat(RdmaLoopback.failure(reply)).isInstanceOf(ConnectionLostException.class);
        assertThat(client.lastFailure()).isNull();
    }

    @Test
    void callWhoseTimeIsOverBeforeItReachesTheLoopTimesOut() throws Exception {
        RpcRdmaClient client = client(loopback.address());
        RdmaLoopback.answered(client.call(message(1)), "reply");

        assertThat(RdmaLoopback.failure(client.call(message(2), Duration.ofNanos(1))))
                .isInstanceOf(CallTimeoutException.class);

        client.close();
    }

    @Test
    void closeOnTheLoopDoesNotWait() throws Exception {
        RpcRdmaClient client = client(loopback.address());
        CountDownLatch returned = new CountDownLatch(1);
        Future<ByteBuf> reply = client.call(message(1)).addListener(done -> {
            client.close();
            returned.countDown();
        });
        assertThat(returned.await(Deadline.SECONDS, TimeUnit.SECONDS)).isTrue();
        awaitState(client, State.CLOSED);
        reply.getNow().release();
    }

    private RpcRdmaClient client(InetSocketAddress address) {
        return builder(address).build();
    }

    private RpcRdmaClient.Builder builder(InetSocketAddress address) {
        return RdmaLoopback.client(loopback.group, address)
                .config(RpcRdmaConfig.builder()
                        .bindings(TestProgram.BINDINGS)
                        .creditsRequested(CREDITS)
                        .build())
                .reconnectDelay(Duration.ofDays(1), Duration.ofDays(1));
    }

    private static ByteBuf message(int xid) {
        return TestProgram.call(xid, List.of(5001), List.of(), 0);
    }

    private static void awaitState(RpcRdmaClient client, State state) {
        Poll.until(() -> "is " + client.state() + ", not " + state, () -> client.state() == state);
    }
}
