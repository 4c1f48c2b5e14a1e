// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.channel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SingleThreadIoEventLoop;
import io.netty.channel.nio.NioIoHandler;
import io.nettyrdma.deadline.Deadline;
import io.nettyrdma.engine.RdmaLoops;
import io.nettyrdma.error.RdmaResourceLimitException;
import io.nettyrdma.logs.Logs;
import io.nettyrdma.memory.RegisteredByteBuf;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What an event loop does, over each provider. */
final class RdmaIoHandlerTest extends ProviderContract {

    @Test
    void tasksWakeAnIdleLoop() throws Exception {
        try (ChannelPair pair = pair()) {
            for (int i = 0; i < 2000; i++) {
                ChannelPair.await(pair.clientGroup.next().submit(() -> {}), "task " + i);
            }
        }
    }

    @Test
    void tasksOfManyThreadsAreAllRun() throws Exception {
        int threads = 4;
        int each = 5000;
        CountDownLatch done = new CountDownLatch(threads * each);
        try (ChannelPair pair = pair()) {
            EventLoop loop = pair.connect().eventLoop();
            List<Thread> submitters = new ArrayList<>();
            for (int t = 0; t < threads; t++) {
                Thread thread = new Thread(() -> {
                    for (int i = 0; i < each; i++) {
                        loop.execute(done::countDown);
                        if (i % 16 == 0) {
                            Thread.yield();
                        }
                    }
                });
                thread.start();
                submitters.add(thread);
            }
            assertThat(done.await(Deadline.SECONDS, TimeUnit.SECONDS)).isTrue();
            for (Thread thread : submitters) {
                thread.join();
            }
        }
    }

    @Test
    void timersFireWhileTheLoopIsBlocked() throws Exception {
        try (ChannelPair pair = pair()) {
            EventLoop loop = pair.connect().eventLoop();
            for (long millis : new long[] {1, 3, 20, 50}) {
                long start = System.nanoTime();
                var fired = loop.schedule(System::nanoTime, millis, TimeUnit.MILLISECONDS);
                ChannelPair.await(fired, "timer of " + millis + " ms");
                long elapsed = TimeUnit.NANOSECONDS.toMillis(fired.getNow() - start);
                assertThat(elapsed).isGreaterThanOrEqualTo(millis);
            }
        }
    }

    @Test
    void timerScheduledByAnotherThreadShortensTheWait() throws Exception {
        try (ChannelPair pair = pair()) {
            EventLoop loop = pair.clientGroup.next();
            var late = loop.schedule(() -> {}, 1, TimeUnit.HOURS);
            ChannelPair.await(loop.schedule(() -> {}, 10, TimeUnit.MILLISECONDS), "the earlier timer");
            assertThat(late.cancel(false)).isTrue();
        }
    }

    @Test
    void releaseByAnotherThreadWakesTheLoopToPostTheReceive() throws Exception {
        BlockingQueue<ByteBuf> handed = new LinkedBlockingQueue<>();
        try (ChannelPair pair = new ChannelPair(
                provider,
                () -> Handlers.onRead((context, message) -> {
                    handed.add(message);
                }),
                () -> client)) {
            // One where a message waits for it, else enough for the time that posting it again takes.
            pair.serverBootstrap.childOption(RdmaChannelOption.RDMA_RECEIVE_COUNT, provider.waitsForReceives() ? 1 : 8);
            RdmaChannel channel = pair.connect();
            for (int i = 0; i < 2000; i++) {
                channel.writeAndFlush(Unpooled.copyInt(i));
                ByteBuf message = handed.poll(Deadline.SECONDS, TimeUnit.SECONDS);
                assertThat(message).as("message %d", i).isNotNull();
                assertThat(message.readInt()).isEqualTo(i);
                message.release();
            }
        }
    }

    @Test
    void shutdownWithOpenChannelsClosesThem() throws Exception {
        List<Channel> channels = new ArrayList<>();
        try (ChannelPair pair = new ChannelPair(provider, () -> new Inbox(), () -> new Inbox())) {
            for (int i = 0; i < 10; i++) {
                channels.add(pair.connect());
                channels.add(pair.accepted());
            }
            channels.add(pair.listener);
        }
        for (Channel channel : channels) {
            ChannelPair.await(channel.closeFuture(), "close of " + channel);
        }
    }

    @Test
    void shutdownWithoutAQuietPeriodTellsThePipelinesWheneverItComes() throws Exception {
        CountDownLatch told = new CountDownLatch(3);
        class Unregistered extends ChannelInboundHandlerAdapter {
            @Override
            public void channelUnregistered(ChannelHandlerContext context) {
                assertThat(context.channel().isOpen()).isFalse();
                told.countDown();
            }
        }
        try (ChannelPair pair = pair()) {
            pair.connect().pipeline().addLast(new Unregistered());
            server.awaitActive();
            pair.accepted().pipeline().addLast(new Unregistered());
            pair.listener.pipeline().addLast(new Unregistered());
            // In a task, hence after the loop has looked whether it is to end, and before it ends.
            for (EventLoopGroup group : List.of(pair.serverGroup, pair.clientGroup)) {
                group.forEach(loop -> loop.execute(() -> loop.shutdownGracefully(0, 5, TimeUnit.SECONDS)));
                assertThat(group.awaitTermination(Deadline.SECONDS, TimeUnit.SECONDS))
                        .isTrue();
            }
            client.awaitInactive();
            server.awaitInactive();
            assertThat(told.getCount()).isZero();
        }
    }

    @Test
    void shutdownWhileConnectsArePendingFailsThem() throws Exception {
        provider.assumeHandshakesCanBeGivenUp();
        List<ChannelFuture> connects = new ArrayList<>();
        try (ServerSocket silent = new ServerSocket(0, 8, TestProvider.address());
                ChannelPair pair = new ChannelPair(provider, Inbox::new, Inbox::new)) {
            for (int i = 0; i < 4; i++) {
                connects.add(pair.clientBootstrap.connect(silent.getLocalSocketAddress()));
            }
            ChannelPair.await(pair.clientGroup.next().submit(() -> {}), "turn");
        }
        for (ChannelFuture connect : connects) {
            assertThat(connect.isDone()).isTrue();
            assertThat(connect.isSuccess()).isFalse();
            ChannelPair.await(connect.channel().closeFuture(), "close");
        }
    }

    @Test
    void shutdownWhileRequestsWaitRejectsThem() throws Exception {
        ChannelFuture connect;
        try (ChannelPair pair = pair()) {
            pair.serverBootstrap.option(ChannelOption.AUTO_READ, false);
            pair.listen();
            connect = pair.clientBootstrap.connect(pair.address());
            ChannelPair.await(pair.serverGroup.shutdownGracefully(0, 5, TimeUnit.SECONDS), "end of the server");
            assertThat(connect.await(Deadline.SECONDS, TimeUnit.SECONDS)).isTrue();
        }
        assertThat(connect.isSuccess()).isFalse();
    }

    @Test
    void shutdownWhileRequestsAreOutstandingCompletesThem() throws Exception {
        List<ChannelFuture> writes = new ArrayList<>();
        try (ChannelPair pair = pair()) {
            pair.serverBootstrap.childOption(ChannelOption.AUTO_READ, false);
            pair.option(RdmaChannelOption.RDMA_RECEIVE_COUNT, 4);
            RdmaChannel channel = pair.connect();
            for (int i = 0; i < 200; i++) {
                writes.add(channel.write(channel.alloc().buffer().writeZero(4096)));
            }
            channel.flush();
        }
        for (ChannelFuture write : writes) {
            assertThat(write.isDone()).isTrue();
        }
    }

    @Test
    void channelClosedBeforeItsRouteIsResolvedDoesNotConnect() throws Exception {
        try (ChannelPair pair = echoPair()) {
            RdmaChannel other = new RdmaChannel();
            ChannelPair.await(pair.clientGroup.register(other), "register");
            RdmaChannel channel = pair.connect();
            pair.accepted();
            // In channelRead, hence before the loop looks at connection events and before it runs tasks.
            channel.pipeline().addFirst(Handlers.onRead((context, message) -> {
                other.connect(pair.address());
                other.close();
                context.fireChannelRead(message);
            }));
            channel.writeAndFlush(Unpooled.copyInt(1));
            client.next();
            ChannelPair.await(other.closeFuture(), "close");
            ChannelPair.await(channel.eventLoop().submit(() -> {}), "turn");
            assertThat(other.hasQueuePair()).isFalse();
            assertThat(pair.accepted).isEmpty();
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void deregisteringWhileConnectingClosesTheChannel(boolean withQueuePair) throws Exception {
        provider.assumeTcp();
        provider.assumeHandshakesCanBeGivenUp();
        try (ServerSocket silent = new ServerSocket(0, 8, TestProvider.address());
                ChannelPair pair = pair()) {
            RdmaChannel channel = new RdmaChannel();
            ChannelPair.await(pair.clientGroup.register(channel), "register"); // before that deregister() does nothing
            ChannelFuture connect = channel.connect(silent.getLocalSocketAddress());
            if (withQueuePair) {
                ChannelPair.until(channel::hasQueuePair, "a queue pair");
            }
            ChannelPair.await(channel.deregister(), "deregister");
            assertThat(ChannelPair.done(connect).isSuccess()).isFalse();
            ChannelPair.await(channel.closeFuture(), "close");
        }
    }

    @Test
    void deregisteredChannelDoesNotConnect() throws Exception {
        try (ChannelPair pair = pair()) {
            RdmaChannel channel = new RdmaChannel();
            ChannelPair.await(pair.clientGroup.register(channel), "register");
            ChannelPair.await(channel.deregister(), "deregister");

            ChannelFuture connect = channel.connect(new InetSocketAddress(TestProvider.address(), 1));

            assertThat(ChannelPair.done(connect).cause()).isInstanceOf(IllegalStateException.class);
            ChannelPair.await(channel.close(), "close");
        }
    }

    @Test
    void connectionThatNeedsMoreMemoryThanThereIsFailsAlone() throws Exception {
        try (ChannelPair pair = new ChannelPair(provider, Inbox::new, Inbox::new).listen()) {
            pair.clientBootstrap.option(RdmaChannelOption.RDMA_RECEIVE_SIZE, 16 * 1024 * 1024);
            pair.clientBootstrap.option(RdmaChannelOption.RDMA_RECEIVE_COUNT, 16_384);
            ChannelFuture connect = pair.clientBootstrap.connect(pair.address());
            assertThat(ChannelPair.done(connect).cause())
                    .isInstanceOf(RdmaResourceLimitException.class)
                    .hasMessageContaining(
                            "RDMA_RECEIVE_COUNT 16384 times RDMA_RECEIVE_SIZE 16777216 needs 274877906944");
            ChannelPair.await(pair.clientGroup.next().submit(() -> {}), "task of the same loop");
        }
    }

    @Test
    void suspendedLoopResumesOnAnotherThreadWithItsMemory() throws Exception {
        try (ChannelPair pair = new ChannelPair(provider, Echo::new, Inbox::new)
                .option(ChannelOption.ALLOCATOR, RdmaByteBufAllocator.DEFAULT)) {
            SingleThreadIoEventLoop loop = (SingleThreadIoEventLoop) pair.clientGroup.next();
            Thread before = null;
            for (int round = 0; round < 3; round++) {
                RdmaChannel channel = pair.connect();
                assertThat(channel.eventLoop()).isSameAs(loop);
                Thread now = ChannelPair.onLoop(channel, Thread::currentThread);
                assertThat(now).isNotSameAs(before);
                before = now;
                Inbox inbox = (Inbox) channel.pipeline().first();
                ByteBuf kept = ChannelPair.onLoop(channel, () -> {
                    ByteBuf message = channel.alloc().directBuffer(8).writeInt(7);
                    ByteBuf released = message;
                    while (released.unwrap() != null) {
                        released = released.unwrap();
                    }
                    assertThat(released).isInstanceOf(RegisteredByteBuf.class);
                    channel.writeAndFlush(message.retain());
                    return message;
                });
                assertThat(inbox.next()).containsExactly(0, 0, 0, 7);

                // With a channel, it does not suspend, whatever it is told.
                loop.trySuspend();
                channel.writeAndFlush(Unpooled.copyInt(8));
                assertThat(inbox.next()).containsExactly(0, 0, 0, 8);

                ChannelPair.await(channel.close(), "close");
                suspend(loop, now);
                kept.release(); // nobody runs the loop: the slot is back when somebody does
                ChannelPair.await(loop.submit(() -> {}), "resume");
            }
        }
    }

    @Test
    void suspendedLoopCanBeEnded() throws Exception {
        var group = new MultiThreadIoEventLoopGroup(1, provider.newFactory());
        SingleThreadIoEventLoop loop = (SingleThreadIoEventLoop) group.next();
        suspend(
                loop,
                ChannelPair.await(loop.submit(Thread::currentThread), "start").getNow());
        ChannelPair.await(group.shutdownGracefully(0, 5, TimeUnit.SECONDS), "end");
    }

    /** Returns when {@code thread} has stopped running the loop. */
    private static void suspend(SingleThreadIoEventLoop loop, Thread thread) throws InterruptedException {
        assertThat(loop.trySuspend()).isTrue();
        thread.join(Deadline.MILLIS);
        assertThat(thread.isAlive()).as("loop runs on").isFalse();
    }

    @Test
    void connectionsThatComeAndGoLeaveNothingBehind() throws Exception {
        try (ChannelPair pair = new ChannelPair(provider, Echo::new, Inbox::new).listen()) {
            pair.option(RdmaChannelOption.RDMA_RECEIVE_COUNT, 4);
            for (int i = 0; i < 100; i++) {
                RdmaChannel channel = pair.connect();
                RdmaChannel child = pair.accepted();
                channel.writeAndFlush(Unpooled.copyInt(i));
                ((Inbox) channel.pipeline().first()).next();
                ChannelPair.await((i % 2 == 0 ? channel : child).close(), "close");
                ChannelPair.await(channel.closeFuture(), "close of the active side");
                ChannelPair.await(child.closeFuture(), "close of the passive side");
            }
        }
    }

    @Test
    void loopWithoutRdmaRefusesTheChannelByName() throws Exception {
        Logs.expect(
                RdmaLoops.class,
                "RdmaChannel needs an event loop of RdmaIoHandler.newFactory(), as in new"
                        + " MultiThreadIoEventLoopGroup(RdmaIoHandler.newFactory()); its group is a"
                        + " MultiThreadIoEventLoopGroup of another transport");
        var nio = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
        try {
            assertThatThrownBy(() -> ChannelPair.await(nio.register(new RdmaChannel()), "register"))
                    .cause()
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("incompatible event loop");
        } finally {
            ChannelPair.await(nio.shutdownGracefully(0, 5, TimeUnit.SECONDS), "end");
        }
    }
}
