// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.channel;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelOption;
import io.netty.util.concurrent.AbstractScheduledEventExecutor;
import io.netty.util.concurrent.EventExecutor;
import io.nettyrdma.channel.StreamTalker.Ending;
import io.nettyrdma.socket.RdmaSocketChannel;
import io.nettyrdma.socket.RdmaSocketChannelOption;
import io.nettyrdma.verbs.soft.SoftProvider.OpenResources;
import io.nettyrdma.verbs.soft.faults.FaultPlan;
import io.nettyrdma.verbs.soft.faults.FaultRelay;
import java.io.IOException;
import java.lang.reflect.Field;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;

/**
 * Streams that break and one that does not, on the same event loops. Knows what the loops have when only the second is
 * there, and {@link #end} waits until they have that again.
 */
final class FaultedStreams implements AutoCloseable {

    /** Without faults, everything is over sooner; with them, some wait for octets that never come. */
    private static final long SILENCE_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

    /** Slabs that a loop may keep, one of each length of a slot. */
    private static final int SPARE_SLABS = 3;

    /** What loops and their provider have. */
    private record Present(OpenResources resources, List<Long> usedBytes, List<Integer> timers) {

        /** Whether there is nothing more here; loops may keep some empty slabs for the connections to come. */
        boolean isWithin(Present other) {
            OpenResources theirs = other.resources;
            return resources.ids() == theirs.ids()
                    && resources.queuePairs() == theirs.queuePairs()
                    && resources.connections() == theirs.connections()
                    && resources.memoryRegions() <= theirs.memoryRegions() + SPARE_SLABS * timers.size()
                    && usedBytes.equals(other.usedBytes)
                    && timers.equals(other.timers);
        }
    }

    private final Ending ending;
    private final Queue<StreamTalker> servers = new ConcurrentLinkedQueue<>();
    private final StreamPair pair;
    final FaultRelay relay;
    private final Inbox inbox = new Inbox();
    private Channel bystander;
    private Present alone;
    /** Whether the programs close what they wait for in vain. */
    private volatile boolean givenUp;

    /** Octets of a conversation without faults. */
    int forthOctets;

    int backOctets;

    FaultedStreams(Ending ending) throws Exception {
        this.ending = ending;
        pair = new StreamPair(
                        TestProvider.tested(),
                        () -> new StreamTalker(ending, true, servers::add, this::isGivenUp),
                        Inbox::new)
                .option(ChannelOption.ALLOW_HALF_CLOSURE, ending == Ending.HALF_CLOSE)
                .option(RdmaSocketChannelOption.RDMA_STREAM_BUFFERS, 2)
                .option(ChannelOption.SO_RCVBUF, 128)
                .listen();
        relay = new FaultRelay(pair.address(), FaultPlan.none(), FaultPlan.none()).start();
    }

    /** Connects the bystander, and learns what a conversation without faults is. */
    FaultedStreams start() throws Exception {
        ChannelFuture echoes = pair.serverBootstrap
                .clone()
                .childHandler(new Echo())
                .bind(new InetSocketAddress(TestProvider.address(), 0));
        ChannelPair.await(echoes, "bind");
        bystander = ChannelPair.await(
                        pair.clientBootstrap
                                .clone()
                                .handler(inbox)
                                .connect(echoes.channel().localAddress()),
                        "bystander's connect")
                .channel();
        checkBystander();
        endWhole(begin("warm-up")); // what loops keep for the next connection is there from now on
        checkBystander();
        StreamTalker whole = begin("without a fault");
        endWhole(whole);
        ChannelPair.until(relay::isIdle, "the relay has handed on everything");
        forthOctets = (int) relay.latestForthOctets();
        backOctets = (int) relay.latestBackOctets();
        checkBystander();
        // Twice, as a timer that is due and has not run may start another one.
        ChannelPair.until(() -> !runsTimers() && !runsTimers(), "timers of young connections are over");
        ChannelPair.until(() -> isAlone(present().resources), () -> "left over without a fault: " + present());
        alone = present();
        return this;
    }

    private boolean isGivenUp() {
        return givenUp;
    }

    private void endWhole(StreamTalker client) throws Exception {
        ChannelPair.until(() -> client.isOver() && servers.stream().allMatch(StreamTalker::isOver), "both ends");
        ChannelPair.onLoop(client.channel(), client::checkWhole);
        for (StreamTalker server = servers.poll(); server != null; server = servers.poll()) {
            ChannelPair.onLoop(server.channel(), server::checkWhole);
        }
    }

    private static boolean isAlone(OpenResources resources) {
        return resources.ids() == 2 + 2 // two listeners, and both sides of the bystander
                && resources.queuePairs() == 2
                && resources.connections() == 2;
    }

    private List<EventExecutor> loops() {
        List<EventExecutor> loops = new ArrayList<>();
        pair.serverGroup.forEach(loops::add);
        pair.clientGroup.forEach(loops::add);
        return loops;
    }

    private Present present() {
        try {
            List<Long> usedBytes = new ArrayList<>();
            for (EventExecutor loop : loops()) {
                usedBytes.add(ChannelPair.await(loop.submit(LoopMemory::usedBytes), "used bytes")
                        .getNow());
            }
            return new Present(TestProvider.tested().openResources(), usedBytes, timers());
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    private boolean runsTimers() {
        return timers().stream().anyMatch(count -> count > 0);
    }

    private List<Integer> timers() {
        try {
            Field queue = AbstractScheduledEventExecutor.class.getDeclaredField("scheduledTaskQueue");
            queue.setAccessible(true);
            List<Integer> timers = new ArrayList<>();
            for (EventExecutor loop : loops()) {
                timers.add(ChannelPair.await(
                                loop.submit(() -> queue.get(loop) instanceof Collection<?> tasks ? tasks.size() : 0),
                                "timers")
                        .getNow());
            }
            return timers;
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    /** Begins a conversation through the relay. */
    StreamTalker begin(String what) {
        StreamTalker client = new StreamTalker(ending, false, talker -> {}, this::isGivenUp);
        client.what = what;
        ChannelFuture connect =
                pair.clientBootstrap.clone().handler((ChannelHandler) client).connect(relay.address());
        connect.channel().eventLoop().execute(() -> client.expect("connect", connect));
        client.channel = (RdmaSocketChannel) connect.channel();
        return client;
    }

    /**
     * Waits until the conversations have ended, and looks at what is left of them.
     *
     * @param bySilence whether some wait for what never comes, so that the programs have to close them
     * @param inOrder   whether the network may have ended connections as a peer's system does
     */
    void end(List<StreamTalker> clients, boolean bySilence, boolean inOrder) throws Exception {
        long limit = System.nanoTime() + SILENCE_NANOS;
        if (bySilence) {
            for (StreamTalker client : clients) {
                long left = Math.max(0, limit - System.nanoTime());
                client.channel().closeFuture().await(left, TimeUnit.NANOSECONDS);
            }
            givenUp = true;
            clients.forEach(FaultedStreams::close);
            servers.forEach(FaultedStreams::close);
        }
        ChannelPair.until(() -> clients.stream().allMatch(StreamTalker::isOver), () -> "end of " + open(clients));
        if (bySilence) {
            relay.drop();
        }
        ChannelPair.until(
                () -> servers.stream().allMatch(StreamTalker::isOver),
                () -> "end of " + open(servers) + " beside " + clients.get(0).what);
        checkBystander();
        ChannelPair.until(
                () -> present().isWithin(alone),
                () -> "left over: " + present() + " (expected: " + alone + ") since " + clients.get(0).what);
        givenUp = false;
        List<StreamTalker> talkers = new ArrayList<>(clients);
        for (StreamTalker server = servers.poll(); server != null; server = servers.poll()) {
            server.what = "accepted since " + clients.get(0).what;
            talkers.add(server);
        }
        check(talkers, inOrder);
    }

    /**
     * A stream ends early and without a reason only if its peer has found set-up data that were changed, or if the
     * network has ended the connection in order.
     */
    private static void check(List<StreamTalker> talkers, boolean inOrder) throws Exception {
        List<String> unexplained = new ArrayList<>();
        int violations = 0;
        for (StreamTalker talker : talkers) {
            ChannelPair.onLoop(talker.channel(), talker::check);
            if (ChannelPair.onLoop(talker.channel(), talker::isUnexplained)) {
                unexplained.add(ChannelPair.onLoop(talker.channel(), talker::text));
            }
            violations += ChannelPair.onLoop(talker.channel(), talker::hasFoundViolation) ? 1 : 0;
        }
        assertThat(unexplained)
                .as("without a reason, %d violations", violations)
                .hasSizeLessThanOrEqualTo(inOrder ? talkers.size() : violations);
    }

    private static void close(StreamTalker talker) {
        talker.channel().eventLoop().execute(() -> {
            if (!talker.isOver()) {
                talker.close();
            }
        });
    }

    private static List<String> open(Collection<StreamTalker> talkers) {
        return talkers.stream()
                .filter(talker -> !talker.isOver())
                .map(talker -> talker.what + " " + talker.channel())
                .toList();
    }

    private void checkBystander() throws Exception {
        ChannelPair.await(bystander.writeAndFlush(Unpooled.copyLong(42)), "bystander's write");
        int received = 0;
        while (received < Long.BYTES) {
            received += inbox.next().length;
        }
        assertThat(received).isEqualTo(Long.BYTES);
        assertThat(inbox.failures).isEmpty();
    }

    @Override
    public void close() throws IOException {
        try (relay) {
            pair.close();
        }
    }
}
