// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.channel;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.nettyrdma.deadline.Deadline;
import io.nettyrdma.engine.IoLoop;
import io.nettyrdma.logs.Logs;
import io.nettyrdma.socket.RdmaSocketChannel;
import io.nettyrdma.verbs.InterceptedVerbs;
import io.nettyrdma.verbs.spi.VerbsExtensions;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** How often a loop asks its provider for something to do: counted, as time would say more of the machine. */
@ExtendWith(LeavesNothingOpen.class)
class LoopWorkTest {

    private final AtomicInteger waits = new AtomicInteger();
    private volatile boolean failing;
    private final MultiThreadIoEventLoopGroup group = new MultiThreadIoEventLoopGroup(
            1,
            RdmaIoHandler.newFactory(
                    RdmaIoHandlerConfig.builder().spin(Duration.ZERO).build(), countingVerbs()));

    private VerbsExtensions countingVerbs() {
        return InterceptedVerbs.before(Rdma.extensions(), (method, arguments, real) -> {
            if (method.getName().equals("await")) {
                waits.incrementAndGet();
                if (failing) {
                    throw new IOException("injected");
                }
            }
            return real.make();
        });
    }

    @AfterEach
    void endGroup() throws Exception {
        ChannelPair.await(group.shutdownGracefully(0, 5, TimeUnit.SECONDS), "end of the group");
    }

    private Bootstrap client(ChannelInboundHandlerAdapter handler) {
        return client(RdmaChannel.class, handler);
    }

    private Bootstrap client(Class<? extends Channel> kind, ChannelInboundHandlerAdapter handler) {
        return new Bootstrap().group(group).channel(kind).handler(handler);
    }

    /** netty #15510, #14860, reactor-netty #3833: a read() for each message made a channel crawl. */
    @Test
    void messagesThatAreThereNeedNoWaitForEachRead() throws Exception {
        int messages = 60;
        CountDownLatch all = new CountDownLatch(messages);
        try (ChannelPair pair = new ChannelPair(Inbox::new, Inbox::new).listen()) {
            Channel channel = ChannelPair.await(
                            client(Handlers.onRead((context, message) -> {
                                        message.release();
                                        all.countDown();
                                        context.read();
                                    }))
                                    .option(ChannelOption.AUTO_READ, false)
                                    .connect(pair.address()),
                            "connect")
                    .channel();
            Channel child = pair.accepted();
            ChannelPair.until(child::isActive, "the accepted channel is active");
            CountDownLatch written = new CountDownLatch(1);
            channel.eventLoop()
                    .execute(
                            () -> { // the loop does nothing else until everything has been sent
                                try {
                                    if (!written.await(Deadline.SECONDS, TimeUnit.SECONDS)) {
                                        throw new AssertionError("not written within " + Deadline.SECONDS + " s");
                                    }
                                } catch (InterruptedException e) {
                                    throw new AssertionError(e);
                                }
                                waits.set(0);
                                channel.read();
                            });
            for (int i = 0; i < messages; i++) {
                child.write(Unpooled.copyInt(i));
            }
            ChannelPair.await(child.writeAndFlush(Unpooled.EMPTY_BUFFER), "writes");
            written.countDown();
            assertThat(all.await(Deadline.SECONDS, TimeUnit.SECONDS)).isTrue();
            assertThat(waits.get()).isLessThan(messages / 4);
        }
    }

    /** netty #16655, #16739, io_uring incubator #247: an idle loop was busy. */
    @ParameterizedTest
    @ValueSource(classes = {RdmaChannel.class, RdmaSocketChannel.class})
    void idleConnectionsMakeTheLoopWaitOnceAndForAll(Class<? extends Channel> kind) throws Exception {
        try (LoopbackPair<?, ?> pair = kind == RdmaChannel.class
                ? new ChannelPair(Echo::new, Inbox::new).listen()
                : new StreamPair(TestProvider.tested(), Echo::new, Inbox::new).listen()) {
            for (int i = 0; i < 50; i++) {
                Inbox inbox = new Inbox();
                Channel channel = ChannelPair.await(client(kind, inbox).connect(pair.address()), "connect")
                        .channel();
                // Once both sides have heard of each other, none of them has anything to repeat.
                ChannelPair.await(channel.writeAndFlush(ChannelPair.text("message")), "write");
                assertThat(inbox.nextText()).isEqualTo("message");
            }
            // A loop that works comes by thousands of times in each of these periods, one that sleeps in the first or,
            // with timers of young connections running out, in one of the next does not.
            int least = Integer.MAX_VALUE;
            for (int i = 0; i < 10 && least >= 10; i++) {
                int before = waits.get();
                ChannelPair.await(
                        pair.clientGroup.next().schedule(() -> {}, 500, TimeUnit.MILLISECONDS), "half a second");
                least = Math.min(least, waits.get() - before);
            }
            assertThat(least).isLessThan(10);
        }
    }

    /** As a handler leaves it that has caught an InterruptedException, or an executor that ends at once. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void interruptedLoopWaitsAsBefore(boolean afterAFailure) throws Exception {
        EventLoop loop = group.next();
        if (afterAFailure) {
            Logs.expect(IoLoop.class, "RDMA I/O of an event loop has failed");
            failing = true;
            waits.set(0);
            ChannelPair.await(loop.submit(() -> {}), "turn of the loop");
            ChannelPair.until(() -> waits.get() > 0, "the loop has found out");
        }
        ChannelPair.await(loop.submit(() -> Thread.currentThread().interrupt()), "interrupt");
        // By a timer, before which the loop has nothing to do but to wait.
        assertThat(loop.schedule(() -> Thread.currentThread().isInterrupted(), 20, TimeUnit.MILLISECONDS)
                        .get(Deadline.SECONDS, TimeUnit.SECONDS))
                .isFalse();
    }
}
