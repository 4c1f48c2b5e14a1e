// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package outside;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SimpleChannelInboundHandler;
import io.nettyrdma.channel.Rdma;
import io.nettyrdma.channel.RdmaChannel;
import io.nettyrdma.channel.RdmaIoHandler;
import io.nettyrdma.channel.RdmaServerChannel;
import io.nettyrdma.rpc.RpcRdmaClient;
import io.nettyrdma.rpc.RpcRdmaResponderHandler;
import io.nettyrdma.rpc.message.RpcHeaders;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;

/** Calls a server of its own, and prints what happens. */
public final class Main {

    private static final int PROGRAM = 100003;

    private Main() {}

    public static void main(String[] args) throws Exception {
        System.out.println("provider: " + Rdma.provider().name());
        EventLoopGroup group = new MultiThreadIoEventLoopGroup(2, RdmaIoHandler.newFactory());
        Channel server = new ServerBootstrap()
                .group(group)
                .channel(RdmaServerChannel.class)
                .childHandler(new ChannelInitializer<RdmaChannel>() {
                    @Override
                    protected void initChannel(RdmaChannel channel) {
                        channel.pipeline().addLast(new RpcRdmaResponderHandler(), new Answers());
                    }
                })
                .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                .sync()
                .channel();
        RpcRdmaClient client = RpcRdmaClient.builder(
                        new Bootstrap().group(group).channel(RdmaChannel.class).remoteAddress(server.localAddress()))
                .build();
        ByteBuf reply = client.call(RpcHeaders.call(ByteBufAllocator.DEFAULT, 1, PROGRAM, 3, 0))
                .get(60, TimeUnit.SECONDS);
        System.out.println("accept status: " + RpcHeaders.acceptStatus(reply));
        reply.release();
        client.close();
        group.shutdownGracefully(0, 10, TimeUnit.SECONDS).sync();
        System.out.println("module: " + Main.class.getModule().getName());
    }

    private static final class Answers extends SimpleChannelInboundHandler<ByteBuf> {
        @Override
        protected void channelRead0(ChannelHandlerContext context, ByteBuf call) {
            context.writeAndFlush(RpcHeaders.accepted(context.alloc(), RpcHeaders.xid(call), RpcHeaders.SUCCESS));
        }
    }
}
