/*
 * Copyright 2026 The Netty RDMA authors
 *
 * Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
 * with the License. You may obtain a copy of the License at
 *
 *     https://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software distributed under the License is distributed
 * on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for
 * the specific language governing permissions and limitations under the License.
 */
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
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;

/** One round of one competitor: server and client with an event loop each, real sockets on loopback. */
final class EchoRun {

    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    private final Stack stack;
    private final Scenario scenario;
    private final ConcurrentLinkedQueue<Thread> loops = new ConcurrentLinkedQueue<>();

    EchoRun(Stack stack, Scenario scenario) {
        this.stack = stack;
        this.scenario = scenario;
    }

    EchoResult run(long timeoutSeconds) throws Exception {
        long memory = Surroundings.memoryBytes();
        EventLoopGroup servers = stack.group(1, recording("bench-server"));
        EventLoopGroup clients = stack.group(1, recording("bench-client"));
        try {
            Workload load = scenario.workload().create(stack, scenario);
            InetSocketAddress address = listen(servers, load);
            List<Channel> channels = new ArrayList<>();
            for (int i = 0; i < scenario.connections(); i++) {
                channels.add(connect(clients, address, load));
            }
            await(load.start(channels, scenario.messages()), timeoutSeconds); // warm-up
            long cpu = cpuNanos();
            long allocated = allocatedBytes();
            long started = System.nanoTime();
            await(load.start(channels, scenario.messages()), timeoutSeconds);
            double seconds = (System.nanoTime() - started) / 1e9;
            double count = scenario.messages();
            double cpuPerMessage = (cpuNanos() - cpu) / count;
            double allocatedPerMessage = (allocatedBytes() - allocated) / count;
            double p50 = load.percentile(50);
            double p99 = load.percentile(99);
            load.forget();
            EchoResult result = new EchoResult(
                    count / seconds,
                    p50,
                    p99,
                    cpuPerMessage,
                    allocatedPerMessage,
                    (double) (Surroundings.memoryBytes() - memory) / scenario.connections());
            for (Channel channel : channels) {
                channel.close().sync();
            }
            return result;
        } finally {
            servers.shutdownGracefully(0, 5, TimeUnit.SECONDS).sync();
            clients.shutdownGracefully(0, 5, TimeUnit.SECONDS).sync();
        }
    }

    private static void await(java.util.concurrent.Future<?> future, long timeoutSeconds) throws Exception {
        try {
            future.get(timeoutSeconds, TimeUnit.SECONDS);
        } catch (TimeoutException e) {
            throw new IllegalStateException("a round did not end within " + timeoutSeconds + " s", e);
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

    private InetSocketAddress listen(EventLoopGroup group, Workload load) throws InterruptedException {
        return (InetSocketAddress) new ServerBootstrap()
                .group(group)
                .channel(stack.serverChannel())
                .childHandler(initializer(load::initServer))
                .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                .sync()
                .channel()
                .localAddress();
    }

    private Channel connect(EventLoopGroup group, InetSocketAddress address, Workload load)
            throws InterruptedException {
        return new Bootstrap()
                .group(group)
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

    private long cpuNanos() {
        long sum = 0;
        for (Thread loop : loops) {
            sum += Math.max(0, THREADS.getThreadCpuTime(loop.getId()));
        }
        return sum;
    }

    private long allocatedBytes() {
        long sum = 0;
        for (Thread loop : loops) {
            sum += Math.max(0, THREADS.getThreadAllocatedBytes(loop.getId()));
        }
        return sum;
    }
}
