// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.agent;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.nio.NioEventLoopGroup;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** A program that knows nothing of RDMA, and runs on Netty 4.1, too: a server, and a client that connects to it. */
final class EchoProgram {

    private EchoProgram() {}

    public static final class OwnListener extends NioServerSocketChannel {}

    public static final class OwnClient extends NioSocketChannel {}

    private static final class Echo extends ChannelInitializer<SocketChannel> {
        @Override
        protected void initChannel(SocketChannel channel) {
            channel.pipeline().addLast(new ChannelInboundHandlerAdapter() {
                @Override
                public void channelRead(ChannelHandlerContext ctx, Object message) {
                    ctx.writeAndFlush(message);
                }
            });
        }
    }

    /** Arguments: the server's port; then, if the client is to connect elsewhere, that host and port. */
    @SuppressWarnings("deprecation") // the group, which all versions of Netty have
    public static void main(String[] args) throws Exception {
        boolean own = Boolean.getBoolean("own.channels");
        EventLoopGroup group = new NioEventLoopGroup(2);
        ServerBootstrap server = new ServerBootstrap()
                .group(group)
                .channel(own ? OwnListener.class : NioServerSocketChannel.class)
                .childHandler(new Echo());
        Channel listener =
                server.bind("127.0.0.1", Integer.parseInt(args[0])).sync().channel();
        CompletableFuture<String> answer = new CompletableFuture<>();
        Bootstrap client = new Bootstrap().group(group).channel(own ? OwnClient.class : NioSocketChannel.class);
        client.handler(new ChannelInboundHandlerAdapter() {
            @Override
            public void channelRead(ChannelHandlerContext ctx, Object message) {
                answer.complete(((ByteBuf) message).toString(StandardCharsets.UTF_8));
                ((ByteBuf) message).release();
            }

            @Override
            public void channelInactive(ChannelHandlerContext ctx) {
                answer.complete("closed");
            }
        });
        ChannelFuture connected = args.length == 1
                ? client.connect(listener.localAddress())
                : client.connect(InetSocketAddress.createUnresolved(args[1], Integer.parseInt(args[2])));
        connected.awaitUninterruptibly();
        System.out.println("listener " + listener.getClass().getSimpleName());
        System.out.println("client " + connected.channel().getClass().getSimpleName());
        if (connected.isSuccess()) {
            connected.channel().writeAndFlush(Unpooled.copiedBuffer("hello", StandardCharsets.UTF_8));
            System.out.println(answer.get(1, TimeUnit.MINUTES));
        } else {
            System.out.println(connected.cause());
        }
        group.shutdownGracefully(0, 10, TimeUnit.SECONDS).sync();
    }
}
