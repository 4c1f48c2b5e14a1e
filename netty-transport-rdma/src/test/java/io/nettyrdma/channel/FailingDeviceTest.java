// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.channel;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFuture;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.util.concurrent.Future;
import io.nettyrdma.deadline.Deadline;
import io.nettyrdma.engine.IoLoop;
import io.nettyrdma.engine.Listener;
import io.nettyrdma.engine.VerbsConnection;
import io.nettyrdma.logs.Logs;
import io.nettyrdma.memory.RegisteredMemoryPool;
import io.nettyrdma.verbs.soft.SoftProvider.OpenResources;
import io.nettyrdma.verbs.strict.Calls;
import io.nettyrdma.verbs.strict.StrictDevice;
import io.nettyrdma.verbs.strict.Trait;
import io.nettyrdma.verbs.strict.Verb;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestFactory;

/**
 * Every call of a device fails once, with a checked exception, an unchecked one and an error: each promise completes,
 * the loop goes on with its tasks and ends when it is told to, and nothing is left.
 */
class FailingDeviceTest {

    private static final int BYTES = 100_000;

    private static final class InjectedError extends Error {
        private static final long serialVersionUID = 1;

        InjectedError() {
            super("injected");
        }
    }

    private static final List<Supplier<Throwable>> CAUSES =
            List.of(() -> new IOException("injected"), () -> new IllegalStateException("injected"), InjectedError::new);

    /** What is done with a device that may fail. */
    interface Exchange {
        void run(Life life, EventLoopGroup group) throws Exception;
    }

    /** A device, and what was promised by it. */
    static final class Life {

        private final StrictDevice device = new StrictDevice(Set.of(Trait.KEYS_CHECKED), 1);
        private final List<Future<?>> promises = new ArrayList<>();

        /** One life of a listener and a connection on one loop, so that calls have an order of their own. */
        private void live(Exchange exchange) throws Exception {
            EventLoopGroup group;
            try {
                group = new MultiThreadIoEventLoopGroup(
                        1, RdmaIoHandler.newFactory(RdmaIoHandlerConfig.defaults(), device.extensions()));
            } catch (Throwable e) {
                assertThat(e).hasStackTraceContaining("injected");
                return;
            }
            try {
                exchange.run(this, group);
                ChannelPair.await(group.next().submit(() -> {}), "task of a loop whose device has failed");
            } finally {
                ChannelPair.await(group.shutdownGracefully(0, 5, TimeUnit.SECONDS), "end of the group");
            }
            for (Future<?> promise : promises) {
                assertThat(promise.await(Deadline.SECONDS, TimeUnit.SECONDS))
                        .as("%s", promise)
                        .isTrue();
            }
            assertThat(device.openResources()).isEqualTo(OpenResources.NONE);
        }

        /** Has to complete before the life is over. */
        void expect(Future<?> future) {
            promises.add(future);
        }

        /** Waits for the end of an operation. */
        boolean succeeds(Future<?> future) throws Exception {
            promises.add(future);
            if (!future.await(Deadline.SECONDS, TimeUnit.SECONDS)) {
                throw new AssertionError("not within " + Deadline.SECONDS + " s: " + future);
            }
            return future.isSuccess();
        }
    }

    /** What is done while one call fails. */
    void exchange(Life life, EventLoopGroup group) throws Exception {
        ChannelFuture bound = new ServerBootstrap()
                .group(group)
                .channel(RdmaServerChannel.class)
                .childHandler(new Echo())
                .bind(TestProvider.address(), 0);
        if (!life.succeeds(bound)) {
            return;
        }
        Inbox client = new Inbox();
        ChannelFuture connected = new Bootstrap()
                .group(group)
                .channel(RdmaChannel.class)
                .handler(client)
                .connect(bound.channel().localAddress());
        if (!life.succeeds(connected)) {
            return;
        }
        RdmaChannel channel = (RdmaChannel) connected.channel();
        life.expect(channel.closeFuture());
        life.succeeds(channel.writeAndFlush(ChannelPair.text("message")));
        // A registration for the time of an operation; the peer refuses it, which ends the connection.
        life.succeeds(channel.writeAndFlush(
                new RdmaRead(new RemoteSegment(1, 0, BYTES), Unpooled.directBuffer(BYTES, BYTES))));
        life.expect(channel.close());
        life.expect(bound.channel().close());
    }

    private DynamicTest life(String call, Supplier<Throwable> cause, Consumer<Calls> plan) {
        return DynamicTest.dynamicTest(call + " fails with " + cause.get(), () -> {
            Life life = new Life();
            plan.accept(life.device.calls());

            life.live(this::exchange);
        });
    }

    /** Which of these lines is written depends on the call that fails; no test here is about that. */
    private static void allowWhatFailuresSay() {
        Logs.allow("io.netty.channel.DefaultChannelPipeline", "An exceptionCaught() event was fired");
        Logs.allow(IoLoop.class.getName(), "has failed");
        Logs.allow(IoLoop.class.getName(), "still wait for completions");
        Logs.allow(IoLoop.class.getName(), "failed to end an RDMA event loop");
        Logs.allow(Listener.class.getName(), "failed to free a listener");
        Logs.allow(VerbsConnection.class.getName(), "failed to free");
        Logs.allow(VerbsConnection.class.getName(), "failed to flush a queue pair");
        Logs.allow(RegisteredMemoryPool.class.getName(), "stays registered");
    }

    private List<Verb> callsOfALife() throws Exception {
        Life whole = new Life();
        whole.device.calls().record();
        whole.live(this::exchange);
        return List.copyOf(whole.device.calls().made());
    }

    @TestFactory
    Stream<DynamicTest> everyCallFailsOnce() throws Exception {
        allowWhatFailuresSay();
        List<Verb> calls = callsOfALife();
        assertThat(calls).contains(Verb.CREATE_ID, Verb.ACCEPT, Verb.POST_SENDS, Verb.REGISTER, Verb.DESTROY_ID);
        Random random = new Random(); // the name of a test says what was drawn
        List<DynamicTest> tests = new ArrayList<>();
        for (int i = 0; i < calls.size(); i++) {
            int number = i;
            Supplier<Throwable> cause = CAUSES.get(random.nextInt(CAUSES.size()));
            tests.add(life(number + " " + calls.get(i), cause, device -> device.failAt(number, cause)));
        }
        for (Verb verb :
                List.of(Verb.POLL, Verb.ARM, Verb.CHECK_ATTACHED, Verb.POLL_EVENT, Verb.PROGRESS, Verb.AWAIT)) {
            Supplier<Throwable> cause = InjectedError::new;
            tests.add(life("next " + verb, cause, device -> device.failNext(verb, cause)));
        }
        return tests.stream();
    }

    @Tag("long")
    @TestFactory
    Stream<DynamicTest> everyCallFailsInEveryWay() throws Exception {
        allowWhatFailuresSay();
        List<Verb> calls = callsOfALife();
        List<DynamicTest> tests = new ArrayList<>();
        for (Supplier<Throwable> cause : CAUSES) {
            for (int i = 0; i < calls.size(); i++) {
                int number = i;
                tests.add(life(number + " " + calls.get(i), cause, device -> device.failAt(number, cause)));
            }
            for (Verb verb : Verb.values()) {
                tests.add(life("next " + verb, cause, device -> device.failNext(verb, cause)));
            }
        }
        return tests.stream();
    }
}
