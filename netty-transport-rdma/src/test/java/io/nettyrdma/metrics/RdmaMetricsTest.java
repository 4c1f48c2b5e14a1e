// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler.Sharable;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.ServerChannel;
import io.nettyrdma.channel.RdmaByteBufAllocator;
import io.nettyrdma.channel.RdmaChannel;
import io.nettyrdma.channel.RdmaChannelOption;
import io.nettyrdma.channel.RdmaIoHandler;
import io.nettyrdma.channel.RdmaServerChannel;
import io.nettyrdma.channel.TimedLoop;
import io.nettyrdma.deadline.Deadline;
import io.nettyrdma.socket.RdmaServerSocketChannel;
import io.nettyrdma.socket.RdmaSocketChannel;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.OS;

/** The meters of event loops, as a registry shows them. */
class RdmaMetricsTest {

    private static final int BYTES = 1000;

    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
    private final RdmaMetrics metrics = new RdmaMetrics(Tags.of("server", "echo"));
    private final EventLoopGroup before = group();
    private final Keeping kept = new Keeping();

    private static EventLoopGroup group() {
        return new MultiThreadIoEventLoopGroup(1, RdmaIoHandler.newFactory());
    }

    @AfterEach
    void end() throws Exception {
        kept.release();
        before.shutdownGracefully(0, Deadline.SECONDS, TimeUnit.SECONDS).sync();
        metrics.close();
    }

    @Test
    void messagesAreCountedOnLoopsThatRanBeforeAndOnLaterOnes() throws Exception {
        before.submit(() -> {}).sync();
        metrics.bindTo(registry);
        EventLoopGroup later = group();
        Channel client = connect(RdmaServerChannel.class, before, RdmaChannel.class, later);
        client.writeAndFlush(client.alloc().directBuffer().writeZero(BYTES)).sync();

        Deadline.until(() -> sum("rdma.received") == BYTES && sum("rdma.sent") == BYTES, "the next samples");
        assertThat(sum("rdma.sends")).isOne();
        assertThat(sum("rdma.receives")).isOne();
        assertThat(sum("rdma.connections")).isEqualTo(2);
        assertThat(sum("rdma.connections.active")).isEqualTo(2);
        assertThat(sum("rdma.receives.posted")).isPositive();
        assertThat(sum("rdma.memory")).isPositive();
        assertThat(sum("rdma.completions.reserved")).isPositive().isLessThan(sum("rdma.completions"));
        assertThat(registry.find("rdma.sent").tag("server", "echo").meters()).hasSize(2);

        if (OS.LINUX.isCurrentOs()
                && !System.getProperty("io.nettyrdma.soft.sameHost").equals("never")) {
            Deadline.until(
                    () -> {
                        client.writeAndFlush(client.alloc().directBuffer().writeZero(1));
                        return sum("rdma.connections.shared") == 2;
                    },
                    "traffic that is enough to move to shared memory");
        }

        client.close().sync();
        Deadline.until(() -> sum("rdma.connections.active") == 0, "the next samples");
        later.shutdownGracefully(0, Deadline.SECONDS, TimeUnit.SECONDS).sync();
        assertThat(registry.find("rdma.sent").meters()).hasSize(1);
    }

    @Test
    void bytesOfStreamsAreCountedByTheReceiver() throws Exception {
        metrics.bindTo(registry);
        Channel client = connect(RdmaServerSocketChannel.class, before, RdmaSocketChannel.class, before);
        client.writeAndFlush(client.alloc().directBuffer().writeZero(BYTES)).sync();

        Deadline.until(() -> sum("rdma.received") >= BYTES, "the next samples");
        assertThat(sum("rdma.sent")).isGreaterThanOrEqualTo(BYTES);
        client.close().sync();
    }

    @Test
    void messagesThatHandlersKeepAreCountedWhenTheyAreCopied() throws Exception {
        metrics.bindTo(registry);
        kept.keeps = true;
        Channel client = connect(RdmaServerChannel.class, before, RdmaChannel.class, before);
        for (int i = 0; i < 10; i++) {
            client.write(client.alloc().directBuffer().writeZero(BYTES));
        }
        client.flush();

        Deadline.until(() -> sum("rdma.receives") == 10, "the next samples");
        assertThat(sum("rdma.receives.copied")).isEqualTo(8);
        assertThat(sum("rdma.receives.exhausted")).isPositive();
        client.close().sync();
    }

    @Test
    void writesThatAreNotFlushedAreShown() throws Exception {
        metrics.bindTo(registry);
        Channel client = connect(RdmaServerChannel.class, before, RdmaChannel.class, before);
        client.write(client.alloc().directBuffer().writeZero(BYTES));

        Deadline.until(() -> sum("rdma.writes.waiting") >= BYTES, "the next samples");
        client.flush();
        Deadline.until(() -> sum("rdma.writes.waiting") == 0, "the next samples");
        client.close().sync();
    }

    @Test
    void failedConnectsAndConnectionsAreCountedByReason() throws Exception {
        metrics.bindTo(registry);
        Bootstrap bootstrap =
                new Bootstrap().group(before).channel(RdmaSocketChannel.class).handler(kept);
        Channel client = connect(RdmaServerSocketChannel.class, before, RdmaSocketChannel.class, before);
        InetSocketAddress nobody = freeAddress();
        assertThat(bootstrap.connect(nobody).await().cause()).isInstanceOf(ConnectException.class);
        ((RdmaSocketChannel) client).config().setSoLinger(0);
        client.close().sync();

        Deadline.until(() -> failed("rdma.connections.failed", "reset") == 1, "the next samples");
        assertThat(failed("rdma.connects.failed", "refused")).isOne();
        assertThat(sum("rdma.connections.failed")).isOne();
        assertThat(sum("rdma.connects.failed")).isOne();
    }

    private double failed(String name, String reason) {
        return registry.get(name).tag("reason", reason).functionCounter().count();
    }

    private static InetSocketAddress freeAddress() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return (InetSocketAddress) socket.getLocalSocketAddress();
        }
    }

    @Test
    void aClosedBinderLeavesNoMeters() throws Exception {
        before.submit(() -> {}).sync();
        metrics.bindTo(registry);
        assertThat(registry.getMeters()).isNotEmpty();

        metrics.close();

        assertThat(registry.getMeters()).isEmpty();
    }

    @Test
    void loopsOfOneNameHaveMetersOfTheirOwn() throws Exception {
        metrics.bindTo(registry);
        EventLoopGroup first = new MultiThreadIoEventLoopGroup(1, named("io"), RdmaIoHandler.newFactory());
        EventLoopGroup second = new MultiThreadIoEventLoopGroup(1, named("io"), RdmaIoHandler.newFactory());
        first.submit(() -> {}).sync();
        second.submit(() -> {}).sync();
        assertThat(registry.find("rdma.sent").tag("loop", "io").meters()).hasSize(1);
        assertThat(registry.find("rdma.sent").tag("loop", "io-2").meters()).hasSize(1);
        first.shutdownGracefully(0, Deadline.SECONDS, TimeUnit.SECONDS).sync();
        assertThat(registry.find("rdma.sent").tag("loop", "io-2").meters()).hasSize(1);
        second.shutdownGracefully(0, Deadline.SECONDS, TimeUnit.SECONDS).sync();
        assertThat(registry.getMeters()).isEmpty();
    }

    private static ThreadFactory named(String name) {
        return task -> new Thread(task, name);
    }

    /** It would wake a loop that is suspended. */
    @Test
    void timerRunsOnlyWhileALoopHasChannels() throws Exception {
        metrics.bindTo(registry);
        TimedLoop loop = new TimedLoop(RdmaIoHandler.newFactory());
        loop.submit(() -> {}).sync();
        Deadline.until(() -> !loop.hasTimers(), "the end of the timer");
        Channel listener = new ServerBootstrap()
                .group(loop)
                .channel(RdmaServerChannel.class)
                .childHandler(kept)
                .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                .sync()
                .channel();
        Deadline.until(loop::hasTimers, "the timer, which is not in the queue when it is due");
        listener.close().sync();
        Deadline.until(() -> !loop.hasTimers(), "the end of the timer");
        loop.shutdownGracefully(0, Deadline.SECONDS, TimeUnit.SECONDS).sync();
    }

    @Test
    void theAllocatorCountsTheMemoryOfAllLoops() throws Exception {
        long atFirst = RdmaByteBufAllocator.DEFAULT.metric().usedDirectMemory();
        EventLoopGroup group = group();
        Channel client = connect(RdmaServerChannel.class, group, RdmaChannel.class, group);

        assertThat(RdmaByteBufAllocator.DEFAULT.metric().usedDirectMemory()).isGreaterThan(atFirst);
        assertThat(RdmaByteBufAllocator.DEFAULT.metric().usedHeapMemory()).isZero();

        client.close().sync();
        group.shutdownGracefully(0, Deadline.SECONDS, TimeUnit.SECONDS).sync();
        assertThat(RdmaByteBufAllocator.DEFAULT.metric().usedDirectMemory()).isEqualTo(atFirst);
    }

    private Channel connect(
            Class<? extends ServerChannel> server,
            EventLoopGroup ofServer,
            Class<? extends Channel> client,
            EventLoopGroup ofClient)
            throws Exception {
        ServerBootstrap bootstrap = new ServerBootstrap();
        if (server == RdmaServerChannel.class) {
            bootstrap.childOption(RdmaChannelOption.RDMA_RECEIVE_COUNT, 2);
        }
        Channel listener = bootstrap
                .group(ofServer)
                .channel(server)
                .childHandler(kept)
                .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                .sync()
                .channel();
        return new Bootstrap()
                .group(ofClient)
                .channel(client)
                .handler(new ChannelInboundHandlerAdapter())
                .connect(listener.localAddress())
                .sync()
                .channel();
    }

    private double sum(String name) {
        List<Meter> meters = List.copyOf(registry.find(name).meters());
        return meters.stream()
                .mapToDouble(meter -> meter.measure().iterator().next().getValue())
                .sum();
    }

    /** Releases what it reads, or keeps it until the end. */
    @Sharable
    private static final class Keeping extends ChannelInboundHandlerAdapter {

        private final Queue<ByteBuf> messages = new ConcurrentLinkedQueue<>();
        private volatile boolean keeps;

        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            if (keeps) {
                messages.add((ByteBuf) message);
            } else {
                ((ByteBuf) message).release();
            }
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            // counted
        }

        void release() {
            messages.forEach(ByteBuf::release);
        }
    }
}
