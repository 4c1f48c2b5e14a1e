// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.lab;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.nettyrdma.socket.RdmaServerSocketChannel;
import io.nettyrdma.socket.RdmaSocketChannel;
import java.net.InetSocketAddress;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Passes bytes on between byte streams: for each stream that it accepts, it connects to a target. It reads one side
 * when the other side has written the bytes before. It passes on the end of either direction, and the end of a stream
 * ends the other one.
 *
 * <p>Threading: both streams of a pair are on the event loop that has accepted the first.
 */
final class StreamProxy extends ChannelInitializer<RdmaSocketChannel> {

    /** Lengths of files to copy. {@code rcopy} cannot copy an empty one, even without a proxy: it maps the file. */
    static final List<Integer> COPIED_BYTES = List.of(1, 65_536, 65_537, 10_000_000);

    private final InetSocketAddress target;
    /** Of the last stream that was accepted. */
    private volatile @Nullable Side near;

    private volatile @Nullable Side far;

    StreamProxy(InetSocketAddress target) {
        this.target = target;
    }

    /** Returns a bootstrap whose children are connected to the target. */
    ServerBootstrap listening(EventLoopGroup group) {
        return new ServerBootstrap()
                .group(group)
                .channel(RdmaServerSocketChannel.class)
                .childOption(ChannelOption.AUTO_READ, false)
                .childOption(ChannelOption.ALLOW_HALF_CLOSURE, true)
                .childHandler(this);
    }

    /**
     * Whether one end of the last stream has sent nothing, although this proxy has handed all bytes for that end to the
     * device.
     */
    boolean hasHeardNothingOfAnEnd() {
        Side client = near;
        Side server = far;
        return client != null
                && server != null
                && (client.isSilent() || server.isSilent() && client.unwrittenBytes == 0);
    }

    @Override
    protected void initChannel(RdmaSocketChannel accepted) {
        Side client = new Side();
        Side server = new Side();
        near = client;
        far = server;
        accepted.pipeline().addLast(client);
        new Bootstrap()
                .group(accepted.eventLoop())
                .channel(RdmaSocketChannel.class)
                .option(ChannelOption.AUTO_READ, false)
                .option(ChannelOption.ALLOW_HALF_CLOSURE, true)
                .handler(server)
                .connect(target)
                .addListener((ChannelFutureListener) connected -> {
                    if (connected.isSuccess()) {
                        client.passTo((RdmaSocketChannel) connected.channel());
                        server.passTo(accepted);
                        accepted.read();
                        connected.channel().read();
                    } else {
                        accepted.close();
                    }
                });
    }

    @Override
    public String toString() {
        return "of the client: " + near + ", of the server: " + far;
    }

    private static final class Side extends ChannelInboundHandlerAdapter {

        private @Nullable RdmaSocketChannel other;
        /** The event loop writes both numbers. */
        private volatile long receivedBytes;

        private volatile long unwrittenBytes;
        private volatile long firstBytesNanos;
        private final long beginNanos = System.nanoTime();

        /** Whether nothing came, or only what siw delivers at the end of the peer because it has overlooked it. */
        boolean isSilent() {
            return receivedBytes == 0 || firstBytesNanos - beginNanos > SiwRepeats.LATE_NANOS;
        }

        void passTo(RdmaSocketChannel channel) {
            other = channel;
        }

        @Override
        public void channelRead(ChannelHandlerContext context, Object bytes) {
            Channel reader = context.channel();
            int length = ((ByteBuf) bytes).readableBytes();
            if (receivedBytes == 0) {
                firstBytesNanos = System.nanoTime();
            }
            receivedBytes += length;
            unwrittenBytes += length;
            other.write(bytes).addListener((ChannelFutureListener) written -> {
                if (written.isSuccess()) {
                    unwrittenBytes -= length;
                    reader.read();
                } else {
                    reader.close();
                }
            });
        }

        @Override
        public void channelReadComplete(ChannelHandlerContext context) {
            other.flush();
        }

        @Override
        public void userEventTriggered(ChannelHandlerContext context, Object event) {
            if (event == ChannelInputShutdownEvent.INSTANCE && other != null) {
                other.shutdownOutput();
            }
        }

        @Override
        public void channelInactive(ChannelHandlerContext context) {
            if (other != null) {
                other.writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(ChannelFutureListener.CLOSE);
            }
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            context.close();
        }

        @Override
        public String toString() {
            return receivedBytes + " bytes, " + unwrittenBytes + " of them not written";
        }
    }
}
