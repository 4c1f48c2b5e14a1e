// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.cli;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import io.nettyrdma.channel.RdmaChannel;
import io.nettyrdma.channel.RdmaPrivateDataEvent;
import io.nettyrdma.channel.RdmaServerChannel;
import io.nettyrdma.examples.guard.ConnectionLimit;
import io.nettyrdma.examples.guard.PeerLog;
import io.nettyrdma.examples.nfsnull.NfsNullServer;
import io.nettyrdma.rpc.RpcRdmaConfig;
import io.nettyrdma.rpc.RpcRdmaResponderHandler;
import java.net.InetSocketAddress;
import java.util.HexFormat;
import java.util.function.Consumer;

/** Runs the program of {@link NfsNullServer} with limits of connections and a log. */
public final class GuardedNfsNull {

    private GuardedNfsNull() {}

    /**
     * Starts the server.
     *
     * @param group  the event loops, made with {@link io.nettyrdma.channel.RdmaIoHandler#newFactory}
     * @param config limits, and the listener that sees every message
     * @param log    gets a line when a connection comes and goes, at most ten a second; called on event loops
     * @return completes when the server listens
     */
    public static ChannelFuture start(
            EventLoopGroup group, InetSocketAddress address, RpcRdmaConfig config, Consumer<String> log) {
        return start(group, address, config, ConnectionLimit.Settings.DEFAULT, new PeerLog(log));
    }

    /** The same with limits of connections and of lines that the caller has chosen. */
    public static ChannelFuture start(
            EventLoopGroup group,
            InetSocketAddress address,
            RpcRdmaConfig config,
            ConnectionLimit.Settings limits,
            PeerLog log) {
        return new ServerBootstrap()
                .group(group)
                .channel(RdmaServerChannel.class)
                .handler(new ConnectionLimit(limits, log))
                .childHandler(new ChannelInitializer<RdmaChannel>() {
                    @Override
                    protected void initChannel(RdmaChannel channel) {
                        channel.pipeline()
                                .addLast(new ConnectionLog(log))
                                .addLast(new RpcRdmaResponderHandler(config))
                                .addLast(NfsNullServer.NFS, log);
                    }
                })
                .bind(address);
    }

    /** Tells of connections and of the private data they came with. */
    private static final class ConnectionLog extends ChannelInboundHandlerAdapter {
        private final Consumer<String> log;

        ConnectionLog(Consumer<String> log) {
            this.log = log;
        }

        @Override
        public void userEventTriggered(ChannelHandlerContext context, Object event) {
            if (event instanceof RdmaPrivateDataEvent privateData) {
                log.accept("connection from " + context.channel().remoteAddress() + ", private data "
                        + (privateData.data().length == 0
                                ? "none"
                                : HexFormat.of().formatHex(privateData.data())));
            }
            context.fireUserEventTriggered(event);
        }

        @Override
        public void channelInactive(ChannelHandlerContext context) {
            log.accept("connection from " + context.channel().remoteAddress() + " closed");
            context.fireChannelInactive();
        }
    }
}
