// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.echo;

import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SimpleChannelInboundHandler;
import io.nettyrdma.channel.RdmaChannel;
import io.nettyrdma.channel.RdmaIoHandler;
import io.nettyrdma.flow.RdmaFlowControlHandler;
import java.nio.charset.StandardCharsets;

/** Sends one message to {@link EchoServer} and prints the reply. Usage: {@code EchoClient [host [port]]}. */
public final class EchoClient extends SimpleChannelInboundHandler<ByteBuf> {

    private EchoClient() {}

    /** Ends when the message is back, or the connection lost. */
    public static void main(String[] arguments) throws InterruptedException {
        String host = arguments.length > 0 ? arguments[0] : "127.0.0.1";
        int port = arguments.length > 1 ? Integer.parseInt(arguments[1]) : EchoServer.PORT;
        EventLoopGroup group = new MultiThreadIoEventLoopGroup(1, RdmaIoHandler.newFactory());
        try {
            Bootstrap client = new Bootstrap()
                    .group(group)
                    .channel(RdmaChannel.class)
                    .handler(new ChannelInitializer<RdmaChannel>() {
                        @Override
                        protected void initChannel(RdmaChannel channel) {
                            channel.pipeline().addLast(new RdmaFlowControlHandler(), new EchoClient());
                        }
                    });
            Channel channel = client.connect(host, port).sync().channel();
            channel.writeAndFlush(Unpooled.copiedBuffer("hello, RDMA", StandardCharsets.UTF_8));
            channel.closeFuture().sync();
        } finally {
            group.shutdownGracefully();
        }
    }

    @Override
    protected void channelRead0(ChannelHandlerContext context, ByteBuf message) {
        System.out.println(message.toString(StandardCharsets.UTF_8));
        context.close();
    }
}
