// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.guest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.netty.channel.EventLoopGroup;
import io.netty.channel.IoEvent;
import io.netty.channel.IoEventLoop;
import io.netty.channel.IoOps;
import io.netty.channel.IoRegistration;
import io.netty.channel.ManualIoEventLoop;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SingleThreadIoEventLoop;
import io.netty.channel.nio.NioIoEvent;
import io.netty.channel.nio.NioIoHandle;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.nio.NioIoOps;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.GlobalEventExecutor;
import io.netty.util.concurrent.ImmediateEventExecutor;
import io.netty.util.concurrent.RejectedExecutionHandlers;
import io.netty.util.concurrent.SingleThreadEventExecutor;
import io.netty.util.concurrent.ThreadAwareExecutor;
import io.nettyrdma.channel.LeavesNothingOpen;
import io.nettyrdma.channel.LoopsOver;
import io.nettyrdma.channel.Over;
import io.nettyrdma.channel.TestProvider;
import io.nettyrdma.deadline.Deadline;
import io.nettyrdma.engine.IoLoop;
import io.nettyrdma.logs.Logs;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.CancelledKeyException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.IllegalBlockingModeException;
import java.nio.channels.Pipe;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A handle of NIO is registered with an event loop of RDMA as it is with one of NIO. */
@Over
@ExtendWith(LeavesNothingOpen.class)
class GuestRegistrationTest {

    private @Nullable EventLoopGroup group;
    private Pipe pipe;

    @BeforeEach
    void open() throws IOException {
        pipe = Pipe.open();
        pipe.source().configureBlocking(false);
    }

    @AfterEach
    void end() throws Exception {
        if (group != null) {
            LoopKind.end(group);
        }
        pipe.sink().close();
        pipe.source().close();
    }

    private IoEventLoop loop(LoopKind kind) {
        group = kind.group(1);
        return (IoEventLoop) group.next();
    }

    /** Reads a byte for each readiness, and keeps what it was told. */
    private final class Handle implements NioIoHandle {

        final BlockingQueue<NioIoOps> events = new LinkedBlockingQueue<>();
        final AtomicInteger registered = new AtomicInteger();
        final AtomicInteger unregistered = new AtomicInteger();
        final CountDownLatch closed = new CountDownLatch(1);
        volatile Step then = registration -> {};

        interface Step {
            void run(IoRegistration registration) throws IOException;
        }

        @Override
        public SelectableChannel selectableChannel() {
            return pipe.source();
        }

        @Override
        public void handle(IoRegistration registration, IoEvent event) {
            try {
                pipe.source().read(ByteBuffer.allocate(1));
                events.add(((NioIoEvent) event).ops());
                then.run(registration);
            } catch (IOException e) {
                throw new AssertionError(e);
            }
        }

        @Override
        public void registered() {
            registered.incrementAndGet();
        }

        @Override
        public void unregistered() {
            unregistered.incrementAndGet();
        }

        @Override
        public void close() throws IOException {
            pipe.source().close();
            closed.countDown();
        }

        void assertEvent() throws InterruptedException {
            assertThat(events.poll(Deadline.SECONDS, TimeUnit.SECONDS)).isEqualTo(NioIoOps.READ);
        }
    }

    private static IoRegistration register(IoEventLoop loop, NioIoHandle handle) throws Exception {
        return LoopKind.await(loop.register(handle)).getNow();
    }

    private static SelectionKey key(IoRegistration registration) {
        return registration.attachment();
    }

    private void write(int bytes) throws IOException {
        pipe.sink().write(ByteBuffer.allocate(bytes));
    }

    /** Returns when the loop has done what it was given. */
    private static void turn(IoEventLoop loop) throws InterruptedException {
        LoopKind.await(loop.submit(() -> {}));
    }

    @ParameterizedTest
    @EnumSource
    void loopIsCompatible(LoopKind kind) {
        assertThat(loop(kind).isCompatible(NioIoHandle.class)).isTrue();
    }

    @ParameterizedTest
    @EnumSource
    void readinessIsReportedUntilAllIsRead(LoopKind kind) throws Exception {
        IoEventLoop loop = loop(kind);
        Handle handle = new Handle();
        IoRegistration registration = register(loop, handle);
        assertThat(handle.registered).hasValue(1);
        assertThat(key(registration).interestOps()).isZero();
        assertThat(key(registration).channel()).isSameAs(pipe.source());

        write(3);
        assertThat(registration.submit(NioIoOps.READ)).isEqualTo(SelectionKey.OP_READ);
        for (int i = 0; i < 3; i++) {
            handle.assertEvent();
        }
        turn(loop);
        assertThat(handle.events).isEmpty();
        assertThat(key(registration).interestOps()).isEqualTo(SelectionKey.OP_READ);
    }

    @ParameterizedTest
    @EnumSource
    void handleSeesItsInterestAndMayChangeIt(LoopKind kind) throws Exception {
        IoEventLoop loop = loop(kind);
        Handle handle = new Handle();
        BlockingQueue<Integer> seen = new LinkedBlockingQueue<>();
        handle.then = registration -> {
            seen.add(key(registration).interestOps());
            registration.submit(NioIoOps.NONE);
            seen.add(key(registration).interestOps());
        };
        IoRegistration registration = register(loop, handle);
        registration.submit(NioIoOps.READ);
        write(2);
        handle.assertEvent();
        turn(loop);
        assertThat(seen).containsExactly(SelectionKey.OP_READ, 0);
        assertThat(handle.events).isEmpty();

        handle.then = none -> {};
        registration.submit(NioIoOps.READ);
        handle.assertEvent();
    }

    @ParameterizedTest
    @EnumSource
    void lostInterestIsNotReported(LoopKind kind) throws Exception {
        IoEventLoop loop = loop(kind);
        Handle handle = new Handle();
        IoRegistration registration = register(loop, handle);
        LoopKind.await(loop.submit(() -> {
            registration.submit(NioIoOps.READ);
            write(1);
            registration.submit(NioIoOps.NONE);
            return null;
        }));
        turn(loop);
        assertThat(handle.events).isEmpty();
    }

    @ParameterizedTest
    @EnumSource
    void registrationIsCancelledOnce(LoopKind kind) throws Exception {
        IoEventLoop loop = loop(kind);
        Handle handle = new Handle();
        BlockingQueue<Boolean> cancelled = new LinkedBlockingQueue<>();
        handle.then = registration -> {
            cancelled.add(registration.cancel());
            cancelled.add(registration.cancel());
        };
        IoRegistration registration = register(loop, handle);
        registration.submit(NioIoOps.READ);
        write(2);
        handle.assertEvent();
        turn(loop);
        assertThat(cancelled).containsExactly(true, false);
        assertThat(handle.unregistered).hasValue(1);
        assertThat(handle.events).isEmpty();
        assertThat(registration.isValid()).isFalse();
        assertThat(registration.submit(NioIoOps.READ)).isEqualTo(-1);
        assertThatThrownBy(() -> key(registration).interestOps()).isInstanceOf(CancelledKeyException.class);
        assertThat(pipe.source().isOpen()).isTrue();
    }

    @ParameterizedTest
    @EnumSource
    void channelIsRegisteredAgainAfterItsRegistrationWasCancelled(LoopKind kind) throws Exception {
        IoEventLoop loop = loop(kind);
        Handle handle = new Handle();
        LoopKind.await(loop.submit(() -> {
            for (int i = 0; i < 10; i++) {
                IoRegistration registration = loop.register(handle).getNow();
                registration.submit(NioIoOps.READ);
                registration.cancel();
            }
        }));
        register(loop, handle).submit(NioIoOps.READ);
        write(1);
        handle.assertEvent();
        assertThat(handle.registered).hasValue(11);
        assertThat(handle.unregistered).hasValue(10);
    }

    @ParameterizedTest
    @EnumSource
    void cancelledKeyEndsTheRegistrationButNotTheChannel(LoopKind kind) throws Exception {
        IoEventLoop loop = loop(kind);
        Handle handle = new Handle();
        IoRegistration registration = register(loop, handle);
        registration.submit(NioIoOps.READ);
        LoopKind.await(loop.submit(() -> {
            key(registration).cancel();
            assertThat(registration.isValid()).isFalse();
            write(1);
            return null;
        }));
        turn(loop);
        assertThat(handle.events).isEmpty();
        assertThat(pipe.source().isOpen()).isTrue();
        assertThat(loop.submit(registration::cancel).get(Deadline.SECONDS, TimeUnit.SECONDS))
                .isTrue();
        assertThat(handle.unregistered).hasValue(1);
    }

    @ParameterizedTest
    @EnumSource
    void handleThatThrowsIsAskedAgain(LoopKind kind) throws Exception {
        if (kind == LoopKind.NIO) {
            Logs.expect(NioIoHandler.class, "Unexpected exception in the selector loop");
        } else if (kind == LoopKind.RDMA && TestProvider.tested() == TestProvider.SOFT) {
            Logs.expect(Guest.class, "failed to handle what");
        } else {
            Logs.expect("io.netty.util.concurrent.AbstractEventExecutor", "A task raised an exception");
        }
        Handle handle = new Handle();
        handle.then = registration -> {
            handle.then = none -> {};
            throw new IllegalStateException("thrown by a test");
        };
        register(loop(kind), handle).submit(NioIoOps.READ);
        write(2);
        handle.assertEvent();
        handle.assertEvent();
    }

    @ParameterizedTest
    @EnumSource
    void wrongOperationsAreRefused(LoopKind kind) throws Exception {
        IoRegistration registration = register(loop(kind), new Handle());
        assertThatThrownBy(() -> registration.submit(new IoOps() {}))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("IoOps of type ")
                .hasMessageEndingWith(" not supported");
        assertThatThrownBy(() -> registration.submit(NioIoOps.ACCEPT)).isInstanceOf(IllegalArgumentException.class);
    }

    @ParameterizedTest
    @EnumSource
    void channelThatCannotBeSelectedIsRefused(LoopKind kind) throws Exception {
        IoEventLoop loop = loop(kind);
        pipe.source().configureBlocking(true);
        assertThat(loop.register(new Handle()).await().cause()).isInstanceOf(IllegalBlockingModeException.class);
        pipe.source().close();
        assertThat(loop.register(new Handle()).await().cause()).isInstanceOf(ClosedChannelException.class);
    }

    @ParameterizedTest
    @EnumSource
    void endOfTheLoopClosesTheHandle(LoopKind kind) throws Exception {
        IoEventLoop loop = loop(kind);
        Handle handle = new Handle();
        IoRegistration registration = register(loop, handle);
        registration.submit(NioIoOps.READ);
        LoopKind.await(group.shutdownGracefully(10, 10_000, TimeUnit.MILLISECONDS));
        assertThat(handle.closed.getCount()).isZero();
        assertThat(handle.unregistered).hasValue(1);
        assertThat(registration.isValid()).isFalse();
    }

    @ParameterizedTest
    @EnumSource
    void loopIsSuspendedOnlyWithoutHandles(LoopKind kind) throws Exception {
        SingleThreadIoEventLoop loop =
                new SingleThreadIoEventLoop(null, new DefaultThreadFactory("suspended"), kind.factory());
        try {
            Handle handle = new Handle();
            IoRegistration registration = register(loop, handle);
            registration.submit(NioIoOps.READ);
            Thread thread = LoopKind.await(loop.submit(Thread::currentThread)).getNow();
            BlockingQueue<Thread> handling = new LinkedBlockingQueue<>();
            handle.then = none -> handling.add(Thread.currentThread());
            loop.trySuspend();
            turn(loop);
            write(1);
            handle.assertEvent();
            assertThat(handling.poll(Deadline.SECONDS, TimeUnit.SECONDS)).isSameAs(thread);

            LoopKind.await(loop.submit(registration::cancel));
            loop.trySuspend();
            thread.join(Deadline.MILLIS);
            assertThat(loop.isSuspended()).isTrue();

            register(loop, handle).submit(NioIoOps.READ);
            write(1);
            handle.assertEvent();
        } finally {
            LoopKind.await(loop.shutdownGracefully(0, 10, TimeUnit.SECONDS));
        }
    }

    @ParameterizedTest
    @EnumSource
    void runOfALoopReportsHandledReadiness(LoopKind kind) throws Exception {
        ManualIoEventLoop loop = new ManualIoEventLoop(Thread.currentThread(), kind.factory());
        try {
            Handle handle = new Handle();
            Future<IoRegistration> registered = loop.register(handle);
            loop.runNow();
            registered.getNow().submit(NioIoOps.READ);
            loop.runNow();
            write(1);
            Deadline.until(() -> loop.run(TimeUnit.SECONDS.toNanos(1)) > 0, "run reports nothing");
            assertThat(handle.events).containsExactly(NioIoOps.READ);
        } finally {
            Future<?> ended = loop.shutdownGracefully(0, 10, TimeUnit.SECONDS);
            while (!ended.isDone()) {
                loop.runNow();
            }
        }
    }

    /** A selector that waits keeps the sockets of closed channels open. */
    @Test
    void cancelByAnotherThreadEndsTheWaitOfTheSelector() throws Exception {
        try (Selector selector = Selector.open()) {
            IoRegistration registration = new Guests(GlobalEventExecutor.INSTANCE, selector).register(new Handle());
            AtomicInteger keys = new AtomicInteger();
            Thread waiting = new Thread(() -> {
                try {
                    selector.select();
                    selector.selectNow();
                    keys.set(selector.keys().size());
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            });
            keys.set(selector.keys().size());
            waiting.start();
            registration.cancel();
            waiting.join(Deadline.MILLIS);
            assertThat(waiting.isAlive()).isFalse();
            assertThat(keys).hasValue(0);
        }
    }

    @Test
    void selectorOfTheProviderNeedsNoThread() throws Exception {
        assumeTrue(TestProvider.tested() == TestProvider.SOFT, "needs a provider that waits with a selector");
        Handle handle = new Handle();
        IoRegistration registration = register(loop(LoopKind.RDMA), handle);
        registration.submit(NioIoOps.READ);
        write(1);
        handle.assertEvent();
        assertThat(selectingThread()).isNull();
    }

    @Test
    void readinessIsReportedAfterTheProviderHasFailed() throws Exception {
        Logs.expect(IoLoop.class, "RDMA I/O of an event loop has failed");
        AtomicBoolean failing = new AtomicBoolean();
        group = new MultiThreadIoEventLoopGroup(1, LoopsOver.tested((method, arguments, real) -> {
            if (method.getName().equals("await") && failing.get()) {
                throw new IOException("injected");
            }
            return real.make();
        }));
        IoEventLoop loop = (IoEventLoop) group.next();
        Handle handle = new Handle();
        IoRegistration registration = register(loop, handle);
        registration.submit(NioIoOps.READ);
        write(1);
        handle.assertEvent();
        failing.set(true);
        for (int i = 0; i < 3; i++) {
            turn(loop);
            write(1);
            handle.assertEvent();
        }
        assertThat(selectingThread()).isNotNull();
        assertThat(registration.isValid()).isTrue();
        LoopKind.await(loop.submit(registration::cancel));
        register(loop, handle).submit(NioIoOps.READ);
        write(1);
        handle.assertEvent();
    }

    private static @Nullable Thread selectingThread() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().equals("rdma-guests"))
                .findFirst()
                .orElse(null);
    }

    @Test
    void selectingThreadEndsWithTheLastGuest() throws Exception {
        IoEventLoop loop = loop(LoopKind.THREAD);
        for (int i = 0; i < 3; i++) {
            Handle handle = new Handle();
            IoRegistration registration = register(loop, handle);
            registration.submit(NioIoOps.READ);
            write(1);
            handle.assertEvent();
            Thread thread = selectingThread();
            assertThat(thread).isNotNull();
            assertThat(thread.isDaemon()).isTrue();
            LoopKind.await(loop.submit(registration::cancel));
            thread.join(Deadline.MILLIS);
            assertThat(thread.isAlive()).isFalse();
        }
    }

    /** Netty closes a channel first and cancels its registration in a later task. */
    @Test
    void readinessOfAChannelThatHasClosedSinceIsNotReported() throws Exception {
        BlockingQueue<Runnable> tasks = new LinkedBlockingQueue<>();
        Guests guests = new Guests(
                new ThreadAwareExecutor() {
                    @Override
                    public boolean isExecutorThread(Thread thread) {
                        return true;
                    }

                    @Override
                    public void execute(Runnable task) {
                        tasks.add(task);
                    }
                },
                null);
        Handle handle = new Handle();
        IoRegistration registration = guests.register(handle);
        registration.submit(NioIoOps.READ);
        write(1);
        Runnable task = tasks.poll(Deadline.SECONDS, TimeUnit.SECONDS);
        pipe.source().close();
        task.run();
        assertThat(handle.events).isEmpty();
        assertThat(handle.closed.getCount()).isZero();
        assertThat(registration.cancel()).isTrue();
    }

    @Test
    void readinessOfAChannelThatHasClosedSinceItWasSelectedIsNotReported() throws Exception {
        try (Selector selector = Selector.open()) {
            Guests guests = new Guests(ImmediateEventExecutor.INSTANCE, selector);
            Handle handle = new Handle();
            IoRegistration registration = guests.register(handle);
            registration.submit(NioIoOps.READ);
            write(1);
            selector.select(key -> ((Runnable) key.attachment()).run());
            pipe.source().close();
            assertThat(guests.handleReady()).isOne();
            assertThat(handle.events).isEmpty();
            assertThat(handle.closed.getCount()).isZero();
            assertThat(registration.cancel()).isTrue();
        }
    }

    @Test
    void brokenSelectorIsReplaced() throws Exception {
        Logs.expect(GuestSelector.class, "the selector for channels of NIO on event loops of RDMA has failed");
        IoEventLoop loop = loop(LoopKind.THREAD);
        Handle handle = new Handle();
        IoRegistration registration = register(loop, handle);
        registration.submit(NioIoOps.READ);
        write(1);
        handle.assertEvent();
        key(registration).selector().close();
        write(1);
        handle.assertEvent();
        assertThat(registration.isValid()).isTrue();
        assertThat(key(registration).selector().isOpen()).isTrue();
    }

    @Test
    void readinessWaitsForALoopWhoseQueueIsFull() throws Exception {
        CountDownLatch refused = new CountDownLatch(2);
        SingleThreadIoEventLoop loop = new SingleThreadIoEventLoop(
                null,
                new DefaultThreadFactory("full"),
                LoopKind.THREAD.factory(),
                16,
                (Runnable task, SingleThreadEventExecutor executor) -> {
                    if (Thread.currentThread().getName().equals("rdma-guests")) {
                        refused.countDown();
                    }
                    RejectedExecutionHandlers.reject().rejected(task, executor);
                },
                0);
        try {
            Handle handle = new Handle();
            register(loop, handle).submit(NioIoOps.READ);
            CountDownLatch running = new CountDownLatch(1);
            CountDownLatch released = new CountDownLatch(1);
            loop.execute(() -> {
                running.countDown();
                awaitUnchecked(released);
            });
            running.await();
            assertThatThrownBy(() -> {
                        while (true) {
                            loop.execute(() -> {});
                        }
                    })
                    .isInstanceOf(RejectedExecutionException.class);
            write(1);
            awaitUnchecked(refused);
            released.countDown();
            handle.assertEvent();
        } finally {
            LoopKind.await(loop.shutdownGracefully(0, 10, TimeUnit.SECONDS));
        }
    }

    private static void awaitUnchecked(CountDownLatch latch) {
        try {
            assertThat(latch.await(Deadline.SECONDS, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
