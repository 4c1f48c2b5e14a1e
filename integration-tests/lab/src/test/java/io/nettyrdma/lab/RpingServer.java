// Copyright 2026 The Netty RDMA authors
// SPDX-License-Identifier: Apache-2.0
package io.nettyrdma.lab;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import io.nettyrdma.channel.RdmaAccess;
import io.nettyrdma.channel.RdmaChannel;
import io.nettyrdma.channel.RdmaMemory;
import io.nettyrdma.channel.RdmaRead;
import io.nettyrdma.channel.RdmaServerChannel;
import io.nettyrdma.channel.RdmaWrite;
import io.nettyrdma.channel.RemoteSegment;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;

/**
 * The side of {@link Rping} that reads and writes. Unlike the original it knows the ping data and verifies what it
 * reads.
 */
final class RpingServer extends RpingHandler {
    private @Nullable RdmaMemory data;
    private boolean hasRead;

    RpingServer(int size) {
        super(size);
    }

    /** Listens on an ephemeral port of 127.0.0.1, for one connection. */
    ChannelFuture listen(EventLoopGroup group) {
        return listen(group, new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    }

    ChannelFuture listen(EventLoopGroup group, InetSocketAddress address) {
        return new ServerBootstrap()
                .group(group)
                .channel(RdmaServerChannel.class)
                .childHandler(new ChannelInitializer<RdmaChannel>() {
                    @Override
                    protected void initChannel(RdmaChannel channel) {
                        channel.config().setReceiveSize(Rping.MESSAGE_BYTES).setReceiveCount(2);
                        channel.pipeline().addLast(RpingServer.this);
                    }
                })
                .bind(address);
    }

    @Override
    public void channelActive(ChannelHandlerContext context) throws IOException {
        data = allocate(context, RdmaAccess.LOCAL);
    }

    @Override
    protected void channelRead0(ChannelHandlerContext context, ByteBuf message) throws IOException {
        RemoteSegment segment = Rping.advertised(message);
        if (segment.lengthBytes() != size) {
            throw new IOException("the client's buffer has " + segment.lengthBytes() + " octets, not " + size);
        }
        RdmaMemory memory = data;
        assert memory != null;
        if (hasRead) {
            context.write(new RdmaWrite(memory.content().retain(), segment)).addListener(written);
            context.writeAndFlush(Rping.goOn(context.alloc())).addListener(written);
            hasRead = false;
            roundDone();
        } else {
            read(context, segment, memory);
        }
    }

    private void read(ChannelHandlerContext context, RemoteSegment source, RdmaMemory target) {
        target.content().clear();
        context.writeAndFlush(new RdmaRead(source, target.content().retain()))
                .addListener(written)
                .addListener(future -> {
                    if (future.isSuccess()) {
                        try {
                            verify(target, "RDMA Read");
                        } catch (IOException e) {
                            exceptionCaught(context, e);
                            return;
                        }
                        hasRead = true;
                        context.writeAndFlush(Rping.goOn(context.alloc())).addListener(written);
                    }
                });
    }
}
