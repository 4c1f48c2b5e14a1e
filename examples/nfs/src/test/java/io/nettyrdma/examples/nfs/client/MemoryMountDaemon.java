// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.examples.nfs.client;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.nettyrdma.examples.nfs.protocol.MountProcedure;
import io.nettyrdma.examples.nfs.protocol.Nfs3Status;
import io.nettyrdma.examples.nfs.protocol.RecordMarkCodec;
import io.nettyrdma.examples.nfs.protocol.RpcPrograms;
import io.nettyrdma.examples.nfs.protocol.Xdr;
import io.nettyrdma.rpc.message.RpcHeaders;
import io.nettyrdma.rpc.message.XdrOpaque;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * A mount daemon with one export, and its own portmapper: both programs answer on one port.
 *
 * <p>Threading: serves on one event loop; tests set it up before and look at it after.
 */
final class MemoryMountDaemon {

    private static final int GETPORT = 3;

    private final String export;

    /** Paths of MNT and UMNT, in order. */
    final List<String> requests = new CopyOnWriteArrayList<>();

    volatile int portTold = -1;
    volatile int status = RpcHeaders.SUCCESS;
    volatile boolean silent;
    volatile boolean hangsUp;

    MemoryMountDaemon(String export) {
        this.export = export;
    }

    Channel start(EventLoopGroup group) throws InterruptedException {
        return new ServerBootstrap()
                .group(group)
                .channel(NioServerSocketChannel.class)
                .childHandler(new ChannelInitializer<SocketChannel>() {
                    @Override
                    protected void initChannel(SocketChannel channel) {
                        channel.pipeline()
                                .addLast(new RecordMarkCodec(65536))
                                .addLast(new Procedures())
                                .addLast(new LeavingClients(IOException.class));
                    }
                })
                .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                .sync()
                .channel();
    }

    private final class Procedures extends SimpleChannelInboundHandler<ByteBuf> {

        @Override
        protected void channelRead0(ChannelHandlerContext ctx, ByteBuf call) {
            if (hangsUp) {
                ctx.close();
                return;
            }
            if (silent) {
                return;
            }
            ByteBuf reply = RpcHeaders.accepted(ctx.alloc(), RpcHeaders.xid(call), status);
            int program = RpcHeaders.program(call);
            int procedure = RpcHeaders.procedure(call);
            call.skipBytes(24 + 4);
            XdrOpaque.read(call, 400);
            call.skipBytes(8);
            if (program == RpcPrograms.PORTMAPPER && procedure == GETPORT) {
                int own = ((InetSocketAddress) ctx.channel().localAddress()).getPort();
                reply.writeInt(portTold < 0 ? own : portTold);
            } else {
                String path = Xdr.readString(call, 1024);
                requests.add((procedure == MountProcedure.MNT.number() ? "MNT " : "UMNT ") + path);
                if (procedure == MountProcedure.MNT.number()) {
                    mount(path, reply);
                }
            }
            ctx.writeAndFlush(reply);
        }

        private void mount(String path, ByteBuf reply) {
            if (!path.equals(export)) {
                reply.writeInt((path.startsWith(export) ? Nfs3Status.NOENT : Nfs3Status.ACCES).code());
                return;
            }
            reply.writeInt(0);
            Xdr.writeOpaque(reply, MemoryNfsServer.ROOT);
            reply.writeInt(1).writeInt(1); // flavors: AUTH_SYS
        }
    }
}
