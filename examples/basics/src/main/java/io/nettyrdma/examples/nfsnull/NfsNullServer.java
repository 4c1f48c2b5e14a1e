// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.nfsnull;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.nettyrdma.channel.RdmaChannel;
import io.nettyrdma.channel.RdmaIoHandler;
import io.nettyrdma.channel.RdmaServerChannel;
import io.nettyrdma.rpc.RpcProgramHandler;
import io.nettyrdma.rpc.RpcRdmaResponderHandler;

/**
 * An RPC-over-RDMA server: one handler for the transport, one for the program. Usage: {@code NfsNullServer [port]}.
 *
 * <p>The program is NFS without files: it answers the NULL procedure of versions 2, 3 and 4, and everything else as not
 * available.
 */
public final class NfsNullServer {

    /** Program 100003, versions 2 to 4; V1-127. */
    public static final RpcProgramHandler NFS = RpcProgramHandler.of(100_003, 2, 4);

    private static final int PORT = 20_049; // of NFS over RDMA, V1-127

    private NfsNullServer() {}

    /** Runs until a signal ends the program. */
    public static void main(String[] arguments) throws InterruptedException {
        int port = arguments.length > 0 ? Integer.parseInt(arguments[0]) : PORT;
        EventLoopGroup group = new MultiThreadIoEventLoopGroup(RdmaIoHandler.newFactory());
        try {
            ServerBootstrap server = new ServerBootstrap()
                    .group(group)
                    .channel(RdmaServerChannel.class)
                    .childHandler(new ChannelInitializer<RdmaChannel>() {
                        @Override
                        protected void initChannel(RdmaChannel channel) {
                            channel.pipeline().addLast(new RpcRdmaResponderHandler(), NFS);
                        }
                    });
            Channel listener = server.bind(port).sync().channel();
            System.out.println("listening on " + listener.localAddress());
            listener.closeFuture().sync();
        } finally {
            group.shutdownGracefully();
        }
    }
}
