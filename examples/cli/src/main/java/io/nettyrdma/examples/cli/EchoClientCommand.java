// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
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
import io.netty.handler.codec.FixedLengthFrameDecoder;
import io.netty.handler.timeout.ReadTimeoutException;
import io.netty.handler.timeout.ReadTimeoutHandler;
import io.netty.util.concurrent.Promise;
import io.nettyrdma.channel.Rdma;
import io.nettyrdma.channel.RdmaChannel;
import io.nettyrdma.channel.RdmaChannelOption;
import io.nettyrdma.channel.RdmaIoHandler;
import io.nettyrdma.error.RdmaMessageTooLongException;
import io.nettyrdma.examples.guard.Addresses;
import io.nettyrdma.examples.guard.PeerText;
import io.nettyrdma.flow.RdmaFlowControlConfig;
import io.nettyrdma.flow.RdmaFlowControlHandler;
import io.nettyrdma.socket.RdmaSocketChannel;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.ClosedChannelException;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Sends messages to an echo server, checks what comes back and measures how long it takes. */
@Command(name = "echo-client", description = "Sends messages to echo-server, checks the answers, reports latencies.")
final class EchoClientCommand extends Program {

    private static final int MIN_MESSAGE = Integer.BYTES;

    @Option(
            names = {"-s", "--size"},
            paramLabel = "BYTES",
            defaultValue = "64",
            description = "message size, at least " + MIN_MESSAGE + " (default: ${DEFAULT-VALUE}). More than 65536 need"
                    + " --max-message of echo-server, or --stream")
    @InRange(from = MIN_MESSAGE, to = 1 << 30)
    private int size;

    @Option(
            names = "--stream",
            description =
                    "send a byte stream (RdmaSocketChannel) instead of messages and count the bytes that come back;"
                            + " the server needs the option too")
    private boolean stream;

    @Mixin
    private final LoadOptions load = new LoadOptions(EchoServerCommand.DEFAULT_PORT);

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
            Long sentNanos = sentAt.poll();
            if (sentNanos == null) {
                throw new IOException("answer " + answered + " belongs to no message that was sent");
            }
            progress.onAnswer(System.nanoTime() - sentNanos);
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
                throw new IOException("answer " + answered + " is not the message that was sent");
            }
            message.getBytes(MIN_MESSAGE, content);
            int from = answered & 0xff;
            int difference = Arrays.mismatch(content, 0, content.length, pattern, from, from + content.length);
            if (difference >= 0) {
                throw new IOException("answer " + answered + " differs at byte " + (MIN_MESSAGE + difference));
            }
        }

        @Override
        public void channelReadComplete(ChannelHandlerContext context) {
            context.flush();
        }

        @Override
        public void channelInactive(ChannelHandlerContext context) {
            done.tryFailure(closedByServer());
        }

        private IOException closedByServer() {
            return new IOException(
                    Addresses.describe(server) + " closed the connection after " + answered + " answers");
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            done.tryFailure(withAddress(cause));
            context.close();
        }

        private IOException withAddress(Throwable cause) {
            if (cause instanceof ReadTimeoutException) {
                return new IOException(
                        Addresses.describeSilence(server, load.timeout().toSeconds()));
            }
            if (cause instanceof ClosedChannelException) {
                return closedByServer(); // a message that was being sent fails before channelInactive
            }
            if (cause instanceof RdmaMessageTooLongException tooLong) {
                return new IOException(
                        Addresses.describe(server) + " takes messages of up to " + tooLong.maxBytes()
                                + " bytes: start echo-server with --max-message=" + size + ", give a smaller --size,"
                                + " or use --stream at both ends",
                        cause);
            }
            return new IOException(Addresses.describe(server) + ": " + PeerText.reason(cause), cause);
        }
    }

    private Bootstrap bootstrap(Client client) {
        Bootstrap bootstrap = stream
                ? new Bootstrap().channel(RdmaSocketChannel.class)
                : new Bootstrap()
                        .channel(RdmaChannel.class)
                        .option(RdmaChannelOption.RDMA_RECEIVE_SIZE, receiveSize())
                        .option(
                                RdmaChannelOption.RDMA_RECEIVE_COUNT,
                                load.inFlight() + RdmaFlowControlHandler.RESERVED_RECEIVES);
        RdmaFlowControlConfig flow = EchoServerCommand.flowControl(size);
        return bootstrap.handler(new ChannelInitializer<>() {
            @Override
            protected void initChannel(Channel channel) {
                channel.pipeline().addLast(new ReadTimeoutHandler(load.timeout().toSeconds(), TimeUnit.SECONDS));
                if (stream) {
                    // A stream has no boundaries: an answer is complete when all its bytes have come.
                    channel.pipeline().addLast(new FixedLengthFrameDecoder(size));
                } else {
                    channel.pipeline().addLast(new RdmaFlowControlHandler(flow));
                }
                channel.pipeline().addLast(client);
            }
        });
    }

    private int receiveSize() {
        int trailer = RdmaFlowControlHandler.TRAILER_BYTES;
        return Math.max(
                EchoServerCommand.MIN_RECEIVE, Math.min(size, EchoServerCommand.MAX_RECEIVE - trailer) + trailer);
    }

    @Override
    void run() throws Exception {
        print(Rdma.report());
        InetSocketAddress server = load.server();
        EventLoopGroup group = new MultiThreadIoEventLoopGroup(1, RdmaIoHandler.newFactory());
        try {
            Promise<Void> done = group.next().newPromise();
            Progress progress =
                    new Progress("echo", load.count(), spec.commandLine().getErr());
            Client client = new Client(progress, load, size, server, done);
            Channel channel = bootstrap(client)
                    .group(group)
                    .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, (int)
                            load.timeout().toMillis())
                    .connect(server)
                    .sync()
                    .channel();
            done.sync();
            channel.close().sync();
            print(progress.summary());
        } finally {
            group.shutdownGracefully();
        }
    }
}
