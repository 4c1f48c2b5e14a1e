// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.channel;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.IoHandlerFactory;
import io.nettyrdma.deadline.Deadline;
import io.nettyrdma.engine.IoLoop;
import io.nettyrdma.logs.Logs;
import io.nettyrdma.verbs.InterceptedVerbs;
import io.nettyrdma.verbs.spi.VerbsExtensions;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** How often a loop asks its provider for something to do: counted, as time would say more of the machine. */
@ExtendWith(LeavesNothingOpen.class)
class LoopWorkTest {

    private final AtomicInteger waits = new AtomicInteger();
    private volatile boolean failing;

    private IoHandlerFactory countingLoops() {
        VerbsExtensions verbs = InterceptedVerbs.before(Rdma.extensions(), (method, arguments, real) -> {
            if (method.getName().equals("await")) {
                waits.incrementAndGet();
                if (failing) {
                    throw new IOException("injected");
                }
            }
            return real.make();
        });
        return RdmaIoHandler.newFactory(
                RdmaIoHandlerConfig.builder().spin(Duration.ZERO).build(), verbs);
    }

    /** netty #15510, #14860, reactor-netty #3833: a read() for each message made a channel crawl. */
    @Test
    void messagesThatAreThereNeedNoWaitForEachRead() throws Exception {
        int messages = 60;
        CountDownLatch all = new CountDownLatch(messages);
        ChannelHandler reading = Handlers.onRead((context, message) -> {
            message.release();
            all.countDown();
            context.read();
        });
        try (ChannelPair pair = new ChannelPair(Inbox::new, () -> reading).clientsOver(countingLoops())) {
            pair.clientBootstrap.option(ChannelOption.AUTO_READ, false);
            Channel channel = pair.connect();
            Channel child = pair.accepted();
            ChannelPair.until(child::isActive, "the accepted channel is active");
            CountDownLatch written = new CountDownLatch(1);
            var begun = channel.eventLoop()
                    .submit(
                            () -> { // the loop does nothing else until all has been sent
                                assertThat(written.await(Deadline.SECONDS, TimeUnit.SECONDS))
                                        .isTrue();
                                waits.set(0);
                                return channel.read();
                            });
            for (int i = 0; i < messages; i++) {
                child.write(Unpooled.copyInt(i));
            }
            ChannelPair.await(child.writeAndFlush(Unpooled.EMPTY_BUFFER), "writes");
            written.countDown();
            ChannelPair.await(begun, "read");
            assertThat(all.await(Deadline.SECONDS, TimeUnit.SECONDS)).isTrue();
            assertThat(waits.get()).isLessThan(messages / 4);
        }
    }

    /** netty #16655, #16739, io_uring incubator #247: an idle loop was busy. */
    @ParameterizedTest
    @EnumSource
    void idleConnectionsMakeTheLoopWaitOnceAndForAll(Kind kind) throws Exception {
        try (LoopbackPair<?, ?> pair = kind.pair(Echo::new, Inbox::new).clientsOver(countingLoops())) {
            for (int i = 0; i < 50; i++) {
                Channel channel = pair.connect();
                // Once both sides have heard of each other, none of them has anything to repeat.
                ChannelPair.await(channel.writeAndFlush(ChannelPair.text("message")), "write");
                assertThat(channel.pipeline().get(Inbox.class).nextText()).isEqualTo("message");
            }
            // A loop that works comes by thousands of times in each of these periods, one that sleeps in the first or,
            // with timers of young connections running out, in one of the next does not.
            int least = Integer.MAX_VALUE;
            for (int i = 0; i < 10 && least >= 10; i++) {
                int before = waits.get();
                ChannelPair.await(
                        pair.serverGroup.next().schedule(() -> {}, 500, TimeUnit.MILLISECONDS), "half a second");
                least = Math.min(least, waits.get() - before);
            }
            assertThat(least).isLessThan(10);
        }
    }

    /** As a handler leaves it that has caught an InterruptedException, or an executor that ends at once. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void interruptedLoopWaitsAsBefore(boolean afterAFailure) throws Exception {
        try (ChannelPair pair = new ChannelPair(Inbox::new, Inbox::new).clientsOver(countingLoops())) {
            EventLoop loop = pair.clientGroup.next();
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
}
