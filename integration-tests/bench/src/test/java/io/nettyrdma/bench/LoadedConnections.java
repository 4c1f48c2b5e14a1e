// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.bench;

import com.sun.management.ThreadMXBean;
import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.SocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;

/**
 * The connections of a scenario on one stack, with both ends in this process: server and client with an event loop
 * each, real sockets on loopback.
 *
 * <p>Threading: one thread calls all methods.
 */
final class LoadedConnections implements AutoCloseable {

    /** Where servers listen: on loopback, unless the device is elsewhere. */
    static final String ADDRESS =
            System.getProperty("bench.address", InetAddress.getLoopbackAddress().getHostAddress());

    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    private final Stack stack;
    private final Scenario scenario;
    private final ConcurrentLinkedQueue<Thread> loops = new ConcurrentLinkedQueue<>();
    private final List<Channel> channels = new ArrayList<>();
    private final EventLoopGroup servers;
    private final EventLoopGroup clients;
    private final Workload load;

    private LoadedConnections(Stack stack, Scenario scenario) {
        this.stack = stack;
        this.scenario = scenario;
        servers = stack.group(1, recording("bench-server"));
        clients = stack.group(1, recording("bench-client"));
        load = scenario.workload().create(stack, scenario);
    }

    /** Listens and connects as often as the scenario says. */
    static LoadedConnections open(Stack stack, Scenario scenario) throws InterruptedException {
        LoadedConnections opened = new LoadedConnections(stack, scenario);
        try {
            SocketAddress address = opened.listen();
            for (int i = 0; i < scenario.connections(); i++) {
                opened.channels.add(opened.connect(address));
            }
            return opened;
        } catch (InterruptedException | RuntimeException e) {
            opened.close();
            throw e;
        }
    }

    private ThreadFactory recording(String name) {
        DefaultThreadFactory threads = new DefaultThreadFactory(name, true);
        return task -> {
            Thread thread = threads.newThread(task);
            loops.add(thread);
            return thread;
        };
    }

    private SocketAddress listen() throws InterruptedException {
        return new ServerBootstrap()
                .group(servers)
                .channel(stack.serverChannel())
                .childHandler(initializer(load::initServer))
                .bind(stack.address())
                .sync()
                .channel()
                .localAddress();
    }

    private Channel connect(SocketAddress address) throws InterruptedException {
        return new Bootstrap()
                .group(clients)
                .channel(stack.channel())
                .handler(initializer(load::initClient))
                .connect(address)
                .sync()
                .channel();
    }

    private static ChannelHandler initializer(Consumer<Channel> init) {
        return new ChannelInitializer<>() {
            @Override
            protected void initChannel(Channel channel) {
                init.accept(channel);
            }
        };
    }

    Workload load() {
        return load;
    }

    /** Sends as many messages as the scenario says and waits for all answers. */
    void turn(long timeoutSeconds) throws Exception {
        Future<?> turn = load.start(channels, scenario.messages());
        try {
            turn.get(timeoutSeconds, TimeUnit.SECONDS);
        } catch (TimeoutException e) {
            throw new IllegalStateException("a round did not end within " + timeoutSeconds + " s", e);
        }
    }

    /** What both loops have used of processors so far, in nanoseconds. */
    long cpuNanos() {
        long sum = 0;
        for (Thread loop : loops) {
            sum += Math.max(0, THREADS.getThreadCpuTime(loop.getId()));
        }
        return sum;
    }

    /** What both loops have allocated on the heap so far. */
    long allocatedBytes() {
        long sum = 0;
        for (Thread loop : loops) {
            sum += Math.max(0, THREADS.getThreadAllocatedBytes(loop.getId()));
        }
        return sum;
    }

    @Override
    public void close() {
        try {
            for (Channel channel : channels) {
                channel.close().syncUninterruptibly();
            }
        } finally {
            servers.shutdownGracefully(0, 5, TimeUnit.SECONDS).syncUninterruptibly();
            clients.shutdownGracefully(0, 5, TimeUnit.SECONDS).syncUninterruptibly();
        }
    }
}
