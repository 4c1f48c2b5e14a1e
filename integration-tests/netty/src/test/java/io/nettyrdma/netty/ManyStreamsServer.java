// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.netty;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.ChannelHandler.Sharable;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.util.internal.PlatformDependent;
import io.nettyrdma.channel.RdmaIoHandler;
import io.nettyrdma.deadline.Deadline;
import io.nettyrdma.socket.RdmaServerSocketChannel;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.Writer;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** A process with a server that sends back all bytes and tells how much memory it uses. */
final class ManyStreamsServer {

    static final String ADDRESS = InetAddress.getLoopbackAddress().getHostAddress();

    private static final int BACKLOG = 1024;

    private ManyStreamsServer() {}

    /** Heap after collection, plus direct memory. */
    static long usedBytes() {
        long heap = Long.MAX_VALUE;
        for (int i = 0; i < 4; i++) {
            System.gc();
            heap = Math.min(
                    heap,
                    ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed());
        }
        long direct = ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream()
                .mapToLong(BufferPoolMXBean::getMemoryUsed)
                .sum();
        // The JDK counts Netty's direct memory too, unless Netty allocates it behind the JDK's back.
        return heap + Math.max(direct, PlatformDependent.usedDirectMemory());
    }

    static Running start() throws IOException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        for (String argument : ManagementFactory.getRuntimeMXBean().getInputArguments()) {
            if (argument.startsWith("-X") || argument.startsWith("-Dio.netty")) {
                command.add(argument);
            }
        }
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), ManyStreamsServer.class.getName()));
        return new Running(new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start());
    }

    /** The process. */
    static final class Running implements AutoCloseable {

        private static final String ANSWER = "answer:";

        private final Process process;
        private final Writer questions;
        private final BufferedReader answers;
        private final int port;

        private Running(Process process) throws IOException {
            this.process = process;
            questions = process.outputWriter(StandardCharsets.UTF_8);
            answers = process.inputReader(StandardCharsets.UTF_8);
            port = (int) answer();
        }

        int port() {
            return port;
        }

        /** The bytes that it uses when it has so many connections. */
        long usedBytes(int connections) throws IOException {
            questions.write(connections + "\n");
            questions.flush();
            return answer();
        }

        private long answer() throws IOException {
            for (String line = answers.readLine(); line != null; line = answers.readLine()) {
                if (line.startsWith(ANSWER)) {
                    return Long.parseLong(line.substring(ANSWER.length()));
                }
            }
            throw new IOException("the server's process has ended; its errors are above");
        }

        @Override
        public void close() throws IOException {
            try {
                questions.close();
                if (!process.waitFor(Deadline.SECONDS, TimeUnit.SECONDS) || process.exitValue() != 0) {
                    throw new IOException("the server's process did not end well");
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            } finally {
                process.destroyForcibly();
            }
        }
    }

    @Sharable
    private static final class Echo extends ChannelInboundHandlerAdapter {
        private final AtomicInteger open = new AtomicInteger();

        @Override
        public void channelActive(ChannelHandlerContext context) {
            open.incrementAndGet();
        }

        @Override
        public void channelInactive(ChannelHandlerContext context) {
            open.decrementAndGet();
        }

        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            context.writeAndFlush(message, context.voidPromise());
        }
    }

    /** Standard input: numbers of connections to wait for, and its end to end. */
    public static void main(String[] arguments) throws Exception {
        EventLoopGroup group = new MultiThreadIoEventLoopGroup(2, RdmaIoHandler.newFactory());
        Echo echo = new Echo();
        InetSocketAddress address = (InetSocketAddress) new ServerBootstrap()
                .group(group)
                .channel(RdmaServerSocketChannel.class)
                .option(ChannelOption.SO_BACKLOG, BACKLOG)
                .childHandler(echo)
                .bind(new InetSocketAddress(ADDRESS, 0))
                .sync()
                .channel()
                .localAddress();
        System.out.println(Running.ANSWER + address.getPort());
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            while (echo.open.get() != Integer.parseInt(line)) {
                Thread.sleep(10); // a client that does not come is the test's to notice
            }
            System.out.println(Running.ANSWER + usedBytes());
        }
        group.shutdownGracefully(0, 10, TimeUnit.SECONDS).sync();
    }
}
