// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.channel;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.util.ReferenceCountUtil;
import io.nettyrdma.deadline.Deadline;
import io.nettyrdma.logs.Logs;
import io.nettyrdma.verbs.soft.faults.FaultPlan;
import io.nettyrdma.verbs.soft.faults.FaultRelay;
import io.nettyrdma.verbs.soft.faults.NothingLeft;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.LongFunction;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Faults of the network below a channel: it closes, on both sides, and every promise completes. */
@Over
@ExtendWith({LeavesNothingOpen.class, NothingLeft.class})
final class RdmaNetworkFaultTest {

    private static final int MESSAGES = 3;
    /** More than the frames and FPDUs of either direction, so that the last rounds are without a fault. */
    private static final int OCTETS = 260;

    private static final int STEP = 7;
    private static final long SILENCE_MILLIS = 200;

    enum Fault {
        CLOSE(octet -> FaultPlan.none().closeAt(octet)),
        RESET(octet -> FaultPlan.none().resetAt(octet)),
        CORRUPT(octet -> FaultPlan.none().corruptAt(octet).segmentsOf(50));

        final LongFunction<FaultPlan> plan;

        Fault(LongFunction<FaultPlan> plan) {
            this.plan = plan;
        }
    }

    /** What reached a pipeline and is no fault of the network. */
    private final Queue<Throwable> unexpected = new ConcurrentLinkedQueue<>();

    /** The server sends back what it gets, the client closes after the last. */
    private final class Party extends ChannelInboundHandlerAdapter {
        private final boolean server;
        private int received;

        Party(boolean server) {
            this.server = server;
        }

        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            if (server) {
                context.writeAndFlush(message);
                return;
            }
            ReferenceCountUtil.release(message);
            if (++received == MESSAGES) {
                context.close();
            }
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            if (!(cause instanceof IOException)) {
                unexpected.add(cause);
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void channelsOfBothSidesClose(Fault fault) throws Exception {
        // The network may break while an accepted channel is on its way to its event loop.
        Logs.allow(ServerBootstrap.class.getName(), "Failed to register an accepted channel");
        try (ChannelPair pair = new ChannelPair(() -> new Party(true), () -> new Party(false)).listen();
                FaultRelay relay = new FaultRelay(pair.address(), FaultPlan.none(), FaultPlan.none()).start()) {
            for (int octet = 0; octet < OCTETS; octet += STEP) {
                relay.plans(fault.plan.apply(octet), FaultPlan.none());
                talk(pair, relay);
                relay.plans(FaultPlan.none(), fault.plan.apply(octet));
                talk(pair, relay);
            }
        }
        assertThat(unexpected).isEmpty();
    }

    private static void talk(ChannelPair pair, FaultRelay relay) throws Exception {
        ChannelFuture connect = pair.clientBootstrap.connect(relay.address());
        assertThat(connect.await(Deadline.SECONDS, TimeUnit.SECONDS))
                .as("connect ends")
                .isTrue();
        Channel channel = connect.channel();
        List<ChannelFuture> writes = new ArrayList<>();
        for (int i = 0; i < MESSAGES; i++) {
            writes.add(channel.writeAndFlush(Unpooled.directBuffer().writeZero(10 + i)));
        }
        // Without an answer nobody knows that the other side waits for the rest of an FPDU.
        if (!channel.closeFuture().await(connect.isSuccess() ? SILENCE_MILLIS : 0)) {
            channel.close();
        }
        ChannelPair.await(channel.closeFuture(), "close");
        for (ChannelFuture write : writes) {
            assertThat(write.await(Deadline.SECONDS, TimeUnit.SECONDS))
                    .as("write ends")
                    .isTrue();
            assertThat(write.isSuccess() || write.cause() instanceof IOException)
                    .as("%s", write.cause())
                    .isTrue();
        }
        for (Channel c = pair.accepted.poll(); c != null; c = pair.accepted.poll()) {
            ChannelPair.await(c.closeFuture(), "close of the other side");
        }
    }
}
