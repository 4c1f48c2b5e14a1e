// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.channel;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.util.internal.PlatformDependent;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * What a device of the Linux kernel has left after many connections and after a long time: the kernel counts what user
 * space forgets. As many minutes of load as {@code -Dload.minutes} says, 2 unless set.
 */
@Tag("native")
@Timeout(value = 30, unit = TimeUnit.MINUTES)
final class LoadOverNativeTest {

    private static final long MINUTES = Long.getLong("load.minutes", 2);
    private static final int CONNECTS = Integer.getInteger("load.connects", 1000);
    private static final int MOST_BYTES = 60_000;
    /** Of the messages in turn: each connection has memory of all sizes, so that soon no loop wants more of any. */
    private static final int[] LENGTHS = {0, 1, 64, 4096, 20_000, MOST_BYTES};

    private static final int MOST_IN_FLIGHT = 16;
    private static final int MESSAGES = 4 * LENGTHS.length;
    private static final int BLOCK_BYTES = 1 << 18;
    /** What the caches of Netty, Java and the C library may add after the first rounds. */
    private static final long SLACK_BYTES = 32 << 20;

    /** More than that of a heap: the JVM's own, such as compiled code, comes on top. */
    private static final long RESIDENT_SLACK_BYTES = 128 << 20;

    /** Slabs of a size that happen to be idle, kept for the next use. */
    private static final int REGIONS_SLACK = 16;

    @Test
    void connectionsInTurnLeaveNothing() throws Exception {
        try (ChannelPair pair = new ChannelPair(TestProvider.NATIVE, EchoCaller.Server::new, Inbox::new).listen()) {
            roundTrip(pair); // opens the device for both loops of the server and the client's
            roundTrip(pair);
            DeviceResources before = DeviceResources.now();
            long began = System.nanoTime();
            for (int i = 0; i < CONNECTS; i++) {
                roundTrip(pair);
            }
            DeviceResources after = DeviceResources.awaitConnectionsOf(before);
            System.out.printf(
                    "%,d connections in turn in %d s: before %s, after %s%n",
                    CONNECTS,
                    TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - began),
                    before.counts(),
                    after.counts());
            assertThat(after).isEqualTo(before);
        }
    }

    /** A connection, a message each way, and its end on both sides. */
    private static void roundTrip(ChannelPair pair) throws Exception {
        EchoCaller caller = new EchoCaller(64, 1, 1);
        Channel channel = ChannelPair.await(
                        pair.clientBootstrap.clone().handler(caller).connect(pair.address()), "connect")
                .channel();
        caller.await();
        ChannelPair.await(channel.close(), "close");
        ChannelPair.await(pair.accepted().closeFuture(), "the end of the accepted channel");
    }

    /** What the process has when nothing is under way but the one connection that lasts. */
    private record Memory(long heapBytes, long directBytes, long residentBytes, int regions) {

        static Memory now() throws IOException {
            System.gc();
            long resident = Files.readAllLines(Path.of("/proc/self/status")).stream()
                    .filter(line -> line.startsWith("VmRSS:"))
                    .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")) << 10)
                    .sum();
            return new Memory(
                    ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed(),
                    PlatformDependent.usedDirectMemory(),
                    resident,
                    DeviceResources.now().regions());
        }

        @Override
        public String toString() {
            return "%,d KiB of heap, %,d KiB direct, %,d KiB resident, %d memory regions"
                    .formatted(heapBytes >> 10, directBytes >> 10, residentBytes >> 10, regions);
        }
    }

    @Test
    void mixedLoadKeepsMemoryFlat() throws Exception {
        Random random = new Random(11);
        EventLoopGroup clients = new MultiThreadIoEventLoopGroup(2, TestProvider.NATIVE.newFactory());
        EchoCaller lasting = new EchoCaller(64, Integer.MAX_VALUE, 2);
        try (ChannelPair pair = new ChannelPair(TestProvider.NATIVE, EchoCaller.Server::new, () -> lasting)
                        .option(RdmaChannelOption.RDMA_RECEIVE_SIZE, MOST_BYTES)
                        .option(RdmaChannelOption.RDMA_RECEIVE_COUNT, 2 * MOST_IN_FLIGHT)
                        .listen();
                ChannelPair memory = new ChannelPair(TestProvider.NATIVE, Inbox::new, Inbox::new).listen();
                ChannelPair proxy = new ChannelPair(
                                TestProvider.NATIVE,
                                () -> Proxy.to(pair.clientBootstrap
                                        .clone(clients)
                                        .option(RdmaChannelOption.RDMA_RECEIVE_SIZE, MOST_BYTES)
                                        .option(RdmaChannelOption.RDMA_RECEIVE_COUNT, 4 * MOST_IN_FLIGHT)
                                        .remoteAddress(pair.address())),
                                Inbox::new)
                        .option(RdmaChannelOption.RDMA_RECEIVE_SIZE, MOST_BYTES)
                        .option(RdmaChannelOption.RDMA_RECEIVE_COUNT, 4 * MOST_IN_FLIGHT)
                        .listen()) {
            Channel lastingChannel = pair.connect();
            Bootstrap bootstrap = pair.clientBootstrap.clone(clients);
            long end = System.nanoTime() + TimeUnit.MINUTES.toNanos(MINUTES);
            long warm = System.nanoTime() + TimeUnit.MINUTES.toNanos(MINUTES) / 4;
            Memory before = null;
            int rounds = 0;
            DeviceResources quiet = DeviceResources.now();
            while (System.nanoTime() - end < 0) {
                round(bootstrap, pair, proxy, memory, random);
                DeviceResources.awaitConnectionsOf(quiet);
                rounds++;
                if (before == null && System.nanoTime() - warm > 0) {
                    before = Memory.now();
                }
            }
            Memory after = Memory.now();
            System.out.printf("%d rounds of mixed load: %s; at the end %s%n", rounds, before, after);
            lasting.endAfterWhatIsUnderWay(lastingChannel);
            assertThat(lasting.await()).isPositive();
            assertThat(before)
                    .as("memory after a quarter of %s minutes", MINUTES)
                    .isNotNull();
            assertThat(after.heapBytes()).isLessThan(before.heapBytes() + SLACK_BYTES);
            assertThat(after.directBytes()).isLessThan(before.directBytes() + SLACK_BYTES);
            assertThat(after.residentBytes()).isLessThan(before.residentBytes() + RESIDENT_SLACK_BYTES);
            assertThat(after.regions()).isLessThan(before.regions() + REGIONS_SLACK);
        } finally {
            ChannelPair.await(clients.shutdownGracefully(0, 5, TimeUnit.SECONDS), "end of the group");
        }
    }

    /** Three connections with messages of all lengths each, one of them by way of the proxy, beside remote memory. */
    private static void round(
            Bootstrap bootstrap, ChannelPair pair, ChannelPair proxy, ChannelPair memory, Random random)
            throws Exception {
        List<Channel> channels = new ArrayList<>();
        List<EchoCaller> callers = new ArrayList<>();
        for (ChannelPair through : List.of(pair, pair, proxy)) {
            EchoCaller caller = new EchoCaller(number -> LENGTHS[number % LENGTHS.length], MESSAGES, MOST_IN_FLIGHT);
            callers.add(caller);
            channels.add(ChannelPair.await(bootstrap.clone().handler(caller).connect(through.address()), "connect")
                    .channel());
        }
        writeAndReadBack(memory, BLOCK_BYTES, random);
        for (EchoCaller caller : callers) {
            caller.await();
        }
        for (Channel channel : channels) {
            ChannelPair.await(channel.close(), "close");
        }
        pair.accepted.clear();
        proxy.accepted.clear();
    }

    private static void writeAndReadBack(ChannelPair pair, int bytes, Random random) throws Exception {
        RdmaChannel channel = pair.connect();
        RdmaChannel child = pair.accepted();
        ChannelPair.until(child::isActive, "the accepted channel is active");
        byte[] octets = new byte[bytes];
        random.nextBytes(octets);
        RdmaMemory exposed = ChannelPair.onLoop(child, () -> child.allocateMemory(bytes, RdmaAccess.REMOTE_READ_WRITE));
        TestProvider.NATIVE.awaitExposure(child);
        RdmaMemory target = ChannelPair.onLoop(channel, () -> channel.allocateMemory(bytes, RdmaAccess.LOCAL));
        for (int i = 0; i < 4; i++) {
            target.content().clear();
            channel.write(new RdmaWrite(Unpooled.wrappedBuffer(octets), exposed.segment()));
            ChannelPair.await(
                    channel.writeAndFlush(
                            new RdmaRead(exposed.segment(), target.content().retain())),
                    "write and read");
            byte[] back = new byte[bytes];
            target.content().getBytes(0, back);
            assertThat(Arrays.equals(back, octets))
                    .as("%d octets come back", bytes)
                    .isTrue();
        }
        exposed.release();
        target.release();
        ChannelPair.await(channel.close(), "close");
    }
}
