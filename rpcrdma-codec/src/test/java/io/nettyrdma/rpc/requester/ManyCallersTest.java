// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.rpc.requester;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.CompositeByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.util.concurrent.BlockingOperationException;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.ImmediateEventExecutor;
import io.netty.util.concurrent.Promise;
import io.netty.util.internal.PlatformDependent;
import io.nettyrdma.deadline.Deadline;
import io.nettyrdma.rpc.RpcProgramHandler;
import io.nettyrdma.rpc.RpcRdmaClient;
import io.nettyrdma.rpc.RpcRdmaConfig;
import io.nettyrdma.rpc.error.CallTimeoutException;
import io.nettyrdma.rpc.error.ConnectionLostException;
import io.nettyrdma.rpc.kit.Poll;
import io.nettyrdma.rpc.kit.RdmaLoopback;
import io.nettyrdma.rpc.message.RpcHeaders;
import io.nettyrdma.rpc.message.RpcRdmaCall;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Callers that wait for room of a client. */
class ManyCallersTest {

    private static final int PROGRAM = 0x2000_0001;
    private static final int HOLD = 1;
    private static final int THREADS = 4;
    private static final int CALLS = 100_000;

    private final Promise<ByteBuf> held = ImmediateEventExecutor.INSTANCE.newPromise();
    private RdmaLoopback loopback;

    @BeforeEach
    void listen() throws Exception {
        RpcProgramHandler program = RpcProgramHandler.of(PROGRAM, 1, 1).futureProcedure(1, HOLD, arguments -> held);
        loopback = RdmaLoopback.serving(RpcRdmaConfig.defaults(), () -> program);
    }

    @AfterEach
    void end() {
        loopback.close();
    }

    private RpcRdmaClient client(RpcRdmaConfig config) {
        return RdmaLoopback.client(loopback.group, loopback.address())
                .config(config)
                .build();
    }

    private static ByteBuf call(RpcRdmaClient client, int procedure) {
        return RpcHeaders.call(ByteBufAllocator.DEFAULT, client.nextXid(), PROGRAM, 1, procedure);
    }

    /** None of them waits for a reply, so that they overrun the queue as thousands of blocked callers would. */
    @Test
    void allCallsOfCallersThatWaitForRoomAreAnswered() throws Exception {
        RpcRdmaClient client = client(RpcRdmaConfig.defaults());
        AtomicInteger answered = new AtomicInteger();
        CountDownLatch ended = new CountDownLatch(CALLS);
        List<Thread> callers = new ArrayList<>();
        for (int i = 0; i < THREADS; i++) {
            callers.add(new Thread(() -> {
                for (int n = 0; n < CALLS / THREADS; n++) {
                    try {
                        client.callWhenRoom(call(client, 0)).addListener((Future<ByteBuf> reply) -> {
                            if (reply.isSuccess()) {
                                reply.getNow().release();
                                answered.incrementAndGet();
                            }
                            ended.countDown();
                        });
                    } catch (InterruptedException e) {
                        throw new AssertionError(e);
                    }
                }
            }));
        }
        callers.forEach(Thread::start);

        assertThat(ended.await(Deadline.SECONDS, TimeUnit.SECONDS)).isTrue();
        assertThat(answered).hasValue(CALLS);
        client.close();
    }

    @Test
    void callerThatWaitsForRoomMayBeInterruptedOrTimesOut() throws Exception {
        RpcRdmaClient client = client(RpcRdmaConfig.builder().maxCallsWaiting(1).build());
        Future<ByteBuf> first = client.callWhenRoom(call(client, HOLD));

        ByteBuf late = call(client, 0);
        Future<ByteBuf> second = client.callWhenRoom(RpcRdmaCall.of(late), Duration.ofNanos(1));
        assertThat(second.await(Deadline.SECONDS, TimeUnit.SECONDS)).isTrue();
        assertThat(second.cause()).isInstanceOf(CallTimeoutException.class);
        assertThat(late.refCnt()).isZero();

        ByteBuf interrupted = call(client, 0);
        Thread.currentThread().interrupt();
        assertThatThrownBy(() -> client.callWhenRoom(interrupted)).isInstanceOf(InterruptedException.class);
        assertThat(interrupted.refCnt()).isZero();

        held.setSuccess(Unpooled.EMPTY_BUFFER);
        first.get(Deadline.SECONDS, TimeUnit.SECONDS).release();
        client.callWhenRoom(call(client, 0))
                .get(Deadline.SECONDS, TimeUnit.SECONDS)
                .release();
        client.close();
    }

    @Test
    void messageThatIsReleasedWhileItsCallerWaitsTakesNoRoom() throws Exception {
        RpcRdmaClient client = client(RpcRdmaConfig.builder().maxCallsWaiting(1).build());
        Future<ByteBuf> first = client.callWhenRoom(call(client, HOLD));
        ByteBuf released = call(client, 0);
        FutureTask<Future<ByteBuf>> caller = new FutureTask<>(() -> client.callWhenRoom(released));
        Thread thread = new Thread(caller);
        thread.start();
        Poll.until("a caller that waits", () -> thread.getState() == Thread.State.TIMED_WAITING);
        released.release();

        held.setSuccess(Unpooled.EMPTY_BUFFER);

        assertThatThrownBy(caller::get).hasCauseInstanceOf(IllegalArgumentException.class);
        first.get(Deadline.SECONDS, TimeUnit.SECONDS).release();
        client.callWhenRoom(call(client, 0))
                .get(Deadline.SECONDS, TimeUnit.SECONDS)
                .release();
        client.close();
    }

    @Test
    void callerWaitsForRoomForTheBytesOfItsCall() throws Exception {
        try (ServerSocket silent = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            RpcRdmaClient client = RdmaLoopback.client(loopback.group, silent.getLocalSocketAddress())
                    .build();
            CompositeByteBuf large = Unpooled.compositeBuffer(Integer.MAX_VALUE)
                    .addComponent(true, RpcHeaders.call(ByteBufAllocator.DEFAULT, client.nextXid(), PROGRAM, 1, HOLD));
            byte[] block = new byte[1 << 20];
            while (large.readableBytes() < PlatformDependent.maxDirectMemory() / 4) {
                large.addComponent(true, Unpooled.wrappedBuffer(block)); // the same memory again
            }
            Future<ByteBuf> first = client.callWhenRoom(large);

            Future<ByteBuf> second = client.callWhenRoom(RpcRdmaCall.of(call(client, 0)), Duration.ofNanos(1));
            assertThat(second.cause())
                    .isInstanceOf(CallTimeoutException.class)
                    .as("not that of a connect")
                    .hasNoCause();

            first.cancel(false);
            Future<ByteBuf> third = client.callWhenRoom(call(client, 0));
            client.close();
            assertThat(third.await(Deadline.SECONDS, TimeUnit.SECONDS)).isTrue();
            assertThat(third.cause()).isInstanceOf(ConnectionLostException.class);
        }
    }

    @Test
    void cancelledCallMakesRoom() throws Exception {
        RpcRdmaClient client = client(RpcRdmaConfig.builder().maxCallsWaiting(1).build());
        Future<ByteBuf> first = client.callWhenRoom(call(client, HOLD));
        first.cancel(false);

        Future<ByteBuf> second = client.callWhenRoom(call(client, 0));

        held.setSuccess(Unpooled.EMPTY_BUFFER);
        second.get(Deadline.SECONDS, TimeUnit.SECONDS).release();
        client.close();
    }

    @Test
    void eventLoopOfTheClientCannotWait() throws Exception {
        RpcRdmaClient client = client(RpcRdmaConfig.defaults());
        Promise<Throwable> thrown = ImmediateEventExecutor.INSTANCE.newPromise();
        client.call(call(client, 0)).addListener((Future<ByteBuf> reply) -> {
            reply.getNow().release();
            try {
                client.callWhenRoom(call(client, 0));
            } catch (RuntimeException e) {
                thrown.setSuccess(e);
            }
        });

        assertThat(thrown.get(Deadline.SECONDS, TimeUnit.SECONDS)).isInstanceOf(BlockingOperationException.class);
        client.close();
    }
}
