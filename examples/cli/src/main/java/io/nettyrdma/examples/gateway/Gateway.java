// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.gateway;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.channel.socket.ChannelOutputShutdownEvent;
import io.netty.channel.socket.DuplexChannel;
import io.netty.channel.socket.nio.NioChannelOption;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.nettyrdma.channel.RdmaIoHandler;
import io.nettyrdma.examples.guard.Addresses;
import io.nettyrdma.examples.guard.ConnectionLimit;
import io.nettyrdma.examples.guard.EventLoops;
import io.nettyrdma.examples.guard.PeerLog;
import io.nettyrdma.examples.guard.PeerText;
import io.nettyrdma.socket.RdmaServerSocketChannel;
import io.nettyrdma.socket.RdmaSocketChannel;
import java.io.IOException;
import java.net.InetSocketAddress;
import jdk.net.ExtendedSocketOptions;
import org.jspecify.annotations.Nullable;

/**
 * Relays bytes between streams over RDMA and TCP. For each connection that it accepts, it makes one to the server. A
 * side whose peer does not take its bytes stops the reading of the other one. The end of one direction is passed on
 * behind the last byte, and the other direction stays open. A reset is passed on as a reset.
 *
 * <p>Threading: started and closed by one thread. Ownership: owns its event loops.
 */
public final class Gateway implements AutoCloseable {

    private static final long SHUTDOWN_SECONDS = 10;

    private final EventLoopGroup rdma = new MultiThreadIoEventLoopGroup(RdmaIoHandler.newFactory());
    private final EventLoopGroup tcp = new MultiThreadIoEventLoopGroup(NioIoHandler.newFactory());
    private final InetSocketAddress server;
    private final PeerLog log;
    private @Nullable Channel listener;

    private Gateway(InetSocketAddress server, PeerLog log) {
        this.server = server;
        this.log = log;
    }

    /**
     * Accepts byte streams over RDMA, for a server that speaks TCP only.
     *
     * @param address to listen on; port 0 for any
     * @param server  to connect to
     * @param limits  connections, and how long they may be idle
     * @param log     gets a line for each connection that fails or exceeds a limit, on any thread
     * @throws IOException if the address cannot be listened on
     */
    public static Gateway fromRdmaToTcp(
            InetSocketAddress address, InetSocketAddress server, ConnectionLimit.Settings limits, PeerLog log)
            throws IOException, InterruptedException {
        Gateway gateway = new Gateway(server, log);
        ServerBootstrap accepting = new ServerBootstrap().group(gateway.rdma).channel(RdmaServerSocketChannel.class);
        Bootstrap connecting = new Bootstrap().group(gateway.tcp).channel(NioSocketChannel.class);
        return gateway.start(accepting, connecting, address, limits);
    }

    /** The same in the other direction: accepts TCP, for a client that speaks TCP only. */
    public static Gateway fromTcpToRdma(
            InetSocketAddress address, InetSocketAddress server, ConnectionLimit.Settings limits, PeerLog log)
            throws IOException, InterruptedException {
        Gateway gateway = new Gateway(server, log);
        ServerBootstrap accepting = new ServerBootstrap().group(gateway.tcp).channel(NioServerSocketChannel.class);
        Bootstrap connecting = new Bootstrap().group(gateway.rdma).channel(RdmaSocketChannel.class);
        // A client that vanished does not keep its place: it ends after two minutes, as over the software provider.
        accepting
                .childOption(ChannelOption.SO_KEEPALIVE, true)
                .childOption(NioChannelOption.of(ExtendedSocketOptions.TCP_KEEPIDLE), 60)
                .childOption(NioChannelOption.of(ExtendedSocketOptions.TCP_KEEPINTERVAL), 10)
                .childOption(NioChannelOption.of(ExtendedSocketOptions.TCP_KEEPCOUNT), 6);
        return gateway.start(accepting, connecting, address, limits);
    }

    private Gateway start(
            ServerBootstrap accepting, Bootstrap connecting, InetSocketAddress address, ConnectionLimit.Settings limits)
            throws IOException, InterruptedException {
        connecting.option(ChannelOption.ALLOW_HALF_CLOSURE, true).option(ChannelOption.SO_KEEPALIVE, true);
        accepting
                .handler(new ConnectionLimit(limits, log))
                .childOption(ChannelOption.ALLOW_HALF_CLOSURE, true)
                .childOption(ChannelOption.AUTO_READ, false) // until there is a connection to the server
                .childHandler(new ChannelInitializer<>() {
                    @Override
                    protected void initChannel(Channel accepted) {
                        accepted.pipeline().addLast(new Accepted(connecting));
                    }
                });
        boolean started = false;
        try {
            listener = Addresses.awaitBound(accepting.bind(address), address);
            started = true;
            return this;
        } finally {
            if (!started) {
                close();
            }
        }
    }

    /** Returns the address that the gateway listens on. */
    public InetSocketAddress address() {
        return (InetSocketAddress) listener().localAddress();
    }

    /** Waits until the listener is closed. */
    public void awaitEnd() throws InterruptedException {
        listener().closeFuture().sync();
    }

    private Channel listener() {
        if (listener == null) {
            throw new IllegalStateException("not started");
        }
        return listener;
    }

    /** Closes all connections. */
    @Override
    public void close() {
        EventLoops.shutDown(rdma, SHUTDOWN_SECONDS);
        EventLoops.shutDown(tcp, SHUTDOWN_SECONDS);
    }

    /** Connects to the server before anything is read. */
    private final class Accepted extends ChannelInboundHandlerAdapter {

        private final Bootstrap connecting;

        Accepted(Bootstrap connecting) {
            this.connecting = connecting;
        }

        @Override
        public void channelActive(ChannelHandlerContext context) {
            Channel accepted = context.channel();
            String name = String.valueOf(accepted.remoteAddress());
            ChannelFuture connect = connecting
                    .clone()
                    .handler(new Relay(accepted, name + " closed by " + Addresses.describe(server), log))
                    .connect(server);
            context.pipeline().replace(this, null, new Relay(connect.channel(), name + " closed", log));
            connect.addListener(connected -> {
                if (connected.isSuccess()) {
                    accepted.config().setAutoRead(true);
                } else if (accepted.isOpen()) {
                    log.accept(name + " closed: cannot connect to " + Addresses.describe(server) + ": "
                            + PeerText.reason(connected.cause()));
                    Relay.reset(accepted);
                }
            });
        }
    }

    /** Passes everything that happens on its channel on to the other one, whose event loop is another one. */
    static final class Relay extends ChannelInboundHandlerAdapter {

        private final Channel other;
        private final String closed;
        private final PeerLog log;
        private boolean inputOver;
        private boolean outputOver;
        private boolean failed;

        Relay(Channel other, String closed, PeerLog log) {
            this.other = other;
            this.closed = closed;
            this.log = log;
        }

        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            other.write(message);
            if (!other.isWritable()) {
                context.channel().config().setAutoRead(false);
            }
        }

        @Override
        public void channelReadComplete(ChannelHandlerContext context) {
            other.flush();
        }

        /** Only the event loop of a channel changes whether it is read, and asks at that time: no change is lost. */
        @Override
        public void channelWritabilityChanged(ChannelHandlerContext context) {
            if (other.isOpen()) {
                other.eventLoop().execute(() -> other.config()
                        .setAutoRead(context.channel().isWritable()));
            }
        }

        @Override
        public void userEventTriggered(ChannelHandlerContext context, Object event) {
            if (event == ChannelInputShutdownEvent.INSTANCE) {
                inputOver = true;
                // Behind all that was written: ending the output would fail what is still in the channel.
                other.writeAndFlush(Unpooled.EMPTY_BUFFER)
                        .addListener(written -> ((DuplexChannel) other).shutdownOutput());
            } else if (event == ChannelOutputShutdownEvent.INSTANCE) {
                outputOver = true;
            }
            if (inputOver && outputOver) {
                context.close();
            }
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            failed = true;
            log.accept(closed + ": " + PeerText.reason(cause));
            context.close();
        }

        /** A channel that ends before its input has ended was reset, or one of its writes failed. */
        @Override
        public void channelInactive(ChannelHandlerContext context) {
            if (inputOver && !failed) {
                other.writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(ChannelFutureListener.CLOSE);
            } else {
                reset(other);
            }
        }

        static void reset(Channel channel) {
            if (channel.isOpen()) {
                channel.eventLoop().execute(() -> {
                    if (channel.isOpen()) {
                        channel.config().setOption(ChannelOption.SO_LINGER, 0);
                        channel.close();
                    }
                });
            }
        }
    }
}
