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
package io.nettyrdma.examples.cli;

import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.timeout.ReadTimeoutException;
import io.netty.handler.timeout.ReadTimeoutHandler;
import io.netty.util.concurrent.Promise;
import io.nettyrdma.channel.Rdma;
import io.nettyrdma.channel.RdmaChannel;
import io.nettyrdma.channel.RdmaIoHandler;
import io.nettyrdma.examples.guard.Addresses;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.InetSocketAddress;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Sends messages to an echo server, checks what comes back and measures how long it takes. */
@Command(
        name = "echo-client",
        mixinStandardHelpOptions = true,
        description = "Sends messages to echo-server, checks the answers, reports latencies.")
final class EchoClientCommand implements Callable<Integer> {

    private static final int MIN_MESSAGE = Integer.BYTES;

    @Spec
    private CommandSpec spec;

    @Parameters(index = "0", arity = "0..1", paramLabel = "HOST", defaultValue = "127.0.0.1")
    private String host;

    @Option(
            names = {"-p", "--port"},
            defaultValue = "" + EchoServerCommand.DEFAULT_PORT,
            description = "port (default: ${DEFAULT-VALUE})")
    @InRange(from = 1, to = InRange.MAX_PORT)
    private int port;

    @Option(
            names = {"-s", "--size"},
            paramLabel = "OCTETS",
            defaultValue = "64",
            description = "message size, at least " + MIN_MESSAGE + " (default: ${DEFAULT-VALUE})")
    @InRange(from = MIN_MESSAGE)
    private int size;

    @Mixin
    private LoadOptions load;

    /** Keeps a number of messages on their way. Each carries its number, and the rest is derived from it. */
    private static final class Client extends SimpleChannelInboundHandler<ByteBuf> {
        private final Progress progress;
        private final LoadOptions load;
        private final int size;
        private final InetSocketAddress server;
        private final Promise<Void> done;
        private final ArrayDeque<Long> sentAt = new ArrayDeque<>();
        /** What follows the number of a message begins here at its lowest octet. */
        private final byte[] pattern;

        private final byte[] content;
        private int sent;
        private int answered;

        Client(Progress progress, LoadOptions load, int size, InetSocketAddress server, Promise<Void> done) {
            this.progress = progress;
            this.load = load;
            this.size = size;
            this.server = server;
            this.done = done;
            content = new byte[size - MIN_MESSAGE];
            pattern = new byte[0xff + content.length];
            for (int i = 0; i < pattern.length; i++) {
                pattern[i] = (byte) (MIN_MESSAGE + i);
            }
        }

        @Override
        public void channelActive(ChannelHandlerContext context) {
            for (int i = 0; i < load.inFlight() && sent < load.count(); i++) {
                send(context);
            }
            context.flush();
        }

        private void send(ChannelHandlerContext context) {
            ByteBuf message = context.alloc().directBuffer(size).writeInt(sent);
            message.writeBytes(pattern, sent & 0xff, size - MIN_MESSAGE);
            sent++;
            sentAt.add(System.nanoTime());
            context.write(message, context.voidPromise());
        }

        @Override
        protected void channelRead0(ChannelHandlerContext context, ByteBuf message) throws IOException {
            progress.onAnswer(System.nanoTime() - sentAt.remove());
            check(message);
            answered++;
            if (answered == load.count()) {
                done.trySuccess(null);
            } else if (sent < load.count()) {
                send(context);
            }
        }

        private void check(ByteBuf message) throws IOException {
            if (message.readableBytes() != size || message.getInt(0) != answered) {
                throw new IOException("answer " + answered + " is not what was sent: " + message);
            }
            message.getBytes(MIN_MESSAGE, content);
            int from = answered & 0xff;
            int difference = Arrays.mismatch(content, 0, content.length, pattern, from, from + content.length);
            if (difference >= 0) {
                throw new IOException("answer " + answered + " differs at octet " + (MIN_MESSAGE + difference));
            }
        }

        @Override
        public void channelReadComplete(ChannelHandlerContext context) {
            context.flush();
        }

        @Override
        public void channelInactive(ChannelHandlerContext context) {
            done.tryFailure(new IOException(
                    Addresses.describe(server) + " closed the connection after " + answered + " answers"));
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            done.tryFailure(
                    cause instanceof ReadTimeoutException
                            ? new IOException(Addresses.describeSilence(
                                    server, load.timeout().toSeconds()))
                            : cause);
            context.close();
        }
    }

    @Override
    public Integer call() throws Exception {
        PrintWriter out = spec.commandLine().getOut();
        out.println(Rdma.report());
        InetSocketAddress server = Addresses.resolve(host, port);
        EventLoopGroup group = new MultiThreadIoEventLoopGroup(1, RdmaIoHandler.newFactory());
        try {
            Promise<Void> done = group.next().newPromise();
            Progress progress =
                    new Progress("echo", load.count(), spec.commandLine().getErr());
            Channel channel = new Bootstrap()
                    .group(group)
                    .channel(RdmaChannel.class)
                    .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, (int)
                            load.timeout().toMillis())
                    .handler(new ChannelInitializer<RdmaChannel>() {
                        @Override
                        protected void initChannel(RdmaChannel made) {
                            made.config().setReceiveSize(size).setReceiveCount(load.inFlight() + 1);
                            made.pipeline()
                                    .addLast(new ReadTimeoutHandler(
                                            load.timeout().toSeconds(), TimeUnit.SECONDS))
                                    .addLast(new Client(progress, load, size, server, done));
                        }
                    })
                    .connect(server)
                    .sync()
                    .channel();
            done.sync();
            channel.close().sync();
            out.println(progress.summary());
            out.flush();
        } finally {
            group.shutdownGracefully();
        }
        return 0;
    }
}
