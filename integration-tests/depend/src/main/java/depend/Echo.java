// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package depend;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SimpleChannelInboundHandler;
import io.nettyrdma.channel.Rdma;
import io.nettyrdma.channel.RdmaIoHandler;
import io.nettyrdma.socket.RdmaServerSocketChannel;
import io.nettyrdma.socket.RdmaSocketChannel;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;

/** Sends one message to a server of its own and prints what comes back, the module, and the provider. */
public final class Echo {

    private Echo() {}

    public static void main(String[] arguments) throws InterruptedException {
        EventLoopGroup group = new MultiThreadIoEventLoopGroup(1, RdmaIoHandler.newFactory());
        try {
            Channel server = new ServerBootstrap()
                    .group(group)
                    .channel(RdmaServerSocketChannel.class)
                    .childHandler(new ChannelInitializer<>() {
                        @Override
                        protected void initChannel(Channel channel) {
                            channel.pipeline().addLast(new Server());
                        }
                    })
                    .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                    .sync()
                    .channel();
            Channel client = new Bootstrap()
                    .group(group)
                    .channel(RdmaSocketChannel.class)
                    .handler(new Client())
                    .connect(server.localAddress())
                    .sync()
                    .channel();
            client.closeFuture().sync();
        } finally {
            group.shutdownGracefully().sync();
        }
    }

    private static final class Server extends ChannelInboundHandlerAdapter {
        @Override
        public void channelRead(ChannelHandlerContext context, Object bytes) {
            context.writeAndFlush(bytes);
        }
    }

    private static final class Client extends SimpleChannelInboundHandler<ByteBuf> {
        @Override
        public void channelActive(ChannelHandlerContext context) {
            context.writeAndFlush(Unpooled.copiedBuffer("hello", StandardCharsets.UTF_8));
        }

        @Override
        protected void channelRead0(ChannelHandlerContext context, ByteBuf bytes) {
            System.out.println(bytes.toString(StandardCharsets.UTF_8) + " from "
                    + Echo.class.getModule().getName() + " over " + Rdma.provider().name());
            context.close();
        }
    }
}
