// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.Channel;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.ServerChannel;
import io.netty.testsuite.transport.AbstractSingleThreadEventLoopTest;
import io.netty.util.concurrent.AutoScalingEventExecutorChooserFactory;
import io.netty.util.concurrent.DefaultThreadFactory;
import io.netty.util.concurrent.SingleThreadEventExecutor;
import io.netty.util.concurrent.ThreadPerTaskExecutor;
import io.nettyrdma.channel.RdmaIoHandler;
import io.nettyrdma.channel.RdmaServerChannel;
import io.nettyrdma.deadline.Deadline;
import io.nettyrdma.logs.Logs;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Netty's own test of event loops: life cycle, channels, suspension and auto-scaling. */
class RdmaEventLoopTest extends AbstractSingleThreadEventLoopTest {

    /** Some tests bound how long an end may take; finding the provider and loading classes is no part of that. */
    @BeforeAll
    static void load() {
        assertThat(new MultiThreadIoEventLoopGroup(1, RdmaIoHandler.newFactory())
                        .shutdownGracefully(0, 10, TimeUnit.SECONDS)
                        .awaitUninterruptibly(Deadline.SECONDS, TimeUnit.SECONDS))
                .isTrue();
    }

    /**
     * An event loop that is about to suspend itself has left its loop; if its group is shut down just then, Netty
     * takes that for a handler's fault and says so, and the loop ends as it should. Netty's own tests shut down groups
     * that scale by themselves.
     */
    @BeforeEach
    void allowAnEndDuringSuspension() {
        Logs.allow(SingleThreadEventExecutor.class.getName(), "Buggy EventExecutor implementation");
    }

    @Override
    protected EventLoopGroup newEventLoopGroup() {
        return new MultiThreadIoEventLoopGroup(1, RdmaIoHandler.newFactory());
    }

    @Override
    protected EventLoopGroup newAutoScalingEventLoopGroup() {
        return new MultiThreadIoEventLoopGroup(
                SCALING_MAX_THREADS,
                new ThreadPerTaskExecutor(new DefaultThreadFactory("rdma-scaling")),
                AUTO_SCALING_CHOOSER_FACTORY,
                RdmaIoHandler.newFactory());
    }

    /** Loops that can be suspended, of a group that has no occasion to suspend them by itself while a test runs. */
    private static EventLoopGroup groupThatScalesWhenToldTo() {
        return new MultiThreadIoEventLoopGroup(
                SCALING_MAX_THREADS,
                new ThreadPerTaskExecutor(new DefaultThreadFactory("rdma-scaling")),
                new AutoScalingEventExecutorChooserFactory(
                        SCALING_MIN_THREADS, SCALING_MAX_THREADS, 1, TimeUnit.DAYS, 0.1, 0.9, 1, 1, 1),
                RdmaIoHandler.newFactory());
    }

    /**
     * Netty's own wants two loops that run after a tenth of a second without work, in which a group of that window may
     * have suspended one already, and has to find it running after a task, when the group may have suspended it again.
     * Here the test suspends it, and nobody else.
     */
    @Override
    @Test
    public void testSubmittingTaskWakesUpSuspendedExecutor() throws Exception {
        EventLoopGroup group = groupThatScalesWhenToldTo();
        try {
            EventLoop loop = group.next();
            run(loop);
            suspend(loop);

            run(loop);
            assertThat(loop.isSuspended()).isFalse();
        } finally {
            shutDown(group);
        }
    }

    /** As above; in addition the loop that was suspended gets a channel, which keeps it running until it closes. */
    @Override
    @Test
    public void testAutoScalingEventLoopGroupCanScaleDownAndBeUsed() throws Exception {
        EventLoopGroup group = groupThatScalesWhenToldTo();
        try {
            EventLoop loop = group.next();
            run(loop);
            suspend(loop);

            Channel channel = newChannel();
            assertThat(loop.register(channel).await(Deadline.SECONDS, TimeUnit.SECONDS))
                    .isTrue();
            Thread thread = loop.submit(Thread::currentThread).get(Deadline.SECONDS, TimeUnit.SECONDS);
            loop.trySuspend();
            run(loop);
            assertThat(channel.isRegistered()).isTrue();
            assertThat(channel.close().await(Deadline.SECONDS, TimeUnit.SECONDS))
                    .isTrue();
            assertEnds(thread);
        } finally {
            shutDown(group);
        }
    }

    private static void run(EventLoop loop) throws Exception {
        assertThat(loop.submit(() -> {}).await(Deadline.SECONDS, TimeUnit.SECONDS))
                .as("a task runs")
                .isTrue();
    }

    /** Has the loop's thread end. */
    private static void suspend(EventLoop loop) throws Exception {
        Thread thread = loop.submit(Thread::currentThread).get(Deadline.SECONDS, TimeUnit.SECONDS);
        assertThat(loop.trySuspend()).isTrue();
        assertEnds(thread);
        assertThat(loop.isSuspended()).isTrue();
    }

    private static void assertEnds(Thread thread) throws InterruptedException {
        thread.join(Deadline.MILLIS);
        assertThat(thread.isAlive()).as("the thread of a suspended loop runs").isFalse();
    }

    private static void shutDown(EventLoopGroup group) throws Exception {
        assertThat(group.shutdownGracefully(0, 10, TimeUnit.SECONDS).await(Deadline.SECONDS, TimeUnit.SECONDS))
                .as("end of the group")
                .isTrue();
    }

    @Override
    protected Channel newChannel() {
        return new RdmaServerChannel();
    }

    @Override
    protected Class<? extends ServerChannel> serverChannelClass() {
        return RdmaServerChannel.class;
    }
}
